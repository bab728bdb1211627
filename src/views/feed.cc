#include "views/feed.h"

#include <algorithm>
#include <utility>

#include "journal/event_codec.h"
#include "journal/format.h"

namespace parlance::views {

namespace {

/// Appends "id: 7\nevent: LeaseGranted\ndata: {…}\n\n".
Result<void> append_event(std::string& out, const journal::Record& record, const Feed::Edit& edit) {
    const auto event = TRY(journal::decode(record));
    out += "id: ";
    out += std::to_string(record.sequence.value);
    out += "\nevent: ";
    out += journal::event_name(event);
    out += "\ndata: ";
    const std::size_t begin = out.size();
    journal::append_json(out, record.sequence, record.at, event);
    if (edit) {
        if (const auto edited = edit(std::string_view{out}.substr(begin))) {
            out.resize(begin);
            out += *edited;
        }
    }
    out += "\n\n";
    return {};
}

}  // namespace

Feed::Feed(journal::Disk& disk, Edit edit)
    : disk_(disk), edit_(std::move(edit)), thread_([this] { run(); }) {}

Feed::~Feed() {
    {
        const std::lock_guard lock{mutex_};
        stops_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void Feed::run() {
    std::unique_lock lock{mutex_};
    for (;;) {
        wake_.wait(lock, [this] { return stops_ || !jobs_.empty(); });
        if (stops_) return;
        const auto job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        job();
        lock.lock();
    }
}

void Feed::enqueue(std::function<void()> job) {
    {
        const std::lock_guard lock{mutex_};
        jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
}

void Feed::read(std::uint64_t id, Sequence from, Sequence up_to, std::size_t bytes_max, Told told) {
    enqueue([=, this, told = std::move(told)] { told(next_passage(id, from, up_to, bytes_max)); });
}

void Feed::close(std::uint64_t id) {
    enqueue([=, this] {
        spots_.erase(id);
        drop_reader(id);
    });
}

void Feed::drop_reader(std::uint64_t id) {
    readers_.remove_if([id](const OpenReader& open) { return open.id == id; });
}

/// A new listener starts at the furthest known batch, unless that batch lies after `from`;
/// otherwise the reader walks to the record from the beginning of the segment.
Feed::Spot& Feed::spot_of(std::uint64_t id, Sequence from) {
    const auto [found, is_new] = spots_.try_emplace(id, Spot{.next = from});
    if (is_new && newest_place_.first <= from) found->second.place = newest_place_;
    return found->second;
}

Result<journal::Reader*> Feed::reader_of(std::uint64_t id, const Spot& spot) {
    const auto found = std::ranges::find(readers_, id, &OpenReader::id);
    if (found != readers_.end()) {
        readers_.splice(readers_.begin(), readers_, found);
    } else {
        if (readers_.size() >= kReadersMax) readers_.pop_back();
        const bool has_place = spot.place != journal::Place{};
        readers_.push_front({id,
                             has_place ? TRY(journal::Reader::open(disk_, spot.place, spot.next))
                                       : TRY(journal::Reader::open(disk_, spot.next))});
    }
    readers_.front().reader.want(spot.next);
    return &readers_.front().reader;
}

void Feed::note_place(Spot& spot, const journal::Reader& reader) {
    if (reader.place() == journal::Place{}) return;  // The reader has read nothing.
    spot.place = reader.place();
    if (spot.place.first > newest_place_.first) newest_place_ = spot.place;
}

Result<Passage> Feed::next_passage(std::uint64_t id,
                                   Sequence from,
                                   Sequence up_to,
                                   std::size_t bytes_max) {
    auto& spot = spot_of(id, from);
    const bool is_last = spot.next == last_passage_.from && up_to == last_passage_.up_to &&
                         bytes_max == last_passage_.bytes_max;
    if (is_last) {
        spot = last_passage_.after;
        return last_passage_.passage;
    }
    const auto first = spot.next;
    auto passage = read_passage(*TRY(reader_of(id, spot)), spot, up_to, bytes_max);
    if (!passage) drop_reader(id);
    if (!passage || passage->damage) return passage;
    last_passage_ = {first, up_to, bytes_max, *std::move(passage), spot};
    return last_passage_.passage;  // The copy's capacity is no larger than its text.
}

Result<Passage> Feed::read_passage(journal::Reader& reader,
                                   Spot& spot,
                                   Sequence up_to,
                                   std::size_t bytes_max) {
    Passage passage{.last = {spot.next.value - 1}};
    passage.text.reserve(bytes_max + bytes_max / 2);  // The last event may exceed bytes_max.
    journal::Record record;
    while (passage.text.size() < bytes_max) {
        const auto is_there = reader.next(record, up_to);
        if (!is_there && is_there.error().fault != Fault::Corrupt) {
            return tl::unexpected(is_there.error());
        }
        if (!is_there) {  // Intact events are sent before the damage is reported.
            passage.damage = reader.damage();
            break;
        }
        if (!*is_there) {
            passage.is_end = true;
            break;
        }
        const auto length = passage.text.size();
        if (const auto told = append_event(passage.text, record, edit_); !told) {
            passage.text.resize(length);
            passage.damage = {journal::segment_name(reader.place().segment),
                              reader.place().offset,
                              record.sequence,
                              record.sequence,
                              told.error().message};
            break;
        }
        passage.last = record.sequence;
    }
    spot.next = {(passage.damage ? passage.damage->last : passage.last).value + 1};
    note_place(spot, reader);
    return passage;
}

Result<std::vector<EventPtr>> Feed::next_events(std::uint64_t id, const std::vector<Sequence>& at) {
    auto& spot = spot_of(id, at.front());
    spot.next = at.front();
    auto& reader = *TRY(reader_of(id, spot));
    std::vector<EventPtr> events;
    journal::Record record;
    for (const auto wanted : at) {
        reader.want(wanted);
        const auto is_there = reader.next(record, wanted);
        if (!is_there) {
            drop_reader(id);
            return tl::unexpected(is_there.error());
        }
        if (!*is_there) {
            return fail(Fault::NotFound,
                        "record " + std::to_string(wanted.value) + " is not there");
        }
        events.push_back(std::make_shared<const Event>(TRY(journal::decode(record))));
    }
    note_place(spot, reader);
    return events;
}

void Feed::read_each(std::uint64_t id,
                     std::vector<Sequence> at,
                     std::function<void(Result<std::vector<EventPtr>>)> told) {
    enqueue([this, id, at = std::move(at), told = std::move(told)] { told(next_events(id, at)); });
}

void Feed::read_one(Sequence at, std::function<void(Result<EventPtr>)> told) {
    enqueue([=, this, told = std::move(told)] {
        told([&]() -> Result<EventPtr> {
            auto reader = TRY(journal::Reader::open(disk_, at));
            journal::Record record;
            if (!TRY(reader.next(record, at))) {
                return fail(Fault::NotFound,
                            "record " + std::to_string(at.value) + " is not there");
            }
            return std::make_shared<const Event>(TRY(journal::decode(record)));
        }());
    });
}

}  // namespace parlance::views
