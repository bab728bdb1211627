// What a snapshot is made of, beyond plain words. Shared by the snapshot*.cc files only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "core/core.h"
#include "core/words.h"

namespace parlance::core {

inline Priority take_priority(ByteReader& in) {
    return take_enum(in, Priority::Critical, Priority::Low);
}

/// Tickets come in their order, each once, and none from the future.
struct TicketOrder {
    Sequence last_sequence;
    Ticket last{};

    Ticket take(ByteReader& in) {
        const Ticket ticket{in.varint()};
        check(in, ticket);
        return ticket;
    }
    void check(ByteReader& in, Ticket ticket) {
        expect(in, ticket > last && sequence_of(ticket) <= last_sequence);
        last = ticket;
    }
};

/// What a snapshot says of the governor: snapshot_governor.cc.
void put_governor(std::string& out, const governor::Governor& governor);
void take_governor(ByteReader& in, State& state, Packing packing, std::uint64_t form);
/// And of what is shared: snapshot_shared.cc.
void put_shared(std::string& out, const shared::Shared& shared);
void take_shared(ByteReader& in, State& state);

/// And of the workflows that run: snapshot_workflow.cc.
void put_workflows(std::string& out, const workflow::Workflows& workflows);
void take_workflows(ByteReader& in, State& state, Packing packing);
/// And of what waits for people: snapshot_people.cc.
void put_people(std::string& out, const people::People& people);
void take_people(ByteReader& in, State& state, Packing packing);
/// And of what is being handed over: snapshot_handing.cc.
void put_handing(std::string& out, const State& state);
void take_handing(ByteReader& in, State& state, std::uint64_t form);

/// And of answers that come in parts: snapshot_streams.cc.
void put_streams(std::string& out, const broker::Streams& streams);
void take_streams(ByteReader& in, State& state);
/// And of requests that wait for a person: snapshot_held.cc.
void put_held(std::string& out, const governor::Governor& governor);
void take_held(ByteReader& in, State& state, std::uint64_t form);
void put_approved(std::string& out, const governor::Governor& governor);
void take_approved(ByteReader& in, governor::Governor& governor);
void put_stop(std::string& out, const governor::Governor& governor);
void take_stop(ByteReader& in, governor::Governor& governor);

}  // namespace parlance::core
