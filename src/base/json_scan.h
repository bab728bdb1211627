// Finds the significant bytes in JSON text, sixteen at a time. For json*.cc only.
//
// Never reads at or past `end`, so the text needs no padding.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace parlance::json {

constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a byte ends a run of plain characters inside a string.
constexpr bool is_string_stop(char c) {
    return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

inline const char* skip_space(const char* at, const char* end) {
    while (at != end && is_space(*at)) ++at;
    return at;
}

/// Eight bytes at once: sets the high bit of each byte that ends a run of plain characters. Bytes
/// after the first such byte may be marked falsely, so only the first mark counts.
inline std::uint64_t string_stops_of_word(std::uint64_t word) {
    constexpr std::uint64_t kOnes = 0x0101010101010101U;
    const auto zeros = [](std::uint64_t x) { return (x - kOnes) & ~x; };
    const std::uint64_t controls = (word - kOnes * 0x20U) & ~word;
    return (zeros(word ^ kOnes * '"') | zeros(word ^ kOnes * '\\') | controls) & kOnes * 0x80U;
}

/// Returns the first quote, backslash or control byte, or `end`.
inline const char* find_string_stop(const char* at, const char* end) {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i control_max = _mm_set1_epi8(0x1F);
    for (; end - at >= 16; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i marks =
            _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
        // The unsigned minimum leaves exactly the control bytes unchanged.
        const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, control_max), bytes);
        const int stops = _mm_movemask_epi8(_mm_or_si128(marks, controls));
        if (stops != 0) return at + std::countr_zero(static_cast<unsigned>(stops));
    }
#endif
    static_assert(std::endian::native == std::endian::little);
    for (; end - at >= 8; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        const std::uint64_t stops = string_stops_of_word(word);
        if (stops != 0) return at + std::countr_zero(stops) / 8;
    }
    while (at != end && !is_string_stop(*at)) ++at;
    return at;
}

/// Sixty-four bytes as sets of positions: bit n is byte n.
struct Block {
    std::uint64_t quotes = 0;
    std::uint64_t backslashes = 0;
    std::uint64_t opening = 0;  ///< Braces and brackets.
    std::uint64_t closing = 0;
};

#if defined(__SSE2__)
template <unsigned kAt>
inline void classify_sixteen(const char* bytes, Block& block) {
    const __m128i piece = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + kAt));
    // The bit turns '[' into '{' and ']' into '}', and no other byte into either brace.
    const __m128i folded = _mm_or_si128(piece, _mm_set1_epi8(0x20));
    const auto places = [](__m128i bytes_of, char wanted) {
        const __m128i found = _mm_cmpeq_epi8(bytes_of, _mm_set1_epi8(wanted));
        return std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(found))} << kAt;
    };
    block.quotes |= places(piece, '"');
    block.backslashes |= places(piece, '\\');
    block.opening |= places(folded, '{');
    block.closing |= places(folded, '}');
}
#endif

inline Block classify(const char* bytes) {
    Block block;
#if defined(__SSE2__)
    classify_sixteen<0>(bytes, block);
    classify_sixteen<16>(bytes, block);
    classify_sixteen<32>(bytes, block);
    classify_sixteen<48>(bytes, block);
#else
    for (unsigned i = 0; i < 64; ++i) {
        const char c = bytes[i];
        block.quotes |= std::uint64_t{c == '"'} << i;
        block.backslashes |= std::uint64_t{c == '\\'} << i;
        block.opening |= std::uint64_t{c == '{' || c == '['} << i;
        block.closing |= std::uint64_t{c == '}' || c == ']'} << i;
    }
#endif
    return block;
}

/// Writes the characters that `inner`, the checked inside of a string, stands for. Returns their
/// count, at most the size of `inner`.
std::size_t unescape(std::string_view inner, char* out);

}  // namespace parlance::json
