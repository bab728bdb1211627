#include "core/keys.h"

#include <array>
#include <cstring>
#include <initializer_list>
#include <string>

#include "base/hash.h"
#include "base/mutant.h"
#include "model/envelope.h"

namespace parlance::core {

namespace {

/// The same for parts longer than any id: no id is so long, but any caller may send one.
std::uint64_t long_hash_of(const HashKey& key, std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const auto& part : parts)
        text.append(std::to_string(part.size())).append(":").append(part);
    return siphash({key.first, key.second}, text);
}

/// Hashes the parts with their lengths, so that "ab"+"c" and "a"+"bc" differ.
std::uint64_t hash_of(const HashKey& key, std::initializer_list<std::string_view> parts) {
    std::array<char, 4 * (kIdBytesMax + 1)> text{};
    std::size_t size = 0;
    for (const auto& part : parts) {
        if (size + 1 + part.size() > text.size()) return long_hash_of(key, parts);
        text[size++] = static_cast<char>(part.size());
        if (!part.empty()) std::memcpy(&text[size], part.data(), part.size());
        size += part.size();
    }
    return siphash({key.first, key.second}, {text.data(), size});
}

}  // namespace

std::uint64_t lane_key(const HashKey& key, AgentHandle mailbox, std::string_view task) {
    if (task.empty() || is_planted(Mutant::IgnoreTaskOrder)) return 0;
    std::array<char, sizeof mailbox> number{};
    std::memcpy(number.data(), &mailbox, sizeof mailbox);
    const auto hash = hash_of(key, {{number.data(), number.size()}, task});
    return hash == 0 ? 1 : hash;
}

std::uint64_t message_key(const HashKey& key, std::string_view from, std::string_view id) {
    return hash_of(key, {from, id});
}

std::uint64_t body_key(const HashKey& key, std::string_view body) {
    return siphash({key.first, key.second}, body);
}

std::uint64_t request_key(const HashKey& key, const RequestName& name) {
    const char by = static_cast<char>(name.by);
    return hash_of(key, {{&by, 1}, name.requester, name.responder, name.name});
}

}  // namespace parlance::core
