// A progress line, redrawn in place; silent off a terminal.
#pragma once

#include <chrono>
#include <string>

#include "app/cli/colour.h"

namespace parlance::cli {

/// "━━━━━━━╺─────────", of `width` columns.
std::string bar_text(const Screen& screen, double share, int width);

class Progress {
  public:
    /// Draws on stderr, so that stdout holds only the program's output.
    explicit Progress(const Screen& screen) : screen_(screen) {}
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress() { clear(); }

    /// Redraws at most ten times a second.
    void show(double share, const std::string& text);
    void clear();

  private:
    Screen screen_;
    bool is_drawn_ = false;
    std::chrono::steady_clock::time_point drawn_at_{};
};

}  // namespace parlance::cli
