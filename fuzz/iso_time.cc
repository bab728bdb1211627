// Does every parsed time print as text that parses to the same time?
#include "base/iso_time.h"

#include <cstdint>

#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto time = parlance::parse_iso_time({reinterpret_cast<const char*>(data), size});
    if (!time) return 0;
    const std::string printed = parlance::print_iso_time(*time);
    CHECK(printed.size() == 24);
    CHECK(parlance::parse_iso_time(printed).value() == *time);
    return 0;
}
