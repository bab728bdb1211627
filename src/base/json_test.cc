#include "base/json.h"

#include <ctime>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "base/json_outline_writer.h"
#include "base/json_strict.h"

namespace parlance::json {
namespace {

std::string why(std::string_view text, std::size_t depth_max = kDepthMax) {
    const auto checked = check(text, depth_max);
    return checked ? "" : checked.error().message;
}

std::string repeat(std::string_view piece, std::size_t count) {
    std::string text;
    text.reserve(piece.size() * count);
    for (std::size_t i = 0; i < count; ++i) text += piece;
    return text;
}

TEST(JsonCheck, PassesEveryKindOfValueWithSpaceAround) {
    for (const char* good : {"null",
                             " true ",
                             "\n\tfalse\r\n",
                             "0",
                             "-0",
                             "-0.0e-0",
                             "12.50E+10",
                             "1e999",
                             "123456789012345678901234567890",
                             R"("")",
                             R"("\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00\u0000")",
                             "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\x7F\"",
                             "[]",
                             "{ }",
                             R"([ 1 , [ ] , { "a" : [ { } ] } ])",
                             R"({"a":1,"b":{"a":1},"":2})"}) {
        EXPECT_EQ(why(good), "") << good;
    }
}

TEST(JsonCheck, RefusesInvalidJsonWithPositionAndReason) {
    struct Case {
        const char* text;
        int byte;
        const char* reason;
    };
    for (const auto& [text, byte, reason] : std::initializer_list<Case>{
             {"", 0, "ends too early"},
             {"  ", 2, "ends too early"},
             {"nul", 0, "word"},
             {"nulll", 4, "follows"},
             {"True", 0, "value was expected"},
             {"NaN", 0, "value was expected"},
             {"-Infinity", 1, "digit"},
             {"01", 1, "leading zero"},
             {"-01", 2, "leading zero"},
             {"+1", 0, "value was expected"},
             {"1.", 2, "ends too early"},
             {".5", 0, "value was expected"},
             {"1.e5", 2, "digit"},
             {"1e", 2, "ends too early"},
             {"1e+x", 3, "digit"},
             {"0x10", 1, "follows"},
             {"1 2", 2, "follows"},
             {"{} {}", 3, "follows"},
             {"[1,]", 3, "value was expected"},
             {"[1 2]", 3, "',' or ']'"},
             {"[1", 2, "ends too early"},
             {"[", 1, "ends too early"},
             {"]", 0, "value was expected"},
             {R"({"a":1,})", 7, "key in quotes"},
             {R"({a:1})", 1, "key in quotes"},
             {R"({"a" 1})", 5, "':'"},
             {R"({"a":})", 5, "value was expected"},
             {R"({"a":1 "b":2})", 7, "',' or '}'"},
             {R"({"a":1])", 6, "',' or '}'"},
             {R"("abc)", 0, "not closed"},
             {R"(["abc\")", 1, "not closed"},
             {R"("\)", 2, "ends too early"},
             {R"("\x41")", 2, "unknown escape"},
             {R"("\u12G4")", 5, "hexadecimal"},
             {R"("\u12)", 5, "ends too early"},
             {"\"a\nb\"", 2, "control character"},
             {"'a'", 0, "value was expected"},
             {"// c\n1", 0, "value was expected"},
         }) {
        const std::string message = why(text);
        EXPECT_NE(message.find(reason), std::string::npos) << text << " -> " << message;
        EXPECT_NE(message.find("byte " + std::to_string(byte) + ":"), std::string::npos)
            << text << " -> " << message;
    }
}

TEST(JsonCheck, AgreesWithIsStrict) {
    for (const std::string_view text :
         {"1", " true ", "tru", "-", "[1,]", "{\"a\":1,\"a\":2}", "", "\xFF"}) {
        EXPECT_EQ(is_strict(text), check(text).has_value()) << text;
    }
}

TEST(JsonCheck, RefusesANulByteWhereverItStands) {
    for (const auto place : {0U, 1U, 4U, 6U}) {
        std::string text = R"({"a":1})";
        text.insert(place, 1, '\0');
        EXPECT_NE(why(text), "") << place;
    }
}

TEST(JsonCheck, RefusesSurrogatesThatStandAlone) {
    for (const char* bad : {R"("\uD800")",
                            R"("\uDC00")",
                            R"("\uD800x")",
                            R"("\uD800\n")",
                            R"("\uD800\u0041")",
                            R"("\uD800\uD800")",
                            R"("\uDE00\uD83D")",
                            R"({"\uDFFF":1})"}) {
        EXPECT_NE(why(bad).find("surrogate"), std::string::npos) << bad << why(bad);
    }
}

TEST(JsonCheck, RefusesBadUtf8AtItsByte) {
    for (const char* bad : {"\"\x80\"",
                            "\"\xC0\xAF\"",
                            "\"\xE0\x80\x80\"",
                            "\"\xED\xA0\x80\"",
                            "\"\xF0\x80\x80\x80\"",
                            "\"\xF4\x90\x80\x80\"",
                            "\"\xF5\x80\x80\x80\"",
                            "\"\xFF\"",
                            "\"\xE2\x82\"",
                            "\"\xC3"}) {
        EXPECT_NE(why(bad).find("byte 1: this is not UTF-8"), std::string::npos) << why(bad);
    }
}

TEST(JsonCheck, RefusesADuplicateKeyInAnySpelling) {
    EXPECT_NE(why(R"({"a":1,"a":2})").find("byte 7: a key stands twice"), std::string::npos);
    EXPECT_NE(why(R"({"a":1,"\u0061":2})"), "");
    EXPECT_NE(why(R"({"\/":1,"/":2})"), "");
    EXPECT_NE(why(R"({"\ud83d\ude00":1,"😀":2})"), "");
    EXPECT_NE(why(R"([{"x":{"a":1,"b":[{"c":0}],"a":2}}])"), "");
    EXPECT_NE(why(R"({"":1,"":2})"), "");
    EXPECT_EQ(why(R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]})"), "");
    EXPECT_EQ(why(R"({"a":1,"A":2,"\\u0061":3})"), "");
}

TEST(JsonCheck, FindsADuplicateAmongManyKeysOfNestedObjects) {
    for (const std::size_t keys : {15U, 16U, 17U, 18U, 100U, 1000U}) {
        const auto object_with = [&](const std::string& last) {
            std::string text = "{";
            for (std::size_t i = 0; i < keys; ++i) {
                text += '"' + std::to_string(i) + R"(":{"0":0,"1":[{"2":2}]},)";
            }
            return text + last + "}";
        };
        const std::string good = object_with(R"("last":)" + object_with(R"("last":1)"));
        EXPECT_EQ(why(good), "") << keys;
        EXPECT_NE(why(object_with(R"("0":1)")), "") << keys;
        EXPECT_NE(why(object_with('"' + std::to_string(keys - 1) + R"(":1)")), "") << keys;
        EXPECT_NE(why(object_with(R"("last":)" + object_with(R"("\u0030":1)"))), "") << keys;
    }
}

TEST(JsonCheck, HoldsTheDepthLimitExactly) {
    const auto nested = [](std::size_t depth) { return repeat("[", depth) + repeat("]", depth); };
    EXPECT_EQ(why(nested(64)), "");
    EXPECT_NE(why(nested(65)).find("byte 64: it is nested too deeply"), std::string::npos);
    EXPECT_EQ(why(nested(3), 3), "");
    EXPECT_NE(why(nested(4), 3), "");
    EXPECT_EQ(why("1", 0), "");
    EXPECT_NE(why("{}", 0), "");
    EXPECT_EQ(why(repeat(R"({"a":)", 64) + "1" + repeat("}", 64)), "");
    EXPECT_NE(why(repeat(R"([{"a":)", 33) + "1" + repeat("}]", 33)), "");
    EXPECT_EQ(why(nested(kDepthMadeMax), 1'000'000), "");
    EXPECT_NE(why(nested(kDepthMadeMax + 1), 1'000'000), "");  // No walk goes deeper.
}

TEST(JsonCheck, TakesAboutTheSameTimeForAMebibyteOfAnything) {
    constexpr std::size_t kMebibyte = 1U << 20U;
    std::vector<std::string> hostile{repeat("[", kMebibyte),
                                     repeat("\"", kMebibyte),
                                     repeat("\\", kMebibyte),
                                     repeat(" ", kMebibyte),
                                     repeat("1", kMebibyte),
                                     "\"" + repeat("\\u0061", kMebibyte / 6) + "\"",
                                     "[" + repeat("\"\",", kMebibyte / 3) + "1]",
                                     "[" + repeat("{},", kMebibyte / 3) + "1]"};
    std::string many = "{";
    std::string escaped = "{";
    std::string chunky = "[";
    for (int i = 0; i < 100'000; ++i) {
        many += '"' + std::to_string(i) + "\":1,";
        if (i < 60'000) escaped += "\"\\u0061" + std::to_string(i) + "\":1,";
    }
    for (int object = 0; object < 10'000; ++object) {
        chunky += "{";
        for (char key = 'a'; key < 'a' + 17; ++key) chunky += std::string{"\""} + key + "\":1,";
        chunky += "\"z\":1},";
    }
    hostile.insert(hostile.end(), {many + "\"x\":1}", escaped + "\"x\":1}", chunky + "1]"});
    for (const auto& text : hostile) {
        const std::clock_t start = std::clock();
        static_cast<void>(check(text));
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        // Forty times the bound of an optimised build: a debug build may be slow, but not
        // quadratic.
        EXPECT_LT(seconds, 2.0) << text.substr(0, 20);
    }
}

/// Draws JSON texts of every shape, most of them valid.
class Drawing {
  public:
    explicit Drawing(unsigned seed) : random_{seed} {}

    std::size_t below(std::size_t bound) { return random_() % bound; }
    template <std::size_t N>
    std::string pick(const char* const (&choices)[N]) {
        return choices[below(N)];
    }

    std::string space() { return pick({"", "", "", "", " ", "\n", "\t ", "  \r\n"}); }
    std::string string() {
        std::string text = "\"";
        for (std::size_t i = below(6); i > 0; --i) {
            text += pick({"a",
                          "b",
                          "xyz",
                          "é",
                          "€",
                          "😀",
                          "\\n",
                          "\\\"",
                          "\\\\",
                          "\\/",
                          "\\u0041",
                          "\\ud83d\\ude00",
                          "{",
                          "]",
                          ",",
                          ":",
                          "a long run of plain characters"});
        }
        return text + "\"";
    }
    std::string scalar() {
        if (below(3) == 0) return string();
        return pick({"null",
                     "true",
                     "false",
                     "0",
                     "-1",
                     "12.5",
                     "1e3",
                     "-0.0",
                     "3E-2",
                     "9007199254740993"});
    }
    std::string value(std::size_t depth) {
        if (depth == 0 || below(3) == 0) return space() + scalar() + space();
        const bool is_object = below(2) == 0;
        std::string text = space() + (is_object ? "{" : "[") + space();
        for (std::size_t i = 0, count = below(4); i < count; ++i) {
            if (i > 0) text += ",";
            // A serial number makes each key unique: simdjson accepts duplicate keys, check() does
            // not.
            if (is_object) {
                std::string key = string();
                key.insert(key.size() - 1, std::to_string(serial_++));
                text += space() + key + space() + ":";
            }
            text += value(depth - 1);
        }
        return text + (is_object ? "}" : "]") + space();
    }
    std::string damaged(std::string text) {
        const std::size_t at = below(text.size() + 1);
        if (below(3) == 0) return text.substr(0, at);
        if (below(2) == 0 && at < text.size()) return text.erase(at, 1 + below(2));
        return text.insert(at,
                           pick({"\"",
                                 "\\",
                                 "{",
                                 "}",
                                 "[",
                                 "]",
                                 ",",
                                 ":",
                                 "0",
                                 "-",
                                 ".",
                                 "e",
                                 "\x80",
                                 "\xC3",
                                 "\xED\xA0\x80",
                                 "\\ud800",
                                 "\\u00",
                                 "\x01",
                                 "nul"}));
    }

  private:
    std::mt19937 random_;
    int serial_ = 0;
};

/// Walks the whole value like the rest of the hub, and prints the value without spaces.
std::string compact(Value value) {
    std::string spare;
    std::string out;
    if (value.is_object()) {
        for (Members members{value}; members.next();) {
            out += out.empty() ? "{" : ",";
            append_quoted(out, members.key);
            out += ':' + compact(members.value);
        }
        return out.empty() ? "{}" : out + "}";
    }
    if (value.is_array()) {
        for (Elements elements{value}; elements.next();) {
            out += (out.empty() ? "[" : ",") + compact(elements.value);
        }
        return out.empty() ? "[]" : out + "]";
    }
    if (value.is_string()) {
        append_quoted(out, value.text(spare));
        return out;
    }
    return std::string{value.raw};
}

TEST(JsonCheck, AgreesWithSimdjsonOnDrawnTextsAndTheirDamagedForms) {
    simdjson::dom::parser parser;
    Drawing drawing{20251123};
    int refused = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string text = drawing.value(5);
        if (i % 2 == 1) text = drawing.damaged(std::move(text));
        const auto verdict = parser.parse(text).error();
        const bool expected = verdict == simdjson::SUCCESS;
        const std::string reason = why(text);
        if (reason.find("twice") != std::string::npos) continue;
        // simdjson also refuses valid numbers that are too large, such as 900e71992547.
        if (reason.empty() && verdict == simdjson::NUMBER_ERROR) continue;
        ASSERT_EQ(reason.empty(), expected) << text << "\n" << reason;
        refused += reason.empty() ? 0 : 1;
    }
    EXPECT_GT(refused, 5'000);
}

TEST(JsonWalk, GivesTheSameWithAnOutlineAsWithout) {
    Drawing drawing{11};
    Outline outline;
    for (int i = 0; i < 5'000; ++i) {
        const std::string text = drawing.value(5);
        ASSERT_TRUE(check(text, outline)) << text;
        ASSERT_EQ(compact(root(text, outline)), compact(root(text))) << text;
    }
}

TEST(JsonWalk, ScansContainersThatTheOutlineLeavesOut) {
    Drawing drawing{13};
    for (int i = 0; i < 3'000; ++i) {
        const std::string text = drawing.value(5);
        Outline outline;
        outline.depth_max = static_cast<std::size_t>(i % 4);
        ASSERT_TRUE(check(text, outline)) << text;
        ASSERT_EQ(compact(root(text, outline)), compact(root(text))) << text;
    }
    const std::string text = R"({"a":{"b":[1,2]},"c":3})";
    Outline outline;
    outline.depth_max = 1;
    ASSERT_TRUE(check(text, outline));
    EXPECT_EQ(outline.count, 3U) << "the whole and its two members";
    EXPECT_EQ(find(*find(root(text, outline), "a"), "b")->raw, "[1,2]");
}

TEST(JsonWalk, FindsMembersBehindSkippedContainers) {
    const std::string text = R"( {"a":[1,{"b":[]}],"c":{"d":[{}],"e":[5,[6]]},"f":[[7]]} )";
    Outline outline;
    ASSERT_TRUE(check(text, outline));
    const Value whole = root(text, outline);
    ASSERT_EQ(outline.count, 15U) << "one for each value";
    ASSERT_EQ(outline.depth, 4U);
    EXPECT_EQ(find(*find(whole, "c"), "e")->raw, "[5,[6]]");
    Elements elements{*find(whole, "f")};
    ASSERT_TRUE(elements.next());
    EXPECT_EQ(elements.value.raw, "[7]");
    EXPECT_FALSE(elements.next());
}

TEST(JsonWalk, ATruncatedTextStaysWithinItsOutlinesRoom) {
    const std::string deep = std::string(70, '[') + "1,2,{";
    const std::string wide = R"({"a":[1,2,[],{"b":)";
    for (const std::string& text : {deep, wide}) {
        for (std::size_t size = 0; size <= text.size(); ++size) {
            Outline outline;  // A new outline has no more room than the text needs.
            EXPECT_FALSE(check(std::string_view{text}.substr(0, size), outline));
        }
    }
}

TEST(JsonWalk, UnescapesKeysAndStringsByTheOutlineToo) {
    const std::string text = R"({"plain":"x","\u0062\n":"a\"b","c":["\t",""]})";
    Outline outline;
    ASSERT_TRUE(check(text, outline));
    std::string spare;
    EXPECT_EQ(find(root(text, outline), "plain")->text(spare), "x");
    EXPECT_EQ(find(root(text, outline), "b\n")->text(spare), "a\"b");
    Elements elements{*find(root(text, outline), "c")};
    ASSERT_TRUE(elements.next());
    EXPECT_EQ(elements.value.text(spare), "\t");
    ASSERT_TRUE(elements.next());
    EXPECT_EQ(elements.value.text(spare), "");
    EXPECT_FALSE(elements.next());
}

TEST(JsonWalk, GivesTheSameDocumentAsSimdjson) {
    simdjson::dom::parser first_parser;
    simdjson::dom::parser second_parser;
    Drawing drawing{7};
    for (int i = 0; i < 5'000; ++i) {
        const std::string text = drawing.value(5);
        ASSERT_EQ(why(text), "") << text;
        const std::string again = compact(root(text));
        const auto expected = simdjson::minify(first_parser.parse(text).value());
        ASSERT_EQ(simdjson::minify(second_parser.parse(again).value()), expected) << text;
    }
}

TEST(JsonWalk, GivesMembersInOrderWithUnescapedKeysAndRawValues) {
    const std::string text =
        R"( { "a" : 1 , "\u0062\n" : "x}]\"" , "c":[{"d":"]"},[]] ,"e": null } )";
    ASSERT_EQ(why(text), "");
    std::vector<std::pair<std::string, std::string>> seen;
    for (Members members{root(text)}; members.next();) {
        seen.emplace_back(members.key, members.value.raw);
    }
    const std::vector<std::pair<std::string, std::string>> expected{
        {"a", "1"}, {"b\n", R"("x}]\"")"}, {"c", R"([{"d":"]"},[]])"}, {"e", "null"}};
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(find(root(text), "c")->raw, R"([{"d":"]"},[]])");
    EXPECT_FALSE(find(root(text), "d"));
    EXPECT_FALSE(find(root("{}"), ""));
}

