// CRC-32C (Castagnoli), by the processor's own instruction where it has one.
#pragma once

#include <cstdint>
#include <string_view>

namespace parlance {

/// The checksum of `bytes`; of a longer text piece by piece when each result is the next `before`.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

/// The same by table, on any processor.
std::uint32_t crc32c_portable(std::string_view bytes, std::uint32_t before = 0);

}  // namespace parlance
