// A heap of due times whose entries can be found, moved and removed.
//
// The order is total (time, then the owner's number), so the output does not depend on the order of
// insertion: a state rebuilt from a snapshot behaves like the original.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/packed_uint64.h"
#include "base/slab.h"
#include "base/time.h"

namespace parlance {

/// An owner's position in the agenda; stored by the owner, updated by the agenda.
using AgendaPlace = std::uint32_t;
inline constexpr AgendaPlace kNotOnAgenda = 0xFFFF'FFFFU;

/// The data of an owner that the agenda needs.
struct AgendaMark {
    AgendaPlace& place;
    std::uint64_t number;  ///< Breaks ties; unique among owners.
};

class Agenda {
  public:
    struct Entry {
        Time at{};
        Slot owner = kNoSlot;
    };

    bool empty() const { return heap_.empty(); }
    std::size_t size() const { return heap_.size(); }
    Entry first() const { return heap_.front().entry(); }
    Entry at(AgendaPlace place) const { return heap_[place].entry(); }

    /// Inserts or moves an entry. `mark_of(owner)` returns the owner's AgendaMark.
    template <class MarkOf>
    void set(const Entry& entry, MarkOf mark_of) {
        auto place = mark_of(entry.owner).place;
        if (place == kNotOnAgenda) {
            place = static_cast<AgendaPlace>(heap_.size());
            make_room();
            heap_.emplace_back();
        }
        heap_[place] = Packed{entry};
        settle(place, mark_of);
    }

    template <class MarkOf>
    void remove(Slot owner, MarkOf mark_of) {
        const AgendaPlace place = mark_of(owner).place;
        if (place == kNotOnAgenda) return;
        CHECK(heap_[place].owner == owner);
        mark_of(owner).place = kNotOnAgenda;
        const auto last = heap_.back();
        heap_.pop_back();
        if (place == heap_.size()) return;
        heap_[place] = last;
        settle(place, mark_of);
    }

    void clear() { heap_.clear(); }

  private:
    /// An entry without padding, since an agenda may hold a million.
    struct Packed {
        PackedUint64 at{};
        Slot owner = kNoSlot;

        Packed() = default;
        explicit Packed(const Entry& entry)
            : at{static_cast<std::uint64_t>(entry.at.time_since_epoch().count())},
              owner{entry.owner} {}
        Time time() const { return Time{Duration{static_cast<std::int64_t>(at.value())}}; }
        Entry entry() const { return {.at = time(), .owner = owner}; }
    };
    static_assert(sizeof(Packed) == 12);

    /// Grows by an eighth, since an agenda may hold a million entries.
    void make_room() {
        if (heap_.size() == heap_.capacity()) heap_.reserve(heap_.size() + heap_.size() / 8 + 16);
    }

    /// Moves the entry at `place` up or down to its position in the order.
    template <class MarkOf>
    void settle(std::size_t place, MarkOf mark_of) {
        const Packed entry = heap_[place];
        const auto before = [&](const Packed& left, const Packed& right) {
            if (left.time() != right.time()) return left.time() < right.time();
            return mark_of(left.owner).number < mark_of(right.owner).number;
        };
        while (place > 0 && before(entry, heap_[(place - 1) / 2])) {
            heap_[place] = heap_[(place - 1) / 2];
            mark_of(heap_[place].owner).place = static_cast<AgendaPlace>(place);
            place = (place - 1) / 2;
        }
        for (;;) {
            std::size_t child = 2 * place + 1;
            if (child >= heap_.size()) break;
            if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
            if (!before(heap_[child], entry)) break;
            heap_[place] = heap_[child];
            mark_of(heap_[place].owner).place = static_cast<AgendaPlace>(place);
            place = child;
        }
        heap_[place] = entry;
        mark_of(entry.owner).place = static_cast<AgendaPlace>(place);
    }

    std::vector<Packed> heap_;
};

}  // namespace parlance
