// A deliberately simple model of delegation trees, to check the hub's decisions against.
//
// The model knows only events: it reads the accepted delegations off the events, walks their
// parents for every question, and recomputes every budget from the beginning. The position of a
// request follows the rules of docs/decisions/0014, applied in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/event.h"
#include "model/names.h"
#include "model/plan.h"
#include "model/policy.h"

namespace parlance::core {

/// A delegation that was accepted, or is about to be requested.
struct Known {
    Ticket parent{};
    Ticket root{};
    std::string platform{};
    std::string from{};
    std::string to{};
    std::string user{};
    std::string session{};  ///< In which the target works.
    std::string objective{};
    std::string words{};         ///< The objective's words, if the objective has more than words.
    std::uint32_t depth = 1;     ///< Counted from the root, not read off the record.
    std::uint32_t declared = 1;  ///< On record: a sender may have claimed a greater depth.
    std::uint32_t depth_max = 0;
    Time deadline{};
    std::uint64_t tokens = 0;
    std::uint64_t cost = 0;
    bool limits_tools = false;
    std::set<std::string> tools{};
    bool is_granted = false;  ///< By a person: drawn from no other budget.
    bool is_planned = false;  ///< By a workflow: no delegation out of it after its end.
    bool is_open = true;
    std::uint64_t own = 0;   ///< Once closed: tokens of the work itself.
    std::uint64_t gone = 0;  ///< Once closed: with the tokens of ended work below.
};

struct KnownTree {
    std::string session{};
    std::string origin{};
    bool is_by_session = false;
    std::string user{};
    std::set<Ticket> members{};
    std::set<std::string> delegation_keys{};
    Time ends_at{};  ///< Of a tree known by a session: the earliest end.

    /// Whether requests of an agent at work in the tree stay in the tree, whatever their claim.
    bool binds() const { return is_by_session || !user.empty(); }
};

/// An agent's claims about a request's origin.
struct StatedOrigin {
    std::string from{};
    std::string correlation{};
    std::string session{};  ///< Empty where the dialect has no sessions.
    std::string user{};
};

/// A promise that an event broke.
struct Breach {
    std::string_view promise;
    std::string what;
    Ticket request{};
};

class DelegationModel {
  public:
    std::map<Ticket, Known> known;  ///< Of the trees that have not ended.
    std::map<Ticket, KnownTree> trees;
    std::set<Ticket> open;
    std::set<Ticket> handed;  ///< Requests handed over, even if returned since.
    std::vector<Breach> breaches;

    void follow(const Event& event, Time now) {
        const auto* admitted = std::get_if<DelegationAdmitted>(&event);
        const auto is_missing = [&](Ticket request) {
            return request != Ticket{} && !(admitted && admitted->request == request);
        };
        // A call's part stands at the call's position as of the call's acceptance.
        const auto* part = std::get_if<CallAsked>(&event);
        const bool is_of_free_call =
            part != nullptr && part->request == left_ && free_calls_.contains(part->call);
        if (is_missing(left_) && !is_of_free_call)
            breach("G1", "left the tree of what its asker has in hand", left_);
        if (is_missing(spender_)) breach("G4", "draws on no budget", spender_);
        const auto* began = std::get_if<PassingBegan>(&event);
        const bool is_offer = began != nullptr && began->request == sideways_.first &&
                              began->task == sideways_.second;
        if (sideways_.first != Ticket{} && !is_offer) {
            breach("G1", "has a smaller depth on record", sideways_.first);
        }
        sideways_ = {};
        left_ = {};
        spender_ = {};
        std::visit([this, now](const auto& fact) { this->on(fact, now); }, event);
    }

    /// To be called after the last event: reports breaches that only a further event could have
    /// explained.
    void finish() {
        if (sideways_.first == Ticket{}) return;
        breach("G1", "has a smaller depth on record", sideways_.first);
        sideways_ = {};
    }

    /// The requests on record below which a new request may stand; none: the sender begins a tree,
    /// or goes on with its own.
    std::set<Ticket> possible_parents(const StatedOrigin& stated) const {
        if (const auto at = parent_by_session(stated); at != Ticket{}) return {at};
        std::set<Ticket> parents;
        for (const auto& [ticket, asked] : requests_) {
            const bool is_its = asked.envelope->to() == stated.from && handed.contains(ticket);
            if (is_its && asked.envelope->correlation() == stated.correlation)
                parents.insert(ticket);
        }
        if (!parents.empty()) return parents;
        const auto at = deepest_of(stated.from, [&](Ticket ticket, const KnownTree& tree) {
            const bool is_meant = stated.user.empty() ? tree.binds() : tree.user == stated.user;
            return is_meant && handed.contains(ticket);
        });
        return at == Ticket{} ? std::set<Ticket>{} : std::set{at};
    }

