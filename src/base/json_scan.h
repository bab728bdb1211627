// Finds the bytes that matter in JSON text, sixteen at a time. For json*.cc only.
//
// Nothing at or past `end` is read, so the text needs no padding.
#pragma once

#include <bit>
#include <cstddef>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace parlance::json {

constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Ends a run of plain characters inside a string.
constexpr bool is_string_stop(char c) {
    return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

/// Matters outside of strings when only the nesting is followed.
constexpr bool is_nesting(char c) {
    return c == '"' || c == '{' || c == '}' || c == '[' || c == ']';
}

inline const char* skip_space(const char* at, const char* end) {
    while (at != end && is_space(*at)) ++at;
    return at;
}

/// The first quote, backslash or control byte, or `end`.
inline const char* find_string_stop(const char* at, const char* end) {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i control_max = _mm_set1_epi8(0x1F);
    for (; end - at >= 16; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i marks =
            _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
        // The unsigned minimum leaves exactly the control bytes as they are.
        const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, control_max), bytes);
        const int stops = _mm_movemask_epi8(_mm_or_si128(marks, controls));
        if (stops != 0) return at + std::countr_zero(static_cast<unsigned>(stops));
    }
#endif
    while (at != end && !is_string_stop(*at)) ++at;
    return at;
}

/// The first quote, brace or bracket, or `end`.
inline const char* find_nesting(const char* at, const char* end) {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i case_bit = _mm_set1_epi8(0x20);  // Makes '[' a '{' and ']' a '}', and no other.
    const __m128i opening = _mm_set1_epi8('{');
    const __m128i closing = _mm_set1_epi8('}');
    for (; end - at >= 16; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i folded = _mm_or_si128(bytes, case_bit);
        const __m128i braces =
            _mm_or_si128(_mm_cmpeq_epi8(folded, opening), _mm_cmpeq_epi8(folded, closing));
        const int stops = _mm_movemask_epi8(_mm_or_si128(braces, _mm_cmpeq_epi8(bytes, quote)));
        if (stops != 0) return at + std::countr_zero(static_cast<unsigned>(stops));
    }
#endif
    while (at != end && !is_nesting(*at)) ++at;
    return at;
}

/// Writes the characters that `inner`, the checked inside of a string, stands for. They are never
/// more than `inner` has; returns how many.
std::size_t unescape(std::string_view inner, char* out);

}  // namespace parlance::json
