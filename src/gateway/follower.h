// Followers read an answer as the answer comes: its parts, then the whole, from any part on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gateway/desk.h"

namespace parlance::gateway {

/// A part or the answer for a follower. The answer's number follows the last part's.
struct PartTold {
    std::uint64_t number = 0;
    std::uint32_t attempt =
        0;  ///< The delivery attempt that sent the part; parts of an attempt belong together.
    bool is_answer = false;
    std::string json;
};

struct Follower {
    std::uint64_t id = 0;  ///< Of the follower's reader in the feed.
    CallerPtr caller;
    std::string asker;
    std::string request;     ///< The message's id.
    std::uint64_t told = 0;  ///< Number of the last part that was sent.
    EnvelopePtr asked{};     ///< Read first: sets dialect and placeholders of the parts.
    std::function<void(const PartTold&)> tell;
    std::function<void(const Error&)> fail;  ///< The next record is unreadable.
    std::function<void()> end;               ///< Nothing more will come.
    std::function<std::size_t()> backlog_bytes;
    bool is_on_connection = false;  ///< Else the follower has its own HTTP response.
    bool is_reading = false;
    bool is_closed = false;
};
using FollowerPtr = std::shared_ptr<Follower>;

/// Sends the existing parts and goes on with new parts.
void follow(Desk& desk, const FollowerPtr& follower);
/// The follower wants no more.
void unfollow(Desk& desk, Follower& follower);
/// Sends new parts to each follower; called once a turn.
void tell_followers(Desk& desk);
/// Calls `use` with an open or recorded request, at once if the request is open; with the error if
/// the record is unreadable. False: the caller's line in Desk::records is full, and `use` is not
/// called.
[[nodiscard]] bool with_asked(Desk& desk,
                              const Caller& caller,
                              Ticket request,
                              std::function<void(const Result<EnvelopePtr>&)> use);
/// Calls `use` with the record of a sequence in the same way.
[[nodiscard]] bool with_record(Desk& desk,
                               const Caller& caller,
                               Sequence at,
                               std::function<void(const Result<EventPtr>&)> use);
/// The answer to a caller whose line is full.
transport::Response too_many_reads();
std::string too_many_reads_words();
/// Whether a caller who may act for the requester may read the answer: a request for a user needs a
/// grant too.
bool may_follow(const Desk& desk, const Caller& caller, Ticket request, const Envelope& asked);
/// Whether a reader claims more parts of an answer than exist.
bool is_beyond(const core::StreamStanding& standing, std::uint64_t after);
/// The message for is_beyond().
std::string beyond_words(const core::StreamStanding& standing, std::uint64_t after);
/// Ends followers whose caller's credential was revoked or has expired.
void end_fallen_followers(Desk& desk);

}  // namespace parlance::gateway
