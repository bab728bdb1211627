#include "core/people/people.h"

#include <algorithm>

#include "base/check.h"
#include "base/hash.h"
#include "base/mutant.h"
#include "model/names.h"

namespace parlance::core::people {

namespace {

/// Only leads to candidate tasks; the workflow's name decides.
std::uint64_t hash_of(std::string_view workflow) { return siphash(process_key(), workflow); }

HumanTask& human_task_at(People& people, Ticket id) {
    auto* human_task = people.human_tasks.wake(id);
    CHECK(human_task != nullptr);  // decide() names only tasks that exist.
    return *human_task;
}

/// Gives the role asked now a whole deadline from `at` on.
void begin_term(People& people, HumanTask& human_task, Time at) {
    people.due.erase({due_of(human_task), human_task.asked.id});
    human_task.term_began = at;
    human_task.is_reminded = false;
    people.due.emplace(due_of(human_task), human_task.asked.id);
}

/// Changes a task and keeps the total of bytes.
template <class Change>
HumanTask& change(People& people, Ticket id, const Change& make) {
    auto& human_task = human_task_at(people, id);
    people.bytes -= bytes_of(human_task);
    make(human_task);
    people.bytes += bytes_of(human_task);
    return human_task;
}

void forget_oldest(People& people) {
    const auto oldest = people.ended.begin();
    people.bytes -= bytes_of(*find_human_task(people, oldest->second));
    people.human_tasks.erase(oldest->second);
    people.ended.erase(oldest);
}

void end(People& people, HumanTask& human_task, Stage stage, const Record& record) {
    people.due.erase({due_of(human_task), human_task.asked.id});
    people.by_request.erase({human_task.asked.request, human_task.asked.id});
    people.by_workflow.erase({hash_of(human_task.asked.workflow), human_task.asked.id});
    people.ended.erase(human_task.ended);
    human_task.stage = stage;
    human_task.ended = record.sequence;
    human_task.ended_at = record.at;
    people.ended.emplace(record.sequence, human_task.asked.id);
    while (people.ended.size() > record.ended_max) forget_oldest(people);
}

}  // namespace

std::uint64_t bytes_of(const HumanAsked& asked) {
    auto bytes = asked.workflow.size() + asked.step.size() + asked.role.size() +
                 asked.question.size() + asked.context.size() + asked.asked_by.size() +
                 asked.user.size() + asked.escalation.size();
    // Empty options take memory too.
    for (const auto& option : asked.options) bytes += sizeof(std::string) + option.size();
    return bytes;
}

std::uint64_t bytes_of(const HumanTask& human_task) {
    auto bytes = bytes_of(human_task.asked) + human_task.end_reason.size();
    for (const auto& each : human_task.answers) {
        bytes += each.by.size() + each.reason.size() + each.content.size();
    }
    return bytes;
}

Reading<HumanTask> find_human_task(const People& people, Ticket id) {
    return people.human_tasks.find(id);
}

Reading<HumanTask> find_by_request(const People& people, Ticket request) {
    const auto found = people.by_request.lower_bound({request, Ticket{}});
    if (found == people.by_request.end() || found->first != request) return {};
    return find_human_task(people, found->second);
}

std::vector<Ticket> find_of_workflow(const People& people, std::string_view workflow) {
    std::vector<Ticket> found;
    const auto hash = hash_of(workflow);
    auto at = people.by_workflow.lower_bound({hash, Ticket{}});
    for (; at != people.by_workflow.end() && at->first == hash; ++at) {
        if (find_human_task(people, at->second)->asked.workflow == workflow)
            found.push_back(at->second);
    }
    return found;
}

std::size_t waiting_count(const People& people) {
    return people.human_tasks.size() - people.ended.size();
}

Time deadline_of(const HumanTask& human_task) {
    return human_task.term_began +
           Duration{static_cast<std::int64_t>(human_task.asked.deadline_ms)};
}

Time due_of(const HumanTask& human_task) {
    const auto deadline = deadline_of(human_task);
    if (human_task.is_reminded || human_task.asked.reminder_ms == 0) return deadline;
    const Duration reminder{static_cast<std::int64_t>(human_task.asked.reminder_ms)};
    return std::min(deadline, human_task.term_began + reminder);
}

bool is_last_term(const HumanTask& human_task) {
    const bool can_escalate = !human_task.asked.escalation.empty() && !human_task.is_escalated;
    return !can_escalate && human_task.asked.if_nobody != IfNobody::Wait;
}

bool has_approved(const HumanTask& human_task, std::string_view person) {
    return std::ranges::find(human_task.answers, person, &HumanAnswered::by) !=
           human_task.answers.end();
}

void apply(People& people, const HumanAsked& event, const Record& record) {
    HumanTask human_task{
        .asked = event, .asked_at = record.at, .term_began = record.at, .news = record.sequence};
    index(people, human_task);
    people.human_tasks.emplace(event.id, std::move(human_task));
}

void apply(People& people, const HumanReminded& event, const Record& record) {
    auto& human_task = human_task_at(people, event.id);
    human_task.news = record.sequence;
    if (event.is_overdue) return begin_term(people, human_task, record.at);
    people.due.erase({due_of(human_task), event.id});
    human_task.is_reminded = true;
    people.due.emplace(due_of(human_task), event.id);
}

void apply(People& people, const HumanEscalated& event, const Record& record) {
    auto& human_task = human_task_at(people, event.id);
    human_task.is_escalated = true;
    human_task.news = record.sequence;
    begin_term(people, human_task, record.at);
}

void apply(People& people, const HumanNotified& event, const Record& /*record*/) {
    auto& human_task = human_task_at(people, event.id);
    if (!is_planted(Mutant::TellPeopleAgain)) human_task.news = {};
}

void apply(People& people, const HumanAnswered& event, const Record& record) {
    auto& human_task =
        change(people, event.id, [&](HumanTask& each) { each.answers.push_back(event); });
    if (!event.awaits_another) end(people, human_task, Stage::Answered, record);
}

void apply(People& people, const HumanLapsed& event, const Record& record) {
    auto& human_task = change(
        people, event.id, [&](HumanTask& each) { each.end_reason = enum_name(event.follows); });
    end(people, human_task, Stage::Lapsed, record);
}

void apply(People& people, const HumanWithdrawn& event, const Record& record) {
    auto& human_task =
        change(people, event.id, [&](HumanTask& each) { each.end_reason = event.reason; });
    end(people, human_task, Stage::Withdrawn, record);
}

void index(People& people, const HumanTask& human_task) {
    const auto id = human_task.asked.id;
    people.bytes += bytes_of(human_task);
    if (human_task.stage != Stage::Waiting) {
        people.ended.emplace(human_task.ended, id);
        return;
    }
    people.due.emplace(due_of(human_task), id);
    if (human_task.asked.request != Ticket{}) {
        people.by_request.emplace(human_task.asked.request, id);
    } else if (!human_task.asked.workflow.empty()) {
        people.by_workflow.emplace(hash_of(human_task.asked.workflow), id);
    }
}

}  // namespace parlance::core::people
