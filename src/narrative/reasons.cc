#include "narrative/reasons.h"

#include <algorithm>
#include <array>

#include "model/refusal.h"

namespace parlance::narrative {

namespace {

struct Reason {
    std::string_view code;
    std::string_view words;
};

constexpr std::size_t kSaidBytesMax = 200;
constexpr std::string_view kNot = "it did not work out";
constexpr std::string_view kTooLong = "it took too long";
constexpr std::string_view kBusy = "too much is asked for at the moment; please try again later";
constexpr std::string_view kOut = "it is not working at the moment; please try again later";
constexpr std::string_view kNobody = "nobody can do it at the moment";
constexpr std::string_view kForbidden = "it is not permitted";
constexpr std::string_view kSpent = "what may be spent on it is spent";
constexpr std::string_view kInput = "something that it needs to know is missing or does not fit";

/// A hub refusal code missing from this table reads `kNot`: users cannot read codes.
constexpr std::array kReasons{
    Reason{"REQUEST_TIMED_OUT", kTooLong},
    Reason{"MESSAGE_EXPIRED", kTooLong},
    Reason{"HUB_OVERLOADED", kBusy},
    Reason{"MAILBOX_FULL", kBusy},
    Reason{"RATE_LIMIT_EXCEEDED", kBusy},
    Reason{"CONNECTION_LIMIT_EXCEEDED", kBusy},
    Reason{"DELEGATION_FANOUT_EXCEEDED", kBusy},
    Reason{"STREAM_LIMIT_EXCEEDED", kBusy},
    Reason{"STATE_LIMIT_EXCEEDED", kBusy},
    Reason{"AGENT_CIRCUIT_OPEN", kOut},
    Reason{"REQUEST_UNDELIVERABLE", kOut},
    Reason{"FLEET_STOPPED", kOut},
    Reason{"HUB_STOPPING", kOut},
    Reason{"HUB_STORAGE_FULL", kOut},
    Reason{"HUB_STORAGE_FAILED", kOut},
    Reason{"AGENT_NOT_REGISTERED", kNobody},
    Reason{"CAPABILITY_NOT_REGISTERED", kNobody},
    Reason{"HUMAN_ROLE_UNKNOWN", kNobody},
    Reason{"BUDGET_TOKENS_EXCEEDED", kSpent},
    Reason{"BUDGET_COST_EXCEEDED", kSpent},
    Reason{"RESOURCE_LIMIT_EXCEEDED", kSpent},
    Reason{"ROUTE_NOT_PERMITTED", kForbidden},
    Reason{"USER_ISOLATION_VIOLATED", kForbidden},
    Reason{"TOOL_NOT_ALLOWED", kForbidden},
    Reason{"IDENTITY_REQUIRED", kForbidden},
    Reason{"IDENTITY_MISMATCH", kForbidden},
    Reason{"IDENTITY_ROLE_FORBIDDEN", kForbidden},
    Reason{"INPUT_VALIDATION_FAILED", kInput},
    Reason{"MESSAGE_TOO_LARGE", "it is too long"},
    Reason{"CONFIDENCE_TOO_LOW", "what was found is not sure enough"},
    Reason{"REQUEST_CANCELLED", "it was cancelled"},
    Reason{"REQUEST_REJECTED", "it was turned down"},
    Reason{"HUMAN_NOT_ANSWERED", "nobody decided in time"},
    Reason{"SESSION_NOT_FOUND", "there is no such conversation"},
    Reason{"WORKFLOW_NOT_FOUND", "there is no such conversation"},
};

/// True for words a person would use: no path, no code and no data.
bool is_plain(std::string_view said) {
    return !said.empty() && said.size() <= kSaidBytesMax &&
           said.find_first_of("/_{}[]<>`:=\n") == std::string_view::npos;
}

}  // namespace

std::string_view reason_for(std::string_view code, std::string_view said) {
    const auto found = std::ranges::find(kReasons, code, &Reason::code);
    if (found != kReasons.end()) return found->words;
    const bool is_ours = std::ranges::find(kRefusals, code, &RefusalRow::code) != kRefusals.end();
    return !is_ours && is_plain(said) ? said : kNot;
}

}  // namespace parlance::narrative
