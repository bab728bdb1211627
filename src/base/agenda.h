// What is due when: a heap whose entries can be found, moved and removed.
//
// The order is total (time, then the entry's number), so what comes out does not depend on the
// order in which things were put in: a state rebuilt from a snapshot behaves like the first one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/slab.h"
#include "base/time.h"

namespace parlance {

/// Where an owner stands in the agenda; kept by the owner, updated by the agenda.
using AgendaPlace = std::uint32_t;
inline constexpr AgendaPlace kNotOnAgenda = 0xFFFF'FFFFU;

class Agenda {
  public:
    struct Entry {
        Time at{};
        std::uint64_t number = 0;  ///< Breaks ties; unique among the entries.
        Slot owner = kNoSlot;
    };

    bool empty() const { return heap_.empty(); }
    std::size_t size() const { return heap_.size(); }
    const Entry& first() const { return heap_.front(); }
    const Entry& at(AgendaPlace place) const { return heap_[place]; }

    /// Puts or moves an entry. `place_of(owner)` is the owner's AgendaPlace, by reference.
    template <class PlaceOf>
    void set(const Entry& entry, PlaceOf place_of) {
        auto place = place_of(entry.owner);
        if (place == kNotOnAgenda) {
            place = static_cast<AgendaPlace>(heap_.size());
            heap_.push_back(entry);
        }
        heap_[place] = entry;
        settle(place, place_of);
    }

    template <class PlaceOf>
    void remove(Slot owner, PlaceOf place_of) {
        const AgendaPlace place = place_of(owner);
        if (place == kNotOnAgenda) return;
        CHECK(heap_[place].owner == owner);
        place_of(owner) = kNotOnAgenda;
        const auto last = heap_.back();
        heap_.pop_back();
        if (place == heap_.size()) return;
        heap_[place] = last;
        settle(place, place_of);
    }

    void clear() { heap_.clear(); }

  private:
    static bool before(const Entry& left, const Entry& right) {
        return left.at != right.at ? left.at < right.at : left.number < right.number;
    }

    /// Moves the entry at `place` up or down to where it belongs.
    template <class PlaceOf>
    void settle(std::size_t place, PlaceOf place_of) {
        const Entry entry = heap_[place];
        while (place > 0 && before(entry, heap_[(place - 1) / 2])) {
            heap_[place] = heap_[(place - 1) / 2];
            place_of(heap_[place].owner) = static_cast<AgendaPlace>(place);
            place = (place - 1) / 2;
        }
        for (;;) {
            std::size_t child = 2 * place + 1;
            if (child >= heap_.size()) break;
            if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
            if (!before(heap_[child], entry)) break;
            heap_[place] = heap_[child];
            place_of(heap_[place].owner) = static_cast<AgendaPlace>(place);
            place = child;
        }
        heap_[place] = entry;
        place_of(entry.owner) = static_cast<AgendaPlace>(place);
    }

    std::vector<Entry> heap_;
};

}  // namespace parlance
