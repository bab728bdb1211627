// The members of an object by their keys, where their order must not matter.
#pragma once

#include <forward_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace parlance::json {

/// An object's members in the order of their keys. Large objects are compared in order, never each
/// with each.
class SortedMembers {
  public:
    struct Member {
        std::string_view key;
        Value value;
    };

    explicit SortedMembers(Value object);
    const std::vector<Member>& all() const { return members_; }

  private:
    std::vector<Member> members_;
    std::forward_list<std::string> unescaped_;
};

}  // namespace parlance::json
