// Identifiers. Two ids are two types.
#pragma once

#include <cstdint>

#include "base/strong.h"

namespace parlance {

using AgentId = Strong<struct AgentIdTag>;
using TopicName = Strong<struct TopicNameTag>;

/// Position of a record in the journal: 1 is the first record ever, 0 means none.
using Sequence = Strong<struct SequenceTag, std::uint64_t>;

/// A copy of a message in a mailbox, as long as the hub remembers the copy. 0 means none.
using Ticket = Strong<struct TicketTag, std::uint64_t>;

/// Most copies per record: a ticket is a sequence times kCopiesMax, plus the copy's number.
inline constexpr std::uint64_t kCopiesMax = 1024;

/// The run of the hub that granted a lease: drawn at random at each start, so that two runs
/// continuing the same journal differ. 0: a journal older than epochs.
using Epoch = Strong<struct EpochTag, std::uint32_t>;

/// A live instance of an agent: a connection, a poller or an endpoint. 0 means none.
using InstanceNumber = Strong<struct InstanceNumberTag, std::uint64_t>;

}  // namespace parlance
