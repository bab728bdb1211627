// The members of an object by their keys, where their order must not matter.
#pragma once

#include <forward_list>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace parlance::json {

/// Whether a key of the object lives as long as its text. One with escapes lives elsewhere, and
/// only until the next.
inline bool stands_in(Value object, std::string_view key) {
    const std::less<> is_before;
    const char* const end = object.raw.data() + object.raw.size();
    return !is_before(key.data(), object.raw.data()) && is_before(key.data(), end);
}

/// An object's members in the order of their keys. Large objects are compared in order, never each
/// with each.
class SortedMembers {
  public:
    struct Member {
        std::string_view key;
        Value value;
    };

    explicit SortedMembers(Value object);
    /// Those that are left: the one of the object that `members` stands at, and all behind it.
    SortedMembers(Value object, Members& members);
    const std::vector<Member>& all() const { return members_; }

  private:
    void add(Value object, const Members& members);
    void sort();

    std::vector<Member> members_;
    std::forward_list<std::string> unescaped_;
};

}  // namespace parlance::json
