// Helpers for every dialect's tests: read a message, or list the problems of a refused message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/iso_time.h"
#include "base/json.h"
#include "dialects/dialects.h"

namespace parlance::dialects::testing {

using Pointers = std::vector<std::string>;

inline const Time kNoon = parse_iso_time("2025-11-23T12:00:00Z").value();

/// A known caller and a fresh id.
inline const Reception kKnown{
    .caller = "caller", .fresh_id = "11111111-1111-4111-8111-111111111111", .now = kNoon};

inline SendMessage read(std::string_view text, const Reception& reception = kKnown) {
    EXPECT_TRUE(json::check(text)) << text;
    auto reading = read_message(text, reception);
    EXPECT_TRUE(reading) << text << "\n" << (reading ? "" : reading.error().summary());
    return reading ? *std::move(reading)
                   : SendMessage{.envelope = Envelope::make({.id = "unreadable"}, "")};
}

inline Rejection rejection_of(std::string_view text, const Reception& reception = kKnown) {
    EXPECT_TRUE(json::check(text)) << text;
    auto reading = read_message(text, reception);
    EXPECT_FALSE(reading) << text;
    return reading ? Rejection{} : reading.error();
}

inline Pointers pointers(const std::vector<Problem>& problems) {
    Pointers pointers;
    for (const auto& problem : problems) pointers.push_back(problem.pointer);
    return pointers;
}
inline Pointers pointers(const Rejection& rejection) { return pointers(rejection.problems); }

/// The raw JSON at a path of names; empty if there is none.
inline std::string at(std::string_view text, std::initializer_list<std::string_view> names) {
    json::Value value = json::root(text);
    for (const auto name : names) {
        const auto inner = value.is_object() ? json::find(value, name) : std::nullopt;
        if (!inner) return {};
        value = *inner;
    }
    return std::string{value.raw};
}

/// The text with its first `old` part replaced.
inline std::string with(std::string_view text, std::string_view old, std::string_view fresh) {
    std::string changed{text};
    const auto place = changed.find(old);
    EXPECT_NE(place, std::string::npos) << old;
    if (place != std::string::npos) changed.replace(place, old.size(), fresh);
    return changed;
}

}  // namespace parlance::dialects::testing