    std::vector<const Known*> open_work(std::string_view agent) const {
        std::vector<const Known*> work;
        for (const auto ticket : open) {
            if (known.at(ticket).to == agent) work.push_back(&known.at(ticket));
        }
        return work;
    }
    bool is_kept_for_another(const std::string& session, const std::string& user) const {
        const auto kept = sessions_.find(session);
        return kept != sessions_.end() && kept->second != user;
    }
    /// The tree that this agent began out of this session; none if there is no such tree.
    Ticket tree_of(std::string_view session, std::string_view origin) const {
        for (const auto& [number, tree] : trees) {
            const bool is_it = tree.session == session && tree.origin == origin;
            if (tree.is_by_session && is_it) return number;
        }
        return {};
    }
    /// The tree as this delegation would begin it.
    static KnownTree tree_begun_by(const Known& first) {
        return {.origin = first.from, .user = first.user};
    }
    std::uint64_t cost_of(std::uint64_t tokens, const std::string& to) const {
        const auto price = limit_of(policy_, Rule::CostPerMillionTokens, target(to));
        return static_cast<std::uint64_t>(Wide{tokens} * static_cast<std::uint64_t>(price) /
                                          1'000'000);
    }

    /// Every promise that a delegation, not on record yet, would break.
    std::map<Refusal, std::string_view> broken_by(const Known& next,
                                                  const KnownTree& tree,
                                                  Time now) const {
        std::map<Refusal, std::string_view> broken;
        if (next.depth >= depth_limit(next)) broken[Refusal::DelegationDepthExceeded] = "G1";
        // The fan-out limit on invitations is that of the call's requester.
        const auto& fans_out = is_invited(next) ? known.at(next.parent) : next;
        if (open_below(next.parent, next.root) >= limit(Rule::FanoutMax, fans_out)) {
            broken[Refusal::DelegationFanoutExceeded] = "G2";
        }
        if (is_ring(next, tree)) broken[Refusal::DelegationCycleDetected] = "G3";
        if (!may_use_tools(next)) broken[Refusal::ToolNotAllowed] = "I2";
        const bool is_others = !tree.user.empty() && next.user != tree.user;
        if (is_others || is_anothers(next.session, next.user)) {
            broken[Refusal::UserIsolationViolated] = "I3";
        }
        // A request's grant is returned with the request's answer.
        const auto parent = known.find(next.parent);
        if (parent != known.end() && !parent->second.is_open) {
            broken[Refusal::DelegationNotFound] = "I2";
        }
        if (next.is_granted) return broken;
        if (next.tokens > 0 && !has_tokens(next, tree, now)) {
            broken[Refusal::BudgetTokensExceeded] = "G4";
        }
        if (next.cost > 0 && !has_money(next, tree, now)) {
            broken[Refusal::BudgetCostExceeded] = "G4";
        }
        return broken;
    }

  private:
    __extension__ using Wide = unsigned __int128;
    /// A call's recipient until an agent is chosen.
    static constexpr std::string_view kCall = "call:";
    static constexpr std::string_view kAgent = "agent ";
    static constexpr std::string_view kUser = "user ";
    static constexpr std::string_view kMoney = "money";
    static constexpr std::string_view kMoneyOfAgent = "money of agent ";
    static constexpr std::string_view kMoneyOfUser = "money of user ";
    static constexpr std::uint64_t kTokensUsual = 1'200;  ///< X1.

    /// Tokens or money spent in the window that began at `since`.
    struct Spent {
        Time since{};
        std::uint64_t amount = 0;
    };

    /// A request that waits for approval.
    struct Held {
        std::uint64_t tokens_max = 0;  ///< The amount that the approvers were asked for.
        Ticket below{};                ///< The requester's work above it then, if any.
    };

    /// Whether the request is the hub's call for a proposal.
    bool is_invited(const Known& next) const {
        return next.from == kOrchestrator && calls_.contains(next.parent);
    }

    template <class Fact>
    void on(const Fact&, Time) {}

    void on(const LeaseGranted& fact, Time) { handed.insert(fact.ticket); }

    void on(const SessionWritten& fact, Time) {
        if (!fact.user.empty()) sessions_[fact.id] = fact.user;
    }

    void on(const AgentRegistered& fact, Time) {
        platforms_[fact.agent.value] = enum_name(fact.profile.dialect);
    }

    void on(const PolicyChanged& fact, Time) {
        if (auto settings = parse_policy(fact.settings)) {
            policy_ = {.version = fact.version, .settings = *std::move(settings)};
        }
    }

