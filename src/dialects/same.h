// When two pieces of JSON say the same: members in any order, strings however escaped, numbers
// digit by digit.
#pragma once

#include <cstdint>
#include <forward_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace parlance::dialects {

bool is_same(json::Value left, json::Value right);

/// The same for whatever is_same(). Not keyed: it recognises, and proves nothing.
std::uint64_t digest_of(json::Value value);

/// An object's members in the order of their keys. Large objects are compared in order, never each
/// with each.
class SortedMembers {
  public:
    struct Member {
        std::string_view key;
        json::Value value;
    };

    explicit SortedMembers(json::Value object);
    const std::vector<Member>& all() const { return members_; }

  private:
    std::vector<Member> members_;
    std::forward_list<std::string> unescaped_;
};

}  // namespace parlance::dialects
