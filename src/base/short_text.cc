#include "base/short_text.h"

#include <algorithm>
#include <cstdint>

#include "base/uuid.h"

namespace parlance {

namespace {

/// Stored in the two lowest bits of the header; the bits above hold the number of bytes that
/// follow.
enum Form : std::uint64_t { Plain = 0, Uuid = 1, Hex = 2 };

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kUuidBytes = 16;
/// Shorter texts gain nothing.
constexpr std::size_t kHexCharactersMin = 8;

constexpr bool is_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }
constexpr unsigned value_of(char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
}

bool is_lower_uuid(std::string_view text) {
    return is_uuid(text) &&
           std::ranges::all_of(text, [](char c) { return c == '-' || is_digit(c); });
}

bool is_lower_hex(std::string_view text) {
    return text.size() >= kHexCharactersMin && text.size() % 2 == 0 &&
           std::ranges::all_of(text, is_digit);
}

/// Packs two characters per byte, skipping hyphens.
void append_packed_hex(std::string& out, std::string_view text) {
    for (std::size_t at = 0; at < text.size(); at += 2) {
        if (text[at] == '-') ++at;
        out.push_back(static_cast<char>(value_of(text[at]) << 4U | value_of(text[at + 1])));
    }
}

std::string whole(std::string_view bytes) {
    std::string text;
    text.reserve(2 * bytes.size() + 4);  // Room for a UUID's hyphens.
    for (const char byte : bytes) {
        text.push_back(kDigits[static_cast<unsigned char>(byte) >> 4U]);
        text.push_back(kDigits[static_cast<unsigned char>(byte) & 0xFU]);
    }
    return text;
}

}  // namespace

void append_short(std::string& out, std::string_view text) {
    if (is_lower_uuid(text)) {
        append_varint(out, kUuidBytes << 2U | Uuid);
        return append_packed_hex(out, text);
    }
    if (is_lower_hex(text)) {
        append_varint(out, text.size() / 2 << 2U | Hex);
        return append_packed_hex(out, text);
    }
    append_varint(out, text.size() << 2U | Plain);
    out.append(text);
}

std::string take_short(ByteReader& in) {
    const auto head = in.varint();
    const auto bytes = in.bytes(head >> 2U);
    const auto form = head & 3U;
    if (form == Plain) return std::string{bytes};
    auto text = whole(bytes);
    if (form == Hex) return text;
    if (form != Uuid || bytes.size() != kUuidBytes) {
        in.bytes(in.left() + 1);  // Overruns on purpose: the reader is no longer ok.
        return {};
    }
    for (const std::size_t place : {8U, 13U, 18U, 23U}) text.insert(place, 1, '-');
    return text;
}

}  // namespace parlance