    void on(const WorkflowStarted& fact, Time) {
        begun_out_of_.insert(fact.parent);
        ended_.erase(fact.id);
    }
    void on(const WorkflowEnded& fact, Time) { ended_.insert(fact.id); }

    void on(const CallOpened& fact, Time) {
        calls_.insert(fact.request);
        const auto call = known.find(fact.request);
        if (call == known.end() || call->second.is_granted) return;
        const auto is_price = [&](const std::string& agent) {
            return call->second.cost == cost_of(call->second.tokens, agent);
        };
        if (std::ranges::any_of(fact.agents, is_price)) return;
        breach("G4", "has the price of nobody who is asked", fact.request);
    }
    /// The chosen agent's work is like any request from here on; nobody is invited any more.
    void on(const CallEnded& fact, Time) { calls_.erase(fact.call); }
    void on(const PassingBegan& fact, Time) { passes_.insert(fact.request); }

    void on(const MessageMoved& fact, Time now) {
        const auto asked = requests_.find(fact.ticket);
        if (asked != requests_.end()) asked->second.envelope = fact.envelope;
        // The next candidate has not been handed a request that another candidate declined.
        if (passes_.contains(fact.ticket)) handed.erase(fact.ticket);
        const auto found = known.find(fact.ticket);
        if (found == known.end()) return;
        auto& moved = found->second;
        const auto before = moved;
        moved.to = fact.envelope->to();
        if (fact.is_priced) moved.cost = fact.cost;
        trees.at(moved.root).delegation_keys.insert(delegation_key_of(moved));
        if (moved.is_open && !moved.is_granted) move_reservation(fact.ticket, before, now);
    }

    void on(const MessageAccepted& fact, Time) {
        const auto& envelope = *fact.envelope;
        if (envelope.intent() != Intent::Request) return;
        // Requests to people and requests by the hub are in no tree.
        const bool is_free = is_no_agent(envelope.to()) || envelope.from() == kOrchestrator;
        const auto from = std::string{envelope.from()};
        const bool is_bound = has_bound_in_hand(from, {});
        if (!fact.is_held && !is_free && is_bound) left_ = fact.ticket;
        if (!fact.is_held && is_no_agent(envelope.to()) && !is_bound) {
            free_calls_.insert(fact.ticket);
        }
        if (!fact.is_held && !is_free && has_budgets()) spender_ = fact.ticket;
        requests_[fact.ticket] = fact;
    }

    // A held request keeps the position as of the question to people; its time begins with their
    // approval.
    void on(const RequestHeld& fact, Time) {
        held_[fact.request] = {.tokens_max = fact.tokens_max, .below = work_of_asker(fact)};
        if (fact.parent != Ticket{} || !requests_.contains(fact.request)) return;
        look_for_work(known_of(fact.request).from, fact.user, fact.session, fact.request);
    }
    /// The requester's work below which a held request stands, even if the work moves to another
    /// agent before the approval. None: the request is not below the requester's own work.
    Ticket work_of_asker(const RequestHeld& fact) const {
        const auto asked = requests_.find(fact.request);
        const auto work = known.find(fact.parent);
        if (asked == requests_.end() || work == known.end()) return {};
        return work->second.to == asked->second.envelope->from() ? fact.parent : Ticket{};
    }
    void on(const RequestReleased& fact, Time) {
        const auto found = requests_.find(fact.request);
        if (found == requests_.end()) return;
        found->second.deadline = fact.deadline;
        if (fact.envelope) found->second.envelope = fact.envelope;
    }

    Known known_of(Ticket request) const {
        const auto& accepted = requests_.at(request);
        return {.platform = std::string{enum_name(accepted.envelope->dialect())},
                .from = std::string{accepted.envelope->from()},
                .to = std::string{accepted.envelope->to()},
                .deadline = accepted.deadline};
    }

    void on(const DelegationFounded& fact, Time) {
        if (!requests_.contains(fact.request)) {
            return breach("G1", "is of no open request", fact.request);
        }
        auto founder = known_of(fact.request);
        founder.root = fact.request;
        founder.user = fact.user;
        founder.depth_max = fact.depth_max;
        founder.objective = fact.objective_hash;
        founder.words = fact.words_hash;
        trees[fact.request] = {
            .origin = founder.from, .user = fact.user, .members = {fact.request}};
        if (!founder.objective.empty())
            trees[fact.request].delegation_keys.insert(delegation_key_of(founder));
        known[fact.request] = std::move(founder);
        open.insert(fact.request);
    }

