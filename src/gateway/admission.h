// Admission: the kinds of callers, the proof that a caller brings, and the routes open to each
// kind.
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
inline constexpr Who kAnyone = 32;  ///< Also callers without proof.

inline constexpr Who kOperators = kMereOperators | kAdmins;
inline constexpr Who kWatchers = kViewers | kOperators;
inline constexpr Who kWorkers = kAgents | kOperators;   ///< Agents, or operators for agents.
inline constexpr Who kInsiders = kAgents | kWatchers;   ///< All but users.
inline constexpr Who kIdentified = kInsiders | kUsers;  ///< All callers with proof.

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

/// The caller that the request's credentials prove; or a refusal, if they prove no caller or if the
/// caller may not use the route. The refusal of a known caller is recorded.
struct Admission {
    CallerPtr caller;
    std::optional<transport::Response> refusal;
};
Admission admit(Desk& desk, const transport::Request& request, Who who);

/// The refusal of a request whose credentials prove no caller, whatever the route; nothing for a
/// proved caller. A revoked or expired credential is recorded, as by admit().
std::optional<transport::Response> refusal_of_stranger(Desk& desk,
                                                       const transport::Request& request);

/// The refusal of a request that repeats a header which may occur once; nothing if no header is
/// repeated.
std::optional<transport::Response> refusal_of_doubled(const transport::Request& request);

inline constexpr std::string_view kNoLongerProved =
    "the token or certificate of this caller was revoked or has expired";
/// Whether the caller's credential is still valid, as of the last review.
bool stands(const Desk& desk, const Caller& caller);
/// The response to a caller whose credential was revoked or has expired.
transport::Response no_longer_proved();

/// Why the caller may open no further connection or stream; empty if the caller may. `own` of the
/// open ones are the call's.
std::optional<std::string> lack_of_lines(const Desk& desk,
                                         const Caller& caller,
                                         std::size_t own = 0);

/// A place for a request of this caller that holds its connection; the place is given back when the
/// result is destroyed. Null: the caller's requests hold a quarter of all connections already.
std::shared_ptr<void> place_to_wait(Desk& desk, const Caller& caller);

/// Records the size and the sender of a body or frame that was refused as too large, and none of
/// its bytes.
void record_too_large(Desk& desk, const transport::Request& head, std::string_view what);
void record_refusal(Desk& desk, Refusal refusal, std::string detail, const CallerPtr& caller);
/// Records that a caller asked for a thing of somebody else. The caller gets the same answer as for
/// a missing thing. `what` is "session 's1'".
void record_unseen(Desk& desk, Refusal refusal, std::string_view what, const CallerPtr& caller);
/// Answers "mallory may not WHAT bob", and records the refusal.
void refuse_identity(Desk& desk, Call& call, std::string_view what, std::string_view whose);

}  // namespace parlance::gateway
