#include "app/cli/bench/message_generator.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "app/cli/draft.h"
#include "base/iso_time.h"

namespace parlance::cli::bench {

namespace {

constexpr std::string_view kOpening = R"({"id":")";
constexpr std::size_t kIdBytes = 36;
constexpr std::size_t kDigits = 12;
constexpr std::size_t kDigitsInId = kIdBytes - kDigits;

void write_hex(char* out, std::uint64_t value) {
    constexpr std::string_view kHex = "0123456789abcdef";
    for (std::size_t i = kDigits; i > 0; --i, value >>= 4U) out[i - 1] = kHex[value & 0xFU];
}

}  // namespace

Result<MessageGenerator> MessageGenerator::make(const MessagePlan& plan) {
    MessageGenerator generator;
    std::size_t longest = 0;
    for (const auto& to : plan.to) longest = std::max(longest, to.size());
    for (const auto& to : plan.to) {
        const std::string head = fmt::format(
            R"({}{}-{:04x}-4000-8000-{:012x}","timestamp":"{}","from":"{}","to":"{}","type":"{}",)"
            R"("metadata":{{"priority":"{}","retry_count":0,"max_retries":3}},"payload":{{"note":")",
            kOpening,
            plan.run,
            plan.lane,
            0,
            print_iso_time(now()),
            plan.from,
            to,
            plan.type,
            plan.priority);
        constexpr std::string_view kTail = R"("}})";
        const std::size_t least = head.size() + kTail.size() + (longest - to.size());
        if (plan.size < least) {
            return fail(Fault::Malformed,
                        fmt::format("--size {} is too small; the least is {}", plan.size, least));
        }
        generator.templates_.push_back(
            head + std::string(plan.size - head.size() - kTail.size(), 'x') + std::string(kTail));
    }
    return generator;
}

void MessageGenerator::number(char* message, std::uint64_t index) {
    write_hex(message + kOpening.size() + kDigitsInId, index);
}

std::optional<std::uint64_t> MessageGenerator::index_of_id(std::string_view id) {
    if (id.size() != kIdBytes) return {};
    std::uint64_t index = 0;
    for (const char c : id.substr(kDigitsInId)) {
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit && (c < 'a' || c > 'f')) return {};
        index = index << 4U | static_cast<std::uint64_t>(is_digit ? c - '0' : c - 'a' + 10);
    }
    return index;
}

std::optional<std::uint64_t> MessageGenerator::index_of_message(std::string_view message) {
    if (!message.starts_with(kOpening)) return {};
    return index_of_id(message.substr(kOpening.size(), kIdBytes));
}

}  // namespace parlance::cli::bench