    void on(const DelegationAdmitted& fact, Time now) {
        const bool has_parent = fact.parent == Ticket{} || known.contains(fact.parent);
        const bool has_root = fact.root == fact.request || trees.contains(fact.root);
        if (!requests_.contains(fact.request) || !has_parent || !has_root) {
            return breach("G1", "comes out of what is not on record", fact.request);
        }
        auto next = known_of(fact.request);
        next.parent = fact.parent;
        next.root = fact.root;
        next.user = fact.user;
        next.session = fact.child_session;
        next.objective = fact.objective_hash;
        next.words = fact.words_hash;
        next.declared = fact.depth;
        next.depth_max = fact.depth_max;
        next.is_granted = fact.is_granted;
        next.tokens = fact.tokens;
        // A call costs the price of one of its candidates, who are on record next.
        next.cost = next.to == kCall ? fact.cost : cost_of(fact.tokens, next.to);
        next.limits_tools = fact.limits_tools;
        next.tools = {fact.tools.begin(), fact.tools.end()};
        next.is_planned = next.from == kOrchestrator;
        if (fact.root == fact.request) {
            auto tree = tree_begun_by(next);
            tree.session = fact.session;
            tree.is_by_session = !fact.session.empty();
            trees[fact.root] = std::move(tree);
        }
        auto& tree = trees.at(fact.root);
        // A tree is a single user's: the first named.
        if (tree.user.empty()) tree.user = fact.user;
        look_at_place(next, fact);
        look_at_budget(next, fact, now);
        for (const auto& [refusal, promise] : broken_by(next, tree, now)) {
            breach(promise,
                   "was accepted in spite of " + std::string{refusal_row(refusal).code},
                   fact.request);
        }
        if (!is_no_agent(next.to)) tree.delegation_keys.insert(delegation_key_of(next));
        tree.members.insert(fact.request);
        open.insert(fact.request);
        spend(known[fact.request] = std::move(next), now);
    }

    void on(const RequestAnswered& fact, Time now) { close(fact.request, fact.tokens_used, now); }
    void on(const RequestFailed& fact, Time now) { close(fact.request, 0, now); }

    void on(const DelegationTreeEnded& fact, Time now) {
        if (!trees.contains(fact.root)) return;
        const auto& tree = trees.at(fact.root);
        if (has_open(tree)) return breach("G3", "ended with something open in it", fact.root);
        // A workflow's tree ends with the workflow; a session's tree after its idle time.
        const bool is_answered = tree.origin == kOrchestrator && ended_.contains(tree.session);
        if (tree.is_by_session && !is_answered && now < tree.ends_at) {
            breach("G3", "ended its tree before that was idle for its time", fact.root);
        }
        bury(fact.root);
    }

    void breach(std::string_view promise, const std::string& what, Ticket request) {
        breaches.push_back(
            {promise, "delegation " + std::to_string(request.value) + ' ' + what, request});
    }

    /// Checks that the request stands where its requester stands, whatever the claim, and that its
    /// rights are at most its parent's.
    void look_at_place(Known& next, const DelegationAdmitted& fact) {
        if (!fact.session.empty() && sessions_.contains(fact.session) &&
            sessions_.at(fact.session) != next.user) {
            breach("I3", "comes out of another user's session", fact.request);
        }
        if (fact.parent == Ticket{}) {
            // A request from outside the hub is no delegation yet.
            if (next.from == kOrchestrator) next.depth = 0;
            const bool is_judged = held_.contains(fact.request) || next.from == kOrchestrator;
            if (!is_judged) look_for_work(next.from, next.user, fact.session, fact.request);
            return;
        }
        const auto& parent = known.at(fact.parent);
        const bool is_proposal = is_invited(next);
        next.depth = parent.depth + (is_proposal ? 0 : 1);
        // A workflow step stands below its starter's work, a call for a proposal below the call.
        const bool is_begun = is_proposal || begun_out_of_.contains(fact.parent);
        const auto held = held_.find(fact.request);
        const bool was_its = held != held_.end() && held->second.below == fact.parent;
        const bool is_its =
            next.from == kOrchestrator ? is_begun : was_its || parent.to == next.from;
        if (!is_its) breach("G1", "stands below another's work", fact.request);
        if (fact.depth + 1 == next.depth) {
            // An offer of a task is no deeper than the task; the next event must show that it is an
            // offer.
            next.depth = fact.depth;
            sideways_ = {fact.request, fact.parent};
        }
        if (fact.depth < next.depth) breach("G1", "has a smaller depth on record", fact.request);
        if (next.deadline > parent.deadline) breach("I2", "outlives its parent", fact.request);
        if (next.depth_max > parent.depth_max) breach("I2", "may go deeper", fact.request);
        if (!parent.user.empty() && parent.user != next.user) {
            breach("I3", "is another user's than its parent", fact.request);
        }
    }
    void look_for_work(const std::string& from,
                       const std::string& user,
                       const std::string& session,
                       Ticket request) {
        const auto works_in_it = [&](const Known* work) { return work->session == session; };
        const bool is_in_session =
            !session.empty() && std::ranges::any_of(open_work(from), works_in_it);
        if (!is_in_session && !has_bound_in_hand(from, user)) return;
        breach("G1", "stands above what its asker is at work on", request);
    }
    /// Whether the agent was handed work of a tree that naming this user does not leave.
    bool has_bound_in_hand(const std::string& agent, const std::string& user) const {
        return std::ranges::any_of(open, [&](Ticket ticket) {
            const auto& work = known.at(ticket);
            const auto& tree = trees.at(work.root);
            const bool is_its = work.to == agent && handed.contains(ticket) && tree.binds();
            return is_its && (user.empty() || user == tree.user);
        });
    }

