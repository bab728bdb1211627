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
            .intent = intent()};
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
    const auto dialect = in.varint();
    const auto intent = in.varint();
    const auto body_bytes = in.varint();
    const auto beside_bytes = in.varint();
    std::array<std::uint64_t, kFields> places{};
    for (auto& place : places) place = in.varint();
    if (body_bytes > kMessageBytesMax || beside_bytes > kFields * kIdBytesMax) return nullptr;
    const auto all = in.bytes(body_bytes + beside_bytes);
    if (!in.ok() || dialect < 1 || dialect > 5 || intent < 1 ||
        intent > static_cast<std::uint8_t>(Intent::Progress)) {
        return nullptr;
    }
    for (const auto place : places) {
        if (place > 0xFFFF'FFFFU || (place & 0xFFU) > kIdBytesMax) return nullptr;
        if ((place >> 8U) + (place & 0xFFU) > all.size()) return nullptr;
    }
    void* memory = ::operator new(sizeof(Envelope) + all.size());
    auto* envelope = new (memory) Envelope;
    envelope->body_bytes_ = static_cast<std::uint32_t>(body_bytes);
    envelope->beside_bytes_ = static_cast<std::uint16_t>(beside_bytes);
    envelope->dialect_ = static_cast<Dialect>(dialect);
    envelope->intent_ = static_cast<Intent>(intent);
    for (std::size_t i = 0; i < places.size(); ++i) {
        envelope->places_[i] = static_cast<std::uint32_t>(places[i]);
    }
    if (!all.empty()) std::memcpy(envelope->text(), all.data(), all.size());
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
