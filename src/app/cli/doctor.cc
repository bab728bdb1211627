// `parlance doctor`: runs the delegation document's checklist against the running hub; with --rows,
// lists the tests that prove each row of the specification, as of this build.
#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "app/cli/checklist.h"
#include "app/cli/cli.h"
#include "app/cli/table.h"
#include "base/json_write.h"

namespace parlance::cli {

namespace {

struct Row {
    std::string_view id;
    std::string_view what;
    std::string_view group;
    std::string_view state;
    std::string_view tests;  ///< One per line.
};

constexpr std::array kRows{
#include "app/cli/conformance.inc"
};

struct State {
    std::string_view name;
    Tone tone;
};

constexpr std::array kStates{
    State{"proved", Tone::Green}, State{"in part", Tone::Yellow}, State{"missing", Tone::Red}};

Tone tone_of(std::string_view state) {
    const auto found = std::ranges::find(kStates, state, &State::name);
    return found == kStates.end() ? Tone::Plain : found->tone;
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string as_json(const Row& row) {
    std::string tests;
    for (const auto test : lines_of(row.tests)) {
        tests += tests.empty() ? "[" : ",";
        json::append_quoted(tests, test);
    }
    return json::ObjectWriter{}
        .text("row", row.id)
        .text("what", row.what)
        .text("group", row.group)
        .text("state", row.state)
        .raw("tests", tests.empty() ? "[]" : tests + "]")
        .done();
}

/// The first test, and the number of further tests.
std::string in_short(const Row& row) {
    const auto tests = lines_of(row.tests);
    if (tests.empty()) return "missing";
    if (tests.size() == 1) return std::string{tests.front()};
    return fmt::format("{} and {} more", tests.front(), tests.size() - 1);
}

int show_rows(const Context& context) {
    Table table{.columns = {{"ROW", Align::Left, 3},
                            {"", Align::Left, 7},
                            {"WHAT", Align::Left, 20},
                            {"TESTS", Align::Left, 12}}};
    for (const Row& row : kRows) {
        if (context.is_json) {
            fmt::print("{}\n", as_json(row));
        } else {
            table.rows.push_back({{std::string{row.id}, Tone::Bold},
                                  {std::string{row.state}, tone_of(row.state)},
                                  {std::string{row.what}},
                                  {in_short(row), Tone::Dim}});
        }
    }
    if (context.is_json) return Done;
    fmt::print("{}\n{} rows", render(table, context.out()), kRows.size());
    std::string_view before = ": ";
    for (const State& state : kStates) {
        fmt::print(
            "{}{} {}", before, std::ranges::count(kRows, state.name, &Row::state), state.name);
        before = ", ";
    }
    fmt::print("\n");
    return Done;
}

}  // namespace

void add_doctor(CLI::App& app, Context& context) {
    CLI::App* const verb = add_verb(app,
                                    {"doctor",
                                     "Try the compliance checklist against the running hub",
                                     "  parlance doctor\n"
                                     "  parlance doctor --rows\n"
                                     "  parlance doctor --rows --json"});
    const auto wants_rows = std::make_shared<bool>(false);
    verb->add_flag("--rows",
                   *wants_rows,
                   "Instead, every row of the specification with the tests that prove it");
    verb->callback(leave(context, [&context, wants_rows] {
        return *wants_rows ? show_rows(context) : try_checklist(context);
    }));
}

}  // namespace parlance::cli
