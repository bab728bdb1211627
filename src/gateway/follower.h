// One that reads an answer as it comes: its parts, then the whole; from any part on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gateway/desk.h"

namespace parlance::gateway {

/// What a follower is told. The answer has the number behind the last part.
struct PartTold {
    std::uint64_t number = 0;
    std::uint32_t attempt =
        0;  ///< Of the delivery that brought the part; parts of one go together.
    bool is_answer = false;
    std::string json;
};

struct Follower {
    std::uint64_t id = 0;  ///< Of its reader of the record.
    CallerPtr caller;
    std::string asker;
    std::string request;     ///< The message's id.
    std::uint64_t told = 0;  ///< The number of the last that it has.
    EnvelopePtr asked{};     ///< Read first: what is told is told as it was asked.
    std::function<void(const PartTold&)> tell;
    std::function<void(const Error&)> fail;  ///< What is next cannot be read.
    std::function<void()> end;               ///< Nothing more will come.
    std::function<std::size_t()> backlog_bytes;
    bool is_on_connection = false;  ///< Else it has a line of its own.
    bool is_reading = false;
    bool is_closed = false;
};
using FollowerPtr = std::shared_ptr<Follower>;

/// Begins to tell it what there is, and goes on with what comes.
void follow(Desk& desk, const FollowerPtr& follower);
/// It wants no more.
void unfollow(Desk& desk, Follower& follower);
/// Looks what is new for each, once a turn.
void tell_followers(Desk& desk);
/// Calls `use(asked)` with a request that is open or on record, at once if it is open; with why, if
/// it cannot be read.
void with_asked(Desk& desk,
                Ticket request,
                const std::function<void(const Result<EnvelopePtr>&)>& use);
/// Whether the caller, who may act for its asker, may read what comes of it: to be the same agent
/// is not enough where it is for a user.
bool may_follow(const Desk& desk, const Caller& caller, Ticket request, const Envelope& asked);
/// Whether a reader says that it has more parts of an answer than there are.
bool is_beyond(const core::StreamStanding& standing, std::uint64_t after);
/// How it is told so.
std::string beyond_words(const core::StreamStanding& standing, std::uint64_t after);
/// Ends those whose proof holds no more.
void end_fallen_followers(Desk& desk);

}  // namespace parlance::gateway
