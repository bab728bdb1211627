// Reads for callers on a thread that all callers share. A few reads of each caller are under way,
// and the caller's other reads wait in its own line: a caller with a thousand reads delays another
// caller's read by a few reads at most.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace parlance::gateway {

class FairLines {
  public:
    /// Bounds for one caller.
    static constexpr std::size_t kUnderWayMax = 4;
    static constexpr std::size_t kWaitingMax = 1'024;

    bool is_full(const std::string& caller) const {
        const auto line = lines_.find(caller);
        return line != lines_.end() && line->second.waiting.size() >= kWaitingMax;
    }

    /// Calls `begin` now or later, in the order of the caller's calls. `begin` returns whether it
    /// began a read; done() reports the end of the read. False: the caller's line is full, and
    /// `begin` is not called.
    [[nodiscard]] bool push(const std::string& caller, std::function<bool()> begin) {
        if (is_full(caller)) return false;
        lines_[caller].waiting.push_back(std::move(begin));
        begin_some(caller);
        return true;
    }

    void done(const std::string& caller) {
        --lines_.at(caller).under_way;
        begin_some(caller);
    }

  private:
    struct Line {
        std::size_t under_way = 0;
        std::deque<std::function<bool()>> waiting{};
    };

    void begin_some(const std::string& caller) {
        const auto at = lines_.find(caller);
        auto& line = at->second;
        while (line.under_way < kUnderWayMax && !line.waiting.empty()) {
            const auto begin = std::move(line.waiting.front());
            line.waiting.pop_front();
            if (begin()) ++line.under_way;
        }
        if (line.under_way == 0) lines_.erase(at);
    }

    std::map<std::string, Line> lines_;
};

}  // namespace parlance::gateway
