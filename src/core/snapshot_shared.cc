// The shared state as bytes, and back.
#include <algorithm>
#include <utility>

#include "base/json.h"
#include "core/snapshot_words.h"

namespace parlance::core {

namespace {

using namespace shared;

void put_texts(PieceWriter& pieces, const std::vector<std::string>& texts) {
    put(pieces.bytes(), texts.size());
    for (const auto& text : texts) {
        if (!pieces.spill()) return;
        put(pieces.bytes(), text);
    }
}

/// JSON that is merged and walked later without a check: garbage would be trusted.
std::string take_json(ByteReader& in) {
    auto text = take_text(in);
    expect(in, json::check(text).has_value());
    return text;
}

std::vector<std::string> take_documents(PieceReader& in) {
    std::vector<std::string> documents;
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        in.refill();
        documents.push_back(take_json(in));
    }
    return documents;
}

void put_item(PieceWriter& pieces, const Context& context) {
    auto& out = pieces.bytes();
    put(out, context.owner);
    put(out, context.status);
    put(out, context.version);
    put(out, context.entities.size());
    for (const auto& [name, entity] : context.entities) {
        if (!pieces.spill()) return;
        put(out, name);
        put(out, entity.value);
        put(out, entity.domain);
    }
    put_texts(pieces, context.history);
    put_texts(pieces, context.artifacts);
    put(out, context.handoff.value);
    put(out, context.recipient);
    put(out, std::uint64_t{context.done != nullptr});
    if (context.done) context.done->pack(out);
}

void take_item(PieceReader& in, Context& context) {
    context.owner = take_text(in);
    context.status = take_text(in);
    context.version = in.varint();
    const auto entities = take_count(in);
    for (std::uint64_t i = 0; i < entities && in.ok(); ++i) {
        in.refill();
        auto name = take_text(in);
        Entity entity{.value = take_json(in), .domain = {}};
        entity.domain = take_text(in);
        context.entities.emplace(std::move(name), std::move(entity));
    }
    context.history = take_documents(in);
    context.artifacts = take_documents(in);
    context.handoff.value = in.varint();
    context.recipient = take_text(in);
    if (take_number(in, 1) == 0) return;
    context.done = Envelope::unpack(in);
    expect(in, context.done != nullptr);
}

void put_item(PieceWriter& pieces, const Task& task) {
    auto& out = pieces.bytes();
    put(out, task.document);
    put(out, task.agent);
    put(out, task.user);
    put(out, task.creator);
    put(out, task.version);
}

void take_item(ByteReader& in, Task& task) {
    task.document = take_json(in);
    task.agent = take_text(in);
    task.user = take_text(in);
    task.creator = take_text(in);
    task.version = in.varint();
}

void put_item(PieceWriter& pieces, const Allotment& allotment) {
    auto& out = pieces.bytes();
    const auto& allocation = allotment.allocation;
    put(out, allocation.agent);
    put(out, allocation.resource);
    put(out, allocation.allocated);
    put(out, allocation.consumed);
    put(out, allocation.limit);
    put(out, allocation.expires_at);
    put(out, allotment.version);
}

void take_item(ByteReader& in, Allotment& allotment) {
    auto& allocation = allotment.allocation;
    allocation.agent = take_text(in);
    allocation.resource = take_text(in);
    allocation.allocated = in.varint();
    allocation.consumed = in.varint();
    allocation.limit = in.varint();
    allocation.expires_at = take_time(in);
    allotment.version = in.varint();
}

void put_item(PieceWriter& pieces, const Session& session) {
    auto& out = pieces.bytes();
    put(out, session.user);
    put(out, session.parent);
    put(out, session.history);
    put(out, session.workflow);
    put(out, session.agents.size());
    for (const auto& [agent, part] : session.agents) {
        if (!pieces.spill()) return;
        put(out, agent);
        put(out, part);
    }
    put(out, session.analyses.size());
    for (const auto& [key, analysis] : session.analyses) {
        if (!pieces.spill()) return;
        put(out, key);
        put(out, analysis.capability);
        put(out, analysis.result);
        put(out, analysis.agent);
        put(out, analysis.at);
    }
    put(out, session.version);
    put(out, session.begun_at);
    put(out, session.changed_at);
}

void take_item(PieceReader& in, Session& session) {
    session.user = take_text(in);
    session.parent = take_text(in);
    session.history = take_text(in);
    session.workflow = take_text(in);
    const auto agents = take_count(in);
    for (std::uint64_t i = 0; i < agents && in.ok(); ++i) {
        in.refill();
        auto agent = take_text(in);
        session.agents.emplace(std::move(agent), take_text(in));
    }
    const auto analyses = take_count(in);
    for (std::uint64_t i = 0; i < analyses && in.ok(); ++i) {
        in.refill();
        auto& analysis = session.analyses[take_text(in)];
        analysis.capability = take_text(in);
        analysis.result = take_text(in);
        analysis.agent = take_text(in);
        analysis.at = take_time(in);
    }
    session.version = in.varint();
    session.begun_at = take_time(in);
    session.changed_at = take_time(in);
}

void put_item(PieceWriter& pieces, const std::vector<KnownFact>& facts) {
    auto& out = pieces.bytes();
    put(out, facts.size());
    for (const auto& [fact, session, at] : facts) {
        if (!pieces.spill()) return;
        put(out, fact.kind);
        put(out, fact.about);
        put(out, fact.value);
        put(out, fact.agent);
        put(out, fact.source);
        put(out, session);
        put(out, at);
    }
}

void take_item(PieceReader& in, std::vector<KnownFact>& facts) {
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        in.refill();
        auto& [fact, session, at] = facts.emplace_back();
        fact.kind = take_text(in);
        fact.about = take_text(in);
        fact.value = take_text(in);
        fact.agent = take_text(in);
        fact.source = take_text(in);
        session = take_text(in);
        at = take_time(in);
    }
}

template <class Item>
void put_items(PieceWriter& pieces, const ById<Item>& items) {
    put(pieces.bytes(), items.size());
    for (const auto& [id, item] : items) {
        if (!pieces.spill()) return;
        put(pieces.bytes(), id);
        put_item(pieces, item);
    }
}

template <class Item>
void take_items(PieceReader& in, ById<Item>& items) {
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        in.refill();
        take_item(in, items[take_text(in)]);
    }
}

}  // namespace

void put_shared(PieceWriter& pieces, const Shared& shared) {
    put_items(pieces, shared.contexts);
    put_items(pieces, shared.tasks);
    put_items(pieces, shared.allocations);
    put_items(pieces, shared.sessions);
    put_items(pieces, shared.facts);
}

void take_shared(PieceReader& in, State& state) {
    auto& shared = state.shared;
    take_items(in, shared.contexts);
    take_items(in, shared.tasks);
    take_items(in, shared.allocations);
    take_items(in, shared.sessions);
    take_items(in, shared.facts);
    index(shared);
    // A context's lock opens with its request.
    expect(in, std::ranges::all_of(shared.handoffs, [&](const auto& handoff) {
               return broker::find_request(state.requests, handoff.first) != nullptr;
           }));
}

}  // namespace parlance::core
