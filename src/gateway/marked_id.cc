#include "gateway/marked_id.h"

#include <array>
#include <charconv>

#include "base/hash.h"
#include "gateway/desk.h"

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

bool names_id(std::string_view text, std::string_view id) {
    return text == id || text == id.substr(0, id.find('.'));
}

}  // namespace parlance::gateway