    /// Checks the tokens of a request without a session, so from a dialect without budgets: it must
    /// have the usual amount or all that is left, and cannot spend for free.
    void look_at_budget(const Known& next, const DelegationAdmitted& fact, Time now) {
        const auto& tree = trees.at(fact.root);
        const bool is_free = !tree.binds() && !has_budgets();
        if (!fact.session.empty() || fact.is_granted || is_free) return;
        // A call for a proposal has a part of the call's budget; a call without a chosen agent has
        // the amount left to its first candidate.
        if (is_invited(next) || is_no_agent(next.to)) return;
        // Approvers grant the amount that they were asked for, whatever is left by then.
        const auto held = held_.find(fact.request);
        const auto granted = held != held_.end() ? held->second.tokens_max : 0;
        if (granted > 0 && next.tokens == granted) return;
        auto more = next;
        ++more.tokens;
        const bool has_all = next.tokens == kTokensUsual || !has_tokens(more, tree, now);
        if (next.tokens > 0 && has_all) return;
        breach("G4", "spends less than is usual of the budget that it comes out of", fact.request);
    }

    // --- position of a request -----------------------------------------------------------------

    template <class Fits>
    Ticket deepest_of(const std::string& agent, Fits fits) const {
        Ticket best{};
        const auto rank = [&](Ticket ticket) {
            const auto& work = known.at(ticket);
            return std::pair{-std::int64_t{work.declared}, open_below(ticket, work.root)};
        };
        for (const auto ticket : open) {
            const auto& work = known.at(ticket);
            if (work.to != agent || !fits(ticket, trees.at(work.root))) continue;
            if (best == Ticket{} || rank(ticket) < rank(best)) best = ticket;
        }
        return best;
    }
    /// Whether the delegation is open or has open work below.
    bool is_on_record(Ticket ticket) const {
        return std::ranges::any_of(open, [&](Ticket each) {
            while (each != Ticket{} && each != ticket) each = known.at(each).parent;
            return each == ticket;
        });
    }
    /// The latest open work in the session, else the latest ended, until its tree ends.
    Ticket parent_by_session(const StatedOrigin& stated) const {
        if (stated.session.empty()) return {};
        Ticket last{};
        for (const auto& [ticket, each] : known) {
            if (each.session != stated.session) continue;
            if (each.is_planned && !is_on_record(ticket)) continue;
            const bool is_later = last == Ticket{} || each.is_open || !known.at(last).is_open;
            if (is_later) last = ticket;
        }
        if (last != Ticket{} && known.at(last).to == stated.from) return last;
        return deepest_of(stated.from, [&](Ticket, const KnownTree& tree) {
            return tree.is_by_session && tree.session == stated.session;
        });
    }
    /// Whether the session is another user's: kept for that user, or used for that user's work.
    bool is_anothers(const std::string& session, const std::string& user) const {
        if (is_kept_for_another(session, user)) return true;
        const auto is_other = [&](const auto& each) {
            const auto& [ticket, work] = each;
            return !session.empty() && work.session == session && !work.user.empty() &&
                   work.user != user && (!work.is_planned || is_on_record(ticket));
        };
        if (std::ranges::any_of(known, is_other)) return true;
        return std::ranges::any_of(trees, [&](const auto& each) {
            const auto& tree = each.second;
            const bool is_it = tree.is_by_session && tree.session == session;
            return is_it && !tree.user.empty() && tree.user != user;
        });
    }

    // --- the rules, each from the beginning --------------------------------------------------

    std::uint64_t limit(Rule rule, const Known& next) const {
        return static_cast<std::uint64_t>(limit_of(
            policy_, rule, {.platform = next.platform, .agent = next.from, .user = next.user}));
    }