TEST(JsonWalk, SkipsContainersWhereverTheirQuotesAndBackslashesFall) {
    for (std::size_t pad = 0; pad < 140; ++pad) {
        const std::string inner =
            R"({"k":")" + std::string(pad, 'x') + R"(\\\\","l":"\\\"}]","m":[[],"\"",{"n":"{["}]})";
        const std::string text = R"({"first":)" + inner + R"(,"second":[)" + inner + "]}";
        ASSERT_EQ(why(text), "") << pad;
        ASSERT_EQ(find(root(text), "first")->raw, inner) << pad;
        ASSERT_EQ(find(root(text), "second")->raw, "[" + inner + "]") << pad;
    }
}

TEST(JsonWalk, FindsTheEndOfAStringAtEveryOffset) {
    for (std::size_t length = 0; length < 40; ++length) {
        for (const char* escape : {R"(\")", R"(\\)", R"(\n)"}) {
            const std::string text = '"' + std::string(length, '\x7F') + escape + "é\"";
            ASSERT_EQ(why(text), "") << text;
            std::string spare;
            ASSERT_EQ(root(text).text(spare).size(), length + 3) << text;
            ASSERT_NE(why('"' + std::string(length, ' ') + "\x1F\""), "") << length;
        }
    }
}

TEST(JsonValue, GivesTextWithoutCopyUnlessItHasEscapes) {
    std::string spare = "untouched";
    const std::string plain = R"("plain é")";
    const std::string_view view = root(plain).text(spare);
    EXPECT_EQ(view, "plain é");
    EXPECT_EQ(view.data(), plain.data() + 1);
    EXPECT_EQ(spare, "untouched");
    EXPECT_EQ(root(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\uD83D\uDE00")").text(spare),
              "\"\\/\b\f\n\r\tAé€😀");
    EXPECT_EQ(root(R"("\u0000")").text(spare), std::string_view("\0", 1));
}

