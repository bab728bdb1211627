#include "model/envelope.h"

#include <cstring>
#include <functional>
#include <new>

#include "base/check.h"

namespace parlance {

namespace {

bool lies_in(std::string_view whole, std::string_view part) {
    // std::less orders unrelated pointers too, which a bare < does not promise.
    const std::less_equal<const char*> at_or_before;
    return at_or_before(whole.data(), part.data()) &&
           at_or_before(part.data() + part.size(), whole.data() + whole.size());
}

// The first byte of the short form.
constexpr unsigned kDialectMask = 7;
constexpr unsigned kIntentShift = 3;
constexpr unsigned kBesideMark = 1U << 6U;
constexpr std::int64_t kOffsetMax = (1 << 24) - 1;  // Bits for the offset in a packed position.

}  // namespace

EnvelopePtr Envelope::make(const Header& header, std::string_view body) {
    const std::array<std::string_view, kFields> fields{header.id,
                                                       header.from,
                                                       header.to,
                                                       header.type,
                                                       header.task,
                                                       header.correlation,
                                                       header.answers};
    CHECK(body.size() <= kMessageBytesMax);
    std::size_t beside = 0;
    for (const auto& field : fields) {
        CHECK(field.size() <= kIdBytesMax);
        if (!lies_in(body, field)) beside += field.size();
    }

    void* memory = ::operator new(sizeof(Envelope) + body.size() + beside);
    auto* envelope = new (memory) Envelope;
    envelope->body_bytes_ = static_cast<std::uint32_t>(body.size());
    envelope->beside_bytes_ = static_cast<std::uint16_t>(beside);
    envelope->dialect_ = header.dialect;
    envelope->intent_ = header.intent;
    envelope->is_whole_ = header.is_whole;
    if (!body.empty()) std::memcpy(envelope->text(), body.data(), body.size());

    std::size_t end = body.size();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        std::size_t offset = 0;
        if (fields[i].empty()) continue;
        if (lies_in(body, fields[i])) {
            offset = static_cast<std::size_t>(fields[i].data() - body.data());
        } else {
            offset = end;
            std::memcpy(envelope->text() + end, fields[i].data(), fields[i].size());
            end += fields[i].size();
        }
        envelope->places_[i] = static_cast<std::uint32_t>(offset << 8U | fields[i].size());
    }
    return EnvelopePtr{envelope};
}

Header Envelope::header() const {
    return {.id = id(),
            .from = from(),
            .to = to(),
            .type = type(),
            .task = task(),
            .correlation = correlation(),
            .answers = answers(),
            .dialect = dialect(),
            .intent = intent(),
            .is_whole = is_whole()};
}

void Envelope::pack(std::string& out) const {
    append_varint(out, static_cast<std::uint64_t>(dialect_));
    append_varint(out, static_cast<std::uint64_t>(intent_));
    append_varint(out, body_bytes_);
    append_varint(out, beside_bytes_);
    for (const auto place : places_) append_varint(out, place);
    out.append(text(), body_bytes_ + beside_bytes_);
}

EnvelopePtr Envelope::unpack(ByteReader& in) {
    Parts parts{.dialect = in.varint(), .intent = in.varint()};
    const auto body_bytes = in.varint();
    parts.beside_bytes = in.varint();
    for (auto& place : parts.places) place = in.varint();
    if (body_bytes > kMessageBytesMax || parts.beside_bytes > kFields * kIdBytesMax) return nullptr;
    parts.text = in.bytes(body_bytes + parts.beside_bytes);
    if (!in.ok()) return nullptr;
    return put_together(parts);
}

