// Random messages from the tables: every field, word and bound of a form occurs sooner or later.
//
// For tests, benchmarks and fuzz seeds. The same seed makes the same messages.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "dialects/form.h"

namespace parlance::dialects::testing {

class Generator {
  public:
    explicit Generator(std::uint64_t seed) : random_{seed} {}

    /// A message of this form that keeps all its rules, probably without some optional members and
    /// with a member that no table knows.
    std::string message(const Form& form, const Forms& forms);
    /// An object of this shape.
    std::string object(const Shape& shape);

  private:
    struct Member {
        std::string_view name;
        std::string json;
    };

    std::uint64_t below(std::uint64_t count) { return random_() % count; }
    bool one_in(std::uint64_t count) { return below(count) == 0; }
    std::string fields(const Shape& shape, const Form* form);
    std::string value(const FieldRule& rule, const Form* form);
    std::string body(const Form* form);
    std::string string_value(const FieldRule& rule);
    std::string text_of(const FieldRule& rule);
    std::string integer(const FieldRule& rule);
    std::string number(const FieldRule& rule);
    std::string list(const FieldRule& rule);
    std::string anything(int depth);
    void settle_conditions(const Shape& shape, std::vector<Member>& members);

    std::mt19937_64 random_;
};

}  // namespace parlance::dialects::testing
