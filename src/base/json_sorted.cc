#include "base/json_sorted.h"

#include <algorithm>
#include <functional>

namespace parlance::json {

SortedMembers::SortedMembers(Value object) {
    const char* const begin = object.raw.data();
    const std::less<> is_before;
    constexpr std::size_t kUsualCount = 16;
    members_.reserve(kUsualCount);
    for (Members members{object}; members.next();) {
        // A key with escapes lives only until the next one.
        const bool stands_in_text = !is_before(members.key.data(), begin) &&
                                    is_before(members.key.data(), begin + object.raw.size());
        if (!stands_in_text) unescaped_.emplace_front(members.key);
        members_.push_back(
            {stands_in_text ? members.key : std::string_view{unescaped_.front()}, members.value});
    }
    std::ranges::sort(members_, {}, &Member::key);
}

}  // namespace parlance::json
