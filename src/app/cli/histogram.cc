#include "app/cli/histogram.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace parlance::cli {

namespace {

constexpr std::array<std::string_view, 9> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};

std::string bar_of(double share, int width) {
    const auto eighths = static_cast<int>(std::lround(share * width * 8));
    std::string bar;
    for (int i = 0; i < eighths / 8; ++i) bar += kEighths.back();
    bar += kEighths[static_cast<std::size_t>(eighths % 8)];
    // A share above zero gets at least the smallest bar.
    return bar.empty() && share > 0 ? std::string(kEighths[1]) : bar;
}

struct Mark {
    std::string_view name;
    double quantile;
};

constexpr std::array kMarks{
    Mark{"p50", 0.50}, Mark{"p90", 0.90}, Mark{"p99", 0.99}, Mark{"p99.9", 0.999}};

struct Row {
    std::uint64_t from;
    std::uint64_t to;
    std::uint64_t count;
};

/// Rows between the edges 1, 1.5, 2, 3, 5, 7, 10, …, from the first to the last row with values.
std::vector<Row> rows_of(const Histogram& histogram) {
    constexpr std::array<std::uint64_t, 7> kEdges{10, 15, 20, 30, 50, 70, 100};
    constexpr std::uint64_t kMost = 10'000'000'000'000;  // Almost three hours, in nanoseconds.
    std::vector<Row> rows;
    for (std::uint64_t decade = 1; decade <= kMost; decade *= 10) {
        for (std::size_t i = 0; i + 1 < kEdges.size(); ++i) {
            const std::uint64_t from = kEdges[i] * decade;
            const std::uint64_t to = kEdges[i + 1] * decade;
            rows.push_back({from, to, histogram.count_between(from, to)});
        }
    }
    rows.front().count += histogram.count_between(0, rows.front().from);
    const auto holds_any = [](const Row& row) { return row.count > 0; };
    const auto first = std::ranges::find_if(rows, holds_any);
    const auto last = std::find_if(rows.rbegin(), rows.rend(), holds_any).base();
    return first < last ? std::vector<Row>(first, last) : std::vector<Row>{};
}

/// "1.5 ms", at the right end of nine columns.
std::string edge_text(std::uint64_t nanoseconds) {
    const auto value = static_cast<double>(nanoseconds);
    const std::string text = value >= 1e9   ? fmt::format("{:g} s", value / 1e9)
                             : value >= 1e6 ? fmt::format("{:g} ms", value / 1e6)
                             : value >= 1e3 ? fmt::format("{:g} µs", value / 1e3)
                                            : fmt::format("{:g} ns", value);
    return std::string(static_cast<std::size_t>(std::max(0, 9 - width_of(text))), ' ') + text;
}

/// A value is marked in the row that counts the value.
std::string marks_in(const Histogram& histogram, const Row& row) {
    std::string text;
    const auto mark = [&](std::string_view name, std::uint64_t value) {
        const std::uint64_t counted_as = Histogram::floor_of(value);
        if (counted_as < row.from || counted_as >= row.to) return;
        text.append(text.empty() ? "" : " ").append(name);
    };
    for (const Mark& each : kMarks) mark(each.name, histogram.percentile(each.quantile));
    mark("max", histogram.max());
    return text;
}

}  // namespace

void Histogram::add(const Histogram& other) {
    for (std::size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
    total_ += other.total_;
    max_ = std::max(max_, other.max_);
    min_ = std::min(min_, other.min_);
}

std::uint64_t Histogram::first_of(std::size_t bucket) {
    if (bucket < kSub) return bucket;
    const std::size_t shift = bucket / kSub - 1;
    return static_cast<std::uint64_t>(kSub + bucket % kSub) << shift;
}

std::uint64_t Histogram::percentile(double quantile) const {
    if (total_ == 0) return 0;
    const auto rank = static_cast<std::uint64_t>(
        std::ceil(std::clamp(quantile, 0.0, 1.0) * static_cast<double>(total_)));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
        seen += counts_[i];
        if (seen < std::max<std::uint64_t>(rank, 1)) continue;
        const std::uint64_t last = i + 1 == kBuckets ? max_ : first_of(i + 1) - 1;
        return std::clamp(last, min_, max_);
    }
    return max_;
}

std::uint64_t Histogram::count_between(std::uint64_t from, std::uint64_t to) const {
    std::uint64_t count = 0;
    for (std::size_t i = bucket_of(from); i < kBuckets && first_of(i) < to; ++i) {
        if (first_of(i) >= from) count += counts_[i];
    }
    return count;
}

std::string duration_text(double nanoseconds) {
    struct Unit {
        double size;
        std::string_view name;
    };
    constexpr std::array kUnits{Unit{1e9, "s"}, Unit{1e6, "ms"}, Unit{1e3, "µs"}};
    for (const Unit& unit : kUnits) {
        const double value = nanoseconds / unit.size;
        if (value < 0.9995) continue;
        const int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
        return fmt::format("{:.{}f} {}", value, digits, unit.name);
    }
    return fmt::format("{:.0f} ns", nanoseconds);
}

std::string count_text(std::uint64_t count) {
    std::string digits = std::to_string(count);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    }
    return digits;
}

std::string render(const Histogram& histogram, const Screen& screen) {
    const std::vector<Row> rows = rows_of(histogram);
    std::uint64_t most = 1;
    for (const Row& row : rows) most = std::max(most, row.count);
    // Edge, gaps, count and marks take 40 columns; the bars get the rest.
    const int bar_width = std::clamp(screen.width - 42, 8, 60);
    std::string out;
    for (const Row& row : rows) {
        const double share = static_cast<double>(row.count) / static_cast<double>(most);
        const std::string bar = bar_of(share, bar_width);
        const std::string marks = marks_in(histogram, row);
        const auto pad = static_cast<std::size_t>(bar_width - width_of(bar));
        std::string line = fmt::format("{}  {}{}{:>13}",
                                       paint(screen, Tone::Dim, edge_text(row.from)),
                                       paint(screen, Tone::Cyan, bar),
                                       std::string(pad, ' '),
                                       count_text(row.count));
        if (!marks.empty()) line += "  " + paint(screen, Tone::Yellow, marks);
        out += line + "\n";
    }
    return out;
}

}  // namespace parlance::cli
