#include "journal/short_form.h"

#include <optional>

namespace parlance::journal {

namespace {

// Flags of an accepted message, above the priority bits.
constexpr unsigned kPriorityBits = 2;
constexpr unsigned kPriorityMask = 3;
constexpr unsigned kWaits = 1U << 2U;
constexpr unsigned kExpires = 1U << 3U;
constexpr unsigned kHasDeadline = 1U << 4U;
constexpr unsigned kAllFlags = (1U << 5U) - 1;

// Flags of a ticket, below the distance in records.
constexpr unsigned kIsCopy = 1;
constexpr unsigned kIsAgain = 2;
constexpr unsigned kTicketBits = 2;

auto unreadable() { return fail(Fault::Corrupt, "the bytes of an event cannot be read"); }

std::uint64_t count_of(Time time) {
    return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

/// Gathers small values on the stack and appends them at once.
class Head {
  public:
    explicit Head(ShortForm form) { byte(static_cast<unsigned>(form)); }
    void byte(unsigned number) { *at_++ = static_cast<char>(number); }
    void varint(std::uint64_t number) { at_ = put_varint(at_, number); }
    void word(std::uint32_t number) {
        store(at_, number);
        at_ += sizeof number;
    }
    /// Works for any two times: the difference may wrap, and reading wraps back.
    void since(Time time, Time at) {
        varint(to_zigzag(static_cast<std::int64_t>(count_of(time) - count_of(at))));
    }
    void append_to(std::string& out) const {
        out.append(bytes_, static_cast<std::size_t>(at_ - bytes_));
    }

  private:
    char bytes_[64];
    char* at_ = bytes_;
};

Time read_since(ByteReader& in, Time at) {
    const auto since = static_cast<std::uint64_t>(from_zigzag(in.varint()));
    return Time{Duration{static_cast<std::int64_t>(count_of(at) + since)}};
}

bool encode_accepted(const MessageAccepted& event, const Position& position, std::string& out) {
    const bool is_ordinary = event.ticket.value == position.sequence.value * kCopiesMax &&
                             event.envelope && event.missed_count == 0 && !event.is_held &&
                             event.fingerprint <= 0xFFFF'FFFFU &&
                             static_cast<unsigned>(event.priority) <= kPriorityMask;
    if (!is_ordinary) return false;
    Head head{ShortForm::Accepted};
    head.byte(static_cast<unsigned>(event.priority) | (event.waits ? kWaits : 0U) |
              (event.expires_at != Time{} ? kExpires : 0U) |
              (event.deadline != Time{} ? kHasDeadline : 0U));
    head.varint(event.retry_count_max);
    head.word(static_cast<std::uint32_t>(event.fingerprint));
    if (event.expires_at != Time{}) head.since(event.expires_at, position.at);
    if (event.deadline != Time{}) head.since(event.deadline, position.at);
    head.append_to(out);
    event.envelope->pack_short(out);
    return true;
}

Result<Event> decode_accepted(ByteReader& in, const Position& position) {
    const auto flags = in.word<std::uint8_t>();
    const auto retries = in.varint();
    if (flags > kAllFlags || retries > 0xFFFF'FFFFU) return unreadable();
    MessageAccepted event{.ticket = {position.sequence.value * kCopiesMax},
                          .envelope = {},
                          .priority = static_cast<Priority>(flags & kPriorityMask),
                          .retry_count_max = static_cast<std::uint32_t>(retries),
                          .fingerprint = in.word<std::uint32_t>(),
                          .waits = (flags & kWaits) != 0};
    if ((flags & kExpires) != 0) event.expires_at = read_since(in, position.at);
    if ((flags & kHasDeadline) != 0) event.deadline = read_since(in, position.at);
    event.envelope = Envelope::unpack_short(in);
    if (!event.envelope) return unreadable();
    return event;
}

/// False, and nothing written, if no record up to this one created the ticket.
bool put_ticket(Head& head, Ticket ticket, std::uint32_t attempt, const Position& position) {
    const auto founded = ticket.value / kCopiesMax;
    const auto copy = ticket.value % kCopiesMax;
    if (founded == 0 || founded > position.sequence.value) return false;
    head.varint((position.sequence.value - founded) << kTicketBits | (copy != 0 ? kIsCopy : 0U) |
                (attempt != 1 ? kIsAgain : 0U));
    if (copy != 0) head.varint(copy);
    if (attempt != 1) head.varint(attempt);
    return true;
}

struct TicketAndAttempt {
    Ticket ticket{};
    std::uint32_t attempt = 1;
};

std::optional<TicketAndAttempt> read_ticket(ByteReader& in, const Position& position) {
    const auto word = in.varint();
    const auto copy = (word & kIsCopy) != 0 ? in.varint() : 0;
    const auto attempt = (word & kIsAgain) != 0 ? in.varint() : 1;
    const auto ago = word >> kTicketBits;
    if (!in.ok() || ago >= position.sequence.value || copy >= kCopiesMax ||
        attempt > 0xFFFF'FFFFU) {
        return std::nullopt;
    }
    return TicketAndAttempt{{(position.sequence.value - ago) * kCopiesMax + copy},
                            static_cast<std::uint32_t>(attempt)};
}

}  // namespace

static_assert(kPriorities <= 1U << kPriorityBits);

bool encode_short(const Event& event, const Position& position, std::string& out) {
    if (const auto* accepted = std::get_if<MessageAccepted>(&event)) {
        return encode_accepted(*accepted, position, out);
    }
    if (const auto* leased = std::get_if<LeaseGranted>(&event)) {
        Head head{ShortForm::Leased};
        if (!put_ticket(head, leased->ticket, leased->attempt, position)) return false;
        head.varint(leased->instance.value);
        head.since(leased->until, position.at);
        head.append_to(out);
        return true;
    }
    if (const auto* done = std::get_if<DeliveryAcknowledged>(&event)) {
        Head head{ShortForm::Acknowledged};
        if (!put_ticket(head, done->ticket, done->attempt, position)) return false;
        head.append_to(out);
        return true;
    }
    return false;
}

Result<Event> decode_short(ShortForm form, ByteReader& in, const Position& position) {
    if (form == ShortForm::Accepted) return decode_accepted(in, position);
    const auto what = read_ticket(in, position);
    if (!what) return unreadable();
    if (form == ShortForm::Leased) {
        LeaseGranted event{.ticket = what->ticket,
                           .instance = {in.varint()},
                           .attempt = what->attempt,
                           .until = read_since(in, position.at)};
        if (!in.ok() || !in.at_end()) return unreadable();
        return event;
    }
    if (!in.at_end()) return unreadable();
    return DeliveryAcknowledged{what->ticket, what->attempt};
}

}  // namespace parlance::journal
