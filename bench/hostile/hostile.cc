#include "hostile.h"

#include <string_view>

namespace parlance::dialects {

namespace {

/// With the rest of the message slightly under a megabyte, the hub's default limit.
constexpr std::size_t kMegabyte = (std::size_t{1} << 20U) - 1024;

/// A kessel request; `inputs` and `more` make the request large.
std::string request(std::string_view inputs, std::string_view more = {}) {
    return R"({"source_agent":"a","target_agent":"b","capability_code":"c",)"
           R"("request_id":"550e8400-e29b-41d4-a716-446655440000","inputs_json":)" +
           std::string{inputs} + std::string{more} + "}";
}

std::string extension(std::string_view keeps) {
    return R"(,"parlance":{"dialect":"sam","form":"REQUEST","at":"2025-11-23T12:00:00Z","keeps":[)" +
           std::string{keeps} + "]}";
}

/// `part(i)` repeated with commas between, at most `bytes` bytes.
template <class Part>
std::string repeated(std::size_t bytes, Part part) {
    std::string all;
    for (int i = 0;; ++i) {
        const std::string next = part(i);
        if (all.size() + 1 + next.size() > bytes) return all;
        if (i > 0) all += ',';
        all += next;
    }
}

/// One text repeated, with commas between.
std::string listed(std::string_view text, std::size_t bytes = kMegabyte) {
    return repeated(bytes, [text](int) { return std::string{text}; });
}

std::string names(std::size_t bytes, std::string_view before = {}) {
    return repeated(
        bytes, [before](int i) { return '"' + std::string{before} + std::to_string(i) + "\":0"; });
}

std::string keep(std::string_view pointer) {
    return R"({"at":")" + std::string{pointer} + R"(","value":0})";
}

/// An extension full of `keep` entries with the pointers `before`, a number, `behind`.
std::string keeps(std::string_view before, std::string_view behind = {}) {
    return extension(repeated(kMegabyte, [=](int i) {
        return keep(std::string{before} + std::to_string(i) + std::string{behind});
    }));
}

/// `inside` in `depth` nested brackets or objects.
std::string nested(int depth, std::string_view opening, std::string_view inside, char closing) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += opening;
    text += inside;
    return text.append(static_cast<std::size_t>(depth), closing);
}

}  // namespace

