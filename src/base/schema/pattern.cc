#include "base/schema/pattern.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <re2/re2.h>

namespace parlance::schema {

namespace {

constexpr std::int64_t kMemoryBytesMax = std::int64_t{256} << 10;
constexpr std::size_t kPatternBytesMax = 4096;

/// The value of four hexadecimal digits after "\u", if present.
std::optional<unsigned> unit_at(std::string_view text, std::size_t at) {
    if (text.size() < at + 6 || text.substr(at, 2) != "\\u") return {};
    unsigned unit = 0;
    const char* const digits = text.data() + at + 2;
    const auto read = std::from_chars(digits, digits + 4, unit, 16);
    if (read.ptr != digits + 4) return {};
    return unit;
}

/// Translates "\u00e9", "\uD83D\uDE00" and "\u{1F600}" to RE2's "\x{…}". Returns the size read.
std::size_t translate_unicode(std::string_view text, std::size_t at, std::string& out) {
    if (text.substr(at, 3) == "\\u{") {
        out += "\\x{";
        return 3;
    }
    const auto unit = unit_at(text, at);
    if (!unit) {
        out += "\\u";  // RE2 reports the error.
        return 2;
    }
    const auto second = unit_at(text, at + 6);
    const bool is_pair = (*unit & 0xFC00U) == 0xD800U && second && (*second & 0xFC00U) == 0xDC00U;
    const unsigned code =
        is_pair ? 0x10000U + ((*unit & 0x3FFU) << 10U) + (*second & 0x3FFU) : *unit;
    out += fmt::format("\\x{{{:x}}}", code);
    return is_pair ? 12 : 6;
}

/// Translates the few notations that RE2 writes differently.
std::string re2_notation(std::string_view ecma) {
    std::string out;
    bool is_class = false;
    for (std::size_t at = 0; at < ecma.size();) {
        const auto rest = ecma.substr(at);
        if (rest.starts_with("\\u")) {
            at += translate_unicode(ecma, at, out);
        } else if (rest.front() == '\\' && rest.size() > 1) {
            out += rest.substr(0, 2);
            at += 2;
        } else if (!is_class && rest.starts_with("(?<") && !rest.starts_with("(?<=") &&
                   !rest.starts_with("(?<!")) {
            out += "(?P<";
            at += 3;
        } else {
            if (rest.front() == '[') is_class = true;
            if (rest.front() == ']') is_class = false;
            out += rest.front();
            ++at;
        }
    }
    return out;
}

std::shared_ptr<const re2::RE2> expression_of(std::string_view ecma) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kMemoryBytesMax);
    return std::make_shared<const re2::RE2>(re2_notation(ecma), options);
}

/// RE2 reports lookaround as a bad Perl operator, and a backreference as a bad escape.
bool is_irregular(const re2::RE2& expression) {
    const auto& argument = expression.error_arg();
    switch (expression.error_code()) {
        case re2::RE2::ErrorBadPerlOp:
        case re2::RE2::ErrorBadNamedCapture:
            return argument.starts_with("(?=") || argument.starts_with("(?!") ||
                   argument.starts_with("(?<");
        case re2::RE2::ErrorBadEscape:
            return argument.size() > 1 && argument[1] >= '1' && argument[1] <= '9';
        default:
            return false;
    }
}

}  // namespace

Pattern::Pattern(std::string source, std::shared_ptr<const re2::RE2> expression)
    : source_{std::move(source)}, expression_{std::move(expression)} {}

Result<Pattern> Pattern::compile(std::string_view ecma) {
    if (ecma.size() > kPatternBytesMax) {
        return fail(Fault::Unsupported,
                    fmt::format("has more than {} bytes of pattern", kPatternBytesMax));
    }
    auto expression = expression_of(ecma);
    if (expression->ok()) return Pattern{std::string{ecma}, std::move(expression)};
    if (is_irregular(*expression)) {
        return fail(Fault::Unsupported,
                    fmt::format("has {}: lookaround and backreferences cannot be matched in linear "
                                "time and are not supported",
                                expression->error_arg()));
    }
    return fail(
        Fault::Malformed,
        fmt::format("is not a regular expression that can be used: {}", expression->error()));
}

bool Pattern::matches(std::string_view text) const {
    return re2::RE2::PartialMatch({text.data(), text.size()}, *expression_);
}

std::size_t Pattern::size() const { return static_cast<std::size_t>(expression_->ProgramSize()); }

bool is_pattern(std::string_view text) {
    if (text.size() > kPatternBytesMax) return false;
    const auto expression = expression_of(text);
    return expression->ok() || is_irregular(*expression) ||
           expression->error_code() == re2::RE2::ErrorPatternTooLarge ||
           expression->error_code() == re2::RE2::ErrorRepeatSize;
}

}  // namespace parlance::schema
