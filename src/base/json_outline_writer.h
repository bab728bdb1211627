// Outlines a text while writing, so that the next reader need not check the text first.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/json.h"

namespace parlance::json {

/// The row of a value written as a whole: a container's values get no rows.
inline Outline::Row closed_row(std::string_view value) {
    Outline::Row row{};
    row.has_escapes = value.starts_with('"') && value.find('\\') != std::string_view::npos;
    row.is_closed = value.starts_with('{') || value.starts_with('[');
    return row;
}

/// Call begin() before and end() after writing each value. Inner values come in between.
class OutlineWriter {
  public:
    /// `room` bounds the values; a text with more is not outlined. Null: no outline at all.
    explicit OutlineWriter(Outline* outline, std::size_t room = 128) : outline_{outline} {
        if (outline_ == nullptr) return;
        outline_->rows = std::make_unique_for_overwrite<Outline::Row[]>(room);
        outline_->room = room;
        outline_->count = 0;
    }

    std::size_t begin() { return count_++; }
    /// Discards everything written since begin() returned this row, including the row.
    void drop(std::size_t row) { count_ = row; }

    /// Offsets of a value and its key's text.
    struct Place {
        std::size_t key = 0;
        std::size_t key_size = 0;
        std::size_t begin = 0;
    };
    /// The value ends at the end of the text so far.
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

    /// Makes the outline valid, for as long as the text stays at its address.
    void done(std::string_view text) {
        if (outline_ == nullptr) return;
        outline_->begin = text.data();
        outline_->depth = kDepthMax;  // Closed containers may be this deep.
        outline_->count = count_ <= outline_->room ? count_ : 0;
    }

  private:
    Outline* outline_;
    std::size_t count_ = 0;
};

}  // namespace parlance::json
