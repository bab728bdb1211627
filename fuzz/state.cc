// Is a snapshot of any bytes loaded or refused without harm, and does a loaded state survive a
// second round of encoding unchanged?
#include <cstdint>

#include "base/check.h"
#include "core/snapshot.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes{reinterpret_cast<const char*>(data), size};
    const auto state = parlance::core::decode_state(bytes, {});
    if (!state) return 0;
    const auto once = parlance::core::encode_state(*state);
    const auto again = parlance::core::decode_state(once, {});
    CHECK(again.has_value());
    CHECK(parlance::core::encode_state(*again) == once);
    return 0;
}
