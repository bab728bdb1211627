// Names as numbers: keyed hashes, so that nobody outside can make two names collide on purpose.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/handles.h"

namespace parlance::core {

/// A task in a mailbox; 0 for no task.
std::uint64_t lane_key(const HashKey& key, AgentHandle mailbox, std::string_view task);

/// A message id of a sender.
std::uint64_t message_key(const HashKey& key, std::string_view from, std::string_view id);

/// A message body: tells a repeated reply from another reply with the same id.
std::uint64_t body_key(const HashKey& key, std::string_view body);

/// How a reply names its request. Shown: by an id that the responder was shown, in a dialect whose
/// answers do not name the requester.
enum class NamedBy : char { Id = 'i', Task = 't', Correlation = 'c', Shown = 's' };
struct RequestName {
    NamedBy by = NamedBy::Id;
    std::string_view requester{};  ///< Empty with Shown.
    std::string_view responder{};
    std::string_view name{};
};
std::uint64_t request_key(const HashKey& key, const RequestName& name);

}  // namespace parlance::core
