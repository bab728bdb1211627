#include "app/cli/exec/lines.h"

namespace parlance::cli::exec {

std::optional<std::string> Lines::next() {
    const std::size_t end = pending_.find('\n');
    if (end == std::string::npos) return {};
    std::string line = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    if (line.ends_with('\r')) line.pop_back();
    return line;
}

}  // namespace parlance::cli::exec
