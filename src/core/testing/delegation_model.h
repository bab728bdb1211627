// A deliberately simple idea of what a tree of delegations is, to hold the hub's against.
//
// It knows what is on record and nothing else: it reads the accepted delegations off the events,
// walks their parents for every question, and adds every purse up again from the beginning.
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

/// A delegation that was accepted, or is about to be asked for.
struct Known {
    Ticket parent{};
    Ticket root{};
    std::string platform{};
    std::string from{};
    std::string to{};
    std::string user{};
    std::string session{};  ///< Where its target works.
    std::string objective{};
    std::uint32_t depth = 1;  ///< Counted from the root, not read off the record.
    std::uint32_t depth_max = 0;
    Time deadline{};
    std::uint64_t tokens = 0;
    std::uint64_t cost = 0;
    bool limits_tools = false;
    std::set<std::string> tools{};
    bool is_open = true;
    std::uint64_t own = 0;   ///< Of a closed one: what it alone used.
    std::uint64_t gone = 0;  ///< Of a closed one: what it and all below it used.
};

struct KnownTree {
    std::string session{};
    std::string origin{};
    bool is_by_session = false;
    std::string user{};
    std::uint64_t tokens = 0;  ///< 0: no limit.
    std::uint64_t cost = 0;
    std::set<Ticket> members{};
    std::set<std::string> errands{};
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
    std::set<Ticket> in_hand;  ///< Handed over, and not come back.
    std::vector<Breach> breaches;

    void follow(const Event& event, Time now) {
        std::visit([this, now](const auto& fact) { this->on(fact, now); }, event);
    }

    std::vector<const Known*> open_work(std::string_view agent) const {
        std::vector<const Known*> work;
        for (const auto ticket : open) {
            if (known.at(ticket).to == agent) work.push_back(&known.at(ticket));
        }
        return work;
    }
    /// The tree that this agent began out of this session; none if there is none.
    Ticket tree_of(std::string_view session, std::string_view origin) const {
        for (const auto& [number, tree] : trees) {
            const bool is_it = tree.session == session && tree.origin == origin;
            if (tree.is_by_session && is_it) return number;
        }
        return {};
    }
    /// The tree as it would begin with this delegation.
    KnownTree tree_begun_by(const Known& first) const {
        return {.origin = first.from,
                .user = first.user,
                .tokens = limit(Rule::TokensPerRoot, first),
                .cost = limit(Rule::CostPerRoot, first)};
    }
    std::uint64_t cost_of(std::uint64_t tokens,
                          const std::string& platform,
                          const std::string& to) const {
        const auto price =
            limit_of(policy_, Rule::CostPerMillionTokens, {.platform = platform, .agent = to});
        return static_cast<std::uint64_t>(Wide{tokens} * static_cast<std::uint64_t>(price) /
                                          1'000'000);
    }

