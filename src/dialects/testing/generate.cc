#include "dialects/testing/generate.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/check.h"
#include "base/iso_time.h"
#include "base/json_write.h"
#include "base/uuid.h"

namespace parlance::dialects::testing {

namespace {

constexpr std::array<std::string_view, 12> kTexts{"",
                                                  "a",
                                                  "Extract receipt data",
                                                  "{\"a\":1}",
                                                  "{ \"a\" : [1, 2] }",
                                                  "{not json",
                                                  "tab\tand\nline",
                                                  "quote\" and \\ back",
                                                  "grün 漢字 🙂",
                                                  "unknown",
                                                  "Timeout: x",
                                                  "/~0~1"};
constexpr std::array<std::string_view, 6> kAgents{
    "alice", "ANL", "byte-doc", "a/b@c", "x:1", "ORC"};
constexpr std::array<std::string_view, 6> kStrangers{
    "x_unknown", "parlance", "/odd~name", "\u00e9", "x-trace", "note"};
constexpr std::array<std::string_view, 8> kCodes{"DATA_MISSING_REQUIRED_INPUT",
                                                 "INPUT_VALIDATION_FAILED",
                                                 "A_B",
                                                 "X9_2",
                                                 "REQUEST_TIMED_OUT",
                                                 "E_0",
                                                 "AGENT_ERROR",
                                                 "LLM_QUOTA_EXCEEDED"};

std::string quote(std::string_view text) {
    std::string out;
    json::append_quoted(out, text);
    return out;
}

}  // namespace

std::string Generator::message(const Form& form, const Forms& forms) {
    while (true) {
        std::string made = fields(*form.shape, &form);
        // An unknown member or a missing mark may change the form.
        if (form_of(forms, json::root(made)) == &form) return made;
    }
}

std::string Generator::object(const Shape& shape) { return fields(shape, nullptr); }

std::string Generator::fields(const Shape& shape, const Form* form) {
    std::vector<Member> members;
    for (const FieldRule& rule : shape.fields) {
        const bool may_lack = rule.need == Need::Optional || rule.need == Need::Defaulted;
        if (may_lack && one_in(2)) continue;
        if (may_lack && one_in(10)) {
            if (rule.kind != Kind::Anything && rule.kind != Kind::Body) {
                members.push_back({rule.name, "null"});
                continue;
            }
        }
        members.push_back({rule.name, value(rule, form)});
    }
    if (shape.name == "token_usage") {  // The only rule outside of the tables.
        const auto prompt = below(1000);
        const auto completion = below(1000);
        members = {{"prompt", std::to_string(prompt)},
                   {"completion", std::to_string(completion)},
                   {"total", std::to_string(prompt + completion)}};
    }
    settle_conditions(shape, members);
    if (one_in(4)) members.push_back({kStrangers[below(kStrangers.size())], anything(2)});
    std::ranges::shuffle(members, random_);
    json::ObjectWriter writer;
    for (const Member& member : members) writer.raw(member.name, member.json);
    return writer.done();
}

void Generator::settle_conditions(const Shape& shape, std::vector<Member>& members) {
    for (const WhenRule& when : shape.when) {
        const auto field = std::ranges::find(members, when.field, &Member::name);
        if (field == members.end()) continue;
        std::string spare;
        const auto word = short_text(json::Value{field->json}, spare);
        if (std::ranges::find(when.words, word) == when.words.end()) continue;
        std::erase_if(members, [&](const Member& member) { return member.name == when.other; });
        if (when.demand == Demand::Empty) {
            if (one_in(2)) members.push_back({when.other, one_in(2) ? "{}" : "null"});
            continue;
        }
        const auto rule = std::ranges::find(shape.fields, when.other, &FieldRule::name);
        CHECK(rule != shape.fields.end());
        std::string made = rule->kind == Kind::Body ? "{\"action\":\"x\"}" : value(*rule, nullptr);
        while (made == "[]") made = value(*rule, nullptr);  // Demanded lists are not empty.
        members.push_back({when.other, std::move(made)});
    }
}

std::string Generator::value(const FieldRule& rule, const Form* form) {
    switch (rule.kind) {
        case Kind::Anything:
            return anything(3);
        case Kind::Body:
            return body(form);
        case Kind::Object:
            return rule.shape == nullptr ? fmt::format(R"({{"k":{}}})", anything(2))
                                         : fields(*rule.shape, nullptr);
        case Kind::Map:
            return fmt::format(R"({{"one":{},"t/w~o":{}}})",
                               value(*rule.element, nullptr),
                               value(*rule.element, nullptr));
        case Kind::List:
            return list(rule);
        case Kind::Boolean:
            return one_in(2) ? "true" : "false";
        case Kind::Integer:
            return integer(rule);
        case Kind::Number:
            return number(rule);
        default:
            break;
    }
    if (form != nullptr && rule.slot == Slot::Type) return quote(form->word);
    if (form != nullptr && rule.slot == Slot::Status && !form->status_word.empty()) {
        return quote(form->status_word);
    }
    return string_value(rule);
}

std::string Generator::body(const Form* form) {
    const Shape* shape = form == nullptr ? nullptr : form->body;
    if (shape == nullptr || (shape->is_soft && one_in(3))) return anything(3);
    return fields(*shape, nullptr);
}

std::string Generator::string_value(const FieldRule& rule) { return quote(text_of(rule)); }

std::string Generator::text_of(const FieldRule& rule) {
    switch (rule.kind) {
        case Kind::Id:
            return fmt::format("id-{}!", below(1000));
        case Kind::Agent:
            return std::string{kAgents[below(kAgents.size())]};
        case Kind::Recipient:
            return one_in(8) ? "topic:news" : std::string{kAgents[below(kAgents.size())]};
        case Kind::Text:
            return one_in(4) ? "" : fmt::format("wf {}", below(1000));
        case Kind::Word:
            return std::string{rule.words[below(rule.words.size())]};
        case Kind::Instant:
            return one_in(3) ? "2025-11-23"
                             : print_iso_time(Time{Duration{static_cast<std::int64_t>(
                                   1'700'000'000'000 + below(100'000'000'000))}});
        case Kind::Uuid4:
            return uuid_v4(random_(), random_());
        case Kind::RequestId:
            return one_in(2) ? uuid_v4(random_(), random_())
                             : fmt::format("sess-{}-20250118-143022", below(1000));
        case Kind::CorrelationId:
            return fmt::format("session_{}_a7b2c9d4_1692633612", below(1000));
        case Kind::ErrorCode:
            return std::string{kCodes[below(kCodes.size())]};
        default:
            break;
    }
    if (!rule.words.empty() && !one_in(4)) return std::string{rule.words[below(rule.words.size())]};
    static_assert(kTexts.front().empty());
    const std::size_t first = rule.is_never_empty ? 1 : 0;
    return std::string{kTexts[first + below(kTexts.size() - first)]};
}

std::string Generator::integer(const FieldRule& rule) {
    if (one_in(10)) return std::to_string(rule.least);
    if (one_in(10)) return std::to_string(rule.most);
    const std::int64_t room = std::min<std::int64_t>(rule.most - rule.least, 100'000);
    const auto whole =
        rule.least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(room)));
    return one_in(10) ? fmt::format("{}.0", whole) : std::to_string(whole);
}

std::string Generator::number(const FieldRule& rule) {
    if (one_in(8)) return std::to_string(rule.least);
    if (one_in(8)) return std::to_string(rule.most);
    const auto span = static_cast<double>(std::min<std::int64_t>(rule.most - rule.least, 1000));
    const double at = static_cast<double>(below(10'000)) / 10'000;
    const double number = static_cast<double>(rule.least) + span * at;
    return one_in(4) ? fmt::format("{:.6f}", number) : fmt::format("{:.3f}", number);
}

std::string Generator::list(const FieldRule& rule) {
    std::string out = "[";
    for (auto left = below(4); left > 0; --left) {
        if (out.size() > 1) out += ',';
        out += rule.element == nullptr ? anything(2) : value(*rule.element, nullptr);
    }
    return out + ']';
}

std::string Generator::anything(int depth) {
    switch (below(depth > 0 ? 8 : 6)) {
        case 0:
            return "null";
        case 1:
            return one_in(2) ? "true" : "false";
        case 2:
            return "-1.50e3";
        case 3:
            return "123456789012345678901234567890";
        case 4:
            return std::to_string(below(100));
        case 5:
            return quote(kTexts[below(kTexts.size())]);
        case 6:
            return fmt::format("[{},{}]", anything(depth - 1), anything(depth - 1));
        default: {
            // Names that tables look for, so that they occur in unintended places.
            constexpr std::array<std::string_view, 12> kNames{"a",
                                                              "input",
                                                              "data",
                                                              "context",
                                                              "status",
                                                              "task_id",
                                                              "a/b",
                                                              "result",
                                                              "constraints",
                                                              "prior_agents",
                                                              "next_steps",
                                                              "findings"};
            const auto first = below(kNames.size());
            return fmt::format(R"({{"{}":{},"{}":{}}})",
                               kNames[first],
                               anything(depth - 1),
                               kNames[(first + 1) % kNames.size()],
                               anything(depth - 1));
        }
    }
}

}  // namespace parlance::dialects::testing
