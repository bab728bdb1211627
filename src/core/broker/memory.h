// Which message ids were already taken, and how each went: so that a repeat is recognised.
//
// Two generations bound it. When the newer one is full the older is forgotten, except for what
// is still in the hub: a message that waits can never be accepted a second time.
#pragma once

#include <cstdint>
#include <utility>

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
    std::uint64_t taken = 0;  ///< Ids since the newer one began; what it was handed on is not new.
};

const Remembered* find_id(const Memory& memory, std::uint64_t key);
Sequence find_answer(const Memory& memory, std::uint64_t key);
Ticket find_closed(const Memory& memory, std::uint64_t key);

void remember_id(Memory& memory, std::uint64_t key, Remembered remembered);
void remember_answer(Memory& memory, std::uint64_t key, Sequence answer);
void remember_closed(Memory& memory, std::uint64_t key, Ticket request);

/// Whether the newer generation has had its half of `ids_max`.
bool is_full(const Memory& memory, std::uint64_t ids_max);

/// Forgets the older generation once the newer one is full, but for what `is_live(ticket)`.
template <class IsLive>
void age(Memory& memory, std::uint64_t ids_max, IsLive is_live) {
    if (!is_full(memory, ids_max)) return;
    const auto forgotten = std::exchange(memory.older, std::exchange(memory.newer, {}));
    memory.taken = 0;
    for (const auto& [key, remembered] : forgotten.ids) {
        if (!is_live(remembered.ticket)) continue;
        memory.newer.ids.emplace(key, remembered);
        const auto answer = forgotten.answers.find(key);
        if (answer != forgotten.answers.end()) memory.newer.answers.emplace(key, answer->second);
    }
}

}  // namespace parlance::core::broker
