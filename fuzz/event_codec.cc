// Does every payload that decodes as an event encode to one that decodes the same, and print?
#include "journal/event_codec.h"

#include <cstdint>

#include "base/check.h"
#include "base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto event = parlance::journal::decode({reinterpret_cast<const char*>(data), size});
    if (!event) return 0;
    std::string once;
    parlance::journal::encode(*event, once);
    const auto again = parlance::journal::decode(once);
    CHECK(again.has_value());
    std::string twice;
    parlance::journal::encode(*again, twice);
    CHECK(once == twice);
    std::string shown;
    parlance::journal::append_json(shown, {1}, {}, *event);
    return 0;
}
