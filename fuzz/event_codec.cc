// Does every decodable event payload encode, in either form, to a payload of the same event, and
// print?
#include "journal/event_codec.h"

#include <cstdint>

#include "base/check.h"
#include "base/json.h"

namespace parlance::journal {
namespace {

const Position kHere{{5}, Time{Duration{1'763'892'000'000}}};

std::string in_long(const Event& event) {
    std::string out;
    encode(event, out);
    return out;
}

void look_at(std::string_view payload) {
    const auto event = decode(payload, kHere);
    if (!event) return;
    const auto once = in_long(*event);
    const auto again = decode(once, kHere);
    CHECK(again.has_value());
    CHECK(in_long(*again) == once);
    std::string here;
    encode(*event, kHere, here);
    const auto read = decode(here, kHere);
    CHECK(read.has_value());
    CHECK(in_long(*read) == once);
    CHECK(number_of(here) == number_of(once));
    std::string shown;
    append_json(shown, {1}, {}, *event);
}

}  // namespace
}  // namespace parlance::journal

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    parlance::journal::look_at({reinterpret_cast<const char*>(data), size});
    return 0;
}
