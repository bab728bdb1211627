// A run as bytes, and back: packed in the cold store, and in a snapshot.
#include <utility>

#include "core/cold/sparse_record.h"
#include "core/workflow/workflow.h"

namespace parlance::core::workflow {

namespace {

/// Larger runs stay loaded, so that no touch copies a long text; beside such a text the rest is
/// small.
constexpr std::size_t kSmallBytes = 4096;

/// The fields of an item besides stage, path and reply; returns whether the item has a reply.
template <class Fields, class SomeItem>
bool has_reply(Fields& fields, SomeItem& item, const Run& run) {
    fields.number(item.attempt, 1);
    fields.flag(item.is_partial);
    fields.number(item.confidence, kNoConfidence);
    fields.number(item.agent, kNoAgent);
    fields.near(item.request, run.number);
    fields.number(item.output_at);
    fields.number(item.output_size);
    fields.text(item.output);
    fields.text(item.code);
    fields.text(item.detail);
    fields.near(item.due, run.started_at);
    return fields.other(item.reply != nullptr);
}

/// The fields of a run besides plan, id, input, start and steps.
template <class Fields, class SomeRun>
void fields_of(Fields& fields, SomeRun& run) {
    fields.text_unlike(run.correlation, run.id);
    fields.text(run.request);
    fields.text(run.constraints);
    fields.text(run.user);
    fields.text(run.session);
    fields.text(run.by);
    fields.near(run.deadline, run.started_at);
    fields.near(run.due, run.started_at);
    fields.near(run.parent, run.number);
    fields.flag(run.is_compensating);
    fields.text(run.reason);
    fields.flag(run.is_by_agent);
}

// Stage and another small number share a varint.
constexpr unsigned kStageBits = 4;
constexpr std::uint64_t kStageMask = (1U << kStageBits) - 1;
static_assert(static_cast<std::uint64_t>(Stage::Compensated) <= kStageMask);

Stage take_stage(ByteReader& in, std::uint64_t marks) {
    const auto stage = marks & kStageMask;
    expect(in, stage <= static_cast<std::uint64_t>(Stage::Compensated));
    return in.ok() ? static_cast<Stage>(stage) : Stage::Waiting;
}

void put_item(std::string& out, const Item& item, const Run& run) {
    put(out,
        static_cast<std::uint64_t>(item.path) << kStageBits |
            static_cast<std::uint64_t>(item.stage));
    SparseRecordWriter fields{out};
    if (has_reply(fields, item, run)) item.reply->pack(out);
}

/// The item, after a check that its output lies within its reply.
Item checked(ByteReader& in, Item item) {
    const std::size_t size = item.reply ? item.reply->body().size() : 0;
    expect(in, std::uint64_t{item.output_at} + item.output_size <= size);
    if (!in.ok()) return {};
    keep_output(item);
    return item;
}

Item take_item(ByteReader& in, const Run& run) {
    Item item;
    const auto marks = in.varint();
    item.stage = take_stage(in, marks);
    const auto path = marks >> kStageBits;
    expect(in,
           path >= static_cast<std::uint64_t>(StepPath::Planned) &&
               path <= static_cast<std::uint64_t>(StepPath::Compensation));
    if (in.ok()) item.path = static_cast<StepPath>(path);
    SparseRecordReader fields{in};
    if (has_reply(fields, item, run)) item.reply = Envelope::unpack(in);
    return checked(in, std::move(item));
}

void put_step(std::string& out, const Step& step, const Run& run) {
    const bool has_used = step.tokens_used > 0;
    put(out,
        (step.items.size() << 1U | std::uint64_t{has_used}) << kStageBits |
            static_cast<std::uint64_t>(step.stage));
    if (has_used) put(out, step.tokens_used);
    for (const auto& item : step.items) put_item(out, item, run);
}

void take_step(ByteReader& in, Step& step, const Run& run) {
    const auto marks = in.varint();
    step.stage = take_stage(in, marks);
    const bool has_used = (marks >> kStageBits & 1U) != 0;
    if (has_used) step.tokens_used = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    const auto count = marks >> (kStageBits + 1);
    // Each item takes a byte, so that garbage cannot claim a huge count.
    expect(in, count <= in.left());
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) step.items.push_back(take_item(in, run));
}

/// As written before form 9.
Item take_older_item(ByteReader& in, RecordEncoding encoding) {
    Item item;
    item.stage = take_enum(in, Stage::Waiting, Stage::Compensated);
    item.path = take_enum(in, StepPath::Planned, StepPath::Compensation);
    item.attempt = static_cast<std::uint8_t>(take_number(in, UINT8_MAX));
    item.is_partial = in.varint() != 0;
    item.confidence = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    item.agent = static_cast<AgentHandle>(take_number(in, UINT32_MAX));
    item.request.value = in.varint();
    item.output_at = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    item.output_size = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    item.output = take_text(in, encoding);
    item.code = take_text(in, encoding);
    item.detail = take_text(in, encoding);
    item.due = take_any_time(in);
    if (in.varint() != 0) item.reply = Envelope::unpack(in);
    return checked(in, std::move(item));
}

/// Finds the run's plan, which must be known, and sizes the steps to match.
void take_plan(ByteReader& in, Run& run, const Plans& plans) {
    const auto known = plans.find(run.plan_hash);
    expect(in, known != plans.end());
    if (!in.ok()) return;
    run.plan = known->second.plan;
    run.steps.resize(run.plan->steps.size());
}

std::size_t bytes_of(const Item& item) {
    const auto reply = item.reply ? item.reply->body().size() : 0;
    return sizeof item + item.output.size() + item.detail.size() + reply;
}

}  // namespace

