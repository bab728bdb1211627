// Human tasks as bytes, and back.
#include <utility>

#include "core/snapshot_words.h"

namespace parlance::core {

namespace {

/// True if the times can be added to one another, and leave some time to answer: without any, the
/// human task would be due for ever.
bool is_sound(const people::HumanTask& human_task) {
    const auto& asked = human_task.asked;
    constexpr auto kMsMax = static_cast<std::uint64_t>(kLastTime);
    return is_near(human_task.asked_at) && is_near(human_task.term_began) &&
           is_near(human_task.ended_at) && asked.deadline_ms > 0 && asked.deadline_ms <= kMsMax &&
           asked.reminder_ms <= kMsMax && asked.approvals_needed <= kApprovalsMax;
}

/// True if each human task of a message has an open message, and each index has one entry a task.
bool is_sound(const State& state) {
    const auto& people = state.people;
    std::size_t waiting = 0;
    Ticket last{};
    for (const auto& [request, id] : people.by_request) {
        if (request == std::exchange(last, request)) return false;
        if (broker::find_request(state.requests, request) == nullptr) return false;
    }
    std::size_t asked_by_message = 0;
    for (const auto id : people.human_tasks.tickets()) {
        const auto human_task = people.human_tasks.at(id);
        if (human_task->stage != people::Stage::Waiting) continue;
        ++waiting;
        asked_by_message += human_task->asked.request != Ticket{} ? 1U : 0U;
    }
    return waiting == people.due.size() && asked_by_message == people.by_request.size() &&
           waiting + people.ended.size() == people.human_tasks.size();
}

}  // namespace

void put_people(PieceWriter& pieces, const people::People& people) {
    auto& out = pieces.bytes();
    put(out, people.human_tasks.size());
    for (const auto id : people.human_tasks.tickets()) {
        if (!pieces.spill()) return;
        people.human_tasks.append_packed(out, id);
    }
}

void take_people(PieceReader& in, State& state, RecordEncoding encoding) {
    const auto count = take_count(in);
    TicketOrder tickets{state.sequence};
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        in.refill();
        auto human_task = people::HumanTaskCodec{}.unpack(in, encoding);
        const auto id = human_task.asked.id;
        tickets.check(in, id);
        expect(in, is_sound(human_task));
        if (!in.ok()) return;
        people::index(state.people, human_task);
        state.people.human_tasks.emplace(id, std::move(human_task));
        state.people.human_tasks.tidy(state.limits.awake_max);
    }
    expect(in, is_sound(state));
}

}  // namespace parlance::core
