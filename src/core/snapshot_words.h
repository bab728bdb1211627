// The words of which a snapshot is made: how each is written, and read back from bytes that may be
// garbage. Shared by the snapshot*.cc files only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "core/core.h"

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

/// A number of at most `last`.
inline std::uint64_t take_number(ByteReader& in, std::uint64_t last) {
    const auto number = in.varint();
    expect(in, number <= last);
    return number <= last ? number : 0;
}

/// A time that can be added to without coming to the end of time.
inline Time take_time(ByteReader& in) {
    constexpr std::int64_t kLast = std::int64_t{1} << 50U;
    const auto count = from_zigzag(in.varint());
    const bool is_sound = count >= -kLast && count <= kLast;
    expect(in, is_sound);
    return Time{Duration{is_sound ? count : 0}};
}

/// A count that cannot be larger than what is left, so that garbage cannot ask for the moon.
inline std::uint64_t take_count(ByteReader& in) { return take_number(in, in.left()); }

template <class Enum>
Enum take_enum(ByteReader& in, Enum first, Enum last) {
    const auto number = in.varint();
    const bool is_sound =
        number >= static_cast<std::uint64_t>(first) && number <= static_cast<std::uint64_t>(last);
    expect(in, is_sound);
    return is_sound ? static_cast<Enum>(number) : first;
}

inline Priority take_priority(ByteReader& in) {
    return take_enum(in, Priority::Critical, Priority::Low);
}

/// Tickets come in their order, each once, and none from the future.
struct TicketOrder {
    Sequence last_sequence;
    Ticket last{};

    Ticket take(ByteReader& in) {
        const Ticket ticket{in.varint()};
        expect(in, ticket > last && sequence_of(ticket) <= last_sequence);
        last = ticket;
        return ticket;
    }
};

/// What a snapshot says of the governor: snapshot_governor.cc.
void put_governor(std::string& out, const governor::Governor& governor);
void take_governor(ByteReader& in, State& state);
/// And of what is shared: snapshot_shared.cc.
void put_shared(std::string& out, const shared::Shared& shared);
void take_shared(ByteReader& in, State& state);

/// And of the workflows that run: snapshot_workflow.cc.
void put_workflows(std::string& out, const workflow::Workflows& workflows);
void take_workflows(ByteReader& in, State& state, std::uint64_t form);
/// And of what waits for people: snapshot_people.cc.
void put_people(std::string& out, const people::People& people);
void take_people(ByteReader& in, State& state, std::uint64_t form);
/// And of what is being handed over: snapshot_handing.cc.
void put_handing(std::string& out, const State& state);
void take_handing(ByteReader& in, State& state);

/// And of answers that come in parts: snapshot_streams.cc.
void put_streams(std::string& out, const broker::Streams& streams);
void take_streams(ByteReader& in, State& state);
/// And of requests that wait for a person: snapshot_held.cc.
void put_held(std::string& out, const governor::Governor& governor);
void take_held(ByteReader& in, State& state);

}  // namespace parlance::core
