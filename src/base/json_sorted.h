// The members of an object sorted by key, for comparisons that ignore order.
#pragma once

#include <forward_list>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace parlance::json {

/// Whether a key is a part of the object's text. An unescaped copy of a key is elsewhere, and lives
/// only until the next member.
inline bool stands_in(Value object, std::string_view key) {
    const std::less<> is_before;
    const char* const end = object.raw.data() + object.raw.size();
    return !is_before(key.data(), object.raw.data()) && is_before(key.data(), end);
}

/// An object's members sorted by key, so that comparing large objects is not quadratic.
class SortedMembers {
  public:
    struct Member {
        std::string_view key;
        Value value;
    };

    explicit SortedMembers(Value object);
    /// The rest of the object: the member that `members` is at, and all members after.
    SortedMembers(Value object, Members& members);
    const std::vector<Member>& all() const { return members_; }

  private:
    void add(Value object, const Members& members);
    void sort();

    std::vector<Member> members_;
    std::forward_list<std::string> unescaped_;
};

}  // namespace parlance::json
