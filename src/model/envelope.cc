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
