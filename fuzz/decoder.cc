// Can any bytes make the decoder of one dialect stop, or read two things out of one message?
//
// What fuzz_dialects asks of all five at once, translations included, without the translations: a
// tenth of the time, so that millions of inputs can be tried. FUZZED_DIALECT says whose decoder.
#include <cstdint>

#include "base/check.h"
#include "base/json.h"
#include "dialects/dialects.h"
#include "dialects/kessel/block.h"

namespace parlance::dialects {
namespace {

const Reception kReception{.dialect = Dialect::FUZZED_DIALECT,
                           .caller = "bob",
                           .fresh_id = "00000000-0000-4000-8000-000000000000",
                           .now = Time{Duration{1'763'892'000'000}}};

void look_at_rejection(const Rejection& rejection) {
    CHECK(rejection.refusal != Refusal::None);
    CHECK(!rejection.problems.empty() && !rejection.summary().empty());
    CHECK(rejection.id.size() <= kIdBytesMax && rejection.from.size() <= kIdBytesMax);
}

/// Every message that was read can be kept, read again as the same, and answered.
void look_at_message(const SendMessage& send) {
    const Envelope& envelope = *send.envelope;
    CHECK(!envelope.id().empty() && !envelope.from().empty() && !envelope.type().empty());
    CHECK(*Envelope::make(envelope.header(), envelope.body()) == envelope);
    const auto again = read_message(envelope.body(), kReception);
    CHECK(again && again->fingerprint == send.fingerprint);
    CHECK(json::check(
        write_failure(envelope, Refusal::RequestTimedOut, envelope.body(), kReception.now)));
}

void look_at(std::string_view text) {
    if (!json::check(text)) return;
    const auto message = read_message(text, kReception);
    if (message) return look_at_message(*message);
    look_at_rejection(message.error());
}

}  // namespace
}  // namespace parlance::dialects

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace parlance::dialects;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    look_at(text);
    if (kReception.dialect == parlance::Dialect::Kessel) {
        if (const auto message = kessel::block_to_json(text)) look_at(*message);
    }
    return 0;
}
