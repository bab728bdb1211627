// The building blocks of snapshots, beyond core/words.h. Included by the snapshot*.cc files only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "core/core.h"
#include "core/snapshot_pieces.h"
#include "core/words.h"

namespace parlance::core {

/// Collects the bytes of a state and hands them on whenever a piece is full.
class PieceWriter {
  public:
    PieceWriter(const PieceSink& sink, std::size_t piece_bytes)
        : sink_{sink}, piece_bytes_{piece_bytes} {}

    std::string& bytes() { return bytes_; }

    /// Called before each item of a table that may be long; PieceReader::refill() is called at the
    /// same positions. False when no more is wanted: the rest of the table need not be written.
    bool spill() {
        if (bytes_.size() < piece_bytes_) return is_wanted_;
        hand_on();
        // An eighth more for the item that completes the piece, so that the string seldom grows.
        if (is_wanted_) bytes_.reserve(piece_bytes_ + piece_bytes_ / 8);
        return is_wanted_;
    }
    bool finish() {
        if (!bytes_.empty()) hand_on();
        return is_wanted_;
    }

  private:
    void hand_on() {
        if (is_wanted_) is_wanted_ = sink_(std::move(bytes_));
        bytes_ = {};
    }

    const PieceSink& sink_;
    std::size_t piece_bytes_;
    std::string bytes_;
    bool is_wanted_ = true;
};

/// Reads the pieces of a PieceWriter, one at a time; or the whole state as one piece.
class PieceReader : public ByteReader {
  public:
    explicit PieceReader(std::string_view whole) : ByteReader(whole) {}
    PieceReader(const PieceSource& source, std::uint64_t bytes_max)
        : ByteReader({}), source_{&source}, bytes_later_{bytes_max} {}

    /// Goes on to the next piece where this one ends.
    void refill() {
        if (source_ == nullptr || !ok() || !at_end()) return;
        const auto has_more = (*source_)(piece_);
        if (!has_more) {
            error_ = has_more.error();
            return core::spoil(*this);
        }
        if (!*has_more) {
            source_ = nullptr;
            return;
        }
        if (piece_.size() > bytes_later_) return core::spoil(*this);
        bytes_later_ -= piece_.size();
        ByteReader::operator=(ByteReader{piece_});
    }
    /// True if all pieces were read to their end.
    bool is_complete() {
        refill();
        return ok() && at_end();
    }
    std::uint64_t bytes_later() const { return bytes_later_; }    ///< In pieces to come, at most.
    const std::optional<Error>& error() const { return error_; }  ///< Of the source.

  private:
    const PieceSource* source_ = nullptr;
    std::uint64_t bytes_later_ = 0;
    std::string piece_;
    std::optional<Error> error_;
};

/// How many items follow, in this piece and in those to come.
inline std::uint64_t take_count(PieceReader& in) {
    return take_number(in, in.left() + in.bytes_later());
}

inline Priority take_priority(ByteReader& in) {
    return take_enum(in, Priority::Critical, Priority::Low);
}

/// Tickets in ascending order, each once, and none from the future.
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

/// The governor: snapshot_governor.cc.
void put_governor(PieceWriter& pieces, const governor::Governor& governor);
void take_governor(PieceReader& in, State& state, RecordEncoding encoding, std::uint64_t form);
/// The shared state: snapshot_shared.cc.
void put_shared(PieceWriter& pieces, const shared::Shared& shared);
void take_shared(PieceReader& in, State& state);

/// Running workflows: snapshot_workflow.cc.
void put_workflows(PieceWriter& pieces, const workflow::Workflows& workflows);
void take_workflows(PieceReader& in, State& state, RecordEncoding encoding);
/// Human tasks: snapshot_people.cc.
void put_people(PieceWriter& pieces, const people::People& people);
void take_people(PieceReader& in, State& state, RecordEncoding encoding);
/// Handoffs and calls: snapshot_handing.cc.
void put_handing(PieceWriter& pieces, const State& state);
void take_handing(PieceReader& in, State& state, std::uint64_t form);

/// Streamed answers: snapshot_streams.cc.
void put_streams(PieceWriter& pieces, const broker::Streams& streams);
void take_streams(PieceReader& in, State& state);
/// Held requests, approvals and the stop: snapshot_held.cc, snapshot_governor.cc.
void put_held(PieceWriter& pieces, const governor::Governor& governor);
void take_held(PieceReader& in, State& state, std::uint64_t form);
void put_approved(PieceWriter& pieces, const governor::Governor& governor);
void take_approved(PieceReader& in, governor::Governor& governor);
void put_stop(PieceWriter& pieces, const governor::Governor& governor);
void take_stop(PieceReader& in, governor::Governor& governor);

}  // namespace parlance::core
