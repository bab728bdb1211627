// I4: a tool passes only if its agent is registered with it and it was granted with whatever the
// agent works on that says what it grants; with the one that the agent asks about, if it names one.
// And to what an operator let an agent have the agent itself adds nothing.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/match.h"
#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

class Keys {
  public:
    Keys(const Book& book, Findings& findings) : book_(book), findings_(findings) {}

    void run() {
        for (const auto& entry : book_.history->journal) {
            match(
                entry.event,
                [&](const AgentRegistered& e) { registered(e); },
                [&](const AgentRemoved& e) { allowed_.erase(e.agent.value); },
                [&](const DelegationFounded& e) { open_[e.request] = std::nullopt; },
                [&](const DelegationAdmitted& e) {
                    open_[e.request] = std::nullopt;
                    if (e.limits_tools) open_[e.request] = {e.tools.begin(), e.tools.end()};
                },
                [&](const RequestAnswered& e) { open_.erase(e.request); },
                [&](const RequestFailed& e) { open_.erase(e.request); },
                [&](const ToolAuthorized& e) { authorized(e); },
                [](const auto&) {});
        }
    }

  private:
    using Tools = std::set<std::string>;

    void registered(const AgentRegistered& event) {
        const auto& agent = event.agent.value;
        const auto& tools = event.profile.tools_allowed;
        allowed_[agent] = {tools.begin(), tools.end()};
        if (event.binds_tools) bounds_[agent] = allowed_[agent];
        const auto bound = bounds_.find(agent);
        if (bound == bounds_.end() || std::ranges::includes(bound->second, allowed_[agent])) return;
        findings_.push_back({"I4", agent + " has given itself a tool", {}});
    }

    /// It may have been asked about any one of those that the agent works on, so one that grants it
    /// is enough; and whoever works on nothing needs no grant.
    void authorized(const ToolAuthorized& event) {
        if (!allowed_[event.agent].contains(event.tool)) {
            return find(event, "is not allowed to its agent");
        }
        std::vector<bool> grants;
        for (const auto& [request, tools] : open_) {
            if (book_.requests.at(request).asked->to() != event.agent) continue;
            grants.push_back(!tools || tools->contains(event.tool));
        }
        const bool is_granted = grants.empty() || std::ranges::find(grants, true) != grants.end();
        if (!is_granted) find(event, "was granted with nothing that its agent works on");
        if (event.by != event.agent) find(event, "was authorized for another");
    }

    void find(const ToolAuthorized& event, const std::string& what) {
        findings_.push_back({"I4", "tool '" + event.tool + "' of " + event.agent + " " + what, {}});
    }

    const Book& book_;
    Findings& findings_;
    std::map<std::string, Tools> allowed_;
    std::map<std::string, Tools> bounds_;          ///< As operators said, also of who is gone.
    std::map<Ticket, std::optional<Tools>> open_;  ///< Open delegations; none: all tools.
};

}  // namespace

void check_i4(const Book& book, Findings& findings) { Keys{book, findings}.run(); }

}  // namespace parlance::sim