TEST(JsonValue, GivesIntegersInAnyNotationAndNothingElse) {
    const auto integer = [](std::string_view text) { return root(text).integer(); };
    EXPECT_EQ(integer("0"), 0);
    EXPECT_EQ(integer("-0"), 0);
    EXPECT_EQ(integer("42"), 42);
    EXPECT_EQ(integer("3.0"), 3);
    EXPECT_EQ(integer("3e2"), 300);
    EXPECT_EQ(integer("-1.50E+1"), -15);
    EXPECT_EQ(integer("1200e-2"), 12);
    EXPECT_EQ(integer("0.00"), 0);
    EXPECT_EQ(integer("0e999999999999999999999"), 0);
    EXPECT_EQ(integer("9223372036854775807"), INT64_MAX);
    EXPECT_EQ(integer("-9223372036854775808"), INT64_MIN);
    EXPECT_EQ(integer("9.223372036854775807e18"), INT64_MAX);
    for (const char* bad : {"9223372036854775808",
                            "-9223372036854775809",
                            "99999999999999999999",
                            "0.5",
                            "1e-1",
                            "1e19",
                            "1e999999999999999999999",
                            "1e-999999999999999999999",
                            "\"1\"",
                            "true",
                            "null",
                            "[1]"}) {
        EXPECT_FALSE(integer(bad)) << bad;
    }
}

