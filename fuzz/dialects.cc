// Can any JSON make a message that cannot be kept, answered or translated, or that a translation to
// a different dialect and back changes?
#include <cstdint>

#include "base/check.h"
#include "base/json.h"
#include "dialects/dialect_row.h"
#include "dialects/kessel/block.h"
#include "dialects/same.h"
#include "dialects/translate.h"

namespace parlance::dialects {
namespace {

const Time kNow{Duration{1'763'892'000'000}};
constexpr Duration kLater{5'000};

Reception as(Dialect dialect) {
    return {.dialect = dialect,
            .caller = "bob",
            .fresh_id = "00000000-0000-4000-8000-000000000000",
            .now = kNow};
}

void look_at_rejection(Dialect dialect, const Rejection& rejection) {
    CHECK(rejection.refusal != Refusal::None);
    CHECK(!rejection.problems.empty() && !rejection.summary().empty());
    CHECK(rejection.id.size() <= kIdBytesMax && rejection.from.size() <= kIdBytesMax);
    CHECK(json::check(write_refusal(
        dialect, rejection.id, rejection.from, rejection.refusal, rejection.summary(), kNow)));
}

/// Every message read can be kept, read again, answered, and translated to all dialects.
void look_at_message(Dialect dialect, const SendMessage& send) {
    const Envelope& envelope = *send.envelope;
    CHECK(!envelope.id().empty() && !envelope.from().empty() && !envelope.type().empty());
    CHECK(*Envelope::make(envelope.header(), envelope.body()) == envelope);
    const auto again = read_message(envelope.body(), as(dialect));
    CHECK(again && again->fingerprint == send.fingerprint);
    CHECK(json::check(write_failure(envelope, Refusal::RequestTimedOut, envelope.body(), kNow)));

    const json::Value message = json::root(envelope.body());
    const bool is_fresh = !json::find(message, "parlance");
    for (const DialectRow* other : all_rows()) {
        const auto there = translate(envelope.body(), dialect, other->dialect, {.now = kNow});
        CHECK(there);  // Every accepted message can be translated to every dialect.
        const auto read = read_message(*there, as(other->dialect));
        CHECK(read || !is_fresh);
        const auto back = translate(*there, other->dialect, dialect, {.now = kNow + kLater});
        CHECK(back || !is_fresh);
        CHECK(!is_fresh || is_same(json::root(*back), message));
    }
}

void look_at(std::string_view text) {
    if (!json::check(text)) return;
    for (const DialectRow* row : all_rows()) {
        const auto message = read_message(text, as(row->dialect));
        if (message) {
            look_at_message(row->dialect, *message);
        } else {
            look_at_rejection(row->dialect, message.error());
        }
    }
    // Recognition of the dialect, too, must decide on any bytes.
    const auto recognised = read_message(text, {});
    CHECK(recognised || !recognised.error().summary().empty());
}

/// A valid block is strict JSON, and so is the block written from the JSON.
void look_at_block(std::string_view text) {
    const auto message = kessel::block_to_json(text);
    if (!message) return;
    CHECK(json::check(*message));
    const auto block = kessel::json_to_block(*message);
    if (!block) return;
    const auto again = kessel::block_to_json(*block);
    CHECK(again && is_same(json::root(*again), json::root(*message)));
}

}  // namespace
}  // namespace parlance::dialects

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    parlance::dialects::look_at(text);
    parlance::dialects::look_at_block(text);
    return 0;
}
