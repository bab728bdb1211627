// Can any bytes crash the decoder of one dialect, or be read in two different ways?
//
// A part of fuzz_dialects: one dialect, without the translations, in a tenth of the time, so that
// millions of inputs can be tried. FUZZED_DIALECT chooses the decoder.
#include <cstdint>

#include "base/check.h"
#include "base/json.h"
#include "dialects/dialects.h"
#include "dialects/kessel/block.h"
#include "dialects/translate.h"

namespace parlance::dialects {
namespace {

constexpr Dialect kDialect = Dialect::FUZZED_DIALECT;
const Reception kReception{.dialect = kDialect,
                           .caller = "bob",
                           .fresh_id = "00000000-0000-4000-8000-000000000000",
                           .now = Time{Duration{1'763'892'000'000}}};

void look_at_rejection(const Rejection& rejection) {
    CHECK(rejection.refusal != Refusal::None);
    CHECK(!rejection.problems.empty() && !rejection.summary().empty());
    CHECK(rejection.id.size() <= kIdBytesMax && rejection.from.size() <= kIdBytesMax);
    CHECK(json::check(write_refusal(kDialect,
                                    rejection.id,
                                    rejection.from,
                                    rejection.refusal,
                                    rejection.summary(),
                                    kReception.now)));
}

/// Every message read can be kept, read again with the same result, and answered.
void look_at_message(const SendMessage& send) {
    const Envelope& envelope = *send.envelope;
    CHECK(!envelope.id().empty() && !envelope.from().empty() && !envelope.type().empty());
    CHECK(envelope.intent() != Intent::Request || !envelope.correlation().empty());
    CHECK(!send.ttl || send.ttl->count() >= 0);
    CHECK(!send.timeout || send.timeout->count() >= 1);
    CHECK(*Envelope::make(envelope.header(), envelope.body()) == envelope);
    const auto again = read_message(envelope.body(), kReception);
    CHECK(again && again->fingerprint == send.fingerprint);
    CHECK(json::check(
        write_failure(envelope, Refusal::RequestTimedOut, envelope.body(), kReception.now)));
}

/// A request to "bob" in this dialect.
const Envelope& request() {
    static const EnvelopePtr kRequest = [] {
        constexpr std::string_view kAsked =
            R"({"id":"m-1","from":"alice","to":"bob","type":"TASK_HANDOFF",)"
            R"("payload":{"task_id":"t-1"},"metadata":{"correlation_id":"wf-1"}})";
        const auto asked = translate(kAsked, Dialect::Taskwire, kDialect, {.now = kReception.now});
        return read_message(asked.value(), {.dialect = kDialect, .caller = "alice"})
            .value()
            .envelope;
    }();
    return *kRequest;
}

/// Whatever the content of an answer, the answer belongs to the request and goes to the requester.
void look_at_reply(const SendMessage& reply) {
    const Envelope& envelope = *reply.envelope;
    CHECK(json::check(envelope.body()));
    CHECK(envelope.intent() == Intent::Reply || envelope.intent() == Intent::Progress);
    CHECK(envelope.answers() == request().id());
    CHECK(envelope.from() == "bob" && envelope.to() == request().from());
    CHECK(envelope.correlation() == request().correlation());
}

void look_at(std::string_view text) {
    if (!json::check(text)) return;
    if (const auto message = read_message(text, kReception)) {
        look_at_message(*message);
    } else {
        look_at_rejection(message.error());
    }
    if (const auto reply = read_reply(text, request(), kReception)) {
        look_at_reply(*reply);
    } else {
        look_at_rejection(reply.error());
    }
}

}  // namespace
}  // namespace parlance::dialects

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace parlance::dialects;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    look_at(text);
    if (kDialect == parlance::Dialect::Kessel) {
        if (const auto message = kessel::block_to_json(text)) look_at(*message);
    }
    return 0;
}
