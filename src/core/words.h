// Primitives of packed things and snapshots: writing each, and reading each back from bytes that
// may be garbage.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/short_text.h"
#include "base/time.h"

namespace parlance::core {

inline void put(std::string& out, std::uint64_t number) { append_varint(out, number); }
inline void put(std::string& out, std::string_view text) {
    append_varint(out, text.size());
    out.append(text);
}
inline void put(std::string& out, Time time) {
    append_varint(out, to_zigzag(time.time_since_epoch().count()));
}

/// From here on the bytes read as nothing, and in the end as garbage.
inline void spoil(ByteReader& in) { in.bytes(in.left() + 1); }
inline void expect(ByteReader& in, bool is_sound) {
    if (!is_sound) spoil(in);
}

inline std::string take_text(ByteReader& in) { return std::string{in.bytes(in.varint())}; }

/// How a snapshot stores cold things. Plain: field by field, up to form 6. Short: with texts in few
/// bytes, forms 7 and 8. Sparse: as packed now, with only the fields that differ from their
/// defaults.
enum class RecordEncoding { Plain, Short, Sparse };
inline std::string take_text(ByteReader& in, RecordEncoding encoding) {
    return encoding == RecordEncoding::Plain ? take_text(in) : take_short(in);
}

/// A number of at most `last`.
inline std::uint64_t take_number(ByteReader& in, std::uint64_t last) {
    const auto number = in.varint();
    expect(in, number <= last);
    return number <= last ? number : 0;
}

/// A packed time is read unchecked; a snapshot checks it.
inline Time take_any_time(ByteReader& in) { return Time{Duration{from_zigzag(in.varint())}}; }

/// True for a time that other times can be added to without overflow.
inline constexpr std::int64_t kLastTime = std::int64_t{1} << 50U;
constexpr bool is_near(Time time) {
    const auto count = time.time_since_epoch().count();
    return count >= -kLastTime && count <= kLastTime;
}
inline Time take_time(ByteReader& in) {
    const auto time = take_any_time(in);
    expect(in, is_near(time));
    return is_near(time) ? time : Time{};
}

/// A count no larger than the bytes left, so that garbage cannot ask for huge memory.
inline std::uint64_t take_count(ByteReader& in) { return take_number(in, in.left()); }

template <class Enum>
Enum take_enum(ByteReader& in, Enum first, Enum last) {
    const auto number = in.varint();
    const bool is_sound =
        number >= static_cast<std::uint64_t>(first) && number <= static_cast<std::uint64_t>(last);
    expect(in, is_sound);
    return is_sound ? static_cast<Enum>(number) : first;
}

}  // namespace parlance::core
