// A table in a text: names in one of its first lines, and under each what they are the names of.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/personal/cues.h"

namespace parlance::personal {

/// What the heading of a column says of what stands in it. Asked from left to right, so that all of
/// a text is gone over once.
class Columns {
  public:
    explicit Columns(std::string_view text) : text_(text) {}

    /// What is said of this place; nothing of one before the last that was asked for.
    Cues cues_at(std::size_t place);

  private:
    static constexpr std::size_t kColumnsMax = 32;

    void read_headings();
    void read_line(std::string_view line);

    std::string_view text_;
    bool is_read_ = false;
    char separator_ = '\0';  ///< 0: there is no table, or none of its headings says anything.
    std::array<Cues, kColumnsMax> cues_{};
    std::size_t place_ = 0;   ///< How far the text was gone over,
    std::size_t column_ = 0;  ///< in which column that is,
    bool is_quoted_ = false;  ///< and whether between quotes.
};

}  // namespace parlance::personal
