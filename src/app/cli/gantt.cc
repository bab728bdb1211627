#include "app/cli/gantt.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace parlance::cli {

namespace {

constexpr int kLabelMax = 44;
constexpr int kBarMin = 10;
constexpr int kFiguresWidth = 34;  ///< "1234 ms + 1234 ms  dead_lettered".
constexpr int kDepthMax = 8;
constexpr std::string_view kWaits = "░";
constexpr std::string_view kRuns = "█";

/// The depth of each bar below its parents.
std::vector<int> depths_of(const std::vector<Bar>& bars) {
    std::map<std::int64_t, int> depths;
    std::vector<int> list;
    for (const auto& bar : bars) {
        const auto parent = depths.find(bar.parent);
        const int depth = parent == depths.end() ? 0 : std::min(parent->second + 1, kDepthMax);
        depths.emplace(bar.ticket, depth);
        list.push_back(depth);
    }
    return list;
}

std::string repeated(std::string_view mark, std::int64_t count) {
    std::string text;
    for (std::int64_t i = 0; i < count; ++i) text += mark;
    return text;
}

std::string padded(const std::string& text, int width) {
    return text + std::string(static_cast<std::size_t>(std::max(0, width - width_of(text))), ' ');
}

/// Maps `whole_ms` to `width` columns.
struct Scale {
    std::int64_t whole_ms;
    int width;
    std::int64_t column(std::int64_t ms) const {
        return whole_ms == 0 ? 0 : std::min<std::int64_t>(ms * width / whole_ms, width);
    }
};

/// Every bar gets at least one mark.
std::string strip(const Bar& bar, const Scale& scale, const Screen& screen) {
    const auto start = std::min<std::int64_t>(scale.column(bar.start_ms), scale.width - 1);
    const auto lease = scale.column(bar.start_ms + bar.queue_ms);
    const auto end = scale.column(bar.start_ms + bar.queue_ms + bar.run_ms);
    const auto room = scale.width - start;
    const auto waits = bar.queue_ms == 0 ? 0 : std::clamp<std::int64_t>(lease - start, 0, room);
    auto runs = std::clamp<std::int64_t>(end - start - waits, 0, scale.width - start - waits);
    if (waits + runs == 0) runs = 1;
    const auto rest = scale.width - start - waits - runs;
    return repeated(" ", start) + paint(screen, Tone::Dim, repeated(kWaits, waits)) +
           paint(screen, bar.tone, repeated(kRuns, runs)) + repeated(" ", rest);
}

}  // namespace

std::string draw(const std::vector<Bar>& bars, const Screen& screen) {
    const auto depths = depths_of(bars);
    std::int64_t whole_ms = 0;
    std::vector<std::string> labels;
    int label_width = 0;
    for (std::size_t i = 0; i < bars.size(); ++i) {
        whole_ms = std::max(whole_ms, bars[i].start_ms + bars[i].queue_ms + bars[i].run_ms);
        labels.push_back(cut(repeated("  ", depths[i]) + harmless(bars[i].label), kLabelMax));
        label_width = std::max(label_width, width_of(labels.back()));
    }
    const Scale scale{whole_ms, std::max(kBarMin, screen.width - label_width - kFiguresWidth - 4)};
    std::string picture;
    for (std::size_t i = 0; i < bars.size(); ++i) {
        picture += fmt::format("{}  {}  {} ms + {} ms  {}\n",
                               padded(labels[i], label_width),
                               strip(bars[i], scale, screen),
                               bars[i].queue_ms,
                               bars[i].run_ms,
                               paint(screen, bars[i].tone, bars[i].state));
    }
    return picture;
}

}  // namespace parlance::cli
