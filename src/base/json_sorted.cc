#include "base/json_sorted.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace parlance::json {

namespace {

constexpr std::size_t kUsualCount = 16;

/// The first eight bytes as a number: texts that differ in these bytes compare like the numbers.
std::uint64_t head_of(std::string_view text) {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t head = 0;
    std::memcpy(&head, text.data(), std::min(text.size(), sizeof head));
    return __builtin_bswap64(head);
}

/// The length of the prefix shared by all keys.
std::size_t shared_size(const std::vector<SortedMembers::Member>& members) {
    std::string_view shared = members.front().key;
    for (const auto& member : members) {
        const auto differing = std::ranges::mismatch(shared, member.key).in1;
        shared = shared.substr(0, static_cast<std::size_t>(differing - shared.begin()));
    }
    return shared.size();
}

/// Sorts many members by the numbers of their keys: the keys themselves, which are scattered over
/// the text, are hardly read.
void sort_many(std::vector<SortedMembers::Member>& members) {
    struct Place {
        std::uint64_t head;
        std::size_t at;
    };
    const std::size_t shared = shared_size(members);
    std::vector<Place> places;
    places.reserve(members.size());
    for (const auto& member : members) {
        places.push_back({head_of(member.key.substr(shared)), places.size()});
    }
    std::ranges::sort(places, [&](const Place& one, const Place& other) {
        if (one.head != other.head) return one.head < other.head;
        return members[one.at].key < members[other.at].key;
    });
    std::vector<SortedMembers::Member> sorted;
    sorted.reserve(members.size());
    for (const Place& place : places) sorted.push_back(members[place.at]);
    members = std::move(sorted);
}

}  // namespace

SortedMembers::SortedMembers(Value object) {
    members_.reserve(kUsualCount);
    for (Members members{object}; members.next();) add(object, members);
    sort();
}

SortedMembers::SortedMembers(Value object, Members& members) {
    do {
        add(object, members);
    } while (members.next());
    sort();
}

void SortedMembers::add(Value object, const Members& members) {
    std::string_view key = members.key;
    if (!stands_in(object, key)) key = unescaped_.emplace_front(key);
    members_.push_back({key, members.value});
}

void SortedMembers::sort() {
    if (std::ranges::is_sorted(members_, {}, &Member::key)) return;
    if (members_.size() <= 4 * kUsualCount) {
        std::ranges::sort(members_, {}, &Member::key);
    } else {
        sort_many(members_);
    }
}

}  // namespace parlance::json
