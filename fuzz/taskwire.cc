// Can any JSON make a taskwire message whose envelope is not what its bytes say, an answer that is
// not JSON, or a hub that cannot answer?
#include <cstdint>

#include "base/check.h"
#include "base/json.h"
#include "dialects/dialects.h"

namespace parlance::dialects {
namespace {

const Reception kReception{.dialect = Dialect::Taskwire,
                           .caller = "bob",
                           .fresh_id = "00000000-0000-4000-8000-000000000000",
                           .now = Time{Duration{1'763'892'000'000}}};

void look_at_rejection(const Rejection& rejection) {
    CHECK(rejection.refusal != Refusal::None);
    CHECK(!rejection.problems.empty() && !rejection.summary().empty());
    CHECK(rejection.id.size() <= kIdBytesMax && rejection.from.size() <= kIdBytesMax);
    const std::string report = write_refusal(Dialect::Taskwire,
                                             rejection.id,
                                             rejection.from,
                                             rejection.refusal,
                                             rejection.summary(),
                                             kReception.now);
    CHECK(json::check(report));
}

/// Every message that was read can be kept, read again, and answered by the hub.
void look_at_message(const SendMessage& send) {
    const Envelope& envelope = *send.envelope;
    CHECK(!envelope.id().empty() && !envelope.from().empty() && !envelope.to().empty());
    CHECK(!envelope.type().empty());
    CHECK(envelope.intent() != Intent::Request || !envelope.correlation().empty());
    CHECK(!send.ttl || send.ttl->count() >= 0);
    CHECK(!send.timeout || send.timeout->count() >= 1);
    CHECK(*Envelope::make(envelope.header(), envelope.body()) == envelope);

    const auto again = read_message(envelope.body(), kReception);
    CHECK(again && again->envelope->to() == envelope.to());
    CHECK(again->fingerprint == send.fingerprint);

    const std::string failure =
        write_failure(envelope, Refusal::RequestTimedOut, envelope.body(), kReception.now);
    CHECK(json::check(failure));
    const auto read = read_message(failure, {});
    CHECK(read && read->envelope->intent() == Intent::Reply);
    CHECK(read->envelope->to() == envelope.from() && read->envelope->answers() == envelope.id());
}

const Envelope& request() {
    static const EnvelopePtr kRequest =
        read_message(R"({"id":"m-1","from":"alice","to":"bob","type":"TASK_HANDOFF",)"
                     R"("payload":{"task_id":"t-1"},"metadata":{"correlation_id":"wf-1"}})",
                     {})
            .value()
            .envelope;
    return *kRequest;
}

void look_at_reply(const SendMessage& reply) {
    const Envelope& envelope = *reply.envelope;
    CHECK(json::check(envelope.body()));
    CHECK(envelope.intent() == Intent::Reply || envelope.intent() == Intent::Progress);
    CHECK(envelope.answers() == "m-1");
    CHECK(envelope.from() == "bob" && envelope.to() == "alice");
    CHECK(envelope.correlation() == "wf-1");
}

void look_at(std::string_view text) {
    if (!json::check(text)) return;
    if (const auto message = read_message(text, {})) {
        CHECK(message->envelope->body() == text);
        look_at_message(*message);
    } else {
        look_at_rejection(message.error());
    }
    if (const auto message = read_message(text, kReception)) look_at_message(*message);
    if (const auto reply = read_reply(text, request(), kReception)) {
        look_at_reply(*reply);
    } else {
        look_at_rejection(reply.error());
    }
}

}  // namespace
}  // namespace parlance::dialects

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    parlance::dialects::look_at({reinterpret_cast<const char*>(data), size});
    return 0;
}
