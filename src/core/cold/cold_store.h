// The cold store: things by ticket, with only the lately touched things loaded. All others are
// packed, each as one block of bytes, because many things wait and few of them change.
//
// No decision depends on whether a thing is loaded. A thing being read stays where it is until the
// next event is applied: reading moves nothing, and only tidy() packs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "core/cold/prefix_dictionary.h"
#include "model/ids.h"

namespace parlance::core {

/// Read access to a loaded thing, or to an unpacked copy. Like a pointer that may be null.
template <class Thing>
class Reading {
  public:
    Reading() = default;
    Reading(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): as a pointer takes it.
    explicit Reading(const Thing* awake) : thing_{awake} {}
    explicit Reading(Thing unpacked)
        : own_{std::make_shared<const Thing>(std::move(unpacked))}, thing_{own_.get()} {}

    explicit operator bool() const { return thing_ != nullptr; }
    bool operator==(std::nullptr_t) const { return thing_ == nullptr; }
    const Thing* operator->() const { return thing_; }
    const Thing& operator*() const& { return *thing_; }
    Thing operator*() const&& { return *thing_; }  ///< A copy: this Reading may be the only owner.

  private:
    std::shared_ptr<const Thing> own_;
    const Thing* thing_ = nullptr;
};

/// Bytes and their length behind one pointer; or nothing.
class PackedBlock {
  public:
    PackedBlock() = default;
    explicit PackedBlock(std::string_view bytes) {
        const auto prefix = varint_bytes(bytes.size());
        bytes_ = std::make_unique_for_overwrite<char[]>(prefix + bytes.size());
        std::memcpy(put_varint(bytes_.get(), bytes.size()), bytes.data(), bytes.size());
    }
    PackedBlock(const PackedBlock& other) {
        if (other) *this = PackedBlock{other.bytes()};
    }
    PackedBlock& operator=(const PackedBlock& other) { return *this = PackedBlock{other}; }
    PackedBlock(PackedBlock&&) = default;
    PackedBlock& operator=(PackedBlock&&) = default;
    ~PackedBlock() = default;

    explicit operator bool() const { return bytes_ != nullptr; }
    std::string_view bytes() const {
        ByteReader prefix{{bytes_.get(), kVarintBytesMax}};  // The varint ends by itself.
        const auto size = prefix.varint();
        return {bytes_.get() + varint_bytes(size), size};
    }

  private:
    std::unique_ptr<char[]> bytes_;  // NOLINT(*-avoid-c-arrays): one allocation, no capacity.
};

/// A Codec packs a Thing into bytes and back, and says which things are worth packing:
///   std::size_t pack(std::string&, const Thing&) const;
///   Thing unpack(Ticket, ByteReader&) const;  bool is_small(const Thing&) const;
/// The ticket is not among the bytes. pack() returns the length of a prefix that many things share;
/// such prefixes are kept once, in the prefix dictionary.
template <class Thing, class Codec>
class ColdStore {
  public:
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    bool contains(Ticket ticket) const {
        return awake_.contains(ticket) || find_packed(ticket) != nullptr;
    }
    /// All tickets, in ascending order.
    std::vector<Ticket> tickets() const {
        std::vector<Ticket> tickets;
        for (const auto& entry : entries_) {
            if (is_in(entry)) tickets.push_back(entry.ticket);
        }
        return tickets;
    }
    /// The first ticket behind `last`; none if there is none.
    Ticket next_after(Ticket last) const {
        auto at = std::ranges::upper_bound(entries_, last, {}, &ColdStoreEntry::ticket);
        while (at != entries_.end() && !is_in(*at)) ++at;
        return at == entries_.end() ? Ticket{} : at->ticket;
    }

    Reading<Thing> find(Ticket ticket, const Codec& codec = {}) const {
        if (const auto found = awake_.find(ticket); found != awake_.end()) {
            return Reading<Thing>{&found->second.thing};
        }
        const auto* entry = find_packed(ticket);
        return entry == nullptr ? Reading<Thing>{} : Reading<Thing>{unpacked(*entry, codec)};
    }
    Reading<Thing> at(Ticket ticket, const Codec& codec = {}) const {
        auto found = find(ticket, codec);
        CHECK(found != nullptr);
        return found;
    }
    /// Appends the ticket and the packed thing, without loading the thing.
    void append_packed(std::string& out, Ticket ticket, const Codec& codec = {}) const {
        append_varint(out, ticket.value);
        if (const auto found = awake_.find(ticket); found != awake_.end()) {
            codec.pack(out, found->second.thing);
            return;
        }
        const Halved block{find_packed(ticket)->block};
        if (block.prefix > 0) out.append(prefixes_.at(block.prefix));
        out.append(block.rest);
    }

