#include "gateway/marked_id.h"

#include <array>
#include <charconv>

#include "base/hash.h"
#include "gateway/handlers.h"
#include "gateway/problem.h"

namespace parlance::gateway {

namespace {

std::string marked_id(Ticket ticket, std::uint64_t mark) {
    constexpr int kBase = 36;
    constexpr std::size_t kMarkBytesMax = 13;
    std::array<char, kMarkBytesMax> digits;
    auto* const end = std::to_chars(digits.data(), digits.data() + digits.size(), mark, kBase).ptr;
    return std::to_string(ticket.value) + '.' + std::string{digits.data(), end};
}

/// Constant and not secret, so that an id stays the same over restarts.
constexpr SipKey kIdKey{};

}  // namespace

std::string human_task_id(Ticket ticket, Time asked_at) {
    return marked_id(ticket, static_cast<std::uint64_t>(asked_at.time_since_epoch().count()));
}

std::string dead_letter_id(const DeadLetterListing& letter) {
    const auto& envelope = *letter.envelope;
    std::string named{envelope.from()};
    named += '\n';
    named += envelope.id();
    return marked_id(letter.ticket, siphash_short(kIdKey, named) & UINT32_MAX);
}

std::optional<Ticket> parse_ticket(std::string_view id) {
    const auto number = parse_number(id.substr(0, id.find('.')));
    if (!number) return std::nullopt;
    return Ticket{*number};
}

std::optional<Ticket> read_after(const Desk& desk, Call& call) {
    const auto text = call.request().parameter("after");
    if (text.empty()) return Ticket{};
    const auto after = parse_ticket(text);
    if (!after) {
        const dialects::Rejection rejection{
            .refusal = Refusal::InputValidationFailed,
            .problems = {{.pointer = "?after",
                          .value = json::shortened(text),
                          .rule = "must be the last id of the previous page"}}};
        call.exchange->respond(
            problem(rejection.refusal, rejection.summary(), rejection.problems, {}));
        return std::nullopt;
    }
    const auto last = desk.engine->durable();
    if (core::sequence_of(*after) > last) {
        call.exchange->respond(problem(Refusal::SequenceNotFound,
                                       "after is " + json::shortened(text) +
                                           ", which is behind the last record (" +
                                           std::to_string(last.value) + ")"));
        return std::nullopt;
    }
    return after;
}

bool names_id(std::string_view text, std::string_view id) {
    return text == id || text == id.substr(0, id.find('.'));
}

}  // namespace parlance::gateway
