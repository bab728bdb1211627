// The agents with which `parlance doctor` examines a hub, and what they ask for.
//
// Each item of the checklist has an asker, a user and a session of its own, and they ask for as few
// tokens as they can: what one item uses up is not missing to the next, and a hub with little room
// can be examined too. What an item means is not known here.
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

/// What came of a call.
struct Reply {
    int status = 0;      ///< 0: there was no answer, or nothing was asked.
    std::string body{};  ///< If it is JSON.
    std::string code{};
    /// Which limit of the hub stood in the way, with its rule and value, in words; empty if none.
    std::string hindrance{};

    bool is_taken() const { return status == 202; }
    std::string in_short() const;
};

/// Something that an agent asks another one for. Agents, sessions and users are named by what
/// follows the mark of the examination.
struct Errand {
    std::string id{};  ///< A fresh one, if it has none.
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

/// The patient, and the agents that examine it.
class Ward {
  public:
    Ward(sdk::Client& client, Policy policy, std::uint64_t seed);

    static constexpr std::array<std::string_view, 4> kDelegates{"b", "c", "d", "e"};
    static constexpr std::string_view kTool = "parlance-doctor-look";

    std::string_view mark() const { return mark_; }
    std::string name(std::string_view whose) const;
    const Policy& policy() const { return policy_; }
    /// What holds for the agents of the examination.
    Ruling ruling_of(Rule rule) const;

    Reply ask(std::string_view method, const std::string& target, const std::string& body = {});
    std::string fresh_id();
    std::string request(const Errand& errand);
    /// What sending it would do.
    Reply explain(const Errand& errand);
    /// Not if people would be asked to approve it.
    Reply delegate(const Errand& errand, const std::string& target = "/v1/messages");

    struct Delivery {
        std::string id{};
        std::string message{};
    };
    /// Takes what waits for an agent: the delivery of this request, or an empty one.
    Delivery take(std::string_view agent, std::string_view request);
    void answer(const Delivery& delivery);

    /// Why the askers cannot move in; empty if they did.
    std::string move_in(std::vector<std::string_view> askers);
    /// From now on the time is taken.
    void begin();
    std::chrono::milliseconds took() const;
    /// Ends a request, or all that was asked out of a session.
    void end(const std::string& id);
    /// Settles what was taken and what waits, and signs everybody off; who stayed, and why.
    std::vector<std::string> move_out();

  private:
    Reply sign_off(const std::string& agent);
    std::string take_all(const std::string& agent);
    std::string hindrance_of(const Errand& errand, const Reply& reply) const;

    sdk::Client& client_;
    Policy policy_;
    std::mt19937_64 chance_;
    std::string mark_;
    std::vector<std::string> agents_{};                        ///< By their whole names.
    std::map<std::string, std::vector<std::string>> taken_{};  ///< Deliveries, not settled yet.
    std::chrono::steady_clock::time_point begun_{};
};

}  // namespace parlance::cli
