// The names things go by. Two ids are two types.
#pragma once

#include <cstdint>

#include "base/strong.h"

namespace parlance {

using AgentId = Strong<struct AgentIdTag>;
using TopicName = Strong<struct TopicNameTag>;

/// Where a record stands in the journal: 1 is the first one ever. 0 means "none".
using Sequence = Strong<struct SequenceTag, std::uint64_t>;

/// One copy of one message in one mailbox, for as long as the hub remembers it. 0 means "none".
using Ticket = Strong<struct TicketTag, std::uint64_t>;

/// How many copies one record can found: a ticket is a sequence times this, and the copy's number.
inline constexpr std::uint64_t kCopiesMax = 1024;

/// Which run of the hub granted a lease: drawn at random at each start, so that two runs that go on
/// from the same journal never share one. 0: a journal from before there were epochs.
using Epoch = Strong<struct EpochTag, std::uint32_t>;

/// One live instance of an agent: one connection, one poller or one endpoint. 0 means "none".
using InstanceNumber = Strong<struct InstanceNumberTag, std::uint64_t>;

}  // namespace parlance
