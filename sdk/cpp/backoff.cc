#include "sdk/cpp/backoff.h"

#include <algorithm>

namespace parlance::sdk {

std::chrono::milliseconds Backoff::next() {
    const auto whole = current_.count();
    current_ = std::min(current_ * 2, most_);
    return std::chrono::milliseconds{
        std::uniform_int_distribution<std::int64_t>{whole / 2, whole}(random_)};
}

}  // namespace parlance::sdk
