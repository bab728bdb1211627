// GET /v1/agents/{id}/inbox: an agent takes its messages, and may wait for them.
#include "gateway/admission.h"
#include "gateway/handlers.h"
#include "gateway/instance_name.h"
#include "gateway/problem.h"

namespace parlance::gateway {

namespace {

void answer_take(Desk& desk, std::uint64_t reply_target) {
    const auto found = desk.pending.find(reply_target);
    if (found == desk.pending.end()) return;
    const auto exchange = std::move(found->second.exchange);
    auto body = std::move(found->second.deliveries);
    desk.pending.erase(found);
    body += body.empty() ? R"({"messages":[]})" : "]}";
    exchange->respond({.headers = {}, .body = std::move(body)});
}

void forget_parked(Desk& desk, std::uint64_t reply_target) {
    const auto found = desk.pending.find(reply_target);
    if (found == desk.pending.end()) return;
    const auto parked = desk.parked.find(found->second.agent.value);
    if (parked != desk.parked.end()) {
        std::erase(parked->second, reply_target);
        if (parked->second.empty()) desk.parked.erase(parked);
    }
}

}  // namespace

void get_inbox(Desk& desk, Call& call) {
    const auto& request = call.request();
    // The route's table has checked the bounds of both.
    const auto count = parse_number(request.parameter("max")).value_or(1);
    const auto wait = parse_number(request.parameter("wait")).value_or(0);
    const auto named = request.parameter("instance");
    if (!named.empty() && !is_instance_name(named)) {
        return call.exchange->respond(problem(Refusal::InputValidationFailed, kNoInstanceName));
    }
    const Duration patience{wait};
    std::shared_ptr<void> place;
    if (patience > Duration{}) place = place_to_wait(desk, *call.caller);
    if (patience > Duration{} && !place) {
        return call.exchange->respond(
            problem(Refusal::ConnectionLimitExceeded,
                    "as many requests of this caller wait as may: a quarter of all connections"));
    }
    const auto reply_target = ++desk.reply_target_last;
    auto exchange = call.exchange;
    desk.pending.emplace(reply_target,
                         Pending{.kind = Pending::Kind::Take,
                                 .exchange = exchange,
                                 .wait = patience,
                                 .agent = {std::string{call.captures.at(0)}},
                                 .instance = named.empty() ? "poll" : std::string{named},
                                 .count_max = static_cast<std::uint32_t>(count),
                                 .caller = call.caller});
    if (patience > Duration{}) {
        exchange->release_body();
        auto alarm = desk.loop.alarm(patience, [&desk, reply_target] {
            const auto found = desk.pending.find(reply_target);
            if (found == desk.pending.end()) return;
            found->second.wait = {};
            if (!found->second.is_parked)
                return;  // The engine has the take; it is not parked later.
            forget_parked(desk, reply_target);
            answer_take(desk, reply_target);
        });
        // The exchange keeps the alarm and the place until the exchange is answered: a take that is
        // answered at once leaves no timer.
        exchange->on_gone(
            [&desk, reply_target, alarm = std::move(alarm), place = std::move(place)] {
                const auto found = desk.pending.find(reply_target);
                if (found == desk.pending.end()) return;
                found->second.wait = {};
                if (!found->second.is_parked) return;
                forget_parked(desk, reply_target);
                desk.pending.erase(reply_target);
            });
    }
    submit_take(desk, reply_target);
}

void submit_take(Desk& desk, std::uint64_t reply_target) {
    auto& pending = desk.pending.at(reply_target);
    pending.is_parked = false;
    const auto known = desk.pollers.find({pending.agent.value, pending.instance});
    Command command =
        known != desk.pollers.end()
            ? Command{TakeMessages{known->second, pending.count_max}}
            : Command{JoinInstance{pending.agent, pending.instance, InstanceKind::Poll, 0}};
    const auto refusal = submit(desk, std::move(command), pending.caller, {reply_target});
    if (refusal == Refusal::None) return;
    pending.exchange->respond(problem(refusal, desk.engine->health().reason));
    desk.pending.erase(reply_target);
}

/// After the turn of a take: answers with the deliveries, or parks a take that found none and may
/// wait.
void park_or_answer(Desk& desk, std::uint64_t reply_target) {
    const auto found = desk.pending.find(reply_target);
    if (found == desk.pending.end()) return;
    auto& pending = found->second;
    if (!pending.deliveries.empty() || pending.wait == Duration{})
        return answer_take(desk, reply_target);
    pending.is_parked = true;
    pending.beat_at = desk.clock();
    desk.parked[pending.agent.value].push_back(reply_target);
}

void answer_filled_take(Desk& desk) {
    if (desk.filling_take != 0) answer_take(desk, std::exchange(desk.filling_take, 0));
}

/// Ends all waits. Takes that are with the engine are answered after its turn.
void release_takes(Desk& desk) {
    desk.parked.clear();
    std::vector<ExchangePtr> parked;
    for (auto& [reply_target, pending] : desk.pending) {
        pending.wait = {};
        if (pending.is_parked) parked.push_back(std::move(pending.exchange));
    }
    boost::unordered::erase_if(desk.pending,
                               [](const auto& item) { return item.second.is_parked; });
    for (const auto& exchange : parked) {
        exchange->respond(problem(Refusal::HubStopping, kHubStops));
    }
}

void refuse_fallen_takes(Desk& desk) {
    std::vector<std::uint64_t> fallen;
    for (const auto& [reply_target, pending] : desk.pending) {
        if (pending.is_parked && !stands(desk, *pending.caller)) fallen.push_back(reply_target);
    }
    for (const auto reply_target : fallen) {
        forget_parked(desk, reply_target);
        const auto exchange = std::move(desk.pending.at(reply_target).exchange);
        desk.pending.erase(reply_target);
        exchange->respond(no_longer_proved());
    }
}

void beat_for_parked(Desk& desk) {
    const auto now = desk.clock();
    for (auto& [reply_target, pending] : desk.pending) {
        if (!pending.is_parked) continue;
        if (now - pending.beat_at < desk.options.heartbeat_timeout / 4) continue;
        const auto known = desk.pollers.find({pending.agent.value, pending.instance});
        if (known == desk.pollers.end()) continue;
        pending.beat_at = now;
        submit(desk, Heartbeat{known->second}, pending.caller, {});
    }
}

void stir(Desk& desk, const AgentId& agent) {
    const auto found = desk.parked.find(agent.value);
    if (found == desk.parked.end()) return;
    const auto reply_target = found->second.front();
    found->second.pop_front();
    if (found->second.empty()) desk.parked.erase(found);
    submit_take(desk, reply_target);
}

}  // namespace parlance::gateway