    /// The limit on a whole tree, by the present policy for its founder.
    std::uint64_t limit(Rule rule, const KnownTree& tree) const {
        auto founder = target(tree.origin);
        founder.user = tree.user;
        return static_cast<std::uint64_t>(limit_of(policy_, rule, founder));
    }

    template <class Look>
    void walk_up(const Known& from, Look look) const {
        for (auto at = from.parent; at != Ticket{}; at = known.at(at).parent) look(known.at(at));
    }

    std::uint64_t depth_limit(const Known& next) const {
        auto least = std::min<std::uint64_t>(next.depth_max, limit(Rule::DepthMax, next));
        walk_up(next,
                [&](const Known& each) { least = std::min<std::uint64_t>(least, each.depth_max); });
        return least;
    }

    std::uint64_t open_below(Ticket parent, Ticket root) const {
        return static_cast<std::uint64_t>(std::ranges::count_if(open, [&](Ticket ticket) {
            const auto& each = known.at(ticket);
            return each.parent == parent && each.root == root;
        }));
    }
    bool has_open(const KnownTree& tree) const {
        return std::ranges::any_of(tree.members,
                                   [&](Ticket ticket) { return known.at(ticket).is_open; });
    }

    static std::string delegation_key_of(const Known& each) {
        return each.from + ' ' + each.to + ' ' + each.objective;
    }
    bool is_ring(const Known& next, const KnownTree& tree) const {
        // Nobody has been asked yet in a call without a chosen agent.
        if (next.objective.empty() || is_no_agent(next.to)) return false;
        // A plan sets how often a workflow repeats a request.
        bool is_one =
            next.from != kOrchestrator && tree.delegation_keys.contains(delegation_key_of(next));
        walk_up(next, [&](const Known& each) {
            // An objective in words alone equals the same words with more.
            const bool has_it =
                each.objective == next.objective ||
                (each.words.empty() && !next.words.empty() && each.objective == next.words) ||
                (next.words.empty() && !each.words.empty() && next.objective == each.words) ||
                // Equal words alone are equal objectives, whatever their tasks.
                (!next.words.empty() && each.words == next.words &&
                 each.objective.starts_with(each.words) && next.objective.starts_with(next.words));
            is_one = is_one || (has_it && (each.from == next.to || each.to == next.to));
        });
        return is_one;
    }

    bool may_use_tools(const Known& next) const {
        bool may = true;
        walk_up(next, [&](const Known& each) {
            if (!each.limits_tools) return;
            may = may && next.limits_tools && std::ranges::includes(each.tools, next.tools);
        });
        return may;
    }

    // --- budgets -----------------------------------------------------------------------------

    /// Whether the policy limits the spending of any request for somebody.
    bool has_budgets() const {
        return std::ranges::any_of(policy_.settings, [](const auto& setting) {
            const auto name = kRules[static_cast<std::size_t>(setting.first.first)].name;
            const bool is_budget = name.starts_with("tokens_") || name.starts_with("cost_");
            const bool is_anybodys =
                name != "cost_per_million_tokens" && !name.ends_with("_per_user");
            return is_budget && is_anybodys && setting.second > 0;
        });
    }
    static bool is_within(Wide amount, std::uint64_t limit) {
        return limit == 0 || amount <= limit;
    }
    static std::uint64_t cost_of(const Known& closed) {
        if (closed.tokens == 0) return 0;
        return static_cast<std::uint64_t>(Wide{closed.cost} * closed.own / closed.tokens);
    }

