// I4: a tool is authorized only if its agent is registered with the tool and every delegation that
// the agent works on and that limits tools grants the tool; if the agent names a request in a tree,
// only the named request counts. An agent cannot add to the tools that an operator allowed.
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/match.h"
#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

class Keys {
  public:
    Keys(const Book& book, Findings& findings) : history_(*book.history), findings_(findings) {
        for (const auto& shown : history_.shown) {
            const auto* refused = std::get_if<TellRefused>(&shown.effect);
            if (refused == nullptr || refused->refusal != Refusal::HubStorageFull) continue;
            unheard_.insert(refused->reply_target);
        }
        await_asks();
    }

    void run() {
        for (std::size_t i = 0; i < history_.journal.size(); ++i) {
            while (life_ < history_.starts.size() && i >= history_.starts[life_]) begin_life();
            match(
                history_.journal[i].event,
                [&](const AgentRegistered& e) { registered(e); },
                [&](const AgentRemoved& e) { allowed_.erase(e.agent.value); },
                [&](const MessageAccepted& e) { accepted(e); },
                [&](const MessageMoved& e) { moved(e); },
                [&](const DelegationFounded& e) { delegated(e.request).is_in_tree = true; },
                [&](const DelegationAdmitted& e) { admitted(e); },
                [&](const RequestAnswered& e) { open_.erase(e.request); },
                [&](const RequestFailed& e) { open_.erase(e.request); },
                [&](const ToolAuthorized& e) { authorized(e); },
                [&](const ToolRefused& e) { take_authorization(e.by, e.agent, e.tool); },
                [](const auto&) {});
        }
    }

  private:
    using Tools = std::set<std::string>;

    /// An open request.
    struct Work {
        std::string agent{};  ///< The agent that works on the request, and the id under which.
        std::string id{};
        std::string session{};
        bool is_in_tree = false;
        std::optional<Tools> tools{};  ///< None: all.
    };

    // Commands of one life of the hub are recorded in order, each once; a crash cuts off the end.
    // So the order of the records tells which command each record answers.
    void begin_life() {
        ++life_;
        await_asks();
    }
    void await_asks() {
        authorizations_.clear();
        for (std::size_t i = 0; i < history_.asked.size(); ++i) {
            const auto& asked = history_.asked[i];
            const auto* command = std::get_if<AuthorizeTool>(&asked.command);
            if (command == nullptr || asked.life != life_ || !asked.is_taken) continue;
            if (!unheard_.contains(ReplyTarget{i + 1})) authorizations_.push_back(&asked);
        }
    }
    /// The command that the record answers; null if no caller sent such a command.
    const AuthorizeTool* take_authorization(const std::string& by,
                                            const std::string& agent,
                                            const std::string& tool) {
        if (authorizations_.empty()) return nullptr;
        const auto& asked = *authorizations_.front();
        authorizations_.pop_front();
        const auto& command = std::get<AuthorizeTool>(asked.command);
        const bool is_it =
            asked.caller == by && command.agent.value == agent && command.tool == tool;
        return is_it ? &command : nullptr;
    }

    void registered(const AgentRegistered& event) {
        const auto& agent = event.agent.value;
        const auto& tools = event.profile.tools_allowed;
        allowed_[agent] = {tools.begin(), tools.end()};
        if (event.binds_tools) bounds_[agent] = allowed_[agent];
        const auto bound = bounds_.find(agent);
        if (bound == bounds_.end() || std::ranges::includes(bound->second, allowed_[agent])) return;
        findings_.push_back({"I4", agent + " has given itself a tool", {}});
    }

    void accepted(const MessageAccepted& event) {
        const auto& asked = *event.envelope;
        if (asked.intent() != Intent::Request) return;
        open_[event.ticket] = {.agent = std::string{asked.to()}, .id = std::string{asked.id()}};
    }
    void moved(const MessageMoved& event) {
        const auto found = open_.find(event.ticket);
        if (found == open_.end()) return;
        found->second.agent = event.envelope->to();
        found->second.id = event.envelope->id();
    }
    Work& delegated(Ticket request) { return open_[request]; }
    void admitted(const DelegationAdmitted& event) {
        auto& work = delegated(event.request);
        work.is_in_tree = true;
        work.session = event.child_session;
        if (event.limits_tools) work.tools = {event.tools.begin(), event.tools.end()};
    }

    void authorized(const ToolAuthorized& event) {
        const auto* command = take_authorization(event.by, event.agent, event.tool);
        if (command == nullptr) return find(event, "was authorized and not asked for");
        if (event.by != event.agent) find(event, "was authorized for another");
        if (!allowed_[event.agent].contains(event.tool)) {
            return find(event, "is not allowed to its agent");
        }
        bool is_named = false;
        bool names_tree = false;
        for (const auto& [ticket, work] : open_) {
            if (!is_meant(work, *command)) continue;
            is_named = true;
            names_tree = names_tree || work.is_in_tree;
        }
        if (!command->request.empty() && !is_named) {
            return find(event, "was authorized for what its agent does not work on");
        }
        // A named request outside of all trees says nothing about tools; then every delegation
        // counts that the agent works on.
        for (const auto& [ticket, work] : open_) {
            if (work.agent != event.agent || (names_tree && !is_meant(work, *command))) continue;
            if (work.tools && !work.tools->contains(event.tool)) {
                return find(event, "was not granted with what its agent works on");
            }
        }
    }
    static bool is_meant(const Work& work, const AuthorizeTool& command) {
        if (command.request.empty() || work.agent != command.agent.value) return false;
        return work.id == command.request || work.session == command.request;
    }

    void find(const ToolAuthorized& event, const std::string& what) {
        findings_.push_back({"I4", "tool '" + event.tool + "' of " + event.agent + " " + what, {}});
    }

    const History& history_;
    Findings& findings_;
    std::map<std::string, Tools> allowed_;
    std::map<std::string, Tools> bounds_;  ///< Set by operators; kept for removed agents too.
    std::map<Ticket, Work> open_;
    std::size_t life_ = 0;
    std::set<ReplyTarget> unheard_;  ///< Commands refused because the disk was full.
    std::deque<const Asked*>
        authorizations_;  ///< Commands of this life; the next record answers the first.
};

}  // namespace

void check_i4(const Book& book, Findings& findings) { Keys{book, findings}.run(); }

}  // namespace parlance::sim
