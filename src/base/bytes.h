// Numbers as bytes: fixed little-endian words and varints, written into strings and read back from
// untrusted bytes. A reader that runs out of bytes reports the failure once, at the end, and never
// reads beyond.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace parlance {

static_assert(std::endian::native == std::endian::little, "words are copied as they stand");

inline constexpr std::size_t kVarintBytesMax = 10;

template <class Word>
void store(char* at, Word word) {
    std::memcpy(at, &word, sizeof word);
}

template <class Word>
Word load(const char* at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

/// Maps small magnitudes of either sign to small numbers.
constexpr std::uint64_t to_zigzag(std::int64_t number) {
    return (static_cast<std::uint64_t>(number) << 1U) ^ static_cast<std::uint64_t>(number >> 63U);
}
constexpr std::int64_t from_zigzag(std::uint64_t number) {
    return static_cast<std::int64_t>((number >> 1U) ^ (~(number & 1U) + 1U));
}

constexpr std::size_t varint_bytes(std::uint64_t number) {
    return (static_cast<std::size_t>(std::bit_width(number | 1U)) + 6) / 7;
}

/// Writes at most kVarintBytesMax bytes and returns the end of the written bytes.
inline char* put_varint(char* at, std::uint64_t number) {
    while (number >= 0x80U) {
        *at++ = static_cast<char>(number | 0x80U);
        number >>= 7U;
    }
    *at++ = static_cast<char>(number);
    return at;
}

inline void append_varint(std::string& out, std::uint64_t number) {
    char bytes[kVarintBytesMax];
    out.append(bytes, static_cast<std::size_t>(put_varint(bytes, number) - bytes));
}

template <class Word>
void append_word(std::string& out, Word word) {
    char bytes[sizeof word];
    store(bytes, word);
    out.append(bytes, sizeof word);
}

/// Reads from the front. After the first failed read every read gives zero or empty, and ok() is
/// false.
class ByteReader {
  public:
    explicit ByteReader(std::string_view bytes) : left_(bytes) {}

    bool ok() const { return is_ok_; }
    bool at_end() const { return left_.empty(); }
    std::size_t left() const { return left_.size(); }

    std::uint64_t varint() {
        std::uint64_t number = 0;
        for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
            const auto byte = static_cast<std::uint8_t>(left_.front());
            left_.remove_prefix(1);
            if (shift == 63 && byte > 1) break;  // More than 64 bits.
            number |= std::uint64_t{byte & 0x7FU} << shift;
            if (byte < 0x80U) return number;
        }
        return spoil();
    }

    template <class Word>
    Word word() {
        if (left_.size() < sizeof(Word)) return static_cast<Word>(spoil());
        const auto value = load<Word>(left_.data());
        left_.remove_prefix(sizeof(Word));
        return value;
    }

    std::string_view bytes(std::uint64_t count) {
        if (count > left_.size()) {
            spoil();
            return {};
        }
        const auto taken = left_.substr(0, count);
        left_.remove_prefix(count);
        return taken;
    }

  private:
    std::uint64_t spoil() {
        is_ok_ = false;
        left_ = {};
        return 0;
    }

    std::string_view left_;
    bool is_ok_ = true;
};

}  // namespace parlance
