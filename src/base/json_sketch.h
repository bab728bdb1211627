// Outlines a text while it is written, so that whoever looks at it next need not check it first.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/json.h"

namespace parlance::json {

/// A row of a value that is written as a whole: what is inside of it stays closed.
inline Outline::Row closed_row(std::string_view value) {
    Outline::Row row{};
    row.has_escapes = value.starts_with('"') && value.find('\\') != std::string_view::npos;
    row.is_closed = value.starts_with('{') || value.starts_with('[');
    return row;
}

/// For each value: begin() before it is written, end() behind it. Those inside come between.
class Sketch {
  public:
    /// Room for so many values; a text with more is not outlined. Null: nothing is.
    explicit Sketch(Outline* outline, std::size_t room = 128) : outline_{outline} {
        if (outline_ == nullptr) return;
        outline_->rows = std::make_unique_for_overwrite<Outline::Row[]>(room);
        outline_->room = room;
        outline_->count = 0;
    }

    std::size_t begin() { return count_++; }
    /// What has been written since begin() gave this row is taken back, and its row too.
    void drop(std::size_t row) { count_ = row; }

    /// Where a value and the text of its key begin.
    struct Place {
        std::size_t key = 0;
        std::size_t key_size = 0;
        std::size_t begin = 0;
    };
    /// The value goes on to the end of the text so far.
    void end(std::size_t row, std::string_view text, const Place& place) {
        if (outline_ == nullptr || row >= outline_->room) return;
        const bool has_rows_inside = count_ > row + 1;
        auto& written = outline_->rows[row] = closed_row(text.substr(place.begin));
        if (has_rows_inside) written.is_closed = 0;
        written.begin = static_cast<std::uint32_t>(place.begin);
        written.end = static_cast<std::uint32_t>(text.size());
        written.next = static_cast<std::uint32_t>(count_);
        written.key = static_cast<std::uint32_t>(place.key);
        written.key_size = place.key_size & 0x1FFF'FFFFU;
    }

    /// The outline is good from here on, for as long as the text stays where it is.
    void done(std::string_view text) {
        if (outline_ == nullptr) return;
        outline_->begin = text.data();
        outline_->depth = kDepthMax;  // What is closed may be as deep as that.
        outline_->count = count_ <= outline_->room ? count_ : 0;
    }

  private:
    Outline* outline_;
    std::size_t count_ = 0;
};

}  // namespace parlance::json
