#include "app/cli/exec/lines.h"

namespace parlance::cli::exec {

/// Returned lines are erased together, not one by one: erasing after each line is quadratic in the
/// input.
void Lines::add(std::string_view bytes) {
    pending_.erase(0, begin_);
    searched_ -= begin_;
    begin_ = 0;
    pending_.append(bytes);
}

std::optional<std::string> Lines::next() {
    const std::size_t end = pending_.find('\n', searched_);
    if (end == std::string::npos) {
        searched_ = pending_.size();
        return {};
    }
    std::string line = pending_.substr(begin_, end - begin_);
    begin_ = searched_ = end + 1;
    if (line.ends_with('\r')) line.pop_back();
    return line;
}

}  // namespace parlance::cli::exec
