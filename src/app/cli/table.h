// Rows and columns, fitted to the terminal.
#pragma once

#include <string>
#include <vector>

#include "app/cli/colour.h"

namespace parlance::cli {

enum class Align { Left, Right };

struct Column {
    std::string title;
    Align align = Align::Left;
    /// A narrow terminal takes room from the widest column, down to this width.
    int width_min = 6;
};

struct Cell {
    std::string text{};
    Tone tone = Tone::Plain;
};

struct Table {
    std::vector<Column> columns{};
    std::vector<std::vector<Cell>> rows{};  ///< A row may be shorter than the columns.
};

/// Title line and rows, each ended by a newline. On a terminal no line is wider than the screen; in
/// a pipe no cell is cut.
std::string render(const Table& table, const Screen& screen);

}  // namespace parlance::cli
