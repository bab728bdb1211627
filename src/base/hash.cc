#include "base/hash.h"

#include <bit>
#include <cstring>
#include <random>

namespace parlance {

namespace {

struct SipState {
    std::uint64_t a, b, c, d;
};

inline void sip_round(SipState& s) {
    s.a += s.b;
    s.c += s.d;
    s.b = std::rotl(s.b, 13) ^ s.a;
    s.d = std::rotl(s.d, 16) ^ s.c;
    s.a = std::rotl(s.a, 32);
    s.c += s.b;
    s.a += s.d;
    s.b = std::rotl(s.b, 17) ^ s.c;
    s.d = std::rotl(s.d, 21) ^ s.a;
    s.c = std::rotl(s.c, 32);
}

template <int kRounds>
inline void sip_rounds(SipState& s) {
    for (int i = 0; i < kRounds; ++i) sip_round(s);
}

template <int kRounds>
inline void absorb(SipState& s, std::uint64_t word) {
    s.d ^= word;
    sip_rounds<kRounds>(s);
    s.a ^= word;
}

inline std::uint64_t load_word(const char* bytes) {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

/// The bytes after the last whole word.
inline std::uint64_t load_rest(std::string_view bytes) {
    const std::size_t count = bytes.size() % 8;
    if (count == 0) return 0;
    // Loads the last eight bytes of the text and shifts the earlier bytes out.
    if (bytes.size() > 8) {
        return load_word(bytes.data() + bytes.size() - 8) >> (8U * (8 - count));
    }
    // Overlapping pieces agree where they overlap.
    const char* const begin = bytes.data();
    if (count >= 4) {
        std::uint32_t head = 0;
        std::uint32_t tail = 0;
        std::memcpy(&head, begin, sizeof head);
        std::memcpy(&tail, begin + count - 4, sizeof tail);
        return head | std::uint64_t{tail} << (8U * (count - 4));
    }
    const auto byte = [begin](std::size_t i) {
        return std::uint64_t{static_cast<unsigned char>(begin[i])} << (8U * i);
    };
    return byte(0) | byte(count / 2) | byte(count - 1);
}

template <int kWordRounds, int kFinalRounds>
std::uint64_t sip(SipKey key, std::string_view bytes) {
    // The four words spell "somepseudorandomlygeneratedbytes", as in the algorithm's paper.
    SipState s{key.low ^ 0x736f6d6570736575U,
               key.high ^ 0x646f72616e646f6dU,
               key.low ^ 0x6c7967656e657261U,
               key.high ^ 0x7465646279746573U};

    const std::size_t whole = bytes.size() & ~std::size_t{7};
    for (std::size_t i = 0; i < whole; i += 8) absorb<kWordRounds>(s, load_word(bytes.data() + i));

    absorb<kWordRounds>(s, std::uint64_t{bytes.size()} << 56U | load_rest(bytes));

    s.c ^= 0xFFU;
    sip_rounds<kFinalRounds>(s);
    return s.a ^ s.b ^ s.c ^ s.d;
}

}  // namespace

SipKey process_key() {
    static const SipKey key = [] {
        std::random_device random;
        const auto word = [&] { return std::uint64_t{random()} << 32U | random(); };
        return SipKey{word(), word()};
    }();
    return key;
}

std::uint64_t siphash(SipKey key, std::string_view bytes) { return sip<2, 4>(key, bytes); }
std::uint64_t siphash_short(SipKey key, std::string_view bytes) { return sip<1, 3>(key, bytes); }

}  // namespace parlance
