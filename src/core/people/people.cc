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

Appeal& appeal_at(People& people, Ticket id) {
    auto* appeal = people.appeals.wake(id);
    CHECK(appeal != nullptr);  // decide() names only tasks that exist.
    return *appeal;
}

/// Gives the role asked now a whole deadline from `at` on.
void begin_term(People& people, Appeal& appeal, Time at) {
    people.due.erase({due_of(appeal), appeal.asked.id});
    appeal.term_began = at;
    appeal.is_reminded = false;
    people.due.emplace(due_of(appeal), appeal.asked.id);
}

/// Changes a task and keeps the total of bytes.
template <class Change>
Appeal& change(People& people, Ticket id, const Change& make) {
    auto& appeal = appeal_at(people, id);
    people.bytes -= bytes_of(appeal);
    make(appeal);
    people.bytes += bytes_of(appeal);
    return appeal;
}

void forget_oldest(People& people) {
    const auto oldest = people.ended.begin();
    people.bytes -= bytes_of(*find_appeal(people, oldest->second));
    people.appeals.erase(oldest->second);
    people.ended.erase(oldest);
}

void end(People& people, Appeal& appeal, Stage stage, const Record& record) {
    people.due.erase({due_of(appeal), appeal.asked.id});
    people.by_request.erase({appeal.asked.request, appeal.asked.id});
    people.by_workflow.erase({hash_of(appeal.asked.workflow), appeal.asked.id});
    people.ended.erase(appeal.ended);
    appeal.stage = stage;
    appeal.ended = record.sequence;
    appeal.ended_at = record.at;
    people.ended.emplace(record.sequence, appeal.asked.id);
    while (people.ended.size() > record.ended_max) forget_oldest(people);
}

}  // namespace

std::uint64_t bytes_of(const HumanAsked& asked) {
    auto bytes = asked.workflow.size() + asked.step.size() + asked.role.size() +
                 asked.question.size() + asked.context.size() + asked.asked_by.size() +
                 asked.user.size() + asked.escalation.size();
    // Empty options take memory too.
    for (const auto& option : asked.options) bytes += sizeof(option) + option.size();
    return bytes;
}

std::uint64_t bytes_of(const Appeal& appeal) {
    auto bytes = bytes_of(appeal.asked) + appeal.end_reason.size();
    for (const auto& each : appeal.answers) {
        bytes += each.by.size() + each.reason.size() + each.content.size();
    }
    return bytes;
}

Reading<Appeal> find_appeal(const People& people, Ticket id) { return people.appeals.find(id); }

Reading<Appeal> find_by_request(const People& people, Ticket request) {
    const auto found = people.by_request.lower_bound({request, Ticket{}});
    if (found == people.by_request.end() || found->first != request) return {};
    return find_appeal(people, found->second);
}

std::vector<Ticket> find_of_workflow(const People& people, std::string_view workflow) {
    std::vector<Ticket> found;
    const auto hash = hash_of(workflow);
    auto at = people.by_workflow.lower_bound({hash, Ticket{}});
    for (; at != people.by_workflow.end() && at->first == hash; ++at) {
        if (find_appeal(people, at->second)->asked.workflow == workflow)
            found.push_back(at->second);
    }
    return found;
}

std::size_t waiting_count(const People& people) {
    return people.appeals.size() - people.ended.size();
}

Time deadline_of(const Appeal& appeal) {
    return appeal.term_began + Duration{static_cast<std::int64_t>(appeal.asked.deadline_ms)};
}

Time due_of(const Appeal& appeal) {
    const auto deadline = deadline_of(appeal);
    if (appeal.is_reminded || appeal.asked.reminder_ms == 0) return deadline;
    const Duration reminder{static_cast<std::int64_t>(appeal.asked.reminder_ms)};
    return std::min(deadline, appeal.term_began + reminder);
}

bool is_last_term(const Appeal& appeal) {
    const bool can_escalate = !appeal.asked.escalation.empty() && !appeal.is_escalated;
    return !can_escalate && appeal.asked.if_nobody != IfNobody::Wait;
}

bool has_approved(const Appeal& appeal, std::string_view person) {
    return std::ranges::find(appeal.answers, person, &HumanAnswered::by) != appeal.answers.end();
}

void apply(People& people, const HumanAsked& event, const Record& record) {
    Appeal appeal{
        .asked = event, .asked_at = record.at, .term_began = record.at, .news = record.sequence};
    index(people, appeal);
    people.appeals.emplace(event.id, std::move(appeal));
}

void apply(People& people, const HumanReminded& event, const Record& record) {
    auto& appeal = appeal_at(people, event.id);
    appeal.news = record.sequence;
    if (event.is_overdue) return begin_term(people, appeal, record.at);
    people.due.erase({due_of(appeal), event.id});
    appeal.is_reminded = true;
    people.due.emplace(due_of(appeal), event.id);
}

void apply(People& people, const HumanEscalated& event, const Record& record) {
    auto& appeal = appeal_at(people, event.id);
    appeal.is_escalated = true;
    appeal.news = record.sequence;
    begin_term(people, appeal, record.at);
}

void apply(People& people, const HumanNotified& event, const Record& /*record*/) {
    auto& appeal = appeal_at(people, event.id);
    if (!is_planted(Mutant::TellPeopleAgain)) appeal.news = {};
}

void apply(People& people, const HumanAnswered& event, const Record& record) {
    auto& appeal = change(people, event.id, [&](Appeal& each) { each.answers.push_back(event); });
    if (!event.awaits_another) end(people, appeal, Stage::Answered, record);
}

void apply(People& people, const HumanLapsed& event, const Record& record) {
    auto& appeal =
        change(people, event.id, [&](Appeal& each) { each.end_reason = enum_name(event.follows); });
    end(people, appeal, Stage::Lapsed, record);
}

void apply(People& people, const HumanWithdrawn& event, const Record& record) {
    auto& appeal = change(people, event.id, [&](Appeal& each) { each.end_reason = event.reason; });
    end(people, appeal, Stage::Withdrawn, record);
}

void index(People& people, const Appeal& appeal) {
    const auto id = appeal.asked.id;
    people.bytes += bytes_of(appeal);
    if (appeal.stage != Stage::Waiting) {
        people.ended.emplace(appeal.ended, id);
        return;
    }
    people.due.emplace(due_of(appeal), id);
    if (appeal.asked.request != Ticket{}) {
        people.by_request.emplace(appeal.asked.request, id);
    } else if (!appeal.asked.workflow.empty()) {
        people.by_workflow.emplace(hash_of(appeal.asked.workflow), id);
    }
}

}  // namespace parlance::core::people