TEST(JsonValue, GivesNumbersThatFitADouble) {
    EXPECT_EQ(root("2.5").number(), 2.5);
    EXPECT_EQ(root("-1e3").number(), -1000.0);
    EXPECT_FALSE(root("1e999").number());
    EXPECT_FALSE(root("\"2.5\"").number());
}

TEST(JsonQuote, WritesStringsThatCheckPassesAndTextReadsBack) {
    std::string every;
    for (int c = 0; c < 0x80; ++c) every.push_back(static_cast<char>(c));
    every += "é€😀";
    std::string quoted;
    append_quoted(quoted, every);
    ASSERT_EQ(why(quoted), "");
    std::string spare;
    EXPECT_EQ(root(quoted).text(spare), every);
}

TEST(JsonQuote, RecognisesTextThatNeedsNoEscapes) {
    for (const char* plain : {"", "a b", "/", "é€😀", "sixteen letters."}) {
        EXPECT_TRUE(is_plain(plain)) << plain;
    }
    for (const char* other : {"\"", "\\", "\n", "sixteen letters and a \"quote\""}) {
        EXPECT_FALSE(is_plain(other)) << other;
    }
}

/// Writes {"a":"\n","b":{"c":[1]},"d":2}, with a member in between that is dropped.
std::string written_with_outline(Outline& outline, std::size_t room) {
    OutlineWriter outline_writer{&outline, room};
    std::string text = "{";
    const std::size_t whole = outline_writer.begin();
    const auto member = [&](std::string_view key, std::string_view before, auto write) {
        text.append(before).append(1, '"').append(key).append("\":");
        const OutlineWriter::Place place{text.size() - key.size() - 2, key.size(), text.size()};
        const std::size_t row = outline_writer.begin();
        write();
        outline_writer.end(row, text, place);
        return row;
    };
    member("a", "", [&] { text += R"("\n")"; });
    member("b", ",", [&] {
        text += '{';
        member("c", "", [&] { text += "[1]"; });
        text += '}';
    });
    const std::size_t size = text.size();
    outline_writer.drop(member("x", ",", [&] { member("y", "", [] {}); }));
    text.resize(size);
    member("d", ",", [&] { text += '2'; });
    text += '}';
    outline_writer.end(whole, text, {});
    outline_writer.done(text);
    return text;
}

