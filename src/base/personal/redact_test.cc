#include "base/personal/redact.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "base/json.h"

namespace parlance::personal {
namespace {

const Masking kHere{.kinds = structured_kinds(), .scope = "session-1", .key = "a key of the hub"};

std::string redacted(std::string_view json, const Masking& masking = kHere) {
    const std::string out = redact(json, masking).value_or(std::string{json});
    EXPECT_TRUE(json::check(out)) << out;
    return out;
}

std::string restored(std::string_view answer, std::string_view question) {
    return restore(answer, originals(question, kHere)).value_or(std::string{answer});
}

// HMAC-SHA256 by `openssl dgst -sha256 -hmac "a key of the hub"` over scope, word and value,
// separated by zero bytes.
constexpr std::string_view kEmail = "[EMAIL_4da42e2c]";
constexpr std::string_view kCardMask = "[CARD_7d9ca356]";

TEST(Redaction, X15_DerivesThePlaceholderFromValueScopeAndKey) {
    EXPECT_EQ(redacted(R"({"input":"mail ana@example.org now"})"),
              R"({"input":"mail )" + std::string{kEmail} + R"( now"})");
    EXPECT_EQ(redacted(R"(["Ana\u0040Example.org"])"), R"([")" + std::string{kEmail} + R"("])")
        << "the same value in another spelling";
    const Masking elsewhere{kHere.kinds, "session-2", kHere.key};
    const Masking other_hub{kHere.kinds, kHere.scope, "another key"};
    const std::string json = R"(["ana@example.org"])";
    EXPECT_NE(redacted(json), redacted(json, elsewhere));
    EXPECT_NE(redacted(json), redacted(json, other_hub));
}

TEST(Redaction, X15_ReadsJsonInAStringOfJson) {
    EXPECT_EQ(redacted(R"({"quotes":"{\"to\":\"Ana\\u0040Example.org\"}"})"),
              R"({"quotes":"{\"to\":\")" + std::string{kEmail} + R"(\"}"})");
    EXPECT_EQ(redacted(R"(["{\"q\":\"{\\\"to\\\":\\\"Ana\\\\u0040Example.org\\\"}\"}"])"),
              R"(["{\"q\":\"{\\\"to\\\":\\\")" + std::string{kEmail} + R"(\\\"}\"}"])");
}

TEST(Redaction, X15_LeavesEveryOtherByteAsItWas) {
    const std::string json =
        " { \"a\\n\" : [ 1.50e3 , \"x\\u00e9 ana@example.org \\\"y\\\"\" , null ] } ";
    EXPECT_EQ(
        redacted(json),
        " { \"a\\n\" : [ 1.50e3 , \"x\\u00e9 " + std::string{kEmail} + " \\\"y\\\"\" , null ] } ");
    EXPECT_FALSE(redact(R"({"a":["nothing here",12345678,true]})", kHere));
    EXPECT_FALSE(redact(R"({"a":"ana@example.org"})", {{}, "s", "k"})) << "no kinds";
}

TEST(Redaction, X15_ReadsNumbersAndTheKeysOfValues) {
    EXPECT_EQ(redacted(R"({"card":4111111111111111})"),
              R"({"card":")" + std::string{kCardMask} + R"("})");
    EXPECT_EQ(redacted(R"({"total":4111111111111112,"t":1731740000000})"),
              R"({"total":4111111111111112,"t":1731740000000})");
    EXPECT_NE(redacted(R"({"ssn":"078051121"})"), R"({"ssn":"078051121"})");
    EXPECT_EQ(redacted(R"({"count":"078051121"})"), R"({"count":"078051121"})");
    EXPECT_NE(redacted(R"({"phones":["5551234567"]})"), R"({"phone":["5551234567"]})");
    EXPECT_EQ(redacted(R"({"ana@example.org":1})"), R"({")" + std::string{kEmail} + R"(":1})")
        << "a key can be a value too";
}

TEST(Redaction, X15_SearchesOnlyTheGivenParts) {
    const std::string json = R"({"id":"a@example.org","input":"ana@example.org","x":"b@c.de"})";
    const std::string_view part{json.data() + 30, 17};
    ASSERT_EQ(part, R"("ana@example.org")");
    EXPECT_EQ(redact(json, {&part, 1}, kHere).value(),
              R"({"id":"a@example.org","input":")" + std::string{kEmail} + R"(","x":"b@c.de"})");
    const std::string labelled = R"({"ssn" : "078051121"})";
    const std::string_view value{labelled.data() + 9, 11};
    EXPECT_TRUE(redact(labelled, {&value, 1}, kHere)) << "the key before a part counts";
}

TEST(Redaction, X15_CoversKeysLikeValues) {
    const std::string mask{kEmail};
    EXPECT_EQ(redacted(R"({"a":[{"b":{"ana@example.org":{"ana@example.org":1}}}]})"),
              R"({"a":[{"b":{")" + mask + R"(":{")" + mask + R"(":1}}}]})");
    EXPECT_EQ(redacted(R"({"q":"{\"ana@example.org\":3}"})"), R"({"q":"{\")" + mask + R"(\":3}"})")
        << "in JSON in a string";
    EXPECT_EQ(redacted(R"({"Ana\u0040Example.org" : 3})"), R"({")" + mask + R"(" : 3})");
    EXPECT_NE(
        redacted(R"({"phones":{"5551234567":"home","5551234568":"work"}})").find("{\"[PHONE_"),
        std::string::npos)
        << "the key of an object counts for its keys";
    EXPECT_EQ(redacted(R"({"counts":{"5551234567":1}})"), R"({"counts":{"5551234567":1}})");
    EXPECT_EQ(redacted(R"({"phone":{"a":"b"},"count":"5551234567"})"),
              R"({"phone":{"a":"b"},"count":"5551234567"})");
}

TEST(Redaction, X15_TwoKeysOfAnObjectNeverBecomeEqual) {
    // redacted() requires strict JSON, which has no duplicate keys.
    const std::string spelled =
        R"({"ana@example.org":1,"Ana@example.org":2,"ANA\u0040example.org":3})";
    EXPECT_EQ(restored(redacted(spelled), spelled), spelled);
    const std::string named = R"({")" + std::string{kEmail} + R"(":1,"ana@example.org":2})";
    const std::string out = redacted(named);
    EXPECT_EQ(out.find("ana@"), std::string::npos) << out;
    EXPECT_TRUE(out.starts_with(R"({")" + std::string{kEmail} + R"(":1,)")) << out;
    EXPECT_EQ(restored(out, named), named);
}

TEST(Redaction, X15_SearchesTheStepsOfAPath) {
    const std::string mask{kEmail};
    EXPECT_EQ(redacted(R"(["/inputs/ana@example.org/x"])"), R"(["/inputs/)" + mask + R"(/x"])");
    for (const char* value : {"+1-555-123-4567", "555-123-4567", "203.0.113.7", "078-05-1121"}) {
        const std::string path = R"(["/inputs/)" + std::string{value} + R"("])";
        EXPECT_EQ(redacted(path).find(value), std::string::npos) << path;
        EXPECT_EQ(restored(redacted(path), path), path);
    }
    // A JSON pointer writes a key's slash as ~1: equal values, and so equal placeholders.
    const std::string both = R"({"born 2/25/1980":1,"at":"/born 2~125~11980"})";
    const std::string out = redacted(both);
    const std::string birth = out.substr(out.find('['), 16);
    EXPECT_EQ(out, R"({"born )" + birth + R"(":1,"at":"/born )" + birth + R"("})");
}

TEST(Redaction, X15_OfARedactedTextChangesNothing) {
    const std::string once = redacted(
        R"({"a":"ana@example.org, call 785 8949 or 4111 1111 1111 1111","card":4111111111111111})");
    EXPECT_EQ(redacted(once), once);
}

TEST(Redaction, X15_TakesANumberThatAppearsOnlyAfterItsNeighbourIsMasked) {
    const std::string once = redacted(R"(["call 111 1111 11115-123-4-567x89 office"])");
    EXPECT_EQ(redacted(once), once);
    EXPECT_EQ(once.find("1111 "), std::string::npos) << once;
}

TEST(Redaction, X15_TakesThousandsOfNumbersThatAppearOnlyAfterMasking) {
    const std::string piece = "call 111 1111 11115-123-4-567x89 office, ";
    std::string text;
    std::string expected;
    const std::string once = redacted("[\"" + piece + "\"]");
    for (int i = 0; i < 2'000; ++i) {
        text += piece;
        expected += once.substr(2, once.size() - 4);
    }
    EXPECT_EQ(redacted("[\"" + text + "\"]"), "[\"" + expected + "\"]");
}

TEST(Redaction, X15_SearchesALongTextAgainAroundEachFinding) {
    const std::string piece = "call 111 1111 11115-123-4-567x89 office, ";
    const std::string alone = redacted("[\"" + piece + "\"]");
    std::string prose;
    while (prose.size() < 10'000) prose += "nothing but words, and again ";
    EXPECT_EQ(redacted("[\"" + prose + piece + prose + "\"]"),
              "[\"" + prose + alone.substr(2, alone.size() - 4) + prose + "\"]");
}

// Once its patience is used up, a message is scanned only once: plain values must still be found.
TEST(Redaction, X15_FindsTheLastValueOfAMessageThatUsesUpItsPatience) {
    const std::string piece = "call 111 1111 11115-123-4-567x89 office, ";
    std::string text;
    while (text.size() < 900'000) text += piece;
    EXPECT_NE(redacted("[\"" + text + " ana@example.org\"]").find(kEmail), std::string::npos);
    EXPECT_NE(redacted("[\"/" + text + "%20\",\"/a/ana%40example.org\"]").find(kEmail),
              std::string::npos);
}

TEST(Redaction, X15_AKeyCountsForAllValuesBelow) {
    const std::string out =
        redacted(R"({"phone":["5551234567",{"5551234568":"a"},"5551234569"],"note":"5551234560"})");
    for (const std::string_view number : {"5551234567", "5551234568", "5551234569"}) {
        EXPECT_EQ(out.find(number), std::string::npos) << out;
    }
    EXPECT_NE(out.find("5551234560"), std::string::npos) << out;
}

// A scan from each backslash to the end of the row would take 2^37 steps.
TEST(Redaction, X15_AMegabyteOfBackslashesHidesNothing) {
    const std::string backslashes(std::size_t{1} << 20U, '\\');
    EXPECT_EQ(redacted("[\"" + backslashes + " ana@example.org\"]"),
              "[\"" + backslashes + " " + std::string{kEmail} + "\"]");
    EXPECT_EQ(redacted("[\"ana" + backslashes + "u0040example.org\"]"),
              "[\"" + std::string{kEmail} + "\"]")
        << "an escape that is escaped ever so often";
}

TEST(Restoration, X15_ReturnsARequestersOwnValues) {
    const std::string question =
        R"({"input":"mail ana\u0040example.org, card 4111-1111-1111-1111","n":5555555555554444})";
    EXPECT_EQ(restored(redacted(question), question), question);
    EXPECT_EQ(restored(R"({"result":"wrote to )" + std::string{kEmail} + R"("})", question),
              R"({"result":"wrote to ana\u0040example.org"})");
}

// A scan over the spaces for each placeholder would take 2^34 steps.
TEST(Restoration, X15_TellsKeysFromValuesWhateverFollows) {
    const std::string spaces(std::size_t{1} << 19U, ' ');
    const std::string mail{kEmail};
    std::string many;
    std::string values;
    for (int i = 0; i < 32'768; ++i) {
        many += mail;
        values += "ana@example.org";
    }
    const std::string question = R"(["ana@example.org"])";
    EXPECT_EQ(restored("[\"" + many + "\"" + spaces + "]", question),
              "[\"" + values + "\"" + spaces + "]");
    EXPECT_EQ(restored("{\"" + mail + "\"" + spaces + ":\"" + mail + "\"}", question),
              "{\"ana@example.org\"" + spaces + ":\"ana@example.org\"}");
}

TEST(Restoration, X15_LeavesThePlaceholdersOfOtherMessages) {
    const std::string question = R"({"input":"ana@example.org"})";
    const std::string answer = R"({"result":"[EMAIL_00000000] [CARD_1f9c03ab] [1] [A_b]"})";
    EXPECT_EQ(restored(answer, question), answer);
    const std::string own = R"(["eve@example.org"])";
    EXPECT_EQ(restored(redacted(question), own), redacted(question));
    EXPECT_EQ(restored(redacted(question), R"([")" + std::string{kEmail} + R"("])"),
              redacted(question))
        << "who only names a placeholder gets nothing for it";
}

TEST(Restoration, X15_RecognisesAPlaceholderInAnyCase) {
    const std::string question = R"({"input":"ana@example.org"})";
    std::string mask{kEmail};
    std::ranges::transform(mask, mask.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    EXPECT_EQ(restored(R"(["to )" + mask + R"("])", question), R"(["to ana@example.org"])");
    std::ranges::transform(mask, mask.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    EXPECT_EQ(restored(R"({")" + mask + R"(":1})", question), R"({"ana@example.org":1})");
    EXPECT_EQ(restored(R"({")" + mask + R"(":1,")" + std::string{kEmail} + R"(":2})", question),
              R"({")" + mask + R"(":1,")" + std::string{kEmail} + R"(":2})")
        << "two keys stay two";
}

TEST(Restoration, X15_RestoresKeys) {
    const std::string question = R"({"ana@example.org":[{"b@example.org":4111111111111111}]})";
    EXPECT_EQ(restored(redacted(question), question), question);
    EXPECT_EQ(restored(R"({")" + std::string{kEmail} + R"(":"done"})", question),
              R"({"ana@example.org":"done"})");
}

TEST(Restoration, X15_NeverMakesTwoKeysEqual) {
    const std::string question = R"(["ana@example.org"])";
    const std::string mask{kEmail};
    EXPECT_EQ(restored(R"({")" + mask + R"(":")" + mask + R"(","ana@example.org":2})", question),
              R"({")" + mask + R"(":"ana@example.org","ana@example.org":2})");
}

TEST(Restoration, X15_EscapesAValueInsideAPointer) {
    const std::string question = R"({"born 2/25/1980":1})";
    const std::string mask = redacted(question).substr(7, 16);
    const std::string answer = R"({"at":"/born )" + mask + R"(","x":")" + mask + R"("})";
    const std::string_view pointer{answer.data() + 6, 8 + mask.size()};
    ASSERT_EQ(pointer, R"("/born )" + mask + "\"");
    EXPECT_EQ(restore(answer, originals(question, kHere), {&pointer, 1}).value(),
              R"({"at":"/born 2~125~11980","x":"2/25/1980"})");
    // A value found only inside a pointer is restored unescaped elsewhere.
    const std::string pointed = R"(["/born 2~125~11980"])";
    EXPECT_EQ(restored(R"([")" + mask + R"("])", pointed), R"(["2/25/1980"])");
}

TEST(Restoration, APlaceholderAloneInAStringBecomesANumberAgain) {
    const std::string question = R"({"card":4111111111111111})";
    const std::string mask{kCardMask};
    EXPECT_EQ(restored(R"({"a":")" + mask + R"(","b":"no. )" + mask + R"("})", question),
              R"({"a":4111111111111111,"b":"no. 4111111111111111"})");
    EXPECT_EQ(restored(R"({")" + mask + R"(":1})", question), R"({"4111111111111111":1})");
    EXPECT_EQ(restored(R"(["{\")" + mask + R"(\":1}"])", question),
              R"(["{\"4111111111111111\":1}"])");
}

TEST(Redaction, X15_RedactsTextThatIsNotJson) {
    EXPECT_EQ(redact_words("'ana@example.org' is no number", kHere),
              "'" + std::string{kEmail} + "' is no number");
    EXPECT_EQ(redact_words(R"(not "ana\u0040example.org")", kHere),
              "not \"" + std::string{kEmail} + "\"")
        << "they may quote some";
    EXPECT_EQ(redact_words("nothing here", kHere), "nothing here");
}

}  // namespace
}  // namespace parlance::personal
