#include "app/cli/table.h"

#include <algorithm>

namespace parlance::cli {

namespace {

constexpr int kGap = 2;

std::vector<int> natural_widths(const Table& table) {
    std::vector<int> widths;
    for (const Column& column : table.columns) widths.push_back(width_of(column.title));
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i) {
            widths[i] = std::max(widths[i], width_of(harmless(row[i].text)));
        }
    }
    return widths;
}

/// Narrows the widest column above its minimum, one column of text at a time.
void shrink(std::vector<int>& widths, const Table& table, int width) {
    int sum = kGap * (static_cast<int>(widths.size()) - 1);
    for (const int each : widths) sum += each;
    while (sum > width) {
        std::size_t widest = widths.size();
        for (std::size_t i = 0; i < widths.size(); ++i) {
            if (widths[i] <= table.columns[i].width_min) continue;
            if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
        }
        if (widest == widths.size()) return;
        --widths[widest];
        --sum;
    }
}

struct Place {
    int width;
    Align align;
    bool is_last;
};

std::string lay_out(const Screen& screen, const Cell& cell, Place place) {
    const std::string text = cut(harmless(cell.text), place.width);
    const auto padding = static_cast<std::size_t>(std::max(place.width - width_of(text), 0));
    std::string out;
    if (place.align == Align::Right) out.append(padding, ' ');
    out += paint(screen, cell.tone, text);
    // No padding after the last column: spaces there only wrap and get copied.
    if (place.align == Align::Left && !place.is_last) out.append(padding, ' ');
    return out;
}

std::string line_of(const Screen& screen,
                    const Table& table,
                    const std::vector<int>& widths,
                    const std::vector<Cell>& cells) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const bool is_last = i + 1 == widths.size();
        const Cell empty;
        line += lay_out(screen,
                        i < cells.size() ? cells[i] : empty,
                        {widths[i], table.columns[i].align, is_last});
        if (!is_last) line.append(kGap, ' ');
    }
    while (line.ends_with(' ')) line.pop_back();
    return line + "\n";
}

}  // namespace

std::string render(const Table& table, const Screen& screen) {
    std::vector<int> widths = natural_widths(table);
    if (screen.is_terminal) shrink(widths, table, screen.width);
    std::vector<Cell> titles;
    for (const Column& column : table.columns) titles.push_back({column.title, Tone::Dim});
    std::string out = line_of(screen, table, widths, titles);
    for (const auto& row : table.rows) out += line_of(screen, table, widths, row);
    return out;
}

}  // namespace parlance::cli
