#include "core/handing/handing.h"

#include <algorithm>

#include "base/check.h"

namespace parlance::core::handing {

namespace {

/// Whether each candidate has answered or failed.
bool is_settled(const Call& call) {
    return std::ranges::all_of(call.candidates, [](const Candidate& each) {
        return each.stage == Stage::Answered || each.stage == Stage::Failed;
    });
}

/// Notes whether a decision is due in the call.
void attend(Handing& handing, Ticket number) {
    const auto& call = handing.calls.at(number);
    const bool has_waiting = std::ranges::any_of(
        call.candidates, [](const Candidate& each) { return each.stage == Stage::Waiting; });
    if (has_waiting || is_settled(call)) {
        handing.restless.insert(number);
    } else {
        handing.restless.erase(number);
    }
}

std::uint64_t bytes_of(const Candidate& candidate) {
    return candidate.reply ? candidate.reply->body().size() : 0;
}

Candidate* find_asked(Handing& handing, Ticket request) {
    const auto found = handing.asked.find(request);
    if (found == handing.asked.end()) return nullptr;
    const auto [call, place] = found->second;
    return &handing.calls.at(call).candidates[place];
}

void erase_pass(Handing& handing, Ticket request) {
    const auto found = handing.passes.find(request);
    if (found == handing.passes.end()) return;
    const auto& began = found->second.began;
    if (began.task != Ticket{}) handing.by_task.erase(began.task);
    handing.due.erase({began.patience, request});
    handing.passes.erase(found);
}

void erase_call(Handing& handing, Ticket request) {
    const auto found = handing.calls.find(request);
    if (found == handing.calls.end()) return;
    for (const auto& each : found->second.candidates) {
        handing.asked.erase(each.request);
        handing.bytes -= bytes_of(each);
    }
    handing.due.erase({found->second.until, request});
    handing.restless.erase(request);
    handing.calls.erase(found);
}

Address address_of(const Envelope& asked, std::string_view to) {
    return {std::string{asked.from()}, std::string{to}, std::string{asked.task()}};
}

}  // namespace

const Pass* find_pass(const Handing& handing, Ticket request) {
    const auto found = handing.passes.find(request);
    return found == handing.passes.end() ? nullptr : &found->second;
}

const Call* find_call(const Handing& handing, Ticket request) {
    const auto found = handing.calls.find(request);
    return found == handing.calls.end() ? nullptr : &found->second;
}

std::vector<Ticket> asked_by(const Handing& handing, Ticket call) {
    std::vector<Ticket> asked;
    const auto* found = find_call(handing, call);
    if (found == nullptr) return asked;
    for (const auto& candidate : found->candidates) {
        if (candidate.request != Ticket{}) asked.push_back(candidate.request);
    }
    return asked;
}

void apply(Handing& handing, const PassingBegan& event) {
    // A request held for approval has begun before: from its release on, the task and times of that
    // moment hold.
    erase_pass(handing, event.request);
    const Pass pass{.began = event};
    index(handing, event.request, pass);
    handing.passes.emplace(event.request, pass);
}

void apply(Handing& handing, const PassingRefused& event) {
    auto& pass = handing.passes.at(event.request);
    pass.tried.push_back(event.by);
    // The next candidate has all the time left.
    handing.due.erase({pass.began.patience, event.request});
    pass.began.patience = {};
}

void apply(Handing& handing, const CallOpened& event) {
    Call call{.kind = event.kind,
              .capability = event.capability,
              .until = event.until,
              .candidates = {},
              .by = event.by,
              .parent = event.parent,
              .is_placed = event.is_placed};
    for (const auto& agent : event.agents) call.candidates.push_back({.agent = agent});
    const auto& [place, is_new] = handing.calls.emplace(event.request, std::move(call));
    CHECK(is_new);
    index(handing, event.request, place->second);
}

void apply(Handing& handing, const CallAsked& event) {
    auto& candidate = handing.calls.at(event.call).candidates.at(event.place);
    candidate.request = event.request;
    candidate.code = event.code;
    candidate.detail = event.detail;
    candidate.stage = event.request == Ticket{} ? Stage::Failed : Stage::Asked;
    if (event.request != Ticket{}) handing.asked[event.request] = {event.call, event.place};
    attend(handing, event.call);
}

void apply(Handing& handing, const CallEnded& event) { erase_call(handing, event.call); }

void apply(Handing& handing, const StatePushed& event) {
    push(handing, event.request, event.state);
}

void push(Handing& handing, Ticket request, std::string state) {
    const auto bytes = state.size();
    if (handing.pushed.emplace(request, std::move(state)).second) handing.bytes += bytes;
}

void note_moved(Handing& handing, Ticket request, const Envelope& before) {
    handing.former[request].emplace_back(before.to());
    index(handing, request, before, before.to());
}

void take_answer(Handing& handing, Ticket request, const EnvelopePtr& reply) {
    auto* candidate = find_asked(handing, request);
    if (candidate == nullptr) return;
    candidate->stage = Stage::Answered;
    candidate->reply = reply;
    handing.bytes += bytes_of(*candidate);
    const auto call = handing.asked.at(request).first;
    handing.asked.erase(request);
    candidate->request = {};
    attend(handing, call);
}

void take_failure(Handing& handing, Ticket request, std::string code, std::string detail) {
    auto* candidate = find_asked(handing, request);
    if (candidate == nullptr) return;
    candidate->stage = Stage::Failed;
    candidate->code = std::move(code);
    candidate->detail = std::move(detail);
    const auto call = handing.asked.at(request).first;
    handing.asked.erase(request);
    candidate->request = {};
    attend(handing, call);
}

std::string end(Handing& handing, const Envelope& asked, Ticket request) {
    erase_pass(handing, request);
    erase_call(handing, request);
    if (const auto found = handing.former.find(request); found != handing.former.end()) {
        for (const auto& before : found->second) handing.moved.erase(address_of(asked, before));
        handing.former.erase(found);
    }
    const auto pushed = handing.pushed.find(request);
    if (pushed == handing.pushed.end()) return {};
    auto state = std::move(pushed->second);
    handing.pushed.erase(pushed);
    handing.bytes -= state.size();
    return state;
}

void index(Handing& handing, Ticket request, const Pass& pass) {
    if (pass.began.task != Ticket{}) handing.by_task[pass.began.task] = request;
    if (pass.began.patience != Time{}) handing.due.emplace(pass.began.patience, request);
}

void index(Handing& handing, Ticket request, const Call& call) {
    for (std::uint32_t place = 0; place < call.candidates.size(); ++place) {
        const auto& candidate = call.candidates[place];
        if (candidate.stage == Stage::Asked) handing.asked[candidate.request] = {request, place};
        handing.bytes += bytes_of(candidate);
    }
    handing.due.emplace(call.until, request);
    attend(handing, request);
}

void index(Handing& handing, Ticket request, const Envelope& asked, std::string_view before) {
    handing.moved[address_of(asked, before)] = request;
}

}  // namespace parlance::core::handing