std::uint64_t bytes_of(const Run& run) {
    auto bytes = run.input.size() + run.request.size() + run.constraints.size();
    for (const auto& step : run.steps) {
        for (const auto& item : step.items) bytes += bytes_of(item);
    }
    return bytes;
}

// Codecs are called as objects, even without state of their own.
// NOLINTBEGIN(readability-convert-member-functions-to-static)
std::size_t RunCodec::pack(std::string& out, const Run& run) const {
    const auto begin = out.size();
    append_short(out, run.plan_hash);
    const auto prefix_bytes = out.size() - begin;
    append_short(out, run.id);
    append_short(out, run.input);
    put(out, run.started_at);
    {
        SparseRecordWriter fields{out};
        fields_of(fields, run);
    }
    for (const auto& step : run.steps) put_step(out, step, run);
    return prefix_bytes;
}

Run RunCodec::unpack(Ticket number, ByteReader& in) const {
    Run run{.number = number, .plan_hash = take_short(in)};
    run.id = take_short(in);
    run.input = take_short(in);
    run.started_at = take_any_time(in);
    {
        SparseRecordReader fields{in};
        fields_of(fields, run);
    }
    take_plan(in, run, *plans);
    for (auto& step : run.steps) take_step(in, step, run);
    run.bytes = bytes_of(run);
    return run;
}

Run RunCodec::unpack(ByteReader& in, RecordEncoding encoding) const {
    if (encoding == RecordEncoding::Sparse) return unpack(Ticket{in.varint()}, in);
    Run run;
    run.number.value = in.varint();
    run.id = take_text(in, encoding);
    const bool has_own_correlation = encoding == RecordEncoding::Plain || take_number(in, 1) != 0;
    run.correlation = has_own_correlation ? take_text(in, encoding) : run.id;
    run.plan_hash = take_text(in, encoding);
    run.input = take_text(in, encoding);
    run.request = take_text(in, encoding);
    run.constraints = take_text(in, encoding);
    run.user = take_text(in, encoding);
    run.session = take_text(in, encoding);
    run.by = take_text(in, encoding);
    run.started_at = take_any_time(in);
    run.deadline = take_any_time(in);
    run.due = take_any_time(in);
    const auto standing = in.varint();
    run.is_compensating = (standing & 1U) != 0;
    run.parent.value = standing >> 1U;
    run.reason = take_text(in, encoding);
    take_plan(in, run, *plans);
    for (auto& step : run.steps) {
        step.stage = take_enum(in, Stage::Waiting, Stage::Compensated);
        const auto count = take_count(in);
        for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
            step.items.push_back(take_older_item(in, encoding));
        }
        if (encoding == RecordEncoding::Plain) continue;
        step.tokens_used = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    }
    run.bytes = bytes_of(run);
    return run;
}

bool RunCodec::is_small(const Run& run) const { return bytes_of(run) <= kSmallBytes; }
// NOLINTEND(readability-convert-member-functions-to-static)

}  // namespace parlance::core::workflow
