// What is shared as bytes, and back.
#include <algorithm>
#include <utility>

#include "base/json.h"
#include "core/snapshot_words.h"

namespace parlance::core {

namespace {

using namespace shared;

void put_texts(std::string& out, const std::vector<std::string>& texts) {
    put(out, texts.size());
    for (const auto& text : texts) put(out, text);
}

/// Text that is merged and walked later: garbage would be trusted.
std::string take_json(ByteReader& in) {
    auto text = take_text(in);
    expect(in, json::check(text).has_value());
    return text;
}

std::vector<std::string> take_documents(ByteReader& in) {
    std::vector<std::string> documents(take_count(in));
    for (auto& document : documents) document = take_json(in);
    return documents;
}

void put_item(std::string& out, const Context& context) {
    put(out, context.owner);
    put(out, context.status);
    put(out, context.version);
    put(out, context.entities.size());
    for (const auto& [name, entity] : context.entities) {
        put(out, name);
        put(out, entity.value);
        put(out, entity.domain);
    }
    put_texts(out, context.history);
    put_texts(out, context.artifacts);
    put(out, context.handoff.value);
    put(out, context.recipient);
    put(out, std::uint64_t{context.done != nullptr});
    if (context.done) context.done->pack(out);
}

void take_item(ByteReader& in, Context& context) {
    context.owner = take_text(in);
    context.status = take_text(in);
    context.version = in.varint();
    const auto entities = take_count(in);
    for (std::uint64_t i = 0; i < entities && in.ok(); ++i) {
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

void put_item(std::string& out, const Task& task) {
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

void put_item(std::string& out, const Allotment& allotment) {
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

void put_item(std::string& out, const Session& session) {
    put(out, session.user);
    put(out, session.parent);
    put(out, session.history);
    put(out, session.workflow);
    put(out, session.agents.size());
    for (const auto& [agent, part] : session.agents) {
        put(out, agent);
        put(out, part);
    }
    put(out, session.analyses.size());
    for (const auto& [key, analysis] : session.analyses) {
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

void take_item(ByteReader& in, Session& session) {
    session.user = take_text(in);
    session.parent = take_text(in);
    session.history = take_text(in);
    session.workflow = take_text(in);
    const auto agents = take_count(in);
    for (std::uint64_t i = 0; i < agents && in.ok(); ++i) {
        auto agent = take_text(in);
        session.agents.emplace(std::move(agent), take_text(in));
    }
    const auto analyses = take_count(in);
    for (std::uint64_t i = 0; i < analyses && in.ok(); ++i) {
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

void put_item(std::string& out, const std::vector<KnownFact>& facts) {
    put(out, facts.size());
    for (const auto& [fact, session, at] : facts) {
        put(out, fact.kind);
        put(out, fact.about);
        put(out, fact.value);
        put(out, fact.agent);
        put(out, fact.source);
        put(out, session);
        put(out, at);
    }
}

void take_item(ByteReader& in, std::vector<KnownFact>& facts) {
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
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
void put_items(std::string& out, const ById<Item>& items) {
    put(out, items.size());
    for (const auto& [id, item] : items) {
        put(out, id);
        put_item(out, item);
    }
}

template <class Item>
void take_items(ByteReader& in, ById<Item>& items) {
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) take_item(in, items[take_text(in)]);
}

}  // namespace

void put_shared(std::string& out, const Shared& shared) {
    put_items(out, shared.contexts);
    put_items(out, shared.tasks);
    put_items(out, shared.allocations);
    put_items(out, shared.sessions);
    put_items(out, shared.facts);
}

void take_shared(ByteReader& in, State& state) {
    auto& shared = state.shared;
    take_items(in, shared.contexts);
    take_items(in, shared.tasks);
    take_items(in, shared.allocations);
    take_items(in, shared.sessions);
    take_items(in, shared.facts);
    index(shared);
    // A lock opens with its request.
    expect(in, std::ranges::all_of(shared.handoffs, [&](const auto& handoff) {
               return broker::find_request(state.requests, handoff.first) != nullptr;
           }));
}

}  // namespace parlance::core
