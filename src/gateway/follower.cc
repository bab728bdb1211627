// GET /v1/requests/{message_id}/stream, and all other followers of an answer (X18).
//
// The parts are stored only in the journal; a follower has a position in the journal and reads on.
#include "gateway/follower.h"

#include <algorithm>

#include "base/json_write.h"
#include "dialects/claim.h"
#include "gateway/admission.h"
#include "gateway/handlers.h"
#include "gateway/personal.h"
#include "gateway/problem.h"
#include "gateway/stream.h"
#include "gateway/unreadable.h"

namespace parlance::gateway {

namespace {

constexpr std::size_t kPartsAtOnce = 64;
/// A follower with a backlog of this size gets no more until the backlog is sent.
constexpr std::size_t kBacklogBytes = transport::kUnsentBytesPause;

core::StreamQuery query_of(const Follower& follower) {
    return {.asker = follower.asker,
            .id = follower.request,
            .after = follower.told,
            .count_max = kPartsAtOnce};
}

void finish(Desk& desk, Follower& follower) {
    unfollow(desk, follower);
    follower.end();
}

/// The records a follower needs next, the request itself first; empty: nothing yet.
std::vector<Sequence> next_for(const Follower& follower, const core::StreamStanding& standing) {
    auto places = standing.parts;
    const bool is_all = follower.told + places.size() >= standing.parts_count;
    if (is_all && standing.answer != Sequence{}) places.push_back(standing.answer);
    if (!places.empty() && !follower.asked) {
        places.insert(places.begin(), core::sequence_of(standing.request));
    }
    return places;
}

void tell_part(Desk& desk, Follower& follower, const ProgressReported& part) {
    follower.told = part.number;
    const auto& asked = *follower.asked;
    follower.tell({.number = part.number,
                   .attempt = part.attempt,
                   .json = sees_placeholders(*follower.caller)
                               ? redacted_note(desk.options, asked, part.note)
                               : restored_for_asker(desk, asked, asked.to(), part.note)});
}

void tell_answer(Desk& desk, Follower& follower, const EnvelopePtr& said, const Failure& failure) {
    const auto& asked = *follower.asked;
    auto answer = shown(desk, said, failure, asked.dialect());
    if (sees_placeholders(*follower.caller)) {
        answer = redacted_answer(desk.options, asked, answer);
    }
    follower.tell({.number = ++follower.told, .is_answer = true, .json = std::move(answer)});
    finish(desk, follower);
}

void take(Desk& desk, Follower& follower, const Event& event) {
    if (const auto* accepted = std::get_if<MessageAccepted>(&event)) {
        follower.asked = accepted->envelope;
    } else if (const auto* part = std::get_if<ProgressReported>(&event)) {
        tell_part(desk, follower, *part);
    } else if (const auto* answered = std::get_if<RequestAnswered>(&event)) {
        tell_answer(desk, follower, answered->envelope, {});
    } else if (const auto* failed = std::get_if<RequestFailed>(&event)) {
        tell_answer(desk, follower, follower.asked, {failed->refusal, failed->detail});
    }
}

bool begin_read(Desk& desk, const FollowerPtr& follower);

void read_on(Desk& desk, const FollowerPtr& follower) {
    const bool is_busy =
        follower->is_reading || follower->is_closed || follower->backlog_bytes() > kBacklogBytes;
    if (is_busy) return;
    const auto standing = desk.engine->stream(query_of(*follower));
    if (!standing) return finish(desk, *follower);
    if (next_for(*follower, *standing).empty()) return;
    follower->is_reading = true;
    desk.reads.push([&desk, follower] { return begin_read(desk, follower); });
}

void take_parts(Desk& desk,
                const FollowerPtr& follower,
                const Result<std::vector<EventPtr>>& events) {
    if (!events && events.error().fault == Fault::Exhausted && !follower->is_closed) {
        return desk.loop.after(kShortagePause, [&desk, follower] {
            follower->is_reading = false;
            read_on(desk, follower);
        });
    }
    follower->is_reading = false;
    if (follower->is_closed) return;
    if (!events) {
        follower->fail(events.error());
        return finish(desk, *follower);
    }
    for (const auto& event : *events) take(desk, *follower, *event);
    read_on(desk, follower);
}

/// By now there may be more records to read, or none.
bool begin_read(Desk& desk, const FollowerPtr& follower) {
    if (follower->is_closed) return false;
    const auto standing = desk.engine->stream(query_of(*follower));
    auto places = standing ? next_for(*follower, *standing) : std::vector<Sequence>{};
    if (places.empty()) {
        follower->is_reading = false;
        if (!standing) finish(desk, *follower);
        return false;
    }
    auto& loop = desk.loop;
    desk.feed.read_each(follower->id,
                        std::move(places),
                        [&desk, &loop, follower](const Result<std::vector<EventPtr>>& events) {
                            loop.post([&desk, follower, events] {
                                desk.reads.done();
                                take_parts(desk, follower, events);
                            });
                        });
    return true;
}

/// In JSON a line can end only between two tokens.
std::string on_one_line(std::string json) {
    std::ranges::replace_if(
        json, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return json;
}

std::string event_of(const PartTold& said) {
    json::ObjectWriter data;
    data.integer("number", static_cast<std::int64_t>(said.number));
    if (!said.is_answer) data.integer("attempt", said.attempt);
    data.raw(said.is_answer ? "answer" : "note", on_one_line(said.json));
    return "id: " + std::to_string(said.number) +
           "\nevent: " + (said.is_answer ? "answer" : "part") + "\ndata: " + data.done() + "\n\n";
}

/// An EventSource, and the exchange that keeps its connection open.
struct Listener : Follower {
    ExchangePtr exchange;
};

void begin(Desk& desk, const Call& call, std::string asker, std::uint64_t after) {
    const auto listener = std::make_shared<Listener>();
    listener->caller = call.caller;
    listener->asker = std::move(asker);
    listener->request = call.captures.at(0);
    listener->told = after;
    listener->exchange = call.exchange;
    // A raw pointer: the listener owns both the callbacks and the exchange.
    auto* const exchange = call.exchange.get();
    listener->tell = [exchange](const PartTold& said) { exchange->write(event_of(said)); };
    listener->fail = [exchange](const Error& error) { exchange->write(unreadable_event(error)); };
    listener->end = [exchange] { exchange->end_stream(); };
    listener->backlog_bytes = [exchange] { return exchange->backlog_bytes(); };
    call.exchange->on_gone([&desk, weak = std::weak_ptr{listener}] {
        if (const auto gone = weak.lock()) unfollow(desk, *gone);
    });
    call.exchange->begin_stream({.content_type = "text/event-stream",
                                 .headers = {{"Cache-Control", "no-store"}},
                                 .body = {}});
    comfort(desk, std::weak_ptr{listener});
    follow(desk, listener);
}

transport::Response not_there(std::string_view id, bool is_forgotten) {
    return problem(
        Refusal::DelegationNotFound,
        is_forgotten ? "the parts of the answer to '" + json::shortened(id) + "' are no longer kept"
                     : "there is no request '" + json::shortened(id) + "' of this agent");
}

/// For callers that may read the answer.
void answer_stream(Desk& desk,
                   const Call& call,
                   const std::string& asker,
                   const core::StreamStanding& standing,
                   std::uint64_t after) {
    if (is_beyond(standing, after)) {
        return call.exchange->respond(
            problem(Refusal::SequenceNotFound, beyond_words(standing, after)));
    }
    const bool has_all = standing.answer != Sequence{} && after > standing.parts_count;
    if (has_all) return call.exchange->respond({.status = 204, .headers = {}, .body = {}});
    if (const auto lack = lack_of_lines(desk, *call.caller)) {
        return call.exchange->respond(problem(Refusal::ConnectionLimitExceeded, *lack));
    }
    begin(desk, call, asker, after);
}

}  // namespace

bool is_beyond(const core::StreamStanding& standing, std::uint64_t after) {
    return after > standing.parts_count + (standing.answer == Sequence{} ? 0U : 1U);
}

std::string beyond_words(const core::StreamStanding& standing, std::uint64_t after) {
    return "after is " + std::to_string(after) + ", and the request has " +
           std::to_string(standing.parts_count) + " parts so far";
}

void follow(Desk& desk, const FollowerPtr& follower) {
    follower->id = ++desk.reply_target_last;
    desk.followers.push_back(follower);
    read_on(desk, follower);
}

void unfollow(Desk& desk, Follower& follower) {
    if (follower.is_closed) return;
    follower.is_closed = true;
    desk.feed.close(follower.id);
}

void tell_followers(Desk& desk) {
    std::erase_if(desk.followers, [](const auto& follower) { return follower->is_closed; });
    const auto followers = desk.followers;  // A copy: ending a follower may begin a new one.
    for (const auto& follower : followers) read_on(desk, follower);
}

bool with_record(Desk& desk,
                 const Caller& caller,
                 Sequence at,
                 std::function<void(const Result<EventPtr>&)> use) {
    auto who = line_of(caller);
    return desk.records.push(who, [&desk, who, at, use = std::move(use)] {
        auto& loop = desk.loop;
        desk.feed.read_one(at, [&desk, &loop, who, use](const Result<EventPtr>& event) {
            loop.post([&desk, who, use, event] {
                desk.records.done(who);
                use(event);
            });
        });
        return true;
    });
}

bool with_asked(Desk& desk,
                const Caller& caller,
                Ticket request,
                std::function<void(const Result<EnvelopePtr>&)> use) {
    const auto* open = core::broker::find_request(desk.engine->state().requests, request);
    if (open != nullptr) {
        use(open->asked);
        return true;
    }
    return with_record(desk,
                       caller,
                       core::sequence_of(request),
                       [use = std::move(use)](const Result<EventPtr>& event) {
                           if (!event) return use(tl::unexpected(event.error()));
                           const auto* accepted = std::get_if<MessageAccepted>(event->get());
                           use(accepted == nullptr ? nullptr : accepted->envelope);
                       });
}

std::string too_many_reads_words() {
    return std::to_string(FairLines::kWaitingMax) +
           " reads of this caller wait for the journal, and no more may";
}

transport::Response too_many_reads() {
    return problem(Refusal::HubOverloaded, too_many_reads_words());
}

bool may_follow(const Desk& desk, const Caller& caller, Ticket request, const Envelope& asked) {
    const auto claim = dialects::may_name_user(asked) ? dialects::claim_of(asked) : nullptr;
    return core::may_know_of(
        desk.engine->state(), caller, request, claim ? std::string_view{claim->user} : "");
}

void end_fallen_followers(Desk& desk) {
    for (const auto& follower : desk.followers) {
        if (!follower->is_closed && !stands(desk, *follower->caller)) finish(desk, *follower);
    }
}

void get_stream(Desk& desk, Call& call) {
    const auto& request = call.request();
    const auto last = request.header("Last-Event-ID");
    const auto said = last.empty() ? request.parameter("after") : last;
    const auto after = said.empty() ? std::optional<std::uint64_t>{0} : parse_number(said);
    if (!after) {
        return call.exchange->respond(problem(Refusal::InputValidationFailed,
                                              "after and Last-Event-ID must be whole numbers"));
    }
    std::string asker{request.parameter("agent")};
    if (asker.empty()) asker = call.caller->agent.value;
    const std::string_view id = call.captures.at(0);
    // Another agent's request is answered like a missing request.
    auto standing = desk.engine->stream({.asker = asker, .id = id, .after = *after});
    if (standing && !may_act_for(*call.caller, asker)) {
        record_unseen(desk,
                      Refusal::IdentityMismatch,
                      "request '" + json::shortened(id) + "' of '" + json::shortened(asker) + "'",
                      call.caller);
        standing.reset();
    }
    if (!standing || standing->is_forgotten) {
        return call.exchange->respond(not_there(id, standing.has_value()));
    }
    const bool is_taken = with_asked(
        desk,
        *call.caller,
        standing->request,
        [&desk, call, asker, standing = *standing, after = *after](
            const Result<EnvelopePtr>& asked) {
            if (!asked) return call.exchange->respond(unreadable(asked.error()));
            const bool is_there =
                *asked != nullptr && may_follow(desk, *call.caller, standing.request, **asked);
            if (!is_there) return call.exchange->respond(not_there(call.captures.at(0), false));
            answer_stream(desk, call, asker, standing, after);
        });
    if (!is_taken) call.exchange->respond(too_many_reads());
}

}  // namespace parlance::gateway
