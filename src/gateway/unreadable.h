// The answer to a caller when the requested record of the journal cannot be read.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "gateway/desk.h"
#include "model/refusal.h"

namespace parlance::gateway {

/// Damage has its own code, and a retry does not help; any other fault is the disk's.
Refusal refusal_of_read(const Error& error);
/// The stable code of damage.
std::string_view damage_code();
transport::Response unreadable(const Error& error);
/// The same as a server-sent event.
std::string unreadable_event(const Error& error);

}  // namespace parlance::gateway
