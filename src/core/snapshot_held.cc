// Requests that wait for a person's approval as bytes, and back.
#include <utility>

#include "core/snapshot_words.h"

namespace parlance::core {

namespace {

void put_one(std::string& out, const RequestHeld& held) {
    put(out, held.request.value);
    put(out, static_cast<std::uint64_t>(held.refusal));
    put(out, held.detail);
    put(out, held.timeout_ms);
    put(out, held.expires_at);
    put(out, held.retry_count_max);
    for (const auto& text : {held.user,
                             held.session,
                             held.child_session,
                             held.capability,
                             held.objective,
                             held.objective_hash}) {
        put(out, text);
    }
    put(out, held.depth);
    put(out, held.depth_max);
    put(out, held.tokens_max);
    put(out, held.tokens_estimated);
    put(out, held.tools.size());
    for (const auto& tool : held.tools) put(out, tool);
    put(out, std::uint64_t{held.has_session});
    put(out, held.parent.value);
}

RequestHeld take_one(ByteReader& in, TicketOrder& tickets) {
    RequestHeld held;
    held.request = tickets.take(in);
    held.refusal = take_enum(in, Refusal::None, kRefusals.back().refusal);
    held.detail = take_text(in);
    held.timeout_ms = take_number(in, std::uint64_t{1} << 50U);
    held.expires_at = take_time(in);
    held.retry_count_max = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    for (auto* text : {&held.user,
                       &held.session,
                       &held.child_session,
                       &held.capability,
                       &held.objective,
                       &held.objective_hash}) {
        *text = take_text(in);
    }
    held.depth = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    held.depth_max = static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
    held.tokens_max = in.varint();
    held.tokens_estimated = in.varint();
    const auto tools = take_count(in);
    for (std::uint64_t i = 0; i < tools; ++i) held.tools.push_back(take_text(in));
    held.has_session = take_number(in, 1) != 0;
    held.parent.value = in.varint();
    return held;
}

/// Before form 8 this list named the delegations that a person granted; since form 7 each
/// delegation says so itself.
void take_grants(PieceReader& in, governor::Lineage& lineage) {
    const auto grants = take_count(in);
    for (std::uint64_t i = 0; i < grants && in.ok(); ++i) {
        auto* found = lineage.delegations.wake(Ticket{in.varint()});
        expect(in, found != nullptr);
        if (found != nullptr) found->is_granted = true;
    }
}

}  // namespace

void put_held(PieceWriter& pieces, const governor::Governor& governor) {
    auto& out = pieces.bytes();
    put(out, governor.held.size());
    for (const auto& [request, held] : governor.held) {
        if (!pieces.spill()) return;
        put_one(out, held);
    }
}

void take_held(PieceReader& in, State& state, std::uint64_t form) {
    auto& governor = state.governor;
    const auto count = take_count(in);
    TicketOrder tickets{state.sequence};
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        in.refill();
        auto held = take_one(in, tickets);
        // A held request is open, and in no mailbox.
        expect(in,
               broker::find_request(state.requests, held.request) != nullptr &&
                   broker::find_message(state.broker, held.request) == nullptr);
        const auto request = held.request;
        if (in.ok()) broker::set_held(state.requests, request, true);
        state.requests.adrift_bytes += governor::bytes_of(held);
        governor.held.emplace(request, std::move(held));
    }
    if (form < 8) take_grants(in, governor.lineage);
}

void put_approved(PieceWriter& pieces, const governor::Governor& governor) {
    auto& out = pieces.bytes();
    put(out, governor.approved.size());
    for (const auto& [request, leave] : governor.approved) {
        if (!pieces.spill()) return;
        put(out, request.value);
        put(out, leave.by);
        put(out, leave.tokens);
    }
}

void take_approved(PieceReader& in, governor::Governor& governor) {
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        in.refill();
        const Ticket request{in.varint()};
        governor::Leave leave{.by = take_text(in)};
        leave.tokens = in.varint();
        expect(in, governor.held.contains(request));
        governor.approved.emplace(request, std::move(leave));
    }
}

}  // namespace parlance::core
