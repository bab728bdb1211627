#include "base/iso_time.h"

#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include "base/plain_text.h"

namespace parlance {

namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Time kFirst = std::chrono::sys_days{std::chrono::year{0} / 1 / 1};
constexpr Time kPastLast = std::chrono::sys_days{std::chrono::year{10000} / 1 / 1};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes recognised parts from the front of the text.
struct Reader {
    std::string_view rest;

    bool take(char wanted) {
        if (rest.empty() || rest.front() != wanted) return false;
        rest.remove_prefix(1);
        return true;
    }

    /// Takes exactly kCount digits with a value in [least, most].
    template <std::size_t kCount>
    std::optional<int> number(int least, int most) {
        if (rest.size() < kCount) return {};
        int value = 0;
        for (std::size_t i = 0; i < kCount; ++i) {
            if (!is_digit(rest[i])) return {};
            value = value * 10 + (rest[i] - '0');
        }
        if (value < least || value > most) return {};
        rest.remove_prefix(kCount);
        return value;
    }
};

std::optional<Time> read_date(Reader& reader) {
    const auto year = reader.number<4>(0, 9999);
    if (!year || !reader.take('-')) return {};
    const auto month = reader.number<2>(1, 12);
    if (!month || !reader.take('-')) return {};
    const auto day = reader.number<2>(1, 31);
    if (!day) return {};
    const std::chrono::year_month_day date{std::chrono::year{*year},
                                           std::chrono::month{static_cast<unsigned>(*month)},
                                           std::chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok()) return {};
    return std::chrono::sys_days{date};
}

/// Reads the digits after the point, truncated to milliseconds.
std::optional<Duration> read_fraction(Reader& reader) {
    int milliseconds = 0;
    int weight = 100;
    std::size_t count = 0;
    while (count < reader.rest.size() && is_digit(reader.rest[count])) {
        milliseconds += weight * (reader.rest[count] - '0');
        weight /= 10;
        ++count;
    }
    if (count == 0) return {};
    reader.rest.remove_prefix(count);
    return Duration{milliseconds};
}

std::optional<Duration> read_time_of_day(Reader& reader) {
    const auto hour = reader.number<2>(0, 23);
    if (!hour || !reader.take(':')) return {};
    const auto minute = reader.number<2>(0, 59);
    if (!minute) return {};
    Duration time = hours{*hour} + minutes{*minute};
    if (!reader.take(':')) return time;
    const auto second = reader.number<2>(0, 59);
    if (!second) return {};
    time += seconds{*second};
    if (!reader.take('.')) return time;
    const auto fraction = read_fraction(reader);
    if (!fraction) return {};
    return time + *fraction;
}

/// How far local time is ahead of UTC: "Z", "+02:00", "+0200", "+02", or an empty rest.
std::optional<Duration> read_offset(Reader& reader) {
    if (reader.rest.empty() || reader.take('Z')) return Duration{0};
    const bool is_west = reader.take('-');
    if (!is_west && !reader.take('+')) return {};
    const auto hour = reader.number<2>(0, 23);
    if (!hour) return {};
    Duration offset = hours{*hour};
    if (reader.take(':') || !reader.rest.empty()) {
        const auto minute = reader.number<2>(0, 59);
        if (!minute) return {};
        offset += minutes{*minute};
    }
    return is_west ? -offset : offset;
}

std::optional<Time> read_instant(Reader reader) {
    const auto date = read_date(reader);
    if (!date || reader.rest.empty()) return date;
    if (!reader.take('T')) return {};
    const auto time_of_day = read_time_of_day(reader);
    if (!time_of_day) return {};
    const auto offset = read_offset(reader);
    if (!offset || !reader.rest.empty()) return {};
    const Time instant = *date + *time_of_day - *offset;
    if (instant < kFirst || instant >= kPastLast) return {};  // Out of range by the offset.
    return instant;
}

}  // namespace

std::optional<Time> iso_time_in(std::string_view text) { return read_instant(Reader{text}); }

Result<Time> parse_iso_time(std::string_view text) {
    if (const auto instant = iso_time_in(text)) return *instant;
    return fail(Fault::Malformed,
                fmt::format("'{}' is not an ISO 8601 time such as 2025-11-23T10:00:00.123Z",
                            cut(text, 40)));
}

namespace {

/// Writes kCount digits of the number.
template <std::size_t kCount>
void put_digits(char* out, std::int64_t number) {
    for (std::size_t i = kCount; i-- > 0; number /= 10) {
        out[i] = static_cast<char>('0' + number % 10);
    }
}

}  // namespace

std::string print_iso_time(Time time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{time - day};
    const int year = static_cast<int>(date.year());
    if (year < 0 || year > 9999) {  // The calendar has years of more than four digits.
        return fmt::format("{:04}-01-01T00:00:00.000Z", year);
    }
    std::string text = "0000-00-00T00:00:00.000Z";
    put_digits<4>(text.data(), year);
    put_digits<2>(text.data() + 5, static_cast<unsigned>(date.month()));
    put_digits<2>(text.data() + 8, static_cast<unsigned>(date.day()));
    put_digits<2>(text.data() + 11, clock.hours().count());
    put_digits<2>(text.data() + 14, clock.minutes().count());
    put_digits<2>(text.data() + 17, clock.seconds().count());
    put_digits<3>(text.data() + 20, clock.subseconds().count());
    return text;
}

}  // namespace parlance
