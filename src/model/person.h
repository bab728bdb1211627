// What is put to people: a question for whoever has a role, and what follows if nobody answers.
//
// Only words and rules; who may answer, and once, is the core's business.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace parlance {

/// What is wanted of the person.
enum class HumanKind : std::uint8_t { Approve, Answer, Edit, Choose };

/// What the person said. An edit is an approval of something else.
enum class HumanDecision : std::uint8_t { Approve, Reject, Edit, Answer };

/// What follows when the time is over. To wait is to be reminded, again and again.
enum class IfNobody : std::uint8_t { Fail, Reject, Approve, Escalate, Wait };

/// A question as it is asked. What is left out, the rules of the role say.
struct HumanQuestion {
    std::string role{};  ///< Empty: any operator.
    HumanKind kind = HumanKind::Answer;
    std::string text{};
    std::string context{};               ///< JSON, for review.
    std::vector<std::string> options{};  ///< Choose: one of these.
    std::string workflow{};              ///< What it belongs to; ends with it.
    std::string step{};
    std::string user{};  ///< For whom.
    std::optional<Duration> deadline{};
    std::optional<Duration> reminder{};  ///< Zero: none.
    std::string escalation{};            ///< The role that is asked when the time is over.
    std::optional<IfNobody> if_nobody{};
    std::uint32_t approvals_needed = 0;  ///< By so many different people; 0: as the role says.
    std::uint64_t state_version = 0;     ///< Of whatever is decided on.
};
using HumanQuestionPtr = std::shared_ptr<const HumanQuestion>;

/// How people of one role are asked.
struct RoleRules {
    std::vector<std::string> operators{};  ///< Who has it, beside those whose token says so.
    Duration deadline{std::chrono::hours{24}};
    Duration reminder{};  ///< Zero: none.
    std::string escalation{};
    IfNobody if_nobody = IfNobody::Fail;
    std::uint32_t approvals_needed = 1;
};

/// By role. With none, every role is known and any operator may answer.
using PeopleRules = std::map<std::string, RoleRules, std::less<>>;

inline constexpr std::uint32_t kApprovalsMax = 2;

/// A recipient that stands for people: "human", or "human:ROLE".
constexpr std::string_view kHumanName = "human";
constexpr std::string_view kHumanPrefix = "human:";
constexpr bool is_for_people(std::string_view recipient) {
    return recipient == kHumanName || recipient.starts_with(kHumanPrefix);
}
constexpr std::string_view role_of_recipient(std::string_view recipient) {
    return recipient == kHumanName ? std::string_view{} : recipient.substr(kHumanPrefix.size());
}

}  // namespace parlance
