#include "base/crc32c.h"

#include <array>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#include "base/bytes.h"

namespace parlance {

namespace {

using Table = std::array<std::uint32_t, 256>;

constexpr Table make_byte_table() {
    Table table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t state = i;
        for (int bit = 0; bit < 8; ++bit) {
            state = (state >> 1U) ^ ((state & 1U) != 0 ? 0x82F63B78U : 0U);
        }
        table[i] = state;
    }
    return table;
}

constexpr Table kByte = make_byte_table();

#if defined(__x86_64__)

/// Length of each of three stretches that are summed in parallel: the instruction takes three
/// cycles, but one instruction can start in each cycle.
constexpr std::size_t kLaneBytes = 128;

using ShiftTable = std::array<Table, 4>;

/// The state after kLaneBytes zero bytes, for each value of each of the state's four bytes. The sum
/// is linear, so the exclusive or of the four entries is the advanced state.
constexpr ShiftTable make_shift_table() {
    std::array<std::uint32_t, 32> bits{};
    for (std::size_t bit = 0; bit < 32; ++bit) {
        std::uint32_t state = std::uint32_t{1} << bit;
        for (std::size_t i = 0; i < kLaneBytes; ++i) state = kByte[state & 0xFFU] ^ (state >> 8U);
        bits[bit] = state;
    }
    ShiftTable table{};
    for (std::size_t place = 0; place < 4; ++place) {
        for (std::size_t value = 0; value < 256; ++value) {
            for (std::size_t bit = 0; bit < 8; ++bit) {
                if ((value >> bit & 1U) != 0) table[place][value] ^= bits[place * 8 + bit];
            }
        }
    }
    return table;
}

constexpr ShiftTable kShift = make_shift_table();

std::uint64_t past_one_lane(std::uint64_t state) {
    return kShift[0][state & 0xFFU] ^ kShift[1][state >> 8U & 0xFFU] ^
           kShift[2][state >> 16U & 0xFFU] ^ kShift[3][state >> 24U & 0xFFU];
}

__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse(std::string_view bytes,
                                                           std::uint32_t before) {
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    std::uint64_t state = ~before;
    for (; left >= 3 * kLaneBytes; at += 3 * kLaneBytes, left -= 3 * kLaneBytes) {
        std::uint64_t second = 0;
        std::uint64_t third = 0;
        for (std::size_t i = 0; i < kLaneBytes; i += 8) {
            state = _mm_crc32_u64(state, load<std::uint64_t>(at + i));
            second = _mm_crc32_u64(second, load<std::uint64_t>(at + kLaneBytes + i));
            third = _mm_crc32_u64(third, load<std::uint64_t>(at + 2 * kLaneBytes + i));
        }
        state = past_one_lane(past_one_lane(state) ^ second) ^ third;
    }
    for (; left >= 8; at += 8, left -= 8) state = _mm_crc32_u64(state, load<std::uint64_t>(at));
    auto narrow = static_cast<std::uint32_t>(state);
    for (; left > 0; ++at, --left) narrow = _mm_crc32_u8(narrow, static_cast<std::uint8_t>(*at));
    return ~narrow;
}

#endif

}  // namespace

std::uint32_t crc32c_portable(std::string_view bytes, std::uint32_t before) {
    std::uint32_t state = ~before;
    for (const char byte : bytes) {
        state = kByte[(state ^ static_cast<std::uint8_t>(byte)) & 0xFFU] ^ (state >> 8U);
    }
    return ~state;
}

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
#if defined(__x86_64__)
    static const bool has_instruction = static_cast<bool>(__builtin_cpu_supports("sse4.2"));
    if (has_instruction) return crc32c_sse(bytes, before);
#endif
    return crc32c_portable(bytes, before);
}

}  // namespace parlance
