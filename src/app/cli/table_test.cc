#include "app/cli/table.h"

#include <sstream>

#include <gtest/gtest.h>

#include "app/cli/age.h"
#include "app/cli/json_view.h"

namespace parlance::cli {
namespace {

const Screen kPipe{};

Screen terminal(int width) { return {.is_terminal = true, .has_colour = false, .width = width}; }

Table sample() {
    return {.columns = {{"AGENT"}, {"WAITING", Align::Right}, {"ROLE"}},
            .rows = {{{"coder"}, {"12"}, {"developer of many things"}}, {{"数字"}, {"7"}}}};
}

TEST(Table, AlignsColumnsByWidthAndNotByBytes) {
    EXPECT_EQ(render(sample(), kPipe),
              "AGENT  WAITING  ROLE\n"
              "coder       12  developer of many things\n"
              "数字         7\n");
}

TEST(Table, FitsANarrowTerminalByCuttingTheWidestColumn) {
    const std::string text = render(sample(), terminal(30));
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), 30) << line;
    EXPECT_NE(text.find("coder       12  developer of…"), std::string::npos) << text;
}

TEST(Table, KeepsItsSmallestWidthsOnATerminalThatIsTooNarrow) {
    const std::string text = render(sample(), terminal(5));
    EXPECT_NE(text.find("coder"), std::string::npos) << text;
    EXPECT_NE(text.find("devel…"), std::string::npos) << text;
}

TEST(Table, PrintsNoControlCharacters) {
    Table table{.columns = {{"A"}}, .rows = {{{"a\033[2Jb\nc\a"}}}};
    const std::string text = render(table, kPipe);
    EXPECT_EQ(text.find('\033'), std::string::npos);
    EXPECT_EQ(text.find('\a'), std::string::npos);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST(Table, PaintsOnlyOnAScreenWithColours) {
    Table table{.columns = {{"A"}}, .rows = {{{"x", Tone::Red}}}};
    EXPECT_EQ(render(table, terminal(80)).find('\033'), std::string::npos);
    const Screen coloured{.is_terminal = true, .has_colour = true, .width = 80};
    EXPECT_NE(render(table, coloured).find("\033[31mx\033[0m"), std::string::npos);
}

TEST(Width, CountsColumns) {
    EXPECT_EQ(width_of(""), 0);
    EXPECT_EQ(width_of("abc"), 3);
    EXPECT_EQ(width_of("é…"), 2);
    EXPECT_EQ(width_of("e\u0301"), 1);
    EXPECT_EQ(width_of("数"), 2);
    EXPECT_EQ(width_of("🙂"), 2);
    EXPECT_EQ(width_of("\xFF\xC3"), 2);  // Each invalid byte takes one column.
}

TEST(Cut, EndsInAnEllipsisAndNeverInHalfACharacter) {
    EXPECT_EQ(cut("hello", 5), "hello");
    EXPECT_EQ(cut("hello", 4), "hel…");
    EXPECT_EQ(cut("数字", 3), "数…");
    EXPECT_EQ(cut("数字", 2), "…");
    EXPECT_EQ(cut("hello", 0), "");
}

TEST(Harmless, ReplacesControlAndDirectionCharacters) {
    EXPECT_EQ(harmless("a\tb\nc"), "a b c");
    EXPECT_EQ(harmless("\033[31m"), "\uFFFD[31m");
    EXPECT_EQ(harmless("\u202Eevil"), "\uFFFDevil");
    EXPECT_EQ(harmless("\u009B2J"), "\uFFFD2J");
    EXPECT_EQ(harmless("é数"), "é数");
}

TEST(Age, IsGivenInTheLargestUnitThatFits) {
    const Time now{std::chrono::hours{1000}};
    const auto ago = [&](auto time) { return age_text(now - time, now); };
    using namespace std::chrono_literals;
    EXPECT_EQ(ago(999ms), "now");
    EXPECT_EQ(ago(3s), "3 s ago");
    EXPECT_EQ(ago(119s), "1 min ago");
    EXPECT_EQ(ago(2h), "2 h ago");
    EXPECT_EQ(ago(100h), "4 d ago");
    EXPECT_EQ(age_text(now + 5s, now), "now");
    EXPECT_EQ(age_text(std::string_view{"yesterday"}, now), "–");
}

TEST(JsonView, KeepsShortThingsOnOneLineAndBreaksLongOnes) {
    EXPECT_EQ(pretty(kPipe, {R"({"a":1,"b":[true,null]})"}), R"({"a": 1, "b": [true, null]})");
    const std::string narrow = pretty(terminal(20), {R"({"alpha":"aaaaaaaa","beta":[1,2]})"});
    EXPECT_EQ(narrow, "{\n  \"alpha\": \"aaaaaaaa\",\n  \"beta\": [1, 2]\n}");
}

TEST(JsonView, MakesOneLineWithoutTouchingStrings) {
    EXPECT_EQ(one_line("{ \"a b\" :\n [ 1 ,\t\"x \\\" y\" ] }"), R"({"a b":[1,"x \" y"]})");
}

TEST(JsonView, ReadsMembersOfAnyValue) {
    const json::Value object{R"({"a":"x","n":3,"l":[]})"};
    EXPECT_EQ(text_member(object, "a"), "x");
    EXPECT_EQ(text_member(object, "n"), "");
    EXPECT_EQ(number_member(object, "n"), 3);
    EXPECT_EQ(number_member(object, "a"), std::nullopt);
    EXPECT_TRUE(member(object, "zzz").is_null());
    EXPECT_TRUE(member({"[1]"}, "a").is_null());
}

}  // namespace
}  // namespace parlance::cli
