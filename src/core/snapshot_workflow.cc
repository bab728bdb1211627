// The workflows that run, as bytes, and back.
#include <algorithm>
#include <utility>

#include "base/json.h"
#include "core/snapshot_words.h"

namespace parlance::core {

namespace {

using workflow::Item;
using workflow::Run;
using workflow::Stage;
using workflow::Step;

void put_item(std::string& out, const Item& item) {
    put(out, static_cast<std::uint64_t>(item.stage));
    put(out, static_cast<std::uint64_t>(item.road));
    put(out, item.attempt);
    put(out, std::uint64_t{item.is_partial});
    put(out, item.confidence);
    put(out, item.agent);
    put(out, item.request.value);
    put(out, item.output_at);
    put(out, item.output_size);
    put(out, item.output);
    put(out, item.code);
    put(out, item.detail);
    put(out, item.due);
    put(out, std::uint64_t{item.reply != nullptr});
    if (item.reply) item.reply->pack(out);
}

Item take_item(ByteReader& in, const State& state) {
    Item item;
    item.stage = take_enum(in, Stage::Waiting, Stage::Undone);
    item.road = take_enum(in, Road::Planned, Road::Undo);
    item.attempt = static_cast<std::uint8_t>(take_number(in, UINT8_MAX));
    item.is_partial = in.varint() != 0;
    item.confidence = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    item.agent = static_cast<AgentHandle>(take_number(in, UINT32_MAX));
    expect(in, item.agent == kNoAgent || item.agent < state.registry.agents.size());
    item.request.value = in.varint();
    item.output_at = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    item.output_size = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    item.output = take_text(in);
    item.code = take_text(in);
    item.detail = take_text(in);
    item.due = take_time(in);
    if (in.varint() != 0) item.reply = Envelope::unpack(in);
    // What it brought stands in its answer.
    const std::size_t size = item.reply ? item.reply->body().size() : 0;
    expect(in, std::uint64_t{item.output_at} + item.output_size <= size);
    if (!in.ok()) return {};
    const auto output = workflow::output_of(item);
    expect(in, item.stage != Stage::Done || output.empty() || json::check(output).has_value());
    expect(in, item.stage != Stage::Answered || item.reply != nullptr);
    expect(in,
           item.stage != Stage::Running ||
               broker::find_request(state.requests, item.request) != nullptr);
    return item;
}

void put_run(std::string& out, const Run& run) {
    put(out, run.number.value);
    put(out, run.id);
    put(out, run.correlation);
    put(out, run.plan_hash);
    put(out, run.input);
    put(out, run.request);
    put(out, run.constraints);
    put(out, run.user);
    put(out, run.session);
    put(out, run.by);
    put(out, run.started_at);
    put(out, run.deadline);
    put(out, run.due);
    // One number, so that what was written before there were parents is read as well.
    put(out, run.parent.value << 1U | std::uint64_t{run.is_undoing});
    put(out, run.reason);
    for (const auto& step : run.steps) {
        put(out, static_cast<std::uint64_t>(step.stage));
        put(out, step.items.size());
        for (const auto& item : step.items) put_item(out, item);
        put(out, step.tokens_used);
    }
}

/// JSON that is read again, or nothing.
std::string take_json(ByteReader& in) {
    auto text = take_text(in);
    expect(in, text.empty() || json::check(text).has_value());
    return text;
}

Run take_run(ByteReader& in, State& state, std::uint64_t form) {
    Run run;
    run.number.value = in.varint();
    run.id = take_text(in);
    run.correlation = take_text(in);
    run.plan_hash = take_text(in);
    run.input = take_json(in);
    run.request = take_text(in);
    run.constraints = take_json(in);
    run.user = take_text(in);
    run.session = take_text(in);
    run.by = take_text(in);
    run.started_at = take_time(in);
    run.deadline = take_time(in);
    run.due = take_time(in);
    const auto standing = in.varint();
    run.is_undoing = (standing & 1U) != 0;
    run.parent.value = standing >> 1U;
    run.reason = take_text(in);
    const auto known = state.workflows.plans.find(run.plan_hash);
    expect(in, known != state.workflows.plans.end());
    if (!in.ok()) return run;
    ++known->second.runs;
    run.plan = known->second.plan;
    run.steps.resize(run.plan->steps.size());
    for (auto& step : run.steps) {
        step.stage = take_enum(in, Stage::Waiting, Stage::Undone);
        const auto count = take_count(in);
        for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
            step.items.push_back(take_item(in, state));
        }
        if (form >= 7) step.tokens_used = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    }
    return run;
}

}  // namespace

void put_workflows(std::string& out, const workflow::Workflows& workflows) {
    put(out, workflows.plans.size());
    for (const auto& [hash, known] : workflows.plans) {
        put(out, hash);
        put(out, known.plan->text);
        put(out, known.last_used.value);
    }
    put(out, workflows.runs.size());
    for (const auto& [number, run] : workflows.runs) put_run(out, run);
}

void take_workflows(ByteReader& in, State& state, std::uint64_t form) {
    auto& workflows = state.workflows;
    const auto plans = take_count(in);
    for (std::uint64_t i = 0; i < plans && in.ok(); ++i) {
        auto hash = take_text(in);
        auto plan = read_plan(take_text(in));
        const Ticket last_used{in.varint()};
        if (!plan) return spoil(in);
        workflows.plans.emplace(std::move(hash),
                                workflow::KnownPlan{.plan = *plan, .last_used = last_used});
    }
    const auto runs = take_count(in);
    for (std::uint64_t i = 0; i < runs && in.ok(); ++i) {
        auto run = take_run(in, state, form);
        if (!in.ok()) return;
        workflow::index(workflows, run);
        workflows.runs.emplace(run.number, std::move(run));
    }
    workflow::attend_all(workflows, state.now, governor::open_max(state.governor.policy));
}

}  // namespace parlance::core
