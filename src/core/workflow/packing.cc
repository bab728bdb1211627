// A run as bytes, and back: as it rests, and as it stands in a snapshot.
#include "core/words.h"
#include "core/workflow/workflow.h"

namespace parlance::core::workflow {

namespace {

/// What is longer is not copied each time it is touched; beside it, the rest is little.
constexpr std::size_t kSmallBytes = 4096;

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
    append_short(out, item.output);
    append_short(out, item.code);
    append_short(out, item.detail);
    put(out, item.due);
    put(out, std::uint64_t{item.reply != nullptr});
    if (item.reply) item.reply->pack(out);
}

Item take_item(ByteReader& in, Texts texts) {
    Item item;
    item.stage = take_enum(in, Stage::Waiting, Stage::Undone);
    item.road = take_enum(in, Road::Planned, Road::Undo);
    item.attempt = static_cast<std::uint8_t>(take_number(in, UINT8_MAX));
    item.is_partial = in.varint() != 0;
    item.confidence = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    item.agent = static_cast<AgentHandle>(take_number(in, UINT32_MAX));
    item.request.value = in.varint();
    item.output_at = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    item.output_size = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    item.output = take_text(in, texts);
    item.code = take_text(in, texts);
    item.detail = take_text(in, texts);
    item.due = take_any_time(in);
    if (in.varint() != 0) item.reply = Envelope::unpack(in);
    // What it brought stands in its answer.
    const std::size_t size = item.reply ? item.reply->body().size() : 0;
    expect(in, std::uint64_t{item.output_at} + item.output_size <= size);
    if (!in.ok()) return {};
    keep_output(item);
    return item;
}

std::size_t bytes_of(const Item& item) {
    const auto reply = item.reply ? item.reply->body().size() : 0;
    return sizeof item + item.output.size() + item.detail.size() + reply;
}

}  // namespace

// A codec is called as one, also where it needs nothing of its own.
// NOLINTBEGIN(readability-convert-member-functions-to-static)
void RunCodec::pack(std::string& out, const Run& run) const {
    put(out, run.number.value);
    append_short(out, run.id);
    const bool has_own_correlation = run.correlation != run.id;
    put(out, std::uint64_t{has_own_correlation});
    if (has_own_correlation) append_short(out, run.correlation);
    append_short(out, run.plan_hash);
    append_short(out, run.input);
    append_short(out, run.request);
    append_short(out, run.constraints);
    append_short(out, run.user);
    append_short(out, run.session);
    append_short(out, run.by);
    put(out, run.started_at);
    put(out, run.deadline);
    put(out, run.due);
    // One number, so that what was written before there were parents is read as well.
    put(out, run.parent.value << 1U | std::uint64_t{run.is_undoing});
    append_short(out, run.reason);
    for (const auto& step : run.steps) {
        put(out, static_cast<std::uint64_t>(step.stage));
        put(out, step.items.size());
        for (const auto& item : step.items) put_item(out, item);
        put(out, step.tokens_used);
    }
}

Run RunCodec::unpack(ByteReader& in, Texts texts) const {
    Run run;
    run.number.value = in.varint();
    run.id = take_text(in, texts);
    const bool has_own_correlation = texts == Texts::Plain || take_number(in, 1) != 0;
    run.correlation = has_own_correlation ? take_text(in, texts) : run.id;
    run.plan_hash = take_text(in, texts);
    run.input = take_text(in, texts);
    run.request = take_text(in, texts);
    run.constraints = take_text(in, texts);
    run.user = take_text(in, texts);
    run.session = take_text(in, texts);
    run.by = take_text(in, texts);
    run.started_at = take_any_time(in);
    run.deadline = take_any_time(in);
    run.due = take_any_time(in);
    const auto standing = in.varint();
    run.is_undoing = (standing & 1U) != 0;
    run.parent.value = standing >> 1U;
    run.reason = take_text(in, texts);
    const auto known = plans->find(run.plan_hash);
    expect(in, known != plans->end());
    if (!in.ok()) return run;
    run.plan = known->second.plan;
    run.steps.resize(run.plan->steps.size());
    for (auto& step : run.steps) {
        step.stage = take_enum(in, Stage::Waiting, Stage::Undone);
        const auto count = take_count(in);
        for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
            step.items.push_back(take_item(in, texts));
        }
        if (texts == Texts::Plain) continue;
        step.tokens_used = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    }
    return run;
}

bool RunCodec::is_small(const Run& run) const {
    auto bytes = run.input.size() + run.request.size() + run.constraints.size();
    for (const auto& step : run.steps) {
        for (const auto& item : step.items) bytes += bytes_of(item);
    }
    return bytes <= kSmallBytes;
}
// NOLINTEND(readability-convert-member-functions-to-static)

}  // namespace parlance::core::workflow
