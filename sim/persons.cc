#include "sim/persons.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/json_write.h"
#include "sim/letters.h"

namespace parlance::sim {

namespace {

using personal::Kind;

constexpr std::uint64_t kApart = 0x5045'5253'4F4E'5321ULL;
constexpr std::uint64_t kLivesPercent = 25;
constexpr std::size_t kQuoteBytesMax = 600;

struct Saying {
    Kind kind;
    std::string_view words;  ///< With `{}` in place of the value.
};
constexpr std::array kSayings{
    Saying{Kind::Email, "Write to {} about it"},
    Saying{Kind::Card, "Charge the card {} now"},
    Saying{Kind::Iban, "Pay to IBAN {} today"},
    Saying{Kind::Ssn, "Her SSN is {}, I think"},
    Saying{Kind::Ip, "The last login was from {} at night"},
    Saying{Kind::Phone, "Please call {} before noon"},
};

/// A message of a dialect with three slots for text, and the JSON pointers of the slots.
struct Template {
    Dialect dialect;
    std::string_view text;
    std::array<std::string_view, 3> pointers;
};
constexpr std::array kTemplates{
    Template{Dialect::Delegation,
             R"({{"request_id":"{id}","origin_employee":"{from}","target_employee":"{to}",)"
             R"("user_id":"u-1","parent_session_id":"{flow}","objective":"{a}","input":"{b}",)"
             R"("handoff_data":{{"facts":["{c}"]}}}})",
             {"/objective", "/input", "/handoff_data/facts"}},
    Template{Dialect::Kessel,
             R"({{"source_agent":"{from}","target_agent":"{to}","capability_code":"{can}",)"
             R"("request_id":"{id}","inputs_json":{{"note":"{a}","more":["{b}"]}},)"
             R"("context":{{"said":"{c}"}}}})",
             {"/inputs_json/note", "/inputs_json/more", "/context/said"}},
    Template{
        Dialect::Sam,
        R"({{"message_id":"{id}","correlation_id":"{flow}","timestamp":"2025-11-23T10:00:00Z",)"
        R"("sender":{{"agent_id":"{from}"}},"recipient":{{"agent_id":"{to}"}},)"
        R"("message_type":"REQUEST","payload":{{"action":"look","data":{{"note":"{a}",)"
        R"("more":["{b}"]}},"context":{{"said":"{c}"}}}}}})",
        {"/payload/data/note", "/payload/data/more", "/payload/context/said"}},
    Template{Dialect::Correlation,
             R"({{"correlation_id":"{flow}","agent":"{from}","target_agent":"{to}",)"
             R"("timestamp":"2025-08-21T10:30:00Z","message_type":"orchestration_command",)"
             R"("status":"pending","payload":{{"note":"{a}","more":["{b}"],"said":"{c}"}}}})",
             {"/payload/note", "/payload/more", "/payload/said"}},
    Template{
        Dialect::Taskwire,
        R"({{"id":"{id}","from":"{from}","to":"{to}","type":"TASK_ASSIGNMENT",)"
        R"("timestamp":"2025-01-01T00:00:00Z","payload":{{"action":"{a}","data":{{"note":"{b}",)"
        R"("more":["{c}"]}}}}}})",
        {"/payload/action", "/payload/data/note", "/payload/data/more"}},
};

constexpr std::array<std::string_view, 3> kExempt{
    "/handoff_data/facts", "/inputs_json", "/payload/context"};

bool is_in(std::string_view pointer, const std::vector<std::string>& exempt) {
    return std::ranges::any_of(exempt, [&](const std::string& each) {
        return pointer.starts_with(each) &&
               (pointer.size() == each.size() || pointer[each.size()] == '/');
    });
}

/// The digit that gives the card number a valid Luhn checksum.
char luhn_digit(std::string_view number) {
    int sum = 0;
    for (std::size_t i = 0; i < number.size(); ++i) {
        const int digit = number[number.size() - 1 - i] - '0';
        const int doubled = i % 2 == 0 ? 2 * digit : digit;
        sum += doubled > 9 ? doubled - 9 : doubled;
    }
    return static_cast<char>('0' + (10 - sum % 10) % 10);
}

/// The check digits of a British IBAN.
std::string iban_digits(std::string_view account) {
    std::uint64_t rest = 0;
    const auto take = [&](std::uint64_t number) {
        rest = (rest * (number > 9 ? 100 : 10) + number) % 97;
    };
    for (const char c : std::string{account} + "GB00") {
        take(c <= '9' ? static_cast<std::uint64_t>(c - '0')
                      : static_cast<std::uint64_t>(c - 'A') + 10);
    }
    return fmt::format("{:02}", 98 - rest);
}

/// The value without JSON escapes.
std::string spoken(std::string text) {
    constexpr std::string_view kEscape = R"(\u0040)";
    const auto at = text.find(kEscape);
    if (at != std::string::npos) text.replace(at, kEscape.size(), "@");
    return text;
}

std::string in_groups(std::string_view text, char between) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i > 0 && i % 4 == 0 && between != '\0') out.push_back(between);
        out.push_back(text[i]);
    }
    return out;
}

}  // namespace

