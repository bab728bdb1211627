#include "dialects/id_forms.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

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

/// The text after the last of these two separators; `text` keeps the text before.
template <char kOne, char kOther = kOne>
std::string_view take_tail(std::string_view& text) {
    std::size_t at = text.size();
    while (at > 0 && text[at - 1] != kOne && text[at - 1] != kOther) --at;
    if (at == 0) return {};
    const std::string_view tail = text.substr(at);
    text = text.substr(0, at - 1);
    return tail;
}

std::int64_t number_of(std::string_view digits) {
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

struct FreeContext {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

/// 20250118143022 as a time; nothing if there is no such day or hour.
std::optional<Time> time_of_digits(std::string_view digits) {
    constexpr std::string_view kPattern = "0000-00-00T00:00:00Z";
    std::array<char, kPattern.size()> text{};
    const char* digit = digits.data();
    for (std::size_t i = 0; i < kPattern.size(); ++i) {
        text[i] = kPattern[i] == '0' ? *digit++ : kPattern[i];
    }
    return iso_time_in({text.data(), text.size()});
}

/// The document demands MD5; nothing here relies on the hash being hard to forge.
std::string query_hash(std::string_view query) {
    static const EVP_MD* const md5 = EVP_MD_fetch(nullptr, "MD5", nullptr);
    CHECK(md5 != nullptr);
    // Making a context costs more than hashing an id, so each thread keeps a context.
    thread_local const std::unique_ptr<EVP_MD_CTX, FreeContext> context{EVP_MD_CTX_new()};
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    CHECK(context != nullptr && EVP_DigestInit_ex2(context.get(), md5, nullptr) == 1);
    CHECK(EVP_DigestUpdate(context.get(), query.data(), query.size()) == 1);
    CHECK(EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1);
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hash(kHashDigits, '0');
    for (std::size_t i = 0; i < kHashDigits; ++i) {
        hash[i] = kDigits[i % 2 == 0 ? digest[i / 2] >> 4U : digest[i / 2] & 0xFU];
    }
    return hash;
}

}  // namespace

bool ends_in_time(std::string_view text) {
    const std::string_view last = take_tail<'-', '_'>(text);
    if (!is_digits(last) || text.empty()) return false;
    if (last.size() == 14 || (last.size() >= 10 && last.size() <= 13)) return true;
    const std::string_view day = take_tail<'-', '_'>(text);
    return last.size() == 6 && day.size() == 8 && is_digits(day) && !text.empty();
}

std::optional<Time> time_in(std::string_view text) {
    if (!ends_in_time(text)) return {};
    const std::string_view last = take_tail<'-', '_'>(text);
    constexpr std::size_t kSecondsDigits = 10;
    constexpr std::size_t kMillisecondsDigits = 13;
    if (last.size() == kSecondsDigits) return Time{std::chrono::seconds{number_of(last)}};
    if (last.size() == kMillisecondsDigits) return Time{Duration{number_of(last)}};
    if (last.size() == 14) return time_of_digits(last);
    if (last.size() != 6) return {};
    std::string digits{take_tail<'-', '_'>(text)};
    return time_of_digits(digits.append(last));
}

CorrelationParts split_correlation_id(std::string_view text) {
    CorrelationParts parts;
    parts.seconds = take_tail<'_'>(text);
    parts.query_hash = take_tail<'_'>(text);
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
    // Unsigned in the id's format, so dates before 1970 become 0.
    const auto count = std::max<std::int64_t>(0, seconds.count());
    std::string id{session};
    id.append(1, '_').append(query_hash(query)).append(1, '_').append(std::to_string(count));
    return id;
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
