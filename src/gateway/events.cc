// GET /v1/events: everything that happens, as server-sent events, from any sequence.
#include <algorithm>

#include "base/json_write.h"
#include "gateway/admission.h"
#include "gateway/handlers.h"
#include "gateway/problem.h"
#include "gateway/stream.h"

namespace parlance::gateway {

namespace {

constexpr std::size_t kPassageBytes = std::size_t{256} << 10;
/// A reader that is this far behind is given time before more is read for it.
constexpr std::size_t kBacklogBytes = 1 << 20;
constexpr Duration kBacklogPause{std::chrono::milliseconds{20}};

void finish(Desk& desk, const std::shared_ptr<Stream>& stream) {
    stream->is_closed = true;
    desk.feed.close(stream->id);
    stream->exchange->end_stream();
}

/// Appends at most what the listener still wants, by whole events.
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

/// Whoever runs the hub hears of it once; every listener comes to the same place.
void end_at_damage(Desk& desk, const std::shared_ptr<Stream>& stream, const std::string& what) {
    if (desk.options.log && what != desk.damage_told) desk.options.log("/v1/events: " + what);
    desk.damage_told = what;
    stream->exchange->write(
        "event: error\ndata: " + json::ObjectWriter{}.text("detail", what).done() + "\n\n");
    finish(desk, stream);
}

void take_passage(Desk& desk,
                  const std::shared_ptr<Stream>& stream,
                  const Result<views::Passage>& passage) {
    stream->is_reading = false;
    if (stream->is_closed) return;
    if (!passage) return end_at_damage(desk, stream, passage.error().message);
    if (!passage->text.empty()) {
        stream->last = passage->last;
        stream->exchange->write(limited(*stream, passage->text));
    }
    const bool is_done =
        (passage->is_end && !stream->follows) || (stream->left && *stream->left == 0);
    if (is_done) return finish(desk, stream);
    if (!passage->flaw.empty()) return end_at_damage(desk, stream, passage->flaw);
    pump(desk, stream);
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
    auto& loop = desk.loop;
    desk.feed.read(stream->id,
                   {stream->last.value + 1},
                   up_to,
                   kPassageBytes,
                   [&desk, &loop, stream](Result<views::Passage> passage) {
                       loop.post([&desk, stream, passage = std::move(passage)] {
                           take_passage(desk, stream, passage);
                       });
                   });
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
    if (const auto lack = lack_of_lines(desk, *call.caller)) {
        return call.exchange->respond(problem(Refusal::ConnectionLimitExceeded, *lack));
    }
    const auto stream = std::make_shared<Stream>();
    stream->id = ++desk.ask_last;
    stream->exchange = call.exchange;
    stream->caller = call.caller;
    // Who asks for the head alone does not wait for what comes behind it.
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
