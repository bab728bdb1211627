// A value with a type of its own, so that an AgentId is never passed for a MessageId.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>

namespace parlance {

template <class Tag, class Value = std::string>
struct Strong {
    Value value{};
    friend auto operator<=>(const Strong&, const Strong&) = default;
};

}  // namespace parlance

template <class Tag, class Value>
struct std::hash<parlance::Strong<Tag, Value>> {
    std::size_t operator()(const parlance::Strong<Tag, Value>& strong) const noexcept {
        return std::hash<Value>{}(strong.value);
    }
};
