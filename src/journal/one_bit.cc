#include "journal/one_bit.h"

#include <bit>
#include <string>

#include "base/crc32c.h"

namespace parlance::journal {

namespace {

constexpr std::uint32_t kPolynomial = 0x82F6'3B78U;  // CRC-32C, reflected.

/// A checksum is linear: flipping one bit of the message changes the checksum by that bit's own
/// contribution, which for the bit k places before the end is 1 shifted k times.
bool is_one_bit_of_payload(std::uint32_t difference, std::size_t payload_bytes) {
    std::uint32_t one = 1;
    for (std::size_t bit = 0; bit < 8 * payload_bytes; ++bit) {
        one = (one >> 1U) ^ ((one & 1U) != 0 ? kPolynomial : 0U);
        if (one == difference) return true;
    }
    return false;
}

bool is_record(Sequence sequence, std::string_view records, Lengths lengths) {
    const auto head = read_record_head(records, lengths);
    if (!head) return false;
    return record_crc(sequence, records.substr(head->bytes, head->payload_bytes)) == head->crc;
}

bool is_record_but_for_one_bit(Sequence sequence, std::string_view records, Lengths lengths) {
    static constexpr std::size_t kRecordHeadBytesMax = 5 + kRecordCrcBytes;
    const auto head = read_record_head(records, lengths);
    if (head) {
        const auto payload = records.substr(head->bytes, head->payload_bytes);
        const auto difference = record_crc(sequence, payload) ^ head->crc;
        if (is_one_bit_of_payload(difference, payload.size())) return true;
    }
    std::string changed{records};
    const auto bits = 8 * std::min(records.size(), kRecordHeadBytesMax);
    for (std::size_t bit = 0; bit < bits; ++bit) {
        char& byte = changed[bit / 8];
        const char before = byte;
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << (bit % 8)));
        if (is_record(sequence, changed, lengths)) return true;
        byte = before;
    }
    return false;
}

}  // namespace

bool is_head_but_for_one_bit(std::string_view head, Sequence next) {
    std::string changed{head};
    for (std::size_t bit = 0; bit < 8 * changed.size(); ++bit) {
        char& byte = changed[bit / 8];
        const char before = byte;
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << (bit % 8)));
        const auto decoded = decode_batch_head(changed);
        if (decoded && decoded->first == next) return true;
        byte = before;
    }
    return false;
}

bool is_frame_but_for_one_bit(const BatchHead& head, std::string_view frame) {
    auto records = records_of(frame);
    for (std::uint32_t i = 0; i < head.count; ++i) {
        const Sequence sequence{head.first.value + i};
        if (!is_record(sequence, records, head.lengths)) {
            return is_record_but_for_one_bit(sequence, records, head.lengths);
        }
        const auto one = *read_record_head(records, head.lengths);
        records.remove_prefix(one.bytes + one.payload_bytes);
    }
    const auto close = static_cast<unsigned char>(frame.back() ^ kBatchClose);
    return records.empty() && std::popcount(close) <= 1;
}

}  // namespace parlance::journal