Persons::Persons(std::uint64_t seed, History& history)
    : entropy_(seed ^ kApart), history_(history), are_there_(entropy_.percent(kLivesPercent)) {
    auto& policy = history_.personal;
    if (!are_there_) return;
    policy.dialects.clear();
    for (const auto& form : kTemplates) {
        if (entropy_.percent(60)) policy.dialects.push_back(form.dialect);
    }
    for (const auto& saying : kSayings) {
        if (entropy_.percent(15)) policy.kinds.remove(saying.kind);
    }
    for (std::uint64_t agent = 0; agent < 3; ++agent) {
        if (!entropy_.percent(40)) continue;
        auto& revealed = policy.reveal[agent_name(agent)];
        for (const auto& saying : kSayings) {
            if (entropy_.percent(40)) revealed.add(saying.kind);
        }
    }
    for (const auto pointer : kExempt) {
        if (entropy_.percent(25)) policy.fields_exempt.emplace_back(pointer);
    }
}

Dialect Persons::dialect_of(std::uint64_t agent) const {
    return are_there_ ? kTemplates.at(agent % kTemplates.size()).dialect : Dialect::Taskwire;
}

std::string Persons::digits(std::size_t count) {
    std::string out;
    while (out.size() < count) out.push_back(static_cast<char>('0' + entropy_.below(10)));
    return out;
}

/// A random value in a random notation of its kind.
std::string Persons::value(Kind kind) {
    switch (kind) {
        case Kind::Email:
            return fmt::format("p{}.{}{}mail{}.example.org",
                               digits(3),
                               digits(4),
                               entropy_.percent(30) ? R"(\u0040)" : "@",
                               digits(2));
        case Kind::Card: {
            const auto number = "4" + digits(14);
            constexpr std::array kBetween{'\0', ' ', '-'};
            return in_groups(number + luhn_digit(number), kBetween.at(entropy_.below(3)));
        }
        case Kind::Iban: {
            const auto account = "WEST" + digits(14);
            return in_groups("GB" + iban_digits(account) + account,
                             entropy_.percent(50) ? ' ' : '\0');
        }
        case Kind::Ssn:
            return fmt::format("{}-{:02}-{:04}",
                               entropy_.between(101, 640),
                               entropy_.between(1, 99),
                               entropy_.between(1, 9'999));
        case Kind::Ip:
            return fmt::format("81.{}.{}.{}",
                               entropy_.between(100, 250),
                               entropy_.between(100, 250),
                               entropy_.between(100, 250));
        default:
            return fmt::format("+1 ({}) {}-{:04}",
                               entropy_.between(201, 989) / 10 * 10 + 2,
                               entropy_.between(220, 989),
                               entropy_.between(0, 9'999));
    }
}

/// A sentence with personal data, or a sentence without any.
std::string Persons::sentence(std::string_view pointer) {
    if (entropy_.percent(40)) return "nothing in particular";
    const auto& saying = kSayings.at(entropy_.below(kSayings.size()));
    const auto written = value(saying.kind);
    history_.planted.push_back({.kind = saying.kind,
                                .written = written,
                                .is_exempt = is_in(pointer, history_.personal.fields_exempt)});
    return fmt::format(fmt::runtime(saying.words), written);
}

void Persons::write_into(Header& header, std::string& body, Claim* claim) {
    if (!are_there_ || !entropy_.percent(50)) return;
    const auto& form = kTemplates.at(entropy_.below(kTemplates.size()));
    std::array<std::string, 3> said;
    std::ranges::transform(
        form.pointers, said.begin(), [&](std::string_view pointer) { return sentence(pointer); });
    // A recipient agent has the capability, unless a sentence replaces the code.
    const bool is_agent = header.to.starts_with("agent-");
    auto can = capability_name(is_agent ? static_cast<std::uint64_t>(header.to.back() - '0') : 0);
    if (entropy_.percent(20)) can = sentence("/capability_code");
    body = fmt::format(fmt::runtime(form.text),
                       fmt::arg("id", header.id),
                       fmt::arg("from", header.from),
                       fmt::arg("to", header.to),
                       fmt::arg("flow", header.correlation),
                       fmt::arg("can", can),
                       fmt::arg("a", said[0]),
                       fmt::arg("b", said[1]),
                       fmt::arg("c", said[2]));
    header.dialect = form.dialect;
    if (claim != nullptr) claim->objective = spoken(said[0]);
}

void Persons::quote_into(std::string_view reader, const Envelope& asked, std::string& body) const {
    const auto read = read_.find({std::string{reader}, std::string{asked.id()}});
    if (read == read_.end()) return;
    body = json::ObjectWriter{}.text("quotes", read->second).done();
}

std::string Persons::words(std::string plain) {
    return are_there_ && entropy_.percent(30) ? spoken(sentence("")) : std::move(plain);
}

void Persons::note_read(const std::string& reader, const Envelope& message, std::string text) {
    text.resize(std::min(text.size(), kQuoteBytesMax));
    read_[{reader, std::string{message.id()}}] = std::move(text);
}

}  // namespace parlance::sim
