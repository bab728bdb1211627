// Handoffs and calls as bytes, and back.
#include "core/snapshot_words.h"

namespace parlance::core {

namespace {

using handing::Call;
using handing::Candidate;
using handing::Pass;

void put_texts(std::string& out, const std::vector<std::string>& texts) {
    put(out, texts.size());
    for (const auto& text : texts) put(out, text);
}

std::vector<std::string> take_texts(ByteReader& in) {
    std::vector<std::string> texts;
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count; ++i) texts.push_back(take_text(in));
    return texts;
}

void put_reply(std::string& out, const EnvelopePtr& reply) {
    put(out, std::uint64_t{reply != nullptr});
    if (reply) reply->pack(out);
}

EnvelopePtr take_reply(ByteReader& in) {
    if (take_number(in, 1) == 0) return nullptr;
    auto reply = Envelope::unpack(in);
    expect(in, reply != nullptr);
    return reply;
}

void put_pass(std::string& out, const Pass& pass) {
    put(out, pass.began.task.value);
    put(out, pass.began.wanted);
    put(out, pass.began.fallback);
    put_texts(out, pass.began.skills);
    put(out, pass.began.patience);
    put_texts(out, pass.tried);
}

Pass take_pass(ByteReader& in, Ticket request) {
    Pass pass;
    pass.began.request = request;
    pass.began.task.value = in.varint();
    pass.began.wanted = take_text(in);
    pass.began.fallback = take_text(in);
    pass.began.skills = take_texts(in);
    pass.began.patience = take_time(in);
    pass.tried = take_texts(in);
    return pass;
}

void put_call(PieceWriter& pieces, const Call& call) {
    auto& out = pieces.bytes();
    put(out, static_cast<std::uint64_t>(call.kind));
    put(out, call.capability);
    put(out, call.until);
    put(out, call.by);
    put(out, call.parent.value);
    put(out, std::uint64_t{call.is_placed});
    put(out, call.candidates.size());
    for (const auto& each : call.candidates) {
        if (!pieces.spill()) return;
        put(out, each.agent);
        put(out, static_cast<std::uint64_t>(each.stage));
        put(out, each.request.value);
        put_reply(out, each.reply);
        put(out, each.code);
        put(out, each.detail);
    }
}

Call take_call(PieceReader& in, std::uint64_t form) {
    Call call{.kind = take_enum(in, CallKind::Earliest, CallKind::All)};
    call.capability = take_text(in);
    call.until = take_time(in);
    // Before form 10 calls did not say on whose word they were opened.
    if (form >= 10) {
        call.by = take_text(in);
        call.parent.value = in.varint();
        call.is_placed = take_number(in, 1) != 0;
    }
    const auto count = take_count(in);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        in.refill();
        Candidate each{.agent = take_text(in)};
        each.stage = take_enum(in, handing::Stage::Waiting, handing::Stage::Failed);
        each.request.value = in.varint();
        each.reply = take_reply(in);
        each.code = take_text(in);
        each.detail = take_text(in);
        expect(in, (each.stage == handing::Stage::Asked) == (each.request != Ticket{}));
        call.candidates.push_back(std::move(each));
    }
    return call;
}

/// Reads items by their requests, which must be open; `take` gets the ticket of the request.
template <class Take>
void take_each(PieceReader& in, const State& state, const Take& take) {
    const auto count = take_count(in);
    TicketOrder tickets{state.sequence};
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        in.refill();
        const auto request = tickets.take(in);
        expect(in, broker::find_request(state.requests, request) != nullptr);
        if (in.ok()) take(request);
    }
}

/// True if each request made for a call is open, and made for one call only.
bool is_sound(const State& state) {
    std::size_t asked = 0;
    for (const auto& [request, call] : state.handing.calls) {
        for (const auto& each : call.candidates) {
            asked += each.stage == handing::Stage::Asked ? 1U : 0U;
        }
    }
    for (const auto& [request, place] : state.handing.asked) {
        if (broker::find_request(state.requests, request) == nullptr) return false;
    }
    return asked == state.handing.asked.size();
}

}  // namespace

void put_handing(PieceWriter& pieces, const State& state) {
    auto& out = pieces.bytes();
    const auto& handing = state.handing;
    put(out, handing.passes.size());
    for (const auto& [request, pass] : handing.passes) {
        if (!pieces.spill()) return;
        put(out, request.value);
        put_pass(out, pass);
    }
    put(out, handing.calls.size());
    for (const auto& [request, call] : handing.calls) {
        if (!pieces.spill()) return;
        put(out, request.value);
        put_call(pieces, call);
    }
    put(out, handing.former.size());
    for (const auto& [request, names] : handing.former) {
        if (!pieces.spill()) return;
        put(out, request.value);
        put_texts(out, names);
    }
    put(out, handing.pushed.size());
    for (const auto& [request, pushed] : handing.pushed) {
        if (!pieces.spill()) return;
        put(out, request.value);
        put(out, pushed);
    }
    put(out, state.broker.enclosed.size());
    for (const auto& [answer, enclosed] : state.broker.enclosed) {
        if (!pieces.spill()) return;
        put(out, answer.value);
        put(out, enclosed);
    }
}

void take_handing(PieceReader& in, State& state, std::uint64_t form) {
    auto& handing = state.handing;
    take_each(in, state, [&](Ticket request) {
        auto pass = take_pass(in, request);
        if (!in.ok()) return;
        handing::index(handing, request, pass);
        handing.passes.emplace(request, std::move(pass));
    });
    take_each(in, state, [&](Ticket request) {
        auto call = take_call(in, form);
        if (!in.ok()) return;
        const auto place = handing.calls.emplace(request, std::move(call)).first;
        handing::index(handing, request, place->second);
    });
    take_each(in, state, [&](Ticket request) {
        auto names = take_texts(in);
        if (!in.ok()) return;
        const auto& asked = *broker::find_request(state.requests, request)->asked;
        for (const auto& name : names) handing::index(handing, request, asked, name);
        handing.former.emplace(request, std::move(names));
    });
    take_each(in, state, [&](Ticket request) { handing::push(handing, request, take_text(in)); });
    const auto count = take_count(in);
    TicketOrder tickets{state.sequence};
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        in.refill();
        const auto answer = tickets.take(in);
        expect(in, broker::find_message(state.broker, answer) != nullptr);
        broker::enclose(state.broker, answer, take_text(in));
    }
    expect(in, is_sound(state));
}

}  // namespace parlance::core
