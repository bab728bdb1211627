// A hundred thousand random delegations, many of them lies, against a simple model of the tree of
// delegations: G1 to G4, I2, I3. No accepted request breaks a promise; every accepted request
// stands where the model says, whatever its sender claimed, gave back before or left out in a
// dialect without delegations; and no honest request that breaks no promise is refused.
#include <algorithm>
#include <array>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "core/testing/delegation_model.h"
#include "core/testing/story.h"

namespace parlance::core {
namespace {

constexpr std::array kAgents{"ann", "bob", "cat", "dan", "eve", "fay", "gil", "hal"};
constexpr std::array kTools{"mail", "ocr", "sql", "web"};

class Walk {
  public:
    explicit Walk(std::uint64_t seed) : entropy_(seed) {
        story_.replayed_every(9'000);
        story_.limits().lease = Duration{3'600'000};
        story_.limits().heartbeat_timeout = Duration{36'000'000};
        for (const auto* agent : kAgents) {
            story_.ask(RegisterAgent{{agent}, {.tools_allowed = {kTools.begin(), kTools.end()}}});
        }
        connect();
        change_policy();
    }

    void run(std::uint64_t delegations) {
        while (asked_ < delegations) {
            step();
            if (testing::Test::HasFailure()) {
                FAIL() << "after " << asked_ << " delegations, of which " << accepted_
                       << " were accepted";
            }
        }
    }
    std::uint64_t accepted() const { return accepted_; }
    std::uint64_t judged() const { return judged_; }
    std::uint64_t tied() const { return tied_; }
    std::uint64_t depth() const { return depth_; }

  private:
    std::uint64_t any(std::uint64_t end) { return entropy_() % end; }
    bool is_one_in(std::uint64_t count) { return any(count) == 0; }
    template <class List>
    std::string one_of(const List& list) {
        return std::string{list[any(list.size())]};
    }

    void act(Command command) {
        story_.ask(std::move(command));
        for (const auto& event : story_.events()) model_.follow(event, story_.now());
        for (const auto& breach : model_.breaches) {
            ADD_FAILURE() << breach.promise << ": " << breach.what;
        }
        for (const auto& deliver : story_.asked_for<Deliver>()) {
            const bool is_question = deliver.envelope->intent() == Intent::Request &&
                                     deliver.failure.refusal == Refusal::None;
            if (is_question) questions_[deliver.delivery.ticket] = deliver.delivery;
            if (!is_question) replies_.push_back(deliver.delivery);
        }
    }
    /// The last agent takes so few messages at a time that most of its work waits.
    void connect() {
        for (const auto* agent : kAgents) {
            const std::uint32_t credit = agent == kAgents.back() ? 1 : 500;
            act(JoinInstance{{agent}, "one", InstanceKind::Socket, credit});
        }
    }

    void change_policy() {
        const auto some = [&](std::int64_t low, std::int64_t high) {
            return low + static_cast<std::int64_t>(any(static_cast<std::uint64_t>(high - low)));
        };
        const auto maybe = [&](std::int64_t value) { return is_one_in(3) ? 0 : value; };
        Settings settings{{{Rule::DepthMax, {}}, some(2, 8)},
                          {{Rule::FanoutMax, {}}, some(1, 5)},
                          {{Rule::RootIdleMs, {}}, some(50, 600)},
                          {{Rule::TokensPerDelegation, {}}, maybe(some(1'000, 4'000))},
                          {{Rule::TokensPerRoot, {}}, maybe(some(2'000, 9'000))},
                          {{Rule::TokensPerAgent, {}}, maybe(some(4'000, 20'000))},
                          {{Rule::TokensPerUser, {}}, maybe(some(6'000, 30'000))},
                          {{Rule::TokensInTotal, {}}, maybe(some(20'000, 60'000))},
                          {{Rule::CostPerDelegation, {}}, maybe(some(4'000, 12'000))},
                          {{Rule::CostPerRoot, {}}, maybe(some(5'000, 20'000))},
                          {{Rule::CostPerAgent, {}}, maybe(some(15'000, 60'000))},
                          {{Rule::CostPerUser, {}}, maybe(some(15'000, 70'000))},
                          {{Rule::CostInTotal, {}}, maybe(some(20'000, 90'000))},
                          {{Rule::BudgetWindowMs, {}}, some(1'000, 20'000)},
                          {{Rule::BreakerFailures, {}}, 0}};
        for (const auto* agent : {"ann", "bob", "cat"}) {
            settings[{Rule::CostPerMillionTokens, {ScopeKind::Agent, agent}}] = some(0, 5'000'000);
        }
        story_.as_operator();
        act(ChangePolicy{.settings = print_policy(settings)});
        ASSERT_EQ(story_.happened<PolicyChanged>().size(), 1U);
        story_.as_the_hub();
    }

    void step() {
        if (is_one_in(2)) story_.later(Duration{any(200)});
        if (is_one_in(300)) story_.later(Duration{any(20'000)});
        const auto kind = any(1'000);
        if (kind < 1) {
            act(StartHub{.hub_id = "again", .version = "test"});
            return connect();
        }
        if (kind < 3) return change_policy();
        if (kind < 350) return answer();
        if (kind < 370) return cancel();
        if (kind < 400) return ask_plainly();
        if (kind < 440) return give_back();
        if (kind < 445) return keep_session();
        kind < 720 ? delegate_honestly() : lie();
    }

    Ticket any_open() {
        const auto& open = model_.open;
        if (open.empty()) return {};
        return *std::next(open.begin(), static_cast<std::ptrdiff_t>(any(open.size())));
    }
    std::string id_of(Ticket ticket) {
        const auto* request = broker::find_request(story_.state().requests, ticket);
        return request == nullptr ? "" : std::string{request->asked->id()};
    }

    void answer() {
        const auto ticket = any_open();
        if (ticket == Ticket{}) return;
        const auto& work = model_.known.at(ticket);
        const auto used = is_one_in(5) ? any(1U << 30U) : any(2 * work.tokens + 1);
        act(SendMessage{.envelope = envelope({.id = "a-" + std::to_string(++number_),
                                              .from = work.to,
                                              .to = "",
                                              .correlation = correlation_of(ticket),
                                              .intent = Intent::Reply,
                                              .answers = id_of(ticket)}),
                        .priority = Priority::High,
                        .tokens_used = used});
        acknowledge();
    }
    std::string correlation_of(Ticket ticket) {
        const auto* request = broker::find_request(story_.state().requests, ticket);
        return request == nullptr ? "" : std::string{request->asked->correlation()};
    }
    /// Acknowledges answers that came by mailbox because a restart ended the connection.
    void acknowledge() {
        while (!replies_.empty()) {
            const auto delivery = replies_.back();
            replies_.pop_back();
            act(AckDelivery{delivery});
        }
    }

    /// Gives a delivery back for a later try; meanwhile its agent asks as if it had nothing in
    /// hand.
    void give_back() {
        const auto ticket = any_open();
        const auto found = questions_.find(ticket);
        if (found == questions_.end()) return;
        const auto from = model_.known.at(ticket).to;
        act(NackDelivery{found->second, "not now"});
        questions_.erase(found);
        is_one_in(2) ? lie_by_silence(from) : lie_plainly(from);
    }

    /// Keeps a user's session, whether an agent works in it or not.
    void keep_session() {
        story_.as_operator();
        act(WriteSession{.id = kept_session(), .user = "u-" + std::to_string(any(4))});
        story_.as_the_hub();
    }
    std::string kept_session() { return "k-" + std::to_string(any(6)); }

    void cancel() {
        const auto ticket = any_open();
        if (ticket == Ticket{}) return;
        story_.as(model_.known.at(ticket).from);
        act(CancelRequest{id_of(ticket), "no longer needed"});
        story_.as_the_hub();
    }

    /// A request of a dialect without delegations; the target's own request in the same workflow is
    /// a delegation all the same.
    void ask_plainly() {
        const auto from = one_of(kAgents);
        const auto to = one_of(kAgents);
        const auto workflow = "w-" + std::to_string(++number_);
        act(SendMessage{.envelope = envelope(
                            {.id = "p-" + std::to_string(number_),
                             .from = from,
                             .to = to,
                             .correlation = workflow,
                             .intent = Intent::Request,
                             .body = R"({"delegation":{"objective":")" + any_objective() + "\"}}"}),
                        .priority = Priority::High,
                        .timeout = Duration{any(3'000)},
                        .waits = true});
        acknowledge();
        for (auto i = any(3); i > 0; --i) {
            send(any_plain_claim(any_user()),
                 {.from = to, .to = one_of(kAgents), .correlation = workflow});
        }
    }

    // --- delegating ------------------------------------------------------------------------------

    std::string any_user() { return is_one_in(6) ? "" : "u-" + std::to_string(any(4)); }
    std::string any_objective() { return "o-" + std::to_string(any(30)); }
    /// A claim of a dialect with more than words for the objective, used or unused.
    Claim any_plain_claim(std::string user) {
        if (is_one_in(2)) return {.user = std::move(user), .objective_hash = any_objective()};
        auto words = any_objective();
        const auto number = any(4);
        const auto name = std::to_string(number);
        return {.user = std::move(user),
                .objective_hash =
                    number % 2 == 0 ? name + " with " + words : words + " of task " + name,
                .words_hash = words};
    }
    std::vector<std::string> any_tools() {
        std::vector<std::string> tools;
        for (const auto* tool : kTools) {
            if (is_one_in(3)) tools.emplace_back(tool);
        }
        return tools;
    }
    std::string any_session() {
        const auto ticket = any_open();
        if (is_one_in(10)) return kept_session();
        const bool is_made_up = is_one_in(3) || ticket == Ticket{};
        // An agent that works in no session has none to name.
        if (is_made_up || model_.known.at(ticket).session.empty()) {
            return "s-" + std::to_string(any(6));
        }
        return model_.known.at(ticket).session;
    }

    bool send(Claim claim, Letter letter) {
        letter.id = "d-" + std::to_string(++number_);
        letter.intent = Intent::Request;
        ++asked_;
        const auto parents =
            model_.possible_parents({.from = letter.from,
                                     .correlation = letter.correlation,
                                     .session = claim.has_session ? claim.session : std::string{},
                                     .user = claim.user});
        act(SendMessage{.envelope = envelope(letter),
                        .priority = Priority::High,
                        .timeout = Duration{any(5'000)},
                        .waits = true,
                        .claim = std::make_shared<Claim>(std::move(claim))});
        const auto admitted = story_.happened<DelegationAdmitted>();
        const bool is_accepted = !story_.happened<MessageAccepted>().empty();
        const auto refusal = story_.refusal();
        accepted_ += admitted.size();
        for (const auto& each : admitted) depth_ = std::max<std::uint64_t>(depth_, each.depth);
        EXPECT_NE(is_accepted, refusal != Refusal::None);
        if (is_accepted) expect_parent(admitted, parents);
        refusal_ = refusal;
        const auto told = story_.asked_for<TellRefused>();
        why_ = told.empty() ? "accepted" : told.back().detail;
        acknowledge();
        return is_accepted;
    }

    void expect_parent(const std::vector<DelegationAdmitted>& admitted,
                       const std::set<Ticket>& parents) {
        const auto parent = admitted.empty() ? Ticket{} : admitted.front().parent;
        if (!parents.empty()) ++tied_;
        const bool is_right = parents.empty() ? parent == Ticket{} : parents.contains(parent);
        EXPECT_TRUE(is_right) << "G1: it stands below " << parent.value << " and not where "
                              << "its asker works";
    }

    /// Asks from the session and for the user of the given work, so that the model can tell the
    /// outcome.
    void delegate_honestly() {
        const auto ticket = any_open();
        const bool is_first = is_one_in(4) || ticket == Ticket{};
        Known next{.platform = "taskwire",
                   .to = one_of(kAgents),
                   .user = "u-" + std::to_string(any(4)),
                   .session = "c-" + std::to_string(++number_),
                   .objective = any_objective(),
                   .depth_max = static_cast<std::uint32_t>(2 + any(7)),
                   .tokens = is_one_in(5) ? 0 : 1 + any(2'000)};
        std::string session = "s-" + std::to_string(any(6));
        if (is_first) {
            next.from = one_of(kAgents);
            // An agent at work for somebody may be taken to ask for them.
            if (!model_.open_work(next.from).empty()) return lie();
            // An agent's work in a session of this name stays its own until the tree ends.
            const StatedOrigin stated{.from = next.from, .session = session, .user = next.user};
            if (!model_.possible_parents(stated).empty()) return lie();
            next.root = model_.tree_of(session, next.from);
            // A liar may have named another agent's session the same before.
            if (next.root == Ticket{} && delegations_in(session) > 0) return lie();
        } else {
            const auto& parent = model_.known.at(ticket);
            if (parent.session.empty() || delegations_in(parent.session) > 1) return lie();
            session = parent.session;
            next.parent = ticket;
            next.root = parent.root;
            next.from = parent.to;
            next.depth = parent.depth + 1;
            next.depth_max = std::min(next.depth_max, parent.depth_max);
        }
        const auto found = model_.trees.find(next.root);
        if (found != model_.trees.end() && !found->second.user.empty()) {
            next.user = found->second.user;
        }
        // The session is kept for another user by now, so no request is made from it.
        if (model_.is_kept_for_another(session, next.user)) return lie();
        const auto tools = is_one_in(3) ? any_tools() : std::vector<std::string>{};
        grant(next, tools);
        next.cost = model_.cost_of(next.tokens, next.to);
        const auto broken = model_.broken_by(
            next,
            found == model_.trees.end() ? model_.tree_begun_by(next) : found->second,
            story_.now());
        const bool was_declared_deeper = is_declared_deeper(next.parent);
        const bool is_accepted =
            send({.user = next.user,
                  .session = session,
                  .child_session = next.session,
                  .objective_hash = next.objective,
                  .depth_max = next.depth_max,
                  .tokens_max = next.tokens,
                  .tools = tools,
                  .has_session = true},
                 {.from = next.from, .to = next.to, .correlation = "h-" + std::to_string(number_)});
        // A requester above declared more depth, and is taken at its word.
        if (was_declared_deeper) return;
        ++judged_;
        EXPECT_EQ(is_accepted, broken.empty()) << why_;
        EXPECT_TRUE(is_accepted || broken.contains(refusal_)) << why_;
    }
    /// A request that names no tools gets the tools of its parent.
    void grant(Known& next, const std::vector<std::string>& tools) const {
        next.tools = {tools.begin(), tools.end()};
        next.limits_tools = !tools.empty();
        if (next.limits_tools || next.parent == Ticket{}) return;
        next.limits_tools = model_.known.at(next.parent).limits_tools;
        next.tools = model_.known.at(next.parent).tools;
    }
    bool is_declared_deeper(Ticket parent) {
        if (parent == Ticket{}) return false;
        const auto on_record = governor::find_delegation(story_.state().governor.lineage, parent);
        return on_record->depth != model_.known.at(parent).depth;
    }
    /// How many delegations work in this session. If several do, the session's name is ambiguous.
    std::int64_t delegations_in(const std::string& session) const {
        return std::ranges::count_if(
            model_.known, [&](const auto& each) { return each.second.session == session; });
    }

    void lie() {
        if (is_one_in(4)) return lie_by_silence(one_of(kAgents));
        if (is_one_in(4)) return lie_plainly(one_of(kAgents));
        send({.user = any_user(),
              .session = any_session(),
              .child_session = is_one_in(3) ? any_session() : "c-" + std::to_string(++number_),
              .objective_hash = any_objective(),
              .depth = static_cast<std::uint32_t>(is_one_in(10) ? any(5) : 0),
              .depth_max = static_cast<std::uint32_t>(is_one_in(3) ? 0 : any(1'000)),
              .tokens_max = is_one_in(20)  ? std::uint64_t{1} << any(54)
                            : is_one_in(4) ? 0
                                           : any(6'000),
              .tools = is_one_in(2) ? any_tools() : std::vector<std::string>{},
              .has_session = true},
             {.from = one_of(kAgents), .to = one_of(kAgents), .correlation = any_session()});
    }
    /// For no user, from an unknown session.
    void lie_by_silence(const std::string& from) {
        const auto name = "n-" + std::to_string(++number_);
        send({.session = name,
              .child_session = "c-" + name,
              .objective_hash = any_objective(),
              .depth_max = 1'000,
              .tokens_max = any(3'000),
              .tools = is_one_in(2) ? any_tools() : std::vector<std::string>{},
              .has_session = true},
             {.from = from, .to = one_of(kAgents), .correlation = name});
    }
    /// In a dialect without delegations or budgets, in a conversation of its own.
    void lie_plainly(const std::string& from) {
        send(any_plain_claim(is_one_in(3) ? any_user() : ""),
             {.from = from,
              .to = one_of(kAgents),
              .correlation = is_one_in(4) ? any_session() : "x-" + std::to_string(++number_)});
    }

    Story story_;
    DelegationModel model_;
    std::mt19937_64 entropy_;
    std::map<Ticket, DeliveryToken> questions_;  ///< Delivered, lately or long ago.
    std::vector<DeliveryToken> replies_;
    std::uint64_t number_ = 0;
    std::uint64_t asked_ = 0;
    std::uint64_t accepted_ = 0;
    std::uint64_t judged_ = 0;
    std::uint64_t tied_ = 0;
    std::uint64_t depth_ = 0;
    Refusal refusal_ = Refusal::None;  ///< Of the last request.
    std::string why_;
};

TEST(DelegationWalk, G1_G2_G3_G4_I2_I3_NoDelegationExceedsALimitOrAGrant) {
    std::uint64_t accepted = 0;
    std::uint64_t judged = 0;
    std::uint64_t tied = 0;
    std::uint64_t depth = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Walk walk{seed};
        walk.run(5'000);
        if (testing::Test::HasFailure()) return;
        accepted += walk.accepted();
        judged += walk.judged();
        tied += walk.tied();
        depth = std::max(depth, walk.depth());
    }
    EXPECT_GE(accepted, 20'000U) << "else it says little about what is accepted";
    EXPECT_GE(judged, 20'000U) << "and little about what is legal";
    EXPECT_GE(tied, 10'000U) << "and little about who stands below what";
    EXPECT_GE(depth, 5U);
}

}  // namespace
}  // namespace parlance::core
