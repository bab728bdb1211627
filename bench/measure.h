// Shared parts of the load programs of bench/: the message to send, percentiles, and flags.
//
// Header only and independent of the hub's code: the peers' clients are compiled separately, and a
// yardstick that shares code with the measured hub would bend with the hub.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>

/// A load program recovers from nothing: the first failure ends the run with its position.
#define REQUIRE(condition)                                                                \
    do {                                                                                  \
        if (!(condition)) [[unlikely]] {                                                  \
            std::fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
            std::exit(2);                                                                 \
        }                                                                                 \
    } while (false)

namespace parlance::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

/// A taskwire message of exactly `bytes` bytes; the note is the padding.
inline std::string message_of(std::size_t bytes) {
    const std::string head =
        R"({"id":"5f0c9a52-6a1d-4f0e-9b7e-3d2c1b0a9f88","timestamp":"2025-01-01T00:00:00.000Z",)"
        R"("from":"planner","to":"sink","type":"TASK_UPDATE","metadata":{"correlation_id":)"
        R"("0b8e4c1a-92d7-4e55-8a36-7c1f0d9e2b44","priority":"high","retry_count":0,)"
        R"("max_retries":3},"payload":{"task_id":"task-1","status":"in_progress","note":")";
    const std::string tail = R"("}})";
    REQUIRE(bytes >= head.size() + tail.size());
    return head + std::string(bytes - head.size() - tail.size(), 'x') + tail;
}

/// The value above the share `quantile` of `sample`; 0 for an empty sample.
inline double percentile(std::vector<double> sample, double quantile) {
    if (sample.empty()) return 0;
    const auto rank = static_cast<std::size_t>(quantile * static_cast<double>(sample.size()));
    const auto place =
        sample.begin() + static_cast<std::ptrdiff_t>(std::min(rank, sample.size() - 1));
    std::nth_element(sample.begin(), place, sample.end());
    return *place;
}

struct Flag {
    std::string_view name;
    std::string_view initial;  ///< Empty for a switch, which takes no value.
    std::string_view help;
};

/// The command line as a table: every flag has a default, and an unknown flag ends the program.
class Flags {
  public:
    Flags(int argc, char** argv, std::string_view purpose, std::vector<Flag> table)
        : purpose_(purpose), table_(std::move(table)) {
        for (const auto& flag : table_) values_[flag.name] = flag.initial;
        for (int i = 1; i < argc; ++i) i += take(argv[i], i + 1 < argc ? argv[i + 1] : nullptr);
    }

    bool is_set(std::string_view name) const { return !text(name).empty(); }
    const std::string& text(std::string_view name) const { return values_.at(name); }

    std::uint64_t number(std::string_view name) const {
        const auto& value = text(name);
        char* end = nullptr;
        const auto number = std::strtoull(value.c_str(), &end, 10);
        if (value.empty() || *end != '\0' || number == 0) explain(name);
        return number;
    }

  private:
    /// Returns the number of words consumed after `word`.
    int take(std::string_view word, const char* next) {
        const auto flag = std::ranges::find(table_, word, &Flag::name);
        if (flag == table_.end()) explain(word);
        if (flag->initial.empty()) {
            values_[flag->name] = "yes";
            return 0;
        }
        if (next == nullptr) explain(word);
        values_[flag->name] = next;
        return 1;
    }

    [[noreturn]] void explain(std::string_view culprit) const {
        const bool asked = culprit == "--help";
        auto* out = asked ? stdout : stderr;
        if (!asked) std::fprintf(out, "cannot use '%s'\n", std::string(culprit).c_str());
        std::fprintf(out, "%s\n", std::string(purpose_).c_str());
        for (const auto& flag : table_) {
            std::fprintf(out,
                         "  %-14s %s (%s)\n",
                         std::string(flag.name).c_str(),
                         std::string(flag.help).c_str(),
                         flag.initial.empty() ? "off" : std::string(flag.initial).c_str());
        }
        std::exit(asked ? 0 : 2);
    }

    std::string_view purpose_;
    std::vector<Flag> table_;
    std::map<std::string_view, std::string> values_;
};

/// Of this process, so far.
inline double cpu_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto of = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return of(usage.ru_utime) + of(usage.ru_stime);
}

struct Figure {
    std::string_view name;
    double value;
};

/// One JSON object on one line, or one figure per line for people.
inline void print_figures(std::initializer_list<Figure> figures, bool as_json) {
    const char* separator = "{";
    for (const auto& figure : figures) {
        const std::string name(figure.name);
        if (as_json) {
            std::printf("%s\"%s\":%.1f", separator, name.c_str(), figure.value);
            separator = ",";
        } else {
            std::printf("%-20s %12.1f\n", name.c_str(), figure.value);
        }
    }
    if (as_json) std::puts("}");
}

}  // namespace parlance::bench
