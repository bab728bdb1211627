#include "base/personal/columns.h"

#include <algorithm>

namespace parlance::personal {

namespace {

/// Headings are searched in so many bytes and lines from the start.
constexpr std::size_t kHeadingsMax = 512;
constexpr int kLinesMax = 4;
constexpr std::string_view kSeparators = ",;\t|";

}  // namespace

/// Takes a line as the headings if at least one heading gives a cue.
void Columns::read_line(std::string_view line) {
    const std::size_t first = line.find_first_of(kSeparators);
    if (first == std::string_view::npos) return;
    Cues said = 0;
    std::size_t column = 0;
    for (std::size_t begin = 0; begin <= line.size() && column < kColumnsMax; ++column) {
        const std::size_t end = std::min(line.find(line[first], begin), line.size());
        cues_[column] = cues_of_heading(line.substr(begin, end - begin));
        said |= cues_[column];
        begin = end + 1;
    }
    if (said != 0) separator_ = line[first];
}

void Columns::read_headings() {
    is_read_ = true;
    const std::string_view head = text_.substr(0, kHeadingsMax);
    for (int n = 0; n < kLinesMax && separator_ == '\0'; ++n) {
        const std::size_t end = head.find('\n', place_);
        if (end == std::string_view::npos) return;
        read_line(head.substr(place_, end - place_));
        place_ = end + 1;
    }
}

Cues Columns::cues_at(std::size_t place) {
    if (!is_read_) read_headings();
    if (separator_ == '\0' || place < place_) return 0;
    for (; place_ < place; ++place_) {
        const char c = text_[place_];
        if (c == '\n') {
            column_ = 0;
            is_quoted_ = false;
        } else if (c == '"') {
            is_quoted_ = !is_quoted_;
        } else if (c == separator_ && !is_quoted_) {
            ++column_;
        }
    }
    return column_ < kColumnsMax ? cues_[column_] : 0;
}

}  // namespace parlance::personal
