#include "core/broker/memory.h"

#include <utility>

namespace parlance::core::broker {

namespace {

template <auto Table, class Value>
Value find(const Memory& memory, std::uint64_t key) {
    for (const auto* generation : {&memory.newer, &memory.older}) {
        const auto& table = generation->*Table;
        if (const auto found = table.find(key); found != table.end()) return found->second;
    }
    return {};
}

}  // namespace

const Remembered* find_id(const Memory& memory, std::uint64_t key) {
    for (const auto* generation : {&memory.newer, &memory.older}) {
        const auto found = generation->ids.find(key);
        if (found != generation->ids.end()) return &found->second;
    }
    return nullptr;
}

Sequence find_answer(const Memory& memory, std::uint64_t key) {
    return find<&Generation::answers, Sequence>(memory, key);
}

Ticket find_closed(const Memory& memory, std::uint64_t key) {
    return find<&Generation::closed, Ticket>(memory, key);
}

void remember_id(Memory& memory, std::uint64_t key, Remembered remembered) {
    memory.newer.ids.insert_or_assign(key, remembered);
    ++memory.taken;
}

void remember_answer(Memory& memory, std::uint64_t key, Sequence answer) {
    memory.newer.answers.insert_or_assign(key, answer);
}

void remember_closed(Memory& memory, std::uint64_t key, Ticket request) {
    memory.newer.closed.insert_or_assign(key, request);
}

bool is_full(const Memory& memory, std::uint64_t ids_max) {
    // Replies may fill `closed` faster than messages fill `ids`: three names a request.
    return memory.taken * 2 >= ids_max || memory.newer.closed.size() >= ids_max * 2;
}

}  // namespace parlance::core::broker
