// The examination of a hub by `parlance doctor`: its agents, and their requests.
//
// Each item of the checklist has a separate requester, user and session, and requests use as few
// tokens as possible: an item takes nothing from the next, and a hub with little room can be
// examined too. The meaning of an item is not known here.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "model/policy.h"
#include "sdk/cpp/client.h"

namespace parlance::cli {

/// The result of a call.
struct Reply {
    int status = 0;      ///< 0: no answer, or no call made.
    std::string body{};  ///< Set only for JSON.
    std::string code{};
    /// The hub's limit that prevented the call, with its rule and value, in words; empty if none.
    std::string hindrance{};

    bool is_taken() const { return status == 202; }
    std::string in_short() const;
};

/// A delegation request between two agents. Agents and users are named without the examination's
/// mark, the session in full.
struct DelegationDraft {
    std::string id{};  ///< Empty: a fresh id.
    std::string_view from{};
    std::string_view to = "b";
    std::string session{};
    std::string_view user{};
    std::string_view objective = "Look";
    std::string_view input = "-";
    std::string_view constraints = R"({"max_tokens":10})";
};

/// "depth_max 64 (agent byte-doc)".
std::string rule_in_words(Rule rule, const Ruling& ruling);

/// The hub under examination, and the examining agents.
class Examination {
  public:
    Examination(sdk::Client& client, Policy policy, std::uint64_t seed);

    static constexpr std::array<std::string_view, 4> kDelegates{"b", "c", "d", "e"};
    static constexpr std::string_view kTool = "parlance-doctor-look";

    std::string_view mark() const { return mark_; }
    std::string name(std::string_view whose) const;
    const Policy& policy() const { return policy_; }
    /// The value for the agents of the examination.
    Ruling ruling_of(Rule rule) const;

    Reply ask(std::string_view method, const std::string& target, const std::string& body = {});
    std::string fresh_id();
    std::string request(const DelegationDraft& draft);
    /// Asks the hub for the effect of a request, without sending.
    Reply explain(const DelegationDraft& draft);
    /// Sends nothing if people would have to approve the request.
    Reply delegate(const DelegationDraft& draft, const std::string& target = "/v1/messages");

    struct Delivery {
        std::string id{};
        std::string message{};
    };
    /// Takes an agent's waiting messages; returns the delivery of `request`, or an empty one.
    Delivery take(std::string_view agent, std::string_view request);
    void answer(const Delivery& delivery);

    /// Registers the agents; returns the reason for a failure, or an empty text.
    std::string move_in(std::vector<std::string_view> askers);
    /// Starts the stopwatch for took().
    void begin();
    std::chrono::milliseconds took() const;
    /// Cancels a request, or all requests of a session.
    void end(const std::string& id);
    /// Settles all messages and removes the agents; returns agents that remain, with the reason.
    std::vector<std::string> move_out();

  private:
    Reply sign_off(const std::string& agent);
    std::string take_all(const std::string& agent);
    std::string hindrance_of(const DelegationDraft& draft, const Reply& reply) const;

    sdk::Client& client_;
    Policy policy_;
    std::mt19937_64 entropy_;
    std::string mark_;
    std::vector<std::string> agents_{};                        ///< By their whole names.
    std::map<std::string, std::vector<std::string>> taken_{};  ///< Deliveries, not settled yet.
    std::chrono::steady_clock::time_point begun_{};
};

}  // namespace parlance::cli
