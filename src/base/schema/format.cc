// Mostly grammars of RFCs, written as expressions that RE2 matches in linear time.
#include "base/schema/format.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>

#include <arpa/inet.h>
#include <re2/re2.h>

#include "base/schema/pattern.h"
#include "base/uuid.h"

namespace parlance::schema {

namespace {

bool is_like(std::string_view text, const re2::RE2& grammar) {
    return re2::RE2::FullMatch({text.data(), text.size()}, grammar);
}

/// The value of two digits, already checked by a grammar.
unsigned two_digits(std::string_view text, std::size_t at) {
    return static_cast<unsigned>(text[at] - '0') * 10 + static_cast<unsigned>(text[at + 1] - '0');
}

// RFC 3339, section 5.6.

bool is_date(std::string_view text) {
    static const re2::RE2 grammar{R"(\d{4}-\d{2}-\d{2})"};
    if (!is_like(text, grammar)) return false;
    const auto year = static_cast<int>(two_digits(text, 0) * 100 + two_digits(text, 2));
    return std::chrono::year_month_day{std::chrono::year{year},
                                       std::chrono::month{two_digits(text, 5)},
                                       std::chrono::day{two_digits(text, 8)}}
        .ok();
}

/// Minutes since midnight in UTC, of a time with an offset at `offset`.
int minute_in_utc(std::string_view time, std::size_t offset) {
    const auto minutes = [](std::string_view text, std::size_t at) {
        return static_cast<int>(two_digits(text, at) * 60 + two_digits(text, at + 3));
    };
    const int local = minutes(time, 0);
    const char sign = time[offset];
    if (sign == 'Z' || sign == 'z') return local;
    const int ahead = minutes(time, offset + 1);
    constexpr int kDay = 24 * 60;
    return (local + (sign == '+' ? -ahead : ahead) + kDay) % kDay;
}

bool is_time(std::string_view text) {
    static const re2::RE2 grammar{
        R"((?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d))"};
    if (!is_like(text, grammar)) return false;
    if (two_digits(text, 6) < 60) return true;
    // A leap second is the last second of a day in UTC.
    return minute_in_utc(text, text.find_first_of("Zz+-")) == 23 * 60 + 59;
}

bool is_date_time(std::string_view text) {
    constexpr std::size_t kDateBytes = 10;
    return text.size() > kDateBytes && (text[kDateBytes] == 'T' || text[kDateBytes] == 't') &&
           is_date(text.substr(0, kDateBytes)) && is_time(text.substr(kDateBytes + 1));
}

/// RFC 3339, appendix A.
bool is_duration(std::string_view text) {
    static const std::string time = R"(T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))";
    static const std::string date = R"((?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D))";
    static const re2::RE2 grammar{"P(?:\\d+W|" + date + "(?:" + time + ")?|" + time + ")"};
    return is_like(text, grammar);
}

// RFC 1123, section 2.1.

bool is_hostname(std::string_view text) {
    static const re2::RE2 grammar{
        R"([A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*)"};
    return text.size() <= 253 && is_like(text, grammar);
}

bool is_address(int family, std::string_view text) {
    if (text.size() >= INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos) return false;
    std::array<unsigned char, 16> bytes{};
    return inet_pton(family, std::string{text}.c_str(), bytes.data()) == 1;
}

bool is_ipv4(std::string_view text) { return is_address(AF_INET, text); }
bool is_ipv6(std::string_view text) { return is_address(AF_INET6, text); }

/// RFC 5321, section 4.1.2: a mailbox. Address literals are in brackets.
bool is_email(std::string_view text) {
    static const re2::RE2 local{
        R"([A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*|"(?:[ !#-\[\]-~]|\\[ -~])*")"};
    const auto at = text.rfind('@');
    if (at == std::string_view::npos || !is_like(text.substr(0, at), local)) return false;
    auto domain = text.substr(at + 1);
    if (!domain.starts_with('[') || !domain.ends_with(']')) return is_hostname(domain);
    domain = domain.substr(1, domain.size() - 2);
    constexpr std::string_view kSix = "IPv6:";
    return domain.starts_with(kSix) ? is_ipv6(domain.substr(kSix.size())) : is_ipv4(domain);
}

// RFC 3986, appendix A.

/// The part after the scheme.
bool is_hierarchy(std::string_view text, bool is_relative) {
    static const std::string chars = R"((?:[A-Za-z0-9._~!$&'()*+,;=@:/-]|%[0-9A-Fa-f]{2}))";
    static const std::string user = R"((?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*@)?)";
    static const std::string host =
        R"((?:\[([0-9A-Fa-f:.]+)\]|\[[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*))";
    static const std::string rest = "(?:\\?(?:" + chars + "|\\?)*)?(?:#(?:" + chars + "|\\?)*)?";
    static const re2::RE2 with_host{"//" + user + host + R"((?::\d*)?)" + "(?:/" + chars + "*)?" +
                                    rest};
    static const re2::RE2 without_host{chars + "*" + rest};
    if (text.starts_with("//")) {
        re2::StringPiece address;
        if (!re2::RE2::FullMatch({text.data(), text.size()}, with_host, &address)) return false;
        return address.data() == nullptr || is_ipv6({address.data(), address.size()});
    }
    if (!is_like(text, without_host)) return false;
    // A colon in the first segment of a relative path would mark a scheme.
    return !is_relative || text.find(':') >= text.find_first_of("/?#");
}

std::optional<std::size_t> scheme_size(std::string_view text) {
    static const re2::RE2 grammar{"[A-Za-z][A-Za-z0-9+.-]*"};
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || !is_like(text.substr(0, colon), grammar)) return {};
    return colon;
}

bool is_uri(std::string_view text) {
    const auto colon = scheme_size(text);
    return colon && is_hierarchy(text.substr(*colon + 1), false);
}

bool is_uri_reference(std::string_view text) { return is_uri(text) || is_hierarchy(text, true); }

/// RFC 6901, section 3.
bool is_json_pointer(std::string_view text) {
    static const re2::RE2 grammar{"(?s)(?:/(?:[^~/]|~[01])*)*"};
    return is_like(text, grammar);
}

/// A number of levels up, then a JSON pointer, or '#' for the key at that level.
bool is_relative_json_pointer(std::string_view text) {
    static const re2::RE2 grammar{
        "(?s)(?:0|[1-9][0-9]*)(?:[+-][1-9][0-9]*)?(?:#|(?:/(?:[^~/]|~[01])*)*)"};
    return is_like(text, grammar);
}

/// RFC 6570, section 2.
bool is_uri_template(std::string_view text) {
    static const std::string escape = "%[0-9A-Fa-f]{2}";
    static const std::string literal =
        R"((?:[!#$&()*+,\-./0-9:;=?@A-Z\[\]_a-z~\x{A0}-\x{D7FF}\x{E000}-\x{10FFFD}]|)" + escape +
        ")";
    static const std::string character = "(?:[A-Za-z0-9_]|" + escape + ")";
    static const std::string name = character + "(?:\\.?" + character + ")*";
    static const std::string variable = name + "(?::[1-9][0-9]{0,3}|\\*)?";
    static const re2::RE2 grammar{"(?:" + literal + R"(|\{[+#./;?&=,!@|]?)" + variable + "(?:," +
                                  variable + R"()*\})*)"};
    return is_like(text, grammar);
}

constexpr std::array kFormats{
    Format{"date-time",
           is_date_time,
           "a date and time as RFC 3339 has it, such as "
           "2025-11-23T10:00:00Z"},
    Format{"date", is_date, "a date such as 2025-11-23"},
    Format{"time", is_time, "a time with an offset, such as 10:00:00Z"},
    Format{"duration", is_duration, "a duration such as P1DT12H"},
    Format{"email", is_email, "an email address"},
    Format{"hostname", is_hostname, "a host name"},
    Format{"ipv4", is_ipv4, "an IPv4 address"},
    Format{"ipv6", is_ipv6, "an IPv6 address"},
    Format{"uri", is_uri, "a URI with its scheme"},
    Format{"uri-reference", is_uri_reference, "a URI or a relative reference"},
    Format{"uuid", is_uuid, "a UUID"},
    Format{"uri-template", is_uri_template, "a URI template"},
    Format{"json-pointer", is_json_pointer, "a JSON pointer"},
    Format{"relative-json-pointer", is_relative_json_pointer, "a relative JSON pointer"},
    Format{"regex", is_pattern, "a regular expression", 50'000},
};

}  // namespace

const Format* format_named(std::string_view name) {
    const auto found = std::ranges::find(kFormats, name, &Format::name);
    return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace parlance::schema