    /// The nearest ancestor with tokens to give; none: the tree.
    Ticket giver_of(const Known& each) const {
        auto at = each.parent;
        while (at != Ticket{} && known.at(at).tokens == 0) at = known.at(at).parent;
        return at;
    }
    /// The holder of the reservation: the budget of an ended ancestor passes to the ancestor above.
    Ticket holder_of(const Known& each) const {
        auto at = giver_of(each);
        while (at != Ticket{} && !known.at(at).is_open && !known.at(at).is_granted) {
            at = giver_of(known.at(at));
        }
        return at;
    }
    Wide taken_from(Ticket holder, const KnownTree& tree) const {
        Wide taken = 0;
        for (const auto ticket : tree.members) {
            const auto& each = known.at(ticket);
            if (holder_of(each) != holder || each.is_granted) continue;
            taken += each.is_open ? each.tokens : each.own;
        }
        return taken;
    }
    /// Tokens used by ended work below `holder`, out of the holder's budget.
    std::uint64_t gone_below(Ticket holder, const KnownTree& tree) const {
        std::uint64_t gone = 0;
        for (const auto ticket : tree.members) {
            const auto& each = known.at(ticket);
            if (holder_of(each) == holder && !each.is_granted && !each.is_open) gone += each.own;
        }
        return gone;
    }
    /// The subject whose limits hold for requests to an agent: by the agent's own dialect.
    Subject target(const std::string& agent) const {
        const auto found = platforms_.find(agent);
        const auto platform = found == platforms_.end() ? std::string_view{} : found->second;
        return {.platform = platform, .agent = agent};
    }
    /// The reservation of an open delegation in the account "agent NAME", "user NAME", "hub", or
    /// the same in money. For user and hub, tokens passed on are counted with the giver.
    std::uint64_t amount_in(std::string_view account, const Known& each) const {
        if (each.is_granted) return 0;
        if (account == kMoney) return each.cost;
        if (account.starts_with(kMoneyOfAgent)) {
            return account.substr(kMoneyOfAgent.size()) == each.to ? each.cost : 0;
        }
        if (account.starts_with(kMoneyOfUser)) {
            return account.substr(kMoneyOfUser.size()) == each.user ? each.cost : 0;
        }
        if (account.starts_with(kAgent)) {
            return account.substr(kAgent.size()) == each.to ? each.tokens : 0;
        }
        const bool is_its = account == "hub" || account.substr(kUser.size()) == each.user;
        return is_its && holder_of(each) == Ticket{} ? each.tokens : 0;
    }
    Wide reserved_in(std::string_view account) const {
        Wide sum = 0;
        for (const auto ticket : open) sum += amount_in(account, known.at(ticket));
        return sum;
    }
    bool has_left(const std::string& account,
                  std::uint64_t amount,
                  std::int64_t allowed,
                  Time now) const {
        return is_within(reserved_in(account) + spent_at(account, now) + amount,
                         static_cast<std::uint64_t>(allowed));
    }

    /// Whether the tree, the target, the user and the hub have the tokens left.
    bool has_tokens(const Known& next, const KnownTree& tree, Time now) const {
        const auto has = [&](const std::string& account, Rule rule, const Subject& subject) {
            return has_left(account, next.tokens, limit_of(policy_, rule, subject), now);
        };
        if (!is_within(next.tokens, limit(Rule::TokensPerDelegation, next))) return false;
        const bool is_agents = !is_no_agent(next.to);
        if (is_agents &&
            !has(std::string{kAgent} + next.to, Rule::TokensPerAgent, target(next.to))) {
            return false;
        }
        if (const auto giver = giver_of(next); giver != Ticket{}) {
            // A giver that has answered has nothing left to give.
            return known.at(giver).is_open &&
                   taken_from(giver, tree) + next.tokens <= known.at(giver).tokens;
        }
        const bool has_user =
            next.user.empty() ||
            has(std::string{kUser} + next.user, Rule::TokensPerUser, {.user = next.user});
        return has_user &&
               is_within(taken_from({}, tree) + next.tokens, limit(Rule::TokensPerRoot, tree)) &&
               has("hub", Rule::TokensInTotal, {});
    }

    bool has_money(const Known& next, const KnownTree& tree, Time now) const {
        Wide in_tree = next.cost;
        for (const auto ticket : tree.members) {
            const auto& each = known.at(ticket);
            if (!each.is_granted) in_tree += each.is_open ? each.cost : cost_of(each);
        }
        const auto has = [&](const std::string& account, Rule rule, const Subject& subject) {
            return has_left(account, next.cost, limit_of(policy_, rule, subject), now);
        };
        const bool has_user =
            next.user.empty() ||
            has(std::string{kMoneyOfUser} + next.user, Rule::CostPerUser, {.user = next.user});
        return is_within(next.cost, limit(Rule::CostPerDelegation, next)) &&
               is_within(in_tree, limit(Rule::CostPerRoot, tree)) && has_user &&
               (is_no_agent(next.to) ||
                has(std::string{kMoneyOfAgent} + next.to, Rule::CostPerAgent, target(next.to))) &&
               has(std::string{kMoney}, Rule::CostInTotal, {});
    }