// byte   dialect, intent, and a mark for text beside the body; then its length
// byte   mask of fields present; then each field's distance from the previous field, and its
// length
void Envelope::pack_short(std::string& out) const {
    char head[2 + kVarintBytesMax * (1 + 2 * kFields)];
    head[0] = static_cast<char>(static_cast<unsigned>(dialect_) |
                                static_cast<unsigned>(intent_) << kIntentShift |
                                (beside_bytes_ > 0 ? kBesideMark : 0U));
    unsigned mask = 0;
    char* at = head + 2;
    if (beside_bytes_ > 0) at = put_varint(at, beside_bytes_);
    std::int64_t end = 0;
    for (const auto index : kInOrder) {
        const auto offset = static_cast<std::int64_t>(places_[index] >> 8U);
        const auto size = places_[index] & 0xFFU;
        if (size == 0) continue;
        mask |= 1U << index;
        at = put_varint(at, to_zigzag(offset - end));
        at = put_varint(at, size);
        end = offset + size;
    }
    head[1] = static_cast<char>(mask);
    out.append(head, static_cast<std::size_t>(at - head));
    out.append(text(), body_bytes_ + beside_bytes_);
}

EnvelopePtr Envelope::unpack_short(ByteReader& in) {
    const auto first = in.word<std::uint8_t>();
    const auto mask = in.word<std::uint8_t>();
    Parts parts{.dialect = first & kDialectMask, .intent = first >> kIntentShift & kDialectMask};
    if ((first & kBesideMark) != 0) parts.beside_bytes = in.varint();
    std::int64_t end = 0;
    for (const auto index : kInOrder) {
        if ((mask >> index & 1U) == 0) continue;
        const auto offset = end + from_zigzag(in.varint());
        const auto size = in.varint();
        const bool is_place =
            offset >= 0 && offset <= kOffsetMax && size > 0 && size <= kIdBytesMax;
        if (!is_place) return nullptr;
        parts.places[index] = static_cast<std::uint64_t>(offset) << 8U | size;
        end = offset + static_cast<std::int64_t>(size);
    }
    parts.text = in.bytes(in.left());
    if (!in.ok() || first >> 7U != 0 || mask >> kFields != 0) return nullptr;
    return put_together(parts);
}

EnvelopePtr Envelope::put_together(const Parts& parts) {
    const bool is_known = parts.dialect >= 1 && parts.dialect <= 5 && parts.intent >= 1 &&
                          parts.intent <= static_cast<std::uint8_t>(Intent::Progress);
    if (!is_known || parts.beside_bytes > kFields * kIdBytesMax ||
        parts.beside_bytes > parts.text.size() ||
        parts.text.size() - parts.beside_bytes > kMessageBytesMax) {
        return nullptr;
    }
    for (const auto place : parts.places) {
        if (place > 0xFFFF'FFFFU || (place & 0xFFU) > kIdBytesMax) return nullptr;
        if ((place >> 8U) + (place & 0xFFU) > parts.text.size()) return nullptr;
    }
    void* memory = ::operator new(sizeof(Envelope) + parts.text.size());
    auto* envelope = new (memory) Envelope;
    envelope->body_bytes_ = static_cast<std::uint32_t>(parts.text.size() - parts.beside_bytes);
    envelope->beside_bytes_ = static_cast<std::uint16_t>(parts.beside_bytes);
    envelope->dialect_ = static_cast<Dialect>(parts.dialect);
    envelope->intent_ = static_cast<Intent>(parts.intent);
    for (std::size_t i = 0; i < parts.places.size(); ++i) {
        // Empty fields have no position.
        const bool is_empty = (parts.places[i] & 0xFFU) == 0;
        envelope->places_[i] = is_empty ? 0 : static_cast<std::uint32_t>(parts.places[i]);
    }
    if (!parts.text.empty()) std::memcpy(envelope->text(), parts.text.data(), parts.text.size());
    return EnvelopePtr{envelope};
}

std::size_t Envelope::overhead_bytes() const { return sizeof(Envelope) + beside_bytes_; }

void intrusive_ptr_release(const Envelope* envelope) {
    if (envelope->references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    envelope->~Envelope();
    ::operator delete(const_cast<Envelope*>(envelope));  // NOLINT(*-const-cast): made by make().
}

bool operator==(const Envelope& left, const Envelope& right) {
    return left.body() == right.body() && left.id() == right.id() && left.from() == right.from() &&
           left.to() == right.to() && left.type() == right.type() && left.task() == right.task() &&
           left.correlation() == right.correlation() && left.answers() == right.answers() &&
           left.dialect() == right.dialect() && left.intent() == right.intent();
}

}  // namespace parlance