std::vector<Hostile> hostile_requests() {
    const std::string long_name(kMegabyte / 4, 'n');
    const std::string behind = "{\"" + long_name + "\":{" + names(kMegabyte / 2) + "}}";
    const std::string kept = R"({"at":"/payload/data/)" + long_name + R"(/x","value":1})";
    const std::string far = nested(60, "/a", "", '/').substr(0, 120);
    const auto in_list = [](std::string_view text) { return "{\"a\":[" + listed(text) + "]}"; };
    const auto in_text = [](const std::string& text) { return "{\"a\":\"" + text + "\"}"; };
    const std::string numbered =
        repeated(kMegabyte, [](int i) { return R"("\u00e9)" + std::to_string(i) + "\":0"; });
    const std::string downward = repeated(
        kMegabyte, [](int i) { return keep("/payload/data/" + std::to_string(999'999 - i)); });
    return {
        {"many names", request("{" + names(kMegabyte) + "}")},
        {"many members", request("{}", "," + names(kMegabyte))},
        {"many members alike", request("{}", "," + names(kMegabyte, "inputs_json_"))},
        {"names alike", request("{" + names(kMegabyte, "a name like all others ") + "}")},
        {"long names", request("{" + names(kMegabyte, std::string(16'384, 'n')) + "}")},
        {"names with escapes", request("{" + numbered + "}")},
        {"many objects", request(in_list("{}"))},
        {"many elements", request(in_list("0"))},
        {"many small texts", request(in_list(R"("\u0041")"))},
        {"many small objects", request(in_list(R"({"b":0})"))},
        {"objects of many names", request("{\"a\":[" + listed("{" + names(160) + "}") + "]}")},
        {"long numbers", request(in_list(std::string(4'096, '7') + "e-9"))},
        {"one number",
         request("{}", ",\"timeout_ms\":1" + std::string(kMegabyte, '0') + "e-1048575")},
        {"one string", request(in_text(std::string(kMegabyte, 'x')))},
        {"escaped string", request(in_text(listed(R"(\u0041\n)")))},
        {"backslashes", request(in_text(std::string(kMegabyte, '\\')))},
        {"one action of words",
         R"({"source_agent":"a","target_agent":"b","capability_code":"c",)"
         R"("request_id":"550e8400-e29b-41d4-a716-446655440000",)"
         R"("inputs_json":{},"context":{"user_id":")" +
             std::string(kMegabyte, 'u') + "\"}}"},
        {"deep lists", request("{\"a\":" + nested(60, "[", listed("0"), ']') + "}")},
        {"deep objects", request(nested(60, "{\"a\":", "{" + names(kMegabyte) + "}", '}'))},
        {"names behind a name", request(behind, extension(kept))},
        {"many keeps", request("{}", keeps("/payload/data/"))},
        {"many keeps at the top", request("{}", keeps("/"))},
        {"keeps downward", request("{}", extension(downward))},
        {"keeps with escapes", request("{}", keeps("/payload/data/~0~1"))},
        {"keeps with long pointers",
         request("{}", keeps("/payload/data/" + std::string(400, 'p')))},
        {"keeps that break rules", request("{}", keeps("/metadata/warnings/"))},
        {"keeps far in", request("{}", keeps(far))},
    };
}

std::vector<Hostile> hostile_persons() {
    const auto full_under = [](std::string_view key, std::string_view piece) {
        std::string text;
        while (text.size() + piece.size() < kMegabyte) text += piece;
        return request("{\"" + std::string{key} + "\":\"" + text + "\"}");
    };
    const auto full_of = [&](std::string_view piece) { return full_under("a", piece); };
    const auto many_of = [](std::string_view key, std::string_view each) {
        return request("{\"" + std::string{key} + "\":[" + listed(each, kMegabyte - key.size()) +
                       "]}");
    };
    std::string words;
    while (words.size() < kMegabyte / 2) words += "a_";
    std::string addresses;
    for (int i = 0; addresses.size() < kMegabyte - 16; ++i) {
        addresses += std::to_string(i % 223 + 1) + "." + std::to_string(i / 223 % 256) + "." +
                     std::to_string(i / 57'088 % 256) + ".9 ";
    }
    // Two spellings of each value, so that keys have to be made distinct again.
    const std::string spellings = repeated(kMegabyte, [](int i) {
        const std::string rest = ".2." + std::to_string(i / 250) + "." + std::to_string(i % 250);
        return "\"1" + rest + "\":0,\"\xEF\xBC\x91" + rest + "\":0";
    });
    std::string mails;
    for (int i = 0; mails.size() < kMegabyte - 16; ++i) mails += "u" + std::to_string(i) + "@b.co ";
    return {
        {"single digits", full_of("4 ")},
        {"digits with dashes", full_of("4-")},
        {"pairs of digits", full_of("36 ")},
        {"begins of accounts", full_of("GB69 ")},
        {"words before numbers", full_of("call me at 12-34 ")},
        {"colons", full_of(":")},
        {"signs of mail", full_of("a@")},
        {"addresses of mail", request("{\"a\":\"" + mails + "\"}")},
        {"addresses of the network", full_of("1.1.1.1 ")},
        {"numbers behind numbers", full_of("call 111 1111 11115-123-4-567x89 office ")},
        {"backslashes", full_of(R"(\\)")},
        {"escapes of escapes", full_of(R"(\\u0034 )")},
        {"wide digits", full_of("\xEF\xBC\x94")},
        {"two signs by turns", full_of("4-4 ")},
        {"zeros with two signs", full_of("01-01 ")},
        {"digits and one address", full_of(std::string(2'000, ' ') + "1.1.1.1 4 4 4 4 4 4 4 4 4 ")},
        {"single digits before an address", full_of("4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 1.1.1.1 ")},
        {"other addresses of the network", request("{\"a\":\"" + addresses + "\"}")},
        {"keys in two spellings", request("{" + spellings + "}")},
        {"values under one long key", many_of(words, "\"1\"")},
        {"objects under one long key", many_of(words, R"({"1":"1"})")},
        {"a path of dates", full_of("/1 11 12~0xa136a:b@.02ff36my 0")},
        {"a path of dates of birth", full_under("date_of_birth", "/1 11 12~0xa136a:b@.02ff36my 0")},
        {"steps that are dates of birth", full_under("date_of_birth", "/1980-02-25")},
        {"dates of birth", full_under("date_of_birth", "1980-02-25 ")},
        {"dates of birth in codes", full_under("date_of_birth", "/%31%39%380-02-25")},
        {"dates of birth, packed", full_under("dob", "19800225,")},
        {"paths", many_of("phone", R"("/tb.co 9of1234~1[_00~a:b@1000000]349@44x44")")},
        {"codes", full_of("%34%20")},
        {"codes in numbers", full_of("%%31ff1a1:ff0")},
        {"letters and digits", full_of("1a")},
        {"days and months", full_of("12 12 12 of ")},
    };
}

HostileAnswer hostile_answer() {
    const std::string masked = repeated(kMegabyte / 2, [](int) { return std::string{"[IP_x]"}; });
    return {request(R"({"a":"1.1.1.1"})"),
            "[IP_x]",
            "{\"a\":\"" + masked + "\"" + std::string(kMegabyte / 2, ' ') + "}"};
}

std::vector<Hostile> hostile_strangers() {
    const std::string marks =
        R"("payload":1,"source_agent":1,"origin_employee":1,"message_id":1,"agent":1,)"
        R"("token_usage":1,"sender":1,"from":1,"to":1,"next_steps":1,"inputs_json":1)";
    const std::string response = R"({"request_id":"550e8400-e29b-41d4-a716-446655440000",)"
                                 R"("target_employee":"b","summary":"","result":"",)"
                                 R"("token_usage":{"prompt":1,"completion":1,"total":2},)"
                                 R"("status":"success",)";
    return {
        {"of no dialect", "{" + names(kMegabyte) + "}"},
        {"of all dialects", "{" + marks + "," + names(kMegabyte) + "}"},
        {"of no dialect with words",
         R"({"type":"x","status":"y","message_type":"z",)" + names(kMegabyte) + "}"},
        {"wrong elements", response + "\"new_facts\":[" + listed("0") + "]}"},
        {"wrong objects", response + "\"artifacts\":[" + listed("{}") + "]}"},
        {"wrong objects with names",
         response + "\"used_sources\":[" + listed(R"({"owner_scope":0,"x":0})") + "]}"},
        {"an old version",
         R"({"version":"0.8","origin":"a","target":"b",)" + names(kMegabyte) + "}"},
        {"an old version at the end",
         "{" + names(kMegabyte) + R"(,"version":"0.8","origin":"a","target":"b"})"},
        {"an old version with names alike",
         R"({"version":"0.8","origin":"a","target":"b",)" + names(kMegabyte, "max_de") + "}"},
        {"an old version with constraints",
         R"({"version":"0.8","origin":"a","target":"b","max_tokens":1,"max_depth":1,)"
         R"("deadline_ms":1,"constraints":{)" +
             names(kMegabyte) + "}}"},
    };
}

std::vector<Hostile> hostile_blocks() {
    const auto block = [](const std::string& lines) {
        return "---\nREQUEST\n\n" + lines + "---\n";
    };
    const auto braces = [&](const std::string& inside) {
        return block("inputs_json: [" + inside + "]\n");
    };
    std::string lines;
    for (int i = 0; lines.size() < kMegabyte; ++i) lines += "n" + std::to_string(i) + ": t\n";
    return {
        {"one line", block("inputs_json: " + std::string(kMegabyte, 'x') + "\n")},
        {"lines", block(lines)},
        {"empty lines", block(std::string(kMegabyte, '\n'))},
        {"a line without a colon", block(std::string(kMegabyte, 'x'))},
        {"words", braces(listed("a"))},
        {"words that may be JSON", braces(listed("-a"))},
        {"words that may be true", braces(listed("t"))},
        {"objects", braces(listed("{a: b}"))},
        {"quoted", braces(listed("\"\\u0041\""))},
        {"braces", block("inputs_json: " + std::string(kMegabyte, '{') + "\n")},
        {"a quote that does not end",
         block("inputs_json: \"" + std::string(kMegabyte, '\\') + "\n")},
    };
}

std::vector<HostileInstance> hostile_instances() {
    const auto many = [](std::string_view keyword, std::string_view each, std::size_t bytes) {
        return "{\"" + std::string{keyword} + "\":[" + listed(each, bytes) + "]}";
    };
    const std::string ones = "[" + listed("1") + "]";
    const std::string counted =
        "[" + repeated(kMegabyte, [](int i) { return std::to_string(i); }) + "]";
    const std::string object = "{" + names(kMegabyte, "k") + "}";
    const std::string enumerated = repeated(200'000, [](int i) { return std::to_string(i); });
    const std::string tree =
        R"({"$id":"http://a/t","$dynamicAnchor":"n","type":["array","integer"],)"
        R"("items":{"$dynamicRef":"#n"}})";
    return {
        {"unique items", R"({"uniqueItems":true})", counted},
        {"unique objects",
         R"({"uniqueItems":true})",
         "[" + repeated(kMegabyte, [](int i) { return "{\"a\":" + std::to_string(i) + "}"; }) +
             "]"},
        {"wrong types", R"({"items":{"type":"string"}})", ones},
        {"wrong constants", R"({"items":{"const":"a word"}})", ones},
        {"wrong lengths", R"({"items":{"minLength":2}})", "[" + listed("\"a\"") + "]"},
        {"never", R"({"items":false})", ones},
        {"wrong names", R"({"propertyNames":{"maxLength":1}})", object},
        {"additional", R"({"additionalProperties":false})", object},
        {"patterns",
         R"({"patternProperties":{"^k[0-9]*1$":{"type":"string"},"9$":true,"^x":false}})",
         object},
        {"hard patterns",
         R"({"patternProperties":{"(x+x+)+y":true,"(k|1)*k(k|1){12}":true}})",
         object},
        {"unevaluated",
         R"({"anyOf":[{"properties":{"k1":true}},{"properties":{"k2":true}}],)"
         R"("unevaluatedProperties":{"type":"integer"}})",
         object},
        {"unevaluated items",
         R"({"prefixItems":[true],"unevaluatedItems":{"type":"integer"}})",
         ones},
        {"dynamic references", tree, "[" + listed("[1,[1]]") + "]"},
        {"large enumeration", "{\"items\":{\"enum\":[" + enumerated + "]}}", counted},
        {"all of many", many("allOf", R"({"items":{"type":"integer"}})", 2'000), ones},
        {"any of many", many("anyOf", R"({"items":{"type":"string"}})", 20'000), ones},
        {"one of many",
         many("oneOf", R"({"minLength":9999999})", 20'000),
         '"' + std::string(kMegabyte, 'a') + '"'},
        {"a long number",
         R"({"multipleOf":0.999999999999999999,"maximum":1e9})",
         std::string(kMegabyte, '9')},
        {"a hard pattern",
         R"({"pattern":"(a|b)*a(a|b){25}c"})",
         '"' + std::string(kMegabyte, 'a') + '"'},
        {"formats", R"({"items":{"format":"uri"}})", "[" + listed(R"("http://a:b@c/d?e#f")") + "]"},
        {"contains", R"({"contains":{"type":"string"},"minContains":9})", ones},
    };
}

std::vector<Hostile> hostile_schemas() {
    constexpr std::size_t kHalf = 120'000;  // A schema has at most twice as many bytes, plus a few.
    const std::string words = "[" + listed(R"("")", kHalf) + "]";
    const auto far = [](const std::string& schema) {
        return R"({"properties":{")" + std::string(kHalf, 'n') + "\":" + schema + "}}";
    };
    return {
        {"unknown types", R"({"type":)" + words + "}"},
        {"unknown types behind a long name", far(R"({"type":)" + words + "}")},
        {"no schemas behind a long name", far(R"({"allOf":[)" + listed("1", kHalf) + "]}")},
    };
}

}  // namespace parlance::dialects