    /// A window begins with the first use after the window before, or after nothing was used.
    Duration window() const { return Duration{limit_of(policy_, Rule::BudgetWindowMs)}; }
    std::uint64_t spent_at(const std::string& account, Time now) const {
        const auto found = spent_.find(account);
        if (found == spent_.end() || now - found->second.since >= window()) return 0;
        return found->second.amount;
    }
    void spend(const std::string& account, std::uint64_t amount, Time now) {
        auto& spent = spent_[account];
        if (now - spent.since >= window()) spent = {.since = now};
        spent.amount += amount;
        if (spent.amount == 0 && reserved_in(account) == 0) spent_.erase(account);
    }
    /// A past window stays past, even if windows become longer later.
    void forget_past(Time now) {
        std::erase_if(spent_, [&](const auto& account) {
            return now - account.second.since >= window() && reserved_in(account.first) == 0;
        });
    }
    /// A delegation that moves releases the old agent's reservation. The new agent's reservation is
    /// a use, with which a window can begin, as at an admission.
    void move_reservation(Ticket request, const Known& before, Time now) {
        const auto& moved = known.at(request);
        const bool has_new_cost = moved.cost != before.cost;
        const auto touch = [&](const Known& each) {
            if (each.tokens > 0) spend(std::string{kAgent} + each.to, 0, now);
            if (each.cost == 0) return;
            spend(std::string{kMoneyOfAgent} + each.to, 0, now);
            if (has_new_cost) spend(std::string{kMoney}, 0, now);
            if (has_new_cost && !each.user.empty()) {
                spend(std::string{kMoneyOfUser} + each.user, 0, now);
            }
        };
        open.erase(request);
        touch(before);
        open.insert(request);
        forget_past(now);
        touch(moved);
    }
    /// `settles`: part of the reservation for user and hub is released.
    void spend(const Known& each, Time now, bool settles = true) {
        if (each.tokens == 0 || each.is_granted) return;
        forget_past(now);
        spend(std::string{kAgent} + each.to, each.own, now);
        if (each.cost > 0) {
            spend(std::string{kMoney}, cost_of(each), now);
            spend(std::string{kMoneyOfAgent} + each.to, cost_of(each), now);
            if (!each.user.empty())
                spend(std::string{kMoneyOfUser} + each.user, cost_of(each), now);
        }
        if (holder_of(each) != Ticket{} || !settles) return;
        spend("hub", each.gone, now);
        if (!each.user.empty()) spend(std::string{kUser} + each.user, each.gone, now);
    }

    void close(Ticket request, std::uint64_t used, Time now) {
        requests_.erase(request);
        handed.erase(request);
        held_.erase(request);
        const auto found = known.find(request);
        if (found == known.end() || !found->second.is_open) return;
        auto& ended = found->second;
        auto& tree = trees.at(ended.root);
        if (ended.tokens > 0) {
            const auto below = taken_from(request, tree);
            if (below > ended.tokens) breach("G4", "gave away more than it had", request);
            const auto left = ended.tokens - std::min<Wide>(below, ended.tokens);
            ended.own = static_cast<std::uint64_t>(std::min<Wide>(used, left));
            ended.gone = ended.own + gone_below(request, tree);
        }
        std::vector<std::string> named_later;
        std::uint64_t still_out = 0;
        for (const auto ticket : tree.members) {
            const auto& each = known.at(ticket);
            const bool is_its = each.is_open && holder_of(each) == request && !each.is_granted;
            if (is_its) still_out += each.tokens;
            if (is_its && ended.user.empty() && each.tokens > 0) named_later.push_back(each.user);
        }
        ended.is_open = false;
        open.erase(request);
        spend(ended, now, ended.tokens > still_out);
        // The ended work was for no user: open work below with a user now counts in that user's
        // budget.
        if (holder_of(ended) == Ticket{}) {
            for (const auto& user : named_later) {
                if (!user.empty()) spend(std::string{kUser} + user, 0, now);
            }
        }
        if (has_open(tree)) return;
        // The idle time is the policy's at the moment when the tree becomes idle.
        tree.ends_at = now + Duration{limit_of(policy_, Rule::RootIdleMs)};
        if (!tree.is_by_session) bury(ended.root);
    }
    void bury(Ticket root) {
        for (const auto ticket : trees.at(root).members) known.erase(ticket);
        trees.erase(root);
    }

    Policy policy_;
    std::map<std::string, std::string_view> platforms_;  ///< The registered dialect of each agent.
    std::map<Ticket, MessageAccepted> requests_;         ///< Open requests.
    std::map<std::string, Spent> spent_;
    std::map<std::string, std::string> sessions_;  ///< Kept sessions, with their users.
    std::map<Ticket, Held> held_;                  ///< Requests that wait for approval.
    Ticket left_{};            ///< Just accepted from a bound sender; must be admitted next.
    Ticket spender_{};         ///< Just accepted; must be held to the budgets.
    std::set<Ticket> passes_;  ///< Requests that pass to a next candidate if refused.
    std::pair<Ticket, Ticket> sideways_{};  ///< Just admitted as the offer of this task.
    std::set<std::string> ended_;           ///< Workflows.
    std::set<Ticket> begun_out_of_;         ///< Work out of which a workflow was started.
    std::set<Ticket> free_calls_;           ///< Calls accepted while nothing bound the requester.
    std::set<Ticket> calls_;                ///< Calls with open invitations.
};

}  // namespace parlance::core
