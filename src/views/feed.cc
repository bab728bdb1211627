#include "views/feed.h"

#include <utility>

#include "journal/event_codec.h"

namespace parlance::views {

namespace {

/// "id: 7\nevent: LeaseGranted\ndata: {…}\n\n"
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
    enqueue([=, this] { readers_.erase(id); });
}

Result<Passage> Feed::next_passage(std::uint64_t id,
                                   Sequence from,
                                   Sequence up_to,
                                   std::size_t bytes_max) {
    auto found = readers_.find(id);
    if (found == readers_.end()) {
        found = readers_.emplace(id, TRY(journal::Reader::open(disk_, from))).first;
    }
    Passage passage{.last = {from.value - 1}};
    // What is whole is told before it is said what is not.
    const auto end_at = [&](const Error& error) {
        passage.flaw = "record " + std::to_string(passage.last.value + 1) +
                       " cannot be read: " + error.message;
        return passage;
    };
    journal::Record record;
    while (passage.text.size() < bytes_max) {
        const auto is_there = found->second.next(record, up_to);
        if (!is_there) return end_at(is_there.error());
        if (!*is_there) {
            passage.is_end = true;
            break;
        }
        const auto length = passage.text.size();
        if (const auto told = append_event(passage.text, record, edit_); !told) {
            passage.text.resize(length);
            return end_at(told.error());
        }
        passage.last = record.sequence;
    }
    return passage;
}

Result<std::vector<EventPtr>> Feed::next_events(std::uint64_t id, const std::vector<Sequence>& at) {
    auto found = readers_.find(id);
    if (found == readers_.end()) {
        found = readers_.emplace(id, TRY(journal::Reader::open(disk_, at.front()))).first;
    }
    std::vector<EventPtr> events;
    journal::Record record;
    for (const auto wanted : at) {
        do {
            if (TRY(found->second.next(record, wanted))) continue;
            return fail(Fault::NotFound,
                        "record " + std::to_string(wanted.value) + " is not there");
        } while (record.sequence < wanted);
        events.push_back(std::make_shared<const Event>(TRY(journal::decode(record))));
    }
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
