// Human tasks: a question for people with a role, and the consequence if nobody answers.
//
// Words and rules only; the core decides who may answer, and only once.
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

/// The kind of answer wanted.
enum class HumanKind : std::uint8_t { Approve, Answer, Edit, Choose };

/// A person's decision. An edit approves an altered proposal.
enum class HumanDecision : std::uint8_t { Approve, Reject, Edit, Answer };

/// The consequence of a missed deadline. Wait sends reminders, again and again.
enum class IfNobody : std::uint8_t { Fail, Reject, Approve, Escalate, Wait };

/// A question as asked. The role's rules supply omitted fields.
struct HumanQuestion {
    std::string role{};  ///< Empty: any operator.
    HumanKind kind = HumanKind::Answer;
    std::string text{};
    std::string context{};               ///< JSON, for review.
    std::vector<std::string> options{};  ///< Choose only: the possible answers.
    std::string workflow{};  ///< The workflow the task belongs to; the task ends with the workflow.
    std::string step{};
    std::string user{};  ///< The user concerned.
    std::optional<Duration> deadline{};
    std::optional<Duration> reminder{};  ///< Zero: no reminder.
    std::string escalation{};            ///< The role asked after the deadline.
    std::optional<IfNobody> if_nobody{};
    std::uint32_t approvals_needed = 0;  ///< Number of different people; 0: as in the role's rules.
    std::uint64_t state_version = 0;     ///< Of the object to decide on.
};
using HumanQuestionPtr = std::shared_ptr<const HumanQuestion>;

/// How people of one role are asked.
struct RoleRules {
    /// Names with the role, in addition to tokens with the role.
    std::vector<std::string> operators{};
    Duration deadline{std::chrono::hours{24}};
    Duration reminder{};  ///< Zero: no reminder.
    std::string escalation{};
    IfNobody if_nobody = IfNobody::Fail;
    std::uint32_t approvals_needed = 1;
};

/// By role. If empty, every role is known and any operator may answer.
using PeopleRules = std::map<std::string, RoleRules, std::less<>>;

inline constexpr std::uint32_t kApprovalsMax = 2;

/// The recipient for people: "human", or "human:ROLE".
constexpr std::string_view kHumanName = "human";
constexpr std::string_view kHumanPrefix = "human:";
constexpr bool is_for_people(std::string_view recipient) {
    return recipient == kHumanName || recipient.starts_with(kHumanPrefix);
}
constexpr std::string_view role_of_recipient(std::string_view recipient) {
    return recipient == kHumanName ? std::string_view{} : recipient.substr(kHumanPrefix.size());
}

}  // namespace parlance
