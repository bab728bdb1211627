// GET /v1/events: all events, as server-sent events, from any sequence.
#include <algorithm>

#include "base/json_write.h"
#include "gateway/admission.h"
#include "gateway/handlers.h"
#include "gateway/problem.h"
#include "gateway/stream.h"
#include "gateway/unreadable.h"

namespace parlance::gateway {

namespace {

constexpr std::size_t kPassageBytes = std::size_t{256} << 10;
/// For a reader with a backlog of this size, reading pauses.
constexpr std::size_t kBacklogBytes = transport::kUnsentBytesPause;
constexpr Duration kBacklogPause{std::chrono::milliseconds{20}};

void finish(Desk& desk, const std::shared_ptr<Stream>& stream) {
    stream->is_closed = true;
    desk.feed.close(stream->id);
    stream->exchange->end_stream();
}

/// Cuts the text to the events that the listener still wants.
std::string limited(Stream& stream, std::string text) {
    if (!stream.left) return text;
    std::size_t end = 0;
    while (*stream.left > 0 && end < text.size()) {
        end = text.find("\n\n", end) + 2;
        --*stream.left;
    }
    text.resize(end);
    return text;
}

/// The operator's log gets a line once, although every listener meets the same damage.
void log_once(Desk& desk, const std::string& what) {
    if (desk.options.log && what != desk.damage_told) desk.options.log("/v1/events: " + what);
    desk.damage_told = what;
}

/// Ends the stream after a disk error; the listener may return later.
void end_at(Desk& desk, const std::shared_ptr<Stream>& stream, const Error& error) {
    log_once(desk, error.message);
    stream->exchange->write(unreadable_event(error));
    finish(desk, stream);
}

/// Stands in for unreadable records. Its id is the last unreadable record's, so that a listener
/// that resumes with the id goes on behind the damage.
std::string damage_event(const views::Damage& damage) {
    const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
    return "id: " + std::to_string(damage.last.value) + "\nevent: error\ndata: " +
           json::ObjectWriter{}
               .text("code", damage_code())
               .text("detail", print(damage))
               .text("segment", damage.segment)
               .integer("offset", number(damage.offset))
               .integer("first", number(damage.first.value))
               .integer("last", number(damage.last.value))
               .done() +
           "\n\n";
}

/// No file descriptor is left to open the journal: the listener keeps its position and waits.
void pump_later(Desk& desk, const std::shared_ptr<Stream>& stream) {
    stream->is_reading = true;
    desk.loop.after(kShortagePause, [&desk, stream] {
        stream->is_reading = false;
        pump(desk, stream);
    });
}

bool begin_read(Desk& desk, const std::shared_ptr<Stream>& stream);

void take_passage(Desk& desk,
                  const std::shared_ptr<Stream>& stream,
                  Result<views::Passage>&& passage) {
    stream->is_reading = false;
    if (stream->is_closed) return;
    if (!passage && passage.error().fault == Fault::Exhausted) return pump_later(desk, stream);
    if (!passage) return end_at(desk, stream, passage.error());
    if (!passage->text.empty()) {
        stream->last = passage->last;
        stream->exchange->write(limited(*stream, std::move(passage->text)));
    }
    const bool is_done =
        (passage->is_end && !stream->follows) || (stream->left && *stream->left == 0);
    if (is_done) return finish(desk, stream);
    if (passage->damage) {
        log_once(desk, print(*passage->damage));
        stream->last = passage->damage->last;
        stream->exchange->write(damage_event(*passage->damage));
    }
    pump(desk, stream);
}

bool begin_read(Desk& desk, const std::shared_ptr<Stream>& stream) {
    if (stream->is_closed) return false;
    auto& loop = desk.loop;
    desk.feed.read(stream->id,
                   {stream->last.value + 1},
                   desk.engine->durable(),
                   kPassageBytes,
                   [&desk, &loop, stream](Result<views::Passage> passage) {
                       loop.post([&desk, stream, passage = std::move(passage)]() mutable {
                           desk.reads.done();
                           take_passage(desk, stream, std::move(passage));
                       });
                   });
    return true;
}

}  // namespace

void pump(Desk& desk, const std::shared_ptr<Stream>& stream) {
    if (stream->is_reading || stream->is_closed) return;
    const auto up_to = desk.engine->durable();
    if (stream->last >= up_to && stream->follows) return;
    stream->is_reading = true;
    if (stream->exchange->backlog_bytes() > kBacklogBytes) {
        return desk.loop.after(kBacklogPause, [&desk, stream] {
            stream->is_reading = false;
            pump(desk, stream);
        });
    }
    desk.reads.push([&desk, stream] { return begin_read(desk, stream); });
}

void pump_all(Desk& desk) {
    std::erase_if(desk.streams, [](const auto& stream) { return stream->is_closed; });
    for (const auto& stream : desk.streams) pump(desk, stream);
}

void end_fallen_streams(Desk& desk) {
    for (const auto& stream : desk.streams) {
        if (!stream->is_closed && !stands(desk, *stream->caller)) finish(desk, stream);
    }
}

void get_events(Desk& desk, Call& call) {
    const auto& request = call.request();
    const auto last = request.header("Last-Event-ID");
    const auto resumed = parse_number(last);
    const auto from = request.parameter("from");
    const auto limit = request.parameter("limit");
    const auto first = parse_number(from);
    const auto count = parse_number(limit);
    const bool is_wrong =
        (!from.empty() && !first) || (!limit.empty() && !count) || (!last.empty() && !resumed);
    if (is_wrong) {
        return call.exchange->respond(problem(
            Refusal::InputValidationFailed, "from, limit and Last-Event-ID must be whole numbers"));
    }
    // The hub may run on an older copy of the journal than the reader knows. The reader would wait,
    // and then get other records than expected.
    const auto end = desk.engine->durable().value;
    const auto said = resumed ? *resumed : first && *first > 0 ? *first - 1 : 0;
    if (said > end) {
        return call.exchange->respond(
            problem(Refusal::SequenceNotFound,
                    (resumed ? "Last-Event-ID is " + std::to_string(*resumed)
                             : "from is " + std::to_string(*first)) +
                        ", and the last record is " + std::to_string(end)));
    }
    if (const auto lack = lack_of_lines(desk, *call.caller)) {
        return call.exchange->respond(problem(Refusal::ConnectionLimitExceeded, *lack));
    }
    const auto stream = std::make_shared<Stream>();
    stream->id = ++desk.reply_target_last;
    stream->exchange = call.exchange;
    stream->caller = call.caller;
    // A HEAD request does not wait for events.
    const bool is_head = request.method == "HEAD";
    stream->follows = request.parameter("follow") != "false" && !is_head;
    stream->left = is_head ? 0 : count;
    stream->last = desk.engine->durable();
    if (first) stream->last.value = *first == 0 ? 0 : *first - 1;
    if (resumed) stream->last.value = *resumed;

    call.exchange->on_gone([&desk, weak = std::weak_ptr{stream}] {
        const auto gone = weak.lock();
        if (!gone) return;
        gone->is_closed = true;
        desk.feed.close(gone->id);
    });
    call.exchange->begin_stream({.content_type = "text/event-stream",
                                 .headers = {{"Cache-Control", "no-store"}},
                                 .body = {}});
    desk.streams.push_back(stream);
    comfort(desk, std::weak_ptr{stream});
    pump(desk, stream);
}

}  // namespace parlance::gateway
