#include "app/cli/progress.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace parlance::cli {

std::string bar_text(const Screen& screen, double share, int width) {
    const auto done = static_cast<int>(std::floor(std::clamp(share, 0.0, 1.0) * width));
    std::string full;
    std::string rest;
    for (int i = 0; i < done; ++i) full += "━";
    for (int i = done; i < width; ++i) rest += screen.has_colour ? "━" : "─";
    return paint(screen, Tone::Green, full) + paint(screen, Tone::Dim, rest);
}

void Progress::show(double share, const std::string& text) {
    using namespace std::chrono_literals;
    if (!screen_.is_terminal) return;
    const auto now = std::chrono::steady_clock::now();
    if (is_drawn_ && now - drawn_at_ < 100ms) return;
    drawn_at_ = now;
    is_drawn_ = true;
    const int width = std::clamp(screen_.width / 3, 10, 40);
    fmt::print(stderr,
               "\r\033[K{} {}",
               bar_text(screen_, share, width),
               cut(text, std::max(screen_.width - width - 2, 0)));
    std::fflush(stderr);
}

void Progress::clear() {
    if (!is_drawn_) return;
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    is_drawn_ = false;
}

}  // namespace parlance::cli
