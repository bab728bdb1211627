// W5: only the owner writes to a context, only to entities of its domain, and nobody writes during
// a handoff. W6: the history of a context only grows. W7: a handoff ends with its request, and
// gives the context to the recipient if the recipient accepted, else leaves the owner. W10: a
// change that names a version was made to that version.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/json.h"
#include "base/match.h"
#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

constexpr std::string_view kOperator = "operator";

struct Context {
    std::string owner;
    Ticket handoff{};
    std::string recipient;
    std::map<std::string, std::string> domains;  ///< By entity.
    std::vector<std::string> history;
};

/// The item changed, the caller, and the version after the change.
using Change = std::tuple<std::string, std::string, std::uint64_t>;

class Sharing {
  public:
    Sharing(const Book& book, Findings& findings) : history_(*book.history), findings_(findings) {}

    void run() {
        for (const auto& entry : history_.journal) {
            match(
                entry.event,
                [&](const AgentRegistered& e) { domains_[e.agent.value] = e.profile.domain; },
                [&](const AgentRemoved& e) { domains_.erase(e.agent.value); },
                [&](const ContextWritten& e) { written(e); },
                [&](const ContextLocked& e) { locked(e); },
                [&](const HandoffEnded& e) { ended(e); },
                [&](const RequestAnswered& e) { ends_[e.request] = !e.falls_short; },
                [&](const RequestFailed& e) { ends_[e.request] = false; },
                [&](const TaskWritten& e) {
                    ++changes_[{e.id, e.by, e.version}];
                },
                [&](const TaskDeleted& e) {
                    ++changes_[{e.id, e.by, e.version + 1}];
                },
                [](const auto&) {});
        }
        for (const auto& [workflow, context] : contexts_) close(workflow, context);
        for (const auto& shown : history_.shown) {
            if (const auto* told = std::get_if<TellDone>(&shown.effect)) done(*told);
        }
    }

  private:
    void find(std::string promise, std::string what) {
        findings_.push_back({std::move(promise), std::move(what), {}});
    }

    std::string label_of(const std::string& agent) const {
        const auto found = domains_.find(agent);
        return found == domains_.end() || found->second.empty() ? agent : found->second;
    }
    bool is_claimed(const std::string& name) const {
        return std::ranges::any_of(domains_, [&](const auto& each) { return each.second == name; });
    }

    void written(const ContextWritten& e) {
        auto& context = contexts_[e.workflow];
        const bool is_new = context.owner.empty();
        const bool is_agent = e.by != kOperator;
        const auto whose = "context '" + e.workflow + "' of " + context.owner;
        if (is_agent && !is_new && e.by != context.owner) {
            find("W5", whose + " was written to by " + e.by);
        }
        if (context.handoff != Ticket{}) find("W5", whose + " was written to during a handoff");
        context.owner = e.owner;
        if (!e.entities.empty()) write_entities(context, e, is_agent);
        context.history.insert(context.history.end(), e.history.begin(), e.history.end());
        ++changes_[{e.workflow, e.by, e.version}];
    }

    void write_entities(Context& context, const ContextWritten& e, bool is_agent) {
        for (json::Members patch{json::root(e.entities)}; patch.next();) {
            const std::string name{patch.key};
            const auto there = context.domains.find(name);
            const bool is_own = domains_[e.by] == name;
            const bool is_others = is_claimed(name) || (there != context.domains.end() &&
                                                        there->second != label_of(e.by));
            if (is_agent && !is_own && is_others) {
                find("W5",
                     "entity '" + name + "' was written by " + e.by + ", which is of '" +
                         label_of(e.by) + "'");
            }
            context.domains.emplace(name, label_of(e.owner));
        }
    }

    void locked(const ContextLocked& e) {
        auto& context = contexts_[e.workflow];
        if (context.handoff != Ticket{}) find("W7", "'" + e.workflow + "' was given away twice");
        context.handoff = e.request;
        context.recipient = e.to;
    }

    void ended(const HandoffEnded& e) {
        auto& context = contexts_[e.workflow];
        const auto end = ends_.find(context.handoff);
        if (end == ends_.end()) return find("W7", "a handoff ended before its request");
        const auto& holder = end->second ? context.recipient : context.owner;
        if (e.owner != holder) {
            find("W7", "'" + e.workflow + "' should be with " + holder + " and is with " + e.owner);
        }
        context.owner = e.owner;
        context.handoff = {};
    }

    void close(const std::string& workflow, const Context& context) {
        if (ends_.contains(context.handoff)) {
            find("W7", "the handoff of '" + workflow + "' outlived its request");
        }
        const auto told = history_.told.find(workflow);
        if (told != history_.told.end() && told->second != context.history) {
            find("W6", "the history of '" + workflow + "' is not all that was ever added to it");
        }
    }

    void done(const TellDone& told) {
        if (told.reply_target == ReplyTarget{}) return;
        const auto& asked = history_.asked[told.reply_target.value - 1];
        if (const auto* write = std::get_if<WriteContext>(&asked.command)) {
            const auto& by = write->agent.value.empty() ? asked.caller : write->agent.value;
            if (write->version) expect({write->workflow, by, *write->version + 1});
        }
        const auto* task = std::get_if<WriteTask>(&asked.command);
        if (task != nullptr && task->operation != StateOperation::Create) {
            expect({task->id, asked.caller, task->version + 1});
        }
    }

    void expect(const Change& change) {
        auto& count = changes_[change];
        if (count > 0) {
            --count;
            return;
        }
        find("W10",
             std::get<1>(change) + " changed version " + std::to_string(std::get<2>(change) - 1) +
                 " of '" + std::get<0>(change) + "', which it no longer had");
    }

    const History& history_;
    Findings& findings_;
    std::map<std::string, std::string> domains_;  ///< Of registered agents.
    std::map<std::string, Context> contexts_;
    std::map<Ticket, bool> ends_;  ///< Ended requests, and whether the answer was good.
    std::map<Change, int> changes_;
};

}  // namespace

void check_shared(const Book& book, Findings& findings) { Sharing{book, findings}.run(); }

}  // namespace parlance::sim