TEST(JsonOutlineWriter, OutlinesTheWrittenText) {
    Outline outline;
    const std::string text = written_with_outline(outline, 7);
    ASSERT_EQ(text, R"({"a":"\n","b":{"c":[1]},"d":2})");
    outline.begin = text.data();
    const Value message = root(text, outline);
    EXPECT_EQ(outline.count, 5U);
    std::string spare;
    EXPECT_EQ(find(message, "a")->text(spare), "\n");
    const Value inner = *find(message, "b");
    EXPECT_EQ(inner.raw, R"({"c":[1]})");
    EXPECT_EQ(find(inner, "c")->raw, "[1]");
    Elements elements{*find(inner, "c")};  // Closed in the outline: the text is scanned.
    ASSERT_TRUE(elements.next());
    EXPECT_EQ(elements.value.raw, "1");
    EXPECT_FALSE(elements.next());
    EXPECT_EQ(find(message, "d")->raw, "2");
    EXPECT_FALSE(find(message, "x"));
}

TEST(JsonOutlineWriter, WithoutRoomForAllOutlinesNothing) {
    Outline outline;
    const std::string text = written_with_outline(outline, 4);
    EXPECT_EQ(outline.count, 0U);
    EXPECT_EQ(find(root(text, outline), "d")->raw, "2");
}

}  // namespace
}  // namespace parlance::json
