// Tables in a text: a line of column names near the top, and values below.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/personal/cues.h"

namespace parlance::personal {

/// The cues that a column's heading gives for the column's values. Queries must go from left to
/// right, so that a text is scanned once.
class Columns {
  public:
    explicit Columns(std::string_view text) : text_(text) {}

    /// The cues for this position; 0 for a position before the last query's.
    Cues cues_at(std::size_t place);

  private:
    static constexpr std::size_t kColumnsMax = 32;

    void read_headings();
    void read_line(std::string_view line);

    std::string_view text_;
    bool is_read_ = false;
    char separator_ = '\0';  ///< 0: no table, or a table whose headings give no cues.
    std::array<Cues, kColumnsMax> cues_{};
    std::size_t place_ = 0;   ///< How far the text was scanned.
    std::size_t column_ = 0;  ///< The column at place_.
    bool is_quoted_ = false;  ///< Whether place_ is between quotes.
};

}  // namespace parlance::personal
