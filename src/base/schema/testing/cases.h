// Tests of schemas read as a schema, instances that fit, and instances that do not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/schema/schema.h"

namespace parlance::schema {

struct Case {
    std::string schema;
    std::vector<std::string> good{};
    std::vector<std::string> bad{};
};

inline std::vector<Violation> violations(std::string_view schema, std::string_view instance) {
    const auto compiled = compile(schema);
    if (!compiled) {
        const auto& flaw = compiled.error().front();
        ADD_FAILURE() << schema << ": " << flaw.pointer << " " << flaw.reason;
        return {};
    }
    json::Outline outline;
    const auto checked = json::check(instance, outline);
    EXPECT_TRUE(checked) << instance;
    if (!checked) return {};
    return check(*compiled, json::root(instance, outline));
}

/// The violations as lines of "pointer: rule (keyword)".
inline std::string told(std::string_view schema, std::string_view instance) {
    std::string out;
    for (const auto& violation : violations(schema, instance)) {
        out += violation.pointer + ": " + violation.rule + " (" + violation.keyword + ")\n";
    }
    return out;
}

inline void hold(const std::vector<Case>& cases) {
    for (const auto& [schema, good, bad] : cases) {
        for (const auto& instance : good) {
            EXPECT_EQ(told(schema, instance), "") << schema << "\n" << instance;
        }
        for (const auto& instance : bad) {
            EXPECT_FALSE(violations(schema, instance).empty()) << schema << "\n" << instance;
        }
    }
}

/// The schema's flaws, each as "pointer: reason".
inline std::vector<std::string> flaws_of(std::string_view schema) {
    std::vector<std::string> flaws;
    if (const auto compiled = compile(schema); !compiled) {
        for (const auto& flaw : compiled.error())
            flaws.push_back(flaw.pointer + ": " + flaw.reason);
    }
    return flaws;
}

/// The first flaw.
inline std::string flaw_of(std::string_view schema) {
    const auto flaws = flaws_of(schema);
    return flaws.empty() ? "" : flaws.front();
}

}  // namespace parlance::schema