    /// Every promise that this delegation, which is on no record yet, would break.
    std::map<Refusal, std::string_view> broken_by(const Known& next,
                                                  const KnownTree& tree,
                                                  Time now) const {
        std::map<Refusal, std::string_view> broken;
        if (next.depth >= depth_limit(next)) broken[Refusal::DelegationDepthExceeded] = "G1";
        if (open_below(next) >= limit(Rule::FanoutMax, next)) {
            broken[Refusal::DelegationFanoutExceeded] = "G2";
        }
        if (is_ring(next, tree)) broken[Refusal::DelegationCycleDetected] = "G3";
        if (!may_use_tools(next)) broken[Refusal::ToolNotAllowed] = "I2";
        if (!tree.user.empty() && next.user != tree.user) {
            broken[Refusal::UserIsolationViolated] = "I3";
        }
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
    static constexpr std::string_view kAgent = "agent ";
    static constexpr std::string_view kUser = "user ";

    /// What was spent in the window that began then.
    struct Spent {
        Time since{};
        std::uint64_t amount = 0;
    };

    template <class Fact>
    void on(const Fact&, Time) {}

    void on(const LeaseGranted& fact, Time) { in_hand.insert(fact.ticket); }
    void on(const DeliveryReturned& fact, Time) { in_hand.erase(fact.ticket); }

    void on(const PolicyChanged& fact, Time) {
        if (auto settings = parse_policy(fact.settings)) {
            policy_ = {.version = fact.version, .settings = *std::move(settings)};
        }
    }

    void on(const WorkflowStarted& fact, Time) { begun_out_of_.insert(fact.parent); }

    void on(const MessageAccepted& fact, Time) {
        if (fact.envelope->intent() == Intent::Request) requests_[fact.ticket] = fact;
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
        trees[fact.request] = {
            .user = fact.user, .tokens = fact.tokens, .cost = fact.cost, .members = {fact.request}};
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
        next.depth_max = fact.depth_max;
        next.tokens = fact.tokens;
        next.cost = cost_of(fact.tokens, next.platform, next.to);
        next.limits_tools = fact.limits_tools;
        next.tools = {fact.tools.begin(), fact.tools.end()};
        if (fact.root == fact.request) {
            auto tree = tree_begun_by(next);
            tree.session = fact.session;
            tree.is_by_session = !fact.session.empty();
            trees[fact.root] = std::move(tree);
        }
        auto& tree = trees.at(fact.root);
        // A tree is one user's: the first that is named.
        if (tree.user.empty()) tree.user = fact.user;
        look_at_place(next, fact);
        for (const auto& [refusal, promise] : broken_by(next, tree, now)) {
            breach(promise,
                   "was accepted in spite of " + std::string{refusal_row(refusal).code},
                   fact.request);
        }
        tree.errands.insert(errand_of(next));
        tree.members.insert(fact.request);
        open.insert(fact.request);
        spend(known[fact.request] = std::move(next), now);
    }

    void on(const RequestAnswered& fact, Time now) { close(fact.request, fact.tokens_used, now); }
    void on(const RequestFailed& fact, Time now) { close(fact.request, 0, now); }

    void on(const DelegationTreeEnded& fact, Time) {
        if (!trees.contains(fact.root)) return;
        if (has_open(trees.at(fact.root))) {
            return breach("G3", "ended with something open in it", fact.root);
        }
        bury(fact.root);
    }

    void breach(std::string_view promise, const std::string& what, Ticket request) {
        breaches.push_back(
            {promise, "delegation " + std::to_string(request.value) + ' ' + what, request});
    }

    /// Where it stands is where its asker stands, whatever the asker says; and what it is given
    /// can only be less.
    void look_at_place(Known& next, const DelegationAdmitted& fact) {
        if (fact.parent == Ticket{}) return look_for_work(next, fact);
        const auto& parent = known.at(fact.parent);
        next.depth = parent.depth + 1;
        // A step of a workflow stands below what its starter works on.
        const bool is_its = next.from == kOrchestrator ? begun_out_of_.contains(fact.parent)
                                                       : parent.to == next.from;
        if (!is_its) breach("G1", "stands below another's work", fact.request);
        if (fact.depth < next.depth) breach("G1", "has a smaller depth on record", fact.request);
        if (next.deadline > parent.deadline) breach("I2", "outlives its parent", fact.request);
        if (next.depth_max > parent.depth_max) breach("I2", "may go deeper", fact.request);
        if (!parent.user.empty() && parent.user != next.user) {
            breach("I3", "is another user's than its parent", fact.request);
        }
    }
    void look_for_work(const Known& next, const DelegationAdmitted& fact) {
        for (const auto ticket : open) {
            const auto* work = &known.at(ticket);
            if (work->to != next.from) continue;
            // What it has not been handed is not yet its work.
            const bool is_for_user = !next.user.empty() && in_hand.contains(ticket) &&
                                     trees.at(work->root).user == next.user;
            const bool is_in_session = !fact.session.empty() && work->session == fact.session;
            if (!is_for_user && !is_in_session) continue;
            return breach("G1", "stands above what its asker is at work on", fact.request);
        }
    }

    // --- the rules, each from the beginning --------------------------------------------------

    std::uint64_t limit(Rule rule, const Known& next) const {
        return static_cast<std::uint64_t>(limit_of(
            policy_, rule, {.platform = next.platform, .agent = next.from, .user = next.user}));
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

    std::uint64_t open_below(const Known& next) const {
        return static_cast<std::uint64_t>(std::ranges::count_if(open, [&](Ticket ticket) {
            const auto& each = known.at(ticket);
            return each.parent == next.parent && each.root == next.root;
        }));
    }
    bool has_open(const KnownTree& tree) const {
        return std::ranges::any_of(tree.members,
                                   [&](Ticket ticket) { return known.at(ticket).is_open; });
    }

    static std::string errand_of(const Known& each) {
        return each.from + ' ' + each.to + ' ' + each.objective;
    }
    bool is_ring(const Known& next, const KnownTree& tree) const {
        if (next.objective.empty()) return false;
        // How often a workflow asks the same is said by its plan.
        bool is_one = next.from != kOrchestrator && tree.errands.contains(errand_of(next));
        walk_up(next, [&](const Known& each) {
            const bool has_it = each.objective == next.objective;
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

    // --- purses ------------------------------------------------------------------------------

    static bool is_within(Wide amount, std::uint64_t limit) {
        return limit == 0 || amount <= limit;
    }
    static std::uint64_t cost_of(const Known& closed) {
        if (closed.tokens == 0) return 0;
        return static_cast<std::uint64_t>(Wide{closed.cost} * closed.own / closed.tokens);
    }

    /// Whose tokens it spends: the nearest above that has some; none: the tree's.
    Ticket holder_of(const Known& each) const {
        auto at = each.parent;
        while (at != Ticket{} && known.at(at).tokens == 0) at = known.at(at).parent;
        return at;
    }
    Wide taken_from(Ticket holder, const KnownTree& tree) const {
        Wide taken = 0;
        for (const auto ticket : tree.members) {
            const auto& each = known.at(ticket);
            if (holder_of(each) == holder) taken += each.is_open ? each.tokens : each.gone;
        }
        return taken;
    }
    /// What an open delegation has set aside of "agent NAME", "user NAME", "hub" or "cost". What is
    /// given on by whom was given it is in the latter's amount for user and hub already.
    std::uint64_t amount_in(std::string_view account, const Known& each) const {
        if (account == "cost") return each.cost;
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

    /// Of the delegation itself, its tree, its target, its user and the hub.
    bool has_tokens(const Known& next, const KnownTree& tree, Time now) const {
        const Subject target{.platform = next.platform, .agent = next.to};
        const auto has = [&](const std::string& account, Rule rule, const Subject& subject) {
            return has_left(account, next.tokens, limit_of(policy_, rule, subject), now);
        };
        if (!is_within(next.tokens, limit(Rule::TokensPerDelegation, next))) return false;
        if (!has(std::string{kAgent} + next.to, Rule::TokensPerAgent, target)) return false;
        if (const auto holder = holder_of(next); holder != Ticket{}) {
            // Who has answered has nothing left to give.
            return known.at(holder).is_open &&
                   taken_from(holder, tree) + next.tokens <= known.at(holder).tokens;
        }
        const bool has_user =
            next.user.empty() ||
            has(std::string{kUser} + next.user, Rule::TokensPerUser, {.user = next.user});
        return has_user && is_within(taken_from({}, tree) + next.tokens, tree.tokens) &&
               has("hub", Rule::TokensInTotal, {});
    }

    bool has_money(const Known& next, const KnownTree& tree, Time now) const {
        Wide in_tree = next.cost;
        for (const auto ticket : tree.members) {
            const auto& each = known.at(ticket);
            in_tree += each.is_open ? each.cost : cost_of(each);
        }
        return is_within(in_tree, tree.cost) &&
               has_left("cost", next.cost, limit_of(policy_, Rule::CostInTotal), now);
    }

    /// A window begins with the first use after the one before it, or after nothing was used.
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
    void spend(const Known& each, Time now) {
        if (each.tokens == 0) return;
        spend(std::string{kAgent} + each.to, each.own, now);
        if (each.cost > 0) spend("cost", cost_of(each), now);
        if (holder_of(each) != Ticket{}) return;
        spend("hub", each.gone, now);
        if (!each.user.empty()) spend(std::string{kUser} + each.user, each.gone, now);
    }

    void close(Ticket request, std::uint64_t used, Time now) {
        requests_.erase(request);
        const auto found = known.find(request);
        if (found == known.end() || !found->second.is_open) return;
        auto& ended = found->second;
        auto& tree = trees.at(ended.root);
        if (ended.tokens > 0) {
            const auto below = taken_from(request, tree);
            if (below > ended.tokens) breach("G4", "gave away more than it had", request);
            const auto left = ended.tokens - std::min<Wide>(below, ended.tokens);
            ended.own = static_cast<std::uint64_t>(std::min<Wide>(used, left));
            ended.gone =
                static_cast<std::uint64_t>(std::min<Wide>(ended.own + below, ended.tokens));
        }
        ended.is_open = false;
        open.erase(request);
        spend(ended, now);
        if (!tree.is_by_session && !has_open(tree)) bury(ended.root);
    }
    void bury(Ticket root) {
        for (const auto ticket : trees.at(root).members) known.erase(ticket);
        trees.erase(root);
    }

    Policy policy_;
    std::map<Ticket, MessageAccepted> requests_;  ///< Those that are open.
    std::map<std::string, Spent> spent_;
    std::set<Ticket> begun_out_of_;  ///< What somebody worked on that started a workflow.
};

}  // namespace parlance::core
