// Which message ids were already taken, and how each went: so that a repeat is recognised.
//
// Two generations bound it. When the newer one is full the older is forgotten, except for what
// is still in the hub: a message that waits can never be accepted a second time.
#pragma once

#include <cstdint>
#include <functional>

#include <boost/unordered/unordered_flat_map.hpp>

#include "model/ids.h"

namespace parlance::core::broker {

struct Remembered {
    Ticket ticket;  ///< Of the first copy; leads to the record of its acceptance.
    std::uint32_t fingerprint = 0;
};

struct Generation {
    boost::unordered_flat_map<std::uint64_t, Remembered> ids;
    boost::unordered_flat_map<std::uint64_t, Sequence> answers;  ///< By the request's id key.
    boost::unordered_flat_map<std::uint64_t, Ticket> closed;     ///< Names of ended requests.
};

struct Memory {
    Generation newer;
    Generation older;
};

const Remembered* find_id(const Memory& memory, std::uint64_t key);
Sequence find_answer(const Memory& memory, std::uint64_t key);
Ticket find_closed(const Memory& memory, std::uint64_t key);

void remember_id(Memory& memory, std::uint64_t key, Remembered remembered);
void remember_answer(Memory& memory, std::uint64_t key, Sequence answer);
void remember_closed(Memory& memory, std::uint64_t key, Ticket request);

/// Forgets the older generation once the newer one holds half of `ids_max`.
void age(Memory& memory, std::uint64_t ids_max, const std::function<bool(Ticket)>& is_live);

}  // namespace parlance::core::broker