    /// The thing, loaded and to be changed; null if there is none.
    Thing* wake(Ticket ticket, const Codec& codec = {}) {
        auto found = awake_.find(ticket);
        if (found == awake_.end()) {
            auto* entry = const_cast<ColdStoreEntry*>(find_packed(ticket));
            if (entry == nullptr) return nullptr;
            found = awake_.emplace(ticket, Awake{unpacked(*entry, codec)}).first;
            drop_block(*entry);
        }
        found->second.is_touched = true;
        return &found->second.thing;
    }
    Thing& emplace(Ticket ticket, Thing thing) {
        if (entries_.empty() || entries_.back().ticket < ticket) {
            entries_.push_back({.ticket = ticket});
        } else {
            insert_entry(ticket);
        }
        ++size_;
        return awake_.insert_or_assign(ticket, Awake{std::move(thing)}).first->second.thing;
    }
    void erase(Ticket ticket) {
        const auto at = std::ranges::lower_bound(entries_, ticket, {}, &ColdStoreEntry::ticket);
        if (at == entries_.end() || at->ticket != ticket || !is_in(*at)) return;
        awake_.erase(ticket);
        drop_block(*at);
        --size_;
        drop_gaps();
    }

    /// Called after an event: while more than `awake_max` things are loaded, packs things not
    /// touched lately. Looks at a few per call, so no event costs much.
    void tidy(std::size_t awake_max, const Codec& codec = {}) {
        constexpr int kLooks = 4;
        for (int look = 0; look < kLooks && awake_.size() > awake_max; ++look) {
            auto at = awake_.upper_bound(hand_);
            if (at == awake_.end()) at = awake_.begin();
            hand_ = at->first;
            const bool was_touched = std::exchange(at->second.is_touched, false);
            if (was_touched || !codec.is_small(at->second.thing)) continue;
            std::ranges::lower_bound(entries_, hand_, {}, &ColdStoreEntry::ticket)->block =
                packed(at->second.thing, codec);
            awake_.erase(at);
        }
    }

  private:
    struct Awake {
        Thing thing;
        bool is_touched = true;
    };
    /// A new ticket is mostly the largest so far, so appending keeps the order.
    struct ColdStoreEntry {
        Ticket ticket;
        PackedBlock block{};  ///< None: the thing is loaded or erased.
    };

    bool is_in(const ColdStoreEntry& entry) const {
        return entry.block || awake_.contains(entry.ticket);
    }

    /// A block begins with the number of its prefix.
    struct Halved {
        std::uint32_t prefix;
        std::string_view rest;

        explicit Halved(const PackedBlock& block) {
            const auto bytes = block.bytes();
            ByteReader in{bytes};
            prefix = static_cast<std::uint32_t>(in.varint());
            rest = bytes.substr(bytes.size() - in.left());
        }
    };

    PackedBlock packed(const Thing& thing, const Codec& codec) {
        scratch_.clear();
        const auto prefix_bytes = codec.pack(scratch_, thing);
        const auto prefix = prefixes_.keep(std::string_view{scratch_}.substr(0, prefix_bytes));
        char number[kVarintBytesMax];
        const auto number_bytes = static_cast<std::size_t>(put_varint(number, prefix) - number);
        scratch_.replace(0, prefix > 0 ? prefix_bytes : 0, number, number_bytes);
        return PackedBlock{scratch_};
    }
    Thing unpacked(const ColdStoreEntry& entry, const Codec& codec) const {
        const Halved block{entry.block};
        std::string whole;
        if (block.prefix > 0) whole.append(prefixes_.at(block.prefix)).append(block.rest);
        ByteReader in{block.prefix > 0 ? std::string_view{whole} : block.rest};
        auto thing = codec.unpack(entry.ticket, in);
        CHECK(in.ok() && in.at_end());  // packed() wrote these bytes.
        return thing;
    }
    void drop_block(ColdStoreEntry& entry) {
        if (entry.block) prefixes_.drop(Halved{entry.block}.prefix);
        entry.block = {};
    }
    const ColdStoreEntry* find_packed(Ticket ticket) const {
        const auto at = std::ranges::lower_bound(entries_, ticket, {}, &ColdStoreEntry::ticket);
        return at == entries_.end() || at->ticket != ticket || !at->block ? nullptr : &*at;
    }
    void insert_entry(Ticket ticket) {
        const auto at = std::ranges::lower_bound(entries_, ticket, {}, &ColdStoreEntry::ticket);
        CHECK(at->ticket != ticket || !is_in(*at));
        if (at->ticket != ticket) entries_.insert(at, ColdStoreEntry{.ticket = ticket});
    }
    /// Leaves no gap of erased things at either end, and gaps of at most about a quarter of the
    /// size.
    void drop_gaps() {
        while (!entries_.empty() && !is_in(entries_.back())) entries_.pop_back();
        while (!entries_.empty() && !is_in(entries_.front())) entries_.pop_front();
        constexpr std::size_t kGapsMin = 64;
        if (entries_.size() < size_ + size_ / 4 + kGapsMin) return;
        std::erase_if(entries_, [this](const ColdStoreEntry& entry) { return !is_in(entry); });
    }

    std::map<Ticket, Awake> awake_;
    std::deque<ColdStoreEntry> entries_;
    PrefixDictionary prefixes_;
    std::size_t size_ = 0;
    Ticket hand_{};  ///< The last ticket that tidy() looked at.
    std::string scratch_;
};

}  // namespace parlance::core
