#include "dialects/id_forms.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/check.h"
#include "base/iso_time.h"

namespace parlance::dialects {

namespace {

constexpr std::size_t kHashDigits = 8;

bool is_digits(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_hash(std::string_view text) {
    const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    return text.size() == kHashDigits && std::ranges::all_of(text, is_hex);
}

bool is_code_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/// What stands behind the last of these separators; `text` keeps what is before it.
std::string_view take_tail(std::string_view& text, std::string_view separators) {
    const std::size_t at = text.find_last_of(separators);
    if (at == std::string_view::npos) return {};
    const std::string_view tail = text.substr(at + 1);
    text = text.substr(0, at);
    return tail;
}

std::int64_t number_of(std::string_view digits) {
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

/// 20250118143022 as a time; nothing if there is no such day or hour.
std::optional<Time> time_of_digits(std::string_view digits) {
    const auto part = [&](std::size_t at, std::size_t size) { return digits.substr(at, size); };
    const auto time = parse_iso_time(fmt::format("{}-{}-{}T{}:{}:{}Z",
                                                 part(0, 4),
                                                 part(4, 2),
                                                 part(6, 2),
                                                 part(8, 2),
                                                 part(10, 2),
                                                 part(12, 2)));
    return time ? std::optional{*time} : std::nullopt;
}

/// The document asks for MD5; nothing here relies on it being hard to forge.
std::string query_hash(std::string_view query) {
    static const EVP_MD* const md5 = EVP_MD_fetch(nullptr, "MD5", nullptr);
    CHECK(md5 != nullptr);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    CHECK(EVP_Digest(query.data(), query.size(), digest.data(), nullptr, md5, nullptr) == 1);
    return fmt::format("{:02x}{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2], digest[3]);
}

}  // namespace

bool ends_in_time(std::string_view text) {
    constexpr std::string_view kSeparators = "-_";
    const std::string_view last = take_tail(text, kSeparators);
    if (!is_digits(last) || text.empty()) return false;
    if (last.size() == 14 || (last.size() >= 10 && last.size() <= 13)) return true;
    const std::string_view day = take_tail(text, kSeparators);
    return last.size() == 6 && day.size() == 8 && is_digits(day) && !text.empty();
}

std::optional<Time> time_in(std::string_view text) {
    if (!ends_in_time(text)) return {};
    const std::string_view last = take_tail(text, "-_");
    constexpr std::size_t kSecondsDigits = 10;
    constexpr std::size_t kMillisecondsDigits = 13;
    if (last.size() == kSecondsDigits) return Time{std::chrono::seconds{number_of(last)}};
    if (last.size() == kMillisecondsDigits) return Time{Duration{number_of(last)}};
    if (last.size() == 14) return time_of_digits(last);
    if (last.size() != 6) return {};
    return time_of_digits(fmt::format("{}{}", take_tail(text, "-_"), last));
}

CorrelationParts split_correlation_id(std::string_view text) {
    CorrelationParts parts;
    parts.seconds = take_tail(text, "_");
    parts.query_hash = take_tail(text, "_");
    parts.session = text;
    const bool is_right = !parts.session.empty() && is_hash(parts.query_hash) &&
                          !parts.seconds.empty() && is_digits(parts.seconds);
    return is_right ? parts : CorrelationParts{};
}

bool is_correlation_id(std::string_view text) {
    return !split_correlation_id(text).session.empty();
}

std::string make_correlation_id(std::string_view session, std::string_view query, Time now) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
    // A date before 1970 has no such time.
    const auto count = std::max<std::int64_t>(0, seconds.count());
    return fmt::format("{}_{}_{}", session, query_hash(query), count);
}

std::string derived_correlation_id(std::string_view workflow, Time began) {
    return make_correlation_id(workflow, workflow, began);
}

std::string_view workflow_of(std::string_view correlation_id) {
    const CorrelationParts parts = split_correlation_id(correlation_id);
    const bool is_derived = !parts.session.empty() && parts.query_hash == query_hash(parts.session);
    return is_derived ? parts.session : correlation_id;
}

bool is_error_code(std::string_view text) {
    if (text.find('_') == std::string_view::npos || text.find("__") != std::string_view::npos) {
        return false;
    }
    return is_code_letter(text.front()) && is_code_letter(text.back()) &&
           std::ranges::all_of(text, [](char c) { return c == '_' || is_code_letter(c); });
}

std::string make_error_code(std::string_view text) {
    constexpr std::size_t kBytesMax = 100;
    std::string code = "AGENT";
    bool is_between = true;
    for (char c : text.substr(0, kBytesMax)) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        if (!is_code_letter(c)) {
            is_between = true;
            continue;
        }
        if (is_between) code += '_';
        is_between = false;
        code += c;
    }
    if (code == "AGENT") return "AGENT_ERROR";
    const std::string_view own = std::string_view{code}.substr(std::string_view{"AGENT_"}.size());
    return is_error_code(own) ? std::string{own} : code;
}

}  // namespace parlance::dialects
