// What waits for people as bytes, and back.
#include <utility>

#include "core/snapshot_words.h"

namespace parlance::core {

namespace {

/// One that waits for a message waits for one that is open; and no two have one end or one message.
bool is_sound(const State& state) {
    const auto& people = state.people;
    std::size_t waiting = 0;
    for (const auto& [request, id] : people.by_request) {
        if (broker::find_request(state.requests, request) == nullptr) return false;
    }
    std::size_t asked_by_message = 0;
    for (const auto id : people.appeals.tickets()) {
        const auto appeal = people.appeals.at(id);
        if (appeal->stage != people::Stage::Waiting) continue;
        ++waiting;
        asked_by_message += appeal->asked.request != Ticket{} ? 1U : 0U;
    }
    return waiting == people.due.size() && asked_by_message == people.by_request.size() &&
           waiting + people.ended.size() == people.appeals.size();
}

}  // namespace

void put_people(std::string& out, const people::People& people) {
    put(out, people.appeals.size());
    for (const auto id : people.appeals.tickets()) people.appeals.append_packed(out, id);
}

void take_people(ByteReader& in, State& state, Texts texts) {
    const auto count = take_count(in);
    TicketOrder tickets{state.sequence};
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        auto appeal = people::AppealCodec{}.unpack(in, texts);
        const auto id = appeal.asked.id;
        tickets.check(in, id);
        if (!in.ok()) return;
        people::index(state.people, appeal);
        state.people.appeals.emplace(id, std::move(appeal));
        state.people.appeals.tidy(state.limits.awake_max);
    }
    expect(in, is_sound(state));
}

}  // namespace parlance::core
