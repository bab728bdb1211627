#include "sim/agents.h"

#include <numeric>
#include <string_view>
#include <utility>

namespace parlance::sim {

namespace {

/// The kind of an answer (K21), derived from the request's id and not drawn, so that recorded seeds
/// keep their lives.
AnswerKind kind_for(std::string_view id) {
    const auto number = std::accumulate(id.begin(), id.end(), 0U, [](unsigned sum, char c) {
        return sum * 31U + static_cast<unsigned char>(c);
    });
    if (number % 29 == 0) return AnswerKind::Failed;
    return number % 7 == 0 ? AnswerKind::Declined : AnswerKind::Done;
}

}  // namespace

Agents::Agents(const Plan& plan, Entropy& entropy, Timeline& timeline, Door& door, Persons& persons)
    : plan_(plan),
      entropy_(entropy),
      timeline_(timeline),
      door_(door),
      persons_(persons),
      writer_(plan, entropy, persons),
      collaboration_(plan) {
    door_.listen({.on_delivery = [this](const Deliver& deliver) { on_delivery(deliver); },
                  .on_closed = [this](InstanceNumber instance) { on_closed(instance); },
                  .on_down = [this] { on_down(); },
                  .on_restored = [this] { on_restored(); }});
}

void Agents::begin() {
    for (std::uint64_t agent = 0; agent < plan_.agents; ++agent) {
        enlist(agent);
        const auto count = entropy_.between(1, plan_.consumers_max);
        for (std::uint64_t i = 0; i < count; ++i) {
            consumers_.push_back(
                {.agent = agent,
                 .name = "consumer-" + std::to_string(i),
                 .kind = entropy_.percent(20) ? InstanceKind::Poll : InstanceKind::Socket,
                 .credit = static_cast<std::uint32_t>(entropy_.between(1, plan_.credit_max))});
        }
        timeline_.after(entropy_.ms(20, 200), [this, agent] { send_on(agent); });
        timeline_.after(entropy_.ms(100, 2'000), [this, agent] { reconsider(agent); });
        timeline_.after(entropy_.ms(50, 500), [this, agent] { share(agent); });
        if (plan_.verbs.choose_every > Duration{}) {
            timeline_.after(collaboration_.pause(), [this, agent] { ask_hub_to_choose(agent); });
        }
    }
    for (std::size_t i = 0; i < consumers_.size(); ++i) {
        timeline_.after(entropy_.ms(20, 500), [this, i] { pulse(i); });
    }
}

void Agents::calm() {
    is_calm_ = true;
    for (auto& consumer : consumers_) consumer.asleep_until = {};
}

void Agents::tell(const std::string& agent, Command command) {
    door_.bring(agent, std::move(command), {});
}

Profile Agents::profile(std::uint64_t agent) const {
    return profile_of(agent, persons_.dialect_of(agent));
}

/// Registers the agent, again and again until the hub has answered.
void Agents::enlist(std::uint64_t agent) {
    const auto name = agent_name(agent);
    const auto has_answer = std::make_shared<bool>(false);
    door_.bring_as_operator(RegisterAgent{{name}, profile(agent), true},
                            [has_answer](const Effect&) { *has_answer = true; });
    timeline_.after(entropy_.ms(700, 1'500), [this, agent, has_answer] {
        if (!*has_answer) enlist(agent);
    });
    for (int topic = 0; topic < 2; ++topic) {
        if (entropy_.percent(50)) {
            door_.bring_as_operator(Subscribe{{name}, {"news-" + std::to_string(topic)}});
        }
    }
}

/// Changes a subscription, removes the agent, asks for wider tools, or tries to remove a neighbour.
/// A removed agent registers again when a consumer's join is refused.
void Agents::reconsider(std::uint64_t agent) {
    if (is_calm_) return;
    timeline_.after(entropy_.ms(100, 2'000), [this, agent] { reconsider(agent); });
    const auto name = agent_name(agent);
    const TopicName topic{"news-" + std::to_string(entropy_.below(2))};
    switch (entropy_.below(5)) {
        case 0:
            return tell(name, Subscribe{{name}, topic});
        case 1:
            return tell(name, Unsubscribe{{name}, topic});
        case 2:
            return tell(name, RemoveAgent{{name}});
        case 3: {  // Tries to be allowed every tool.
            auto wider = profile(agent);
            wider.tools_allowed = {kTools.begin(), kTools.end()};
            return tell(name, RegisterAgent{{name}, std::move(wider), true});
        }
        default:  // Tries to remove a neighbour, as only the neighbour itself may.
            return tell(name, RemoveAgent{{agent_name((agent + 1) % plan_.agents)}});
    }
}

// Sending.

void Agents::send_on(std::uint64_t agent) {
    if (is_calm_) return;
    const auto share = static_cast<std::uint64_t>(plan_.chaos.count()) * plan_.agents /
                       std::max<std::uint64_t>(plan_.messages, 1);
    const bool is_burst = entropy_.percent(plan_.burst);
    for (std::uint64_t i = is_burst ? entropy_.between(10, 40) : 1; i > 0; --i) {
        auto letter = writer_.write(agent);
        if (letter.envelope->intent() == Intent::Request) questions_.push_back(letter.envelope);
        ++messages_;
        send(agent, std::move(letter), 4);
    }
    timeline_.after(entropy_.ms(1, 2 * share * (is_burst ? 5 : 1)),
                    [this, agent] { send_on(agent); });
}

/// Retries until the hub answers, as a careful sender does; sometimes repeats once too often.
void Agents::send(std::uint64_t agent, SendMessage letter, int tries) {
    if (tries == 0 || is_calm_) return;
    claims_[{std::string{letter.envelope->from()}, std::string{letter.envelope->id()}}] =
        letter.claim;
    const auto has_answer = std::make_shared<bool>(false);
    door_.bring(agent_name(agent), letter, [has_answer](const Effect&) { *has_answer = true; });
    const bool repeats = plan_.naughty > 0 && entropy_.percent(8);
    if (repeats && entropy_.percent(30)) tell(agent_name(agent), writer_.rewrite(letter));
    if (repeats && entropy_.percent(10)) tell(agent_name((agent + 1) % plan_.agents), letter);
    timeline_.after(entropy_.ms(30, 700),
                    [this, agent, has_answer, repeats, tries, letter = std::move(letter)] {
                        if (!*has_answer || repeats) send(agent, letter, tries - 1);
                    });
}

// Taking.

void Agents::join(std::size_t number) {
    const auto& consumer = consumers_[number];
    door_.bring(
        agent_name(consumer.agent),
        JoinInstance{{agent_name(consumer.agent)}, consumer.name, consumer.kind, consumer.credit},
        [this, number, process = processes_ended_](const Effect& effect) {
            if (process != processes_ended_) return;  // The connection ended with the process.
            const auto* refused = std::get_if<TellRefused>(&effect);
            if (refused != nullptr && refused->refusal == Refusal::AgentNotRegistered) {
                const auto agent = consumers_[number].agent;
                const auto name = agent_name(agent);
                return tell(name, RegisterAgent{{name}, profile(agent)});
            }
            const auto* joined = std::get_if<TellJoined>(&effect);
            if (joined == nullptr) return;
            consumers_[number].instance = joined->instance;
            connected_[joined->instance] = number;
        });
}

/// A consumer's heartbeat: joins the hub if the consumer is not connected, else renews the
/// connection.
void Agents::pulse(std::size_t number) {
    auto& consumer = consumers_[number];
    const auto rhythm = static_cast<std::uint64_t>(plan_.limits.heartbeat_timeout.count()) / 4;
    const auto pause =
        consumer.kind == InstanceKind::Poll ? entropy_.ms(5, 100) : entropy_.ms(rhythm / 2, rhythm);
    timeline_.after(is_calm_ ? std::min(pause, Duration{50}) : pause,
                    [this, number] { pulse(number); });
    if (consumer.asleep_until > timeline_.now()) return;
    if (consumer.instance == InstanceNumber{}) return join(number);

    const auto agent = agent_name(consumer.agent);
    const auto forget = [this, number](const Effect& effect) {
        if (std::holds_alternative<TellRefused>(effect)) consumers_[number].instance = {};
    };
    if (consumer.kind == InstanceKind::Poll) {
        const auto count = static_cast<std::uint32_t>(entropy_.between(1, 5));
        return door_.bring(agent, TakeMessages{consumer.instance, count}, forget);
    }
    if (is_calm_ || entropy_.percent(10)) {
        const auto credit = static_cast<std::uint32_t>(entropy_.between(1, plan_.credit_max));
        door_.bring(agent, GrantCredit{consumer.instance, credit}, forget);
    }
    door_.bring(agent, Heartbeat{consumer.instance}, {});
}

/// Crashes a consumer: either its connection ends with the crash, or nobody notices at first.
void Agents::fall_asleep(Consumer& consumer) {
    consumer.asleep_until = timeline_.now() + entropy_.ms(50, 3'000);
    if (entropy_.percent(50)) {
        tell(agent_name(consumer.agent), LeaveInstance{consumer.instance, "the connection ended"});
    }
    consumer.instance = {};
}

void Agents::on_closed(InstanceNumber instance) {
    const auto found = connected_.find(instance);
    if (found == connected_.end()) return;
    auto& consumer = consumers_[found->second];
    if (consumer.instance == instance) consumer.instance = {};
    connected_.erase(found);
}

void Agents::on_down() {
    ++processes_ended_;
    for (auto& consumer : consumers_) {
        if (consumer.kind == InstanceKind::Socket) consumer.instance = {};
    }
}

/// The hub assigns instance numbers, and a restored copy assigns the lost run's numbers again. Like
/// a poll over HTTP, a polling consumer joins by name and gets a new number.
void Agents::on_restored() {
    for (auto& consumer : consumers_) consumer.instance = {};
    connected_.clear();
}

void Agents::on_delivery(const Deliver& deliver) {
    const auto found = connected_.find(deliver.instance);
    if (found == connected_.end()) return;
    auto& consumer = consumers_[found->second];
    if (consumer.instance != deliver.instance) return;  // The consumer has reconnected since.
    tokens_.push_back(deliver.delivery);
    if (!is_calm_ && entropy_.percent(plan_.naughty)) return misbehave(consumer, deliver);
    const bool is_question =
        deliver.envelope->intent() == Intent::Request && deliver.failure.refusal == Refusal::None;
    if (!is_calm_ && is_question && collaboration_.offers(*deliver.envelope)) {
        return offer_task(consumer, deliver);
    }
    if (!is_calm_ && is_question && entropy_.percent(plan_.passed_on)) {
        return pass_on(consumer, deliver);
    }
    timeline_.after(
        is_calm_ ? Duration{1} : entropy_.ms(1, 40),
        [this, agent = agent_name(consumer.agent), deliver] { settle(agent, deliver); });
}

void Agents::settle(const std::string& agent, const Deliver& deliver) {
    const bool is_question =
        deliver.envelope->intent() == Intent::Request && deliver.failure.refusal == Refusal::None;
    if (is_question) return answer(agent, deliver);
    tell(agent, AckDelivery{deliver.delivery});
}

/// Answers with the delivery's token or by a message of its own, with or without acknowledging the
/// delivery first.
void Agents::answer(const std::string& agent, const Deliver& deliver) {
    const auto& asked = *deliver.envelope;
    auto reply = writer_.reply(agent, asked, asked.correlation());
    reply.kind = is_calm_ ? AnswerKind::Done : kind_for(asked.id());
    collaboration_.shape(asked, reply, is_calm_);
    if (is_calm_ || entropy_.percent(60)) {
        return tell(agent,
                    ReplyToDelivery{.delivery = deliver.delivery,
                                    .envelope = reply.envelope,
                                    .tokens_used = reply.tokens_used,
                                    .falls_short = reply.falls_short,
                                    .kind = reply.kind,
                                    .facts = reply.facts,
                                    .owners = reply.owners});
    }
    if (entropy_.percent(50)) tell(agent, AckDelivery{deliver.delivery});
    timeline_.after(entropy_.ms(0, 200), [this, agent, reply] { tell(agent, reply); });
}

/// Delegates parts of the request to other agents, and answers after a while without waiting for
/// them.
void Agents::pass_on(const Consumer& consumer, const Deliver& deliver) {
    if (entropy_.percent(plan_.liar / 2)) return slip_away(consumer, deliver);
    const auto agent = agent_name(consumer.agent);
    const auto& asked = *deliver.envelope;
    if (entropy_.percent(80)) ask_for_tool(agent, deliver);
    const auto given = claims_.find({std::string{asked.from()}, std::string{asked.id()}});
    const bool has_claim = given != claims_.end() && given->second && given->second->has_session;
    for (auto i = entropy_.between(1, 3); i > 0; --i) {
        auto letter =
            writer_.delegate(consumer.agent, asked, has_claim ? given->second.get() : nullptr);
        questions_.push_back(letter.envelope);
        ++messages_;
        send(consumer.agent, std::move(letter), 2);
    }
    timeline_.after(entropy_.ms(10, 600), [this, agent, deliver] { settle(agent, deliver); });
}

/// Makes requests that hide the request in hand, sometimes after a nack that returns the request to
/// the hub.
void Agents::slip_away(const Consumer& consumer, const Deliver& deliver) {
    const auto agent = agent_name(consumer.agent);
    const bool gives_back = entropy_.percent(50);
    if (gives_back) tell(agent, NackDelivery{deliver.delivery, persons_.words("not now"), false});
    const auto wait = gives_back ? entropy_.ms(1, 60) : Duration{};
    timeline_.after(wait, [this, by = consumer.agent] {
        for (auto i = entropy_.between(1, 4); i > 0; --i) {
            auto letter = writer_.slip_away(by);
            questions_.push_back(letter.envelope);
            ++messages_;
            send(by, std::move(letter), 2);
        }
    });
    if (gives_back) return;
    timeline_.after(entropy_.ms(10, 600), [this, agent, deliver] { settle(agent, deliver); });
}

void Agents::ask_for_tool(const std::string& agent, const Deliver& deliver) {
    const auto whom = entropy_.percent(10) ? agent_name(entropy_.below(plan_.agents)) : agent;
    std::string request;
    if (entropy_.percent(50)) request = std::string{deliver.envelope->id()};
    if (entropy_.percent(plan_.liar)) request = "something-else";
    tell(agent, AuthorizeTool{{whom}, kTools.at(entropy_.below(kTools.size())), request});
}

void Agents::cancel() {
    if (is_calm_ || questions_.empty()) return;
    const auto& asked = *questions_[entropy_.below(questions_.size())];
    const CancelRequest order{std::string{asked.id()}, "no longer needed"};
    if (entropy_.percent(20)) return door_.bring_as_operator(order);
    tell(
        entropy_.percent(20) ? agent_name(entropy_.below(plan_.agents)) : std::string{asked.from()},
        order);
}

void Agents::use_wrong_token(const std::string& agent, const Deliver& deliver) {
    auto token = deliver.delivery;
    switch (entropy_.below(4)) {
        case 0:
            token.attempt += 1;
            break;
        case 1:
            token.attempt -= 1;
            break;
        case 2:
            token = tokens_[entropy_.below(tokens_.size())];
            break;
        default:
            token.ticket.value += entropy_.below(3'000);
            break;
    }
    switch (entropy_.below(6)) {
        case 0:
            return tell(agent, NackDelivery{token, "not mine", entropy_.percent(30)});
        case 1:
            return tell(agent, ExtendLease{token, entropy_.ms(1, 3'000)});
        case 2:
            return tell(agent, ReportProgress{token, "1"});
        case 3: {
            const auto& asked = *deliver.envelope;
            const auto reply = writer_.reply(agent, asked, asked.correlation());
            return tell(agent, ReplyToDelivery{token, reply.envelope});
        }
        default:
            return tell(agent, AckDelivery{token});
    }
}

void Agents::keep_alive(const std::string& agent, const Deliver& deliver) {
    Duration wait{};
    for (auto i = entropy_.between(1, 4); i > 0; --i) {
        wait += plan_.limits.lease * static_cast<std::int64_t>(entropy_.between(30, 110)) / 100;
        timeline_.after(wait, [this, agent, deliver] {
            if (entropy_.percent(50)) return tell(agent, ReportProgress{deliver.delivery, "1"});
            tell(agent, ExtendLease{deliver.delivery, std::nullopt});
        });
    }
    timeline_.after(wait + Duration{1}, [this, agent, deliver] { settle(agent, deliver); });
}

/// Reports a reply that broke the rules, named by its delivery or by its envelope.
void Agents::answer_badly(const std::string& agent, const Deliver& deliver) {
    RefuseReply refused{.id = "broken", .detail = "it breaks a rule"};
    if (entropy_.percent(50)) {
        refused.delivery = deliver.delivery;
    } else {
        const auto& asked = *deliver.envelope;
        refused.reply = writer_.reply(agent, asked, asked.correlation()).envelope;
        refused.id = std::string{refused.reply->id()};
    }
    tell(agent, std::move(refused));
}

void Agents::misbehave(Consumer& consumer, const Deliver& deliver) {
    const auto agent = agent_name(consumer.agent);
    const auto& asked = *deliver.envelope;
    const bool is_question = asked.intent() == Intent::Request;
    const auto later = [&](std::uint64_t ms_max) {
        timeline_.after(entropy_.ms(1, ms_max), [this, agent, deliver] { settle(agent, deliver); });
    };
    switch (entropy_.below(is_question ? 13 : 8)) {
        case 0:
            return fall_asleep(consumer);
        case 1:
            return;  // Hangs for good.
        case 2:
            return later(6'000);
        case 3:
            return tell(agent, NackDelivery{deliver.delivery, persons_.words("not now"), false});
        case 4:
            return tell(agent, NackDelivery{deliver.delivery, persons_.words("never"), true});
        case 5:
            return keep_alive(agent, deliver);
        case 6:
            use_wrong_token(agent, deliver);
            return later(100);
        case 7:
            return later(static_cast<std::uint64_t>(plan_.limits.lease.count()) + 50);
        case 8: {  // Answers twice.
            settle(agent, deliver);
            const auto second = writer_.reply(agent, asked, asked.correlation());
            return timeline_.after(entropy_.ms(1, 400),
                                   [this, agent, second] { tell(agent, second); });
        }
        case 9: {  // Answers for another workflow, by token or by message.
            auto wrong = writer_.reply(agent, asked, "flow-of-another");
            if (entropy_.percent(50)) {
                return tell(agent, ReplyToDelivery{deliver.delivery, wrong.envelope});
            }
            return tell(agent, wrong);
        }
        case 10: {  // Answers a request that the agent did not receive.
            if (questions_.empty()) return later(10);
            const auto other = questions_[entropy_.below(questions_.size())];
            return tell(agent, writer_.reply(agent, *other, other->correlation()));
        }
        case 11:  // Reports a reply that broke the rules, as the front desk would.
            return answer_badly(agent, deliver);
        default: {  // Answers the same request by message and by token.
            const auto reply = writer_.reply(agent, asked, asked.correlation());
            tell(agent, reply);
            return tell(agent, ReplyToDelivery{deliver.delivery, reply.envelope});
        }
    }
}

}  // namespace parlance::sim
