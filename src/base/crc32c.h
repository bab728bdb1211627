// CRC-32C (Castagnoli), using the processor's instruction where available.
#pragma once

#include <cstdint>
#include <string_view>

namespace parlance {

/// The checksum of `bytes`. To sum a text in pieces, pass each result as the next `before`.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

/// The same checksum by table, for any processor.
std::uint32_t crc32c_portable(std::string_view bytes, std::uint32_t before = 0);

}  // namespace parlance
