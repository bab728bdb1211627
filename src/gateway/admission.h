// Who is let in, and to what: kinds of callers, and the proof that each of them brings.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/desk.h"

namespace parlance::gateway {

/// A set of kinds of callers.
using Who = std::uint8_t;
inline constexpr Who kAgents = 1;
inline constexpr Who kViewers = 2;
inline constexpr Who kMereOperators = 4;
inline constexpr Who kAdmins = 8;
inline constexpr Who kUsers = 16;
inline constexpr Who kAnyone = 32;  ///< Also who proves nothing.

inline constexpr Who kOperators = kMereOperators | kAdmins;
inline constexpr Who kWatchers = kViewers | kOperators;
inline constexpr Who kWorkers = kAgents | kOperators;   ///< An agent, or who may act for it.
inline constexpr Who kInsiders = kAgents | kWatchers;   ///< All but users.
inline constexpr Who kIdentified = kInsiders | kUsers;  ///< Whoever proves anything.

struct CallerKind {
    Who bit;
    std::string_view name;
};
inline constexpr std::array kCallerKinds{CallerKind{kAgents, "agent"},
                                         CallerKind{kViewers, "viewer"},
                                         CallerKind{kMereOperators, "operator"},
                                         CallerKind{kAdmins, "admin"},
                                         CallerKind{kUsers, "user"},
                                         CallerKind{kAnyone, "anyone"}};

/// Who is calling, as far as this door can prove it; nothing, with a refusal, if it cannot or if
/// that caller may not come in here. A refusal of somebody is on record.
struct Admission {
    CallerPtr caller;
    std::optional<transport::Response> refusal;
};
Admission admit(Desk& desk, const transport::Request& request, Who who);

/// What is said to a caller who proves nothing, whatever the request; nothing to anybody else. A
/// proof that holds no more is on record, as with admit().
std::optional<transport::Response> refusal_of_stranger(Desk& desk,
                                                       const transport::Request& request);

/// What is said to a request with two headers of which there may be one; nothing if it has none.
std::optional<transport::Response> refusal_of_doubled(const transport::Request& request);

inline constexpr std::string_view kNoLongerProved =
    "the token or certificate of this caller was revoked or has expired";
/// Whether what proved the caller holds, as of the last review.
bool stands(const Desk& desk, const Caller& caller);
/// What is said to one whose proof holds no more.
transport::Response no_longer_proved();

/// Why this caller can hold no further connection or stream open; nothing if it can. Of those that
/// are open, `own` are the one that asks.
std::optional<std::string> lack_of_lines(const Desk& desk,
                                         const Caller& caller,
                                         std::size_t own = 0);

/// A body or a frame was refused for its size: that, and who sent it, is on record, and nothing of
/// it.
void record_too_large(Desk& desk, const transport::Request& head, std::string_view what);
void record_refusal(Desk& desk, Refusal refusal, std::string detail, const CallerPtr& caller);
/// Somebody asked for what is there, and not for it. What it is told is what it would be told of
/// nothing; that it asked is on record. `what` is "session 's1'".
void record_unseen(Desk& desk, Refusal refusal, std::string_view what, const CallerPtr& caller);
/// "mallory may not WHAT bob", answered and on record.
void refuse_identity(Desk& desk, Call& call, std::string_view what, std::string_view whose);

}  // namespace parlance::gateway
