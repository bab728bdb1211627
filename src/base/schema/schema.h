// JSON Schema, draft 2020-12: compiled once, then asked about any number of instances.
//
// The vocabularies core, applicator, unevaluated, validation and format (which is asserted). What a
// schema refers to must stand in it: nothing is fetched. Time and memory have limits, whatever the
// schema and the instance are; see docs/decisions/0013-schemas.md.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "base/json.h"

namespace parlance::schema {

inline constexpr std::size_t kSchemaBytesMax = std::size_t{256} << 10U;
/// Of violations that are listed. How many more there are is said in one more.
inline constexpr std::size_t kViolationsMax = 64;
/// Of flaws that are listed. That there are more is said in one more.
inline constexpr std::size_t kFlawsMax = 64;

/// Why a schema cannot be used.
struct Flaw {
    std::string pointer{};  ///< JSON pointer into the schema.
    std::string value{};    ///< What stands there, shortened.
    std::string reason{};   ///< In words.
};

/// What is wrong with an instance.
struct Violation {
    std::string pointer{};  ///< JSON pointer into the instance.
    std::string value{};    ///< What stands there, shortened.
    std::string rule{};     ///< In words, behind the value: "must be at least 3".
    std::string keyword{};  ///< JSON pointer of the rule in the schema.
};

struct Program;  // node.h

/// A schema that can be asked. Copies share what they are made of.
class Schema {
  public:
    explicit Schema(std::shared_ptr<const Program> program) : program_{std::move(program)} {}
    const Program& program() const { return *program_; }

  private:
    std::shared_ptr<const Program> program_;
};

/// What the patterns of several schemas may take together. Compiling them is what takes time.
struct PatternAllowance {
    std::size_t count = 2'000;
    std::size_t size = 100'000;  ///< In instructions.
    bool is_spent = false;
};

/// `text` can be any text; what is no schema is told everything that is wrong with it, as far as it
/// could be read. What its patterns take is taken from the allowance, if there is one; a schema
/// that it does not suffice for cannot be used.
tl::expected<Schema, std::vector<Flaw>> compile(std::string_view text,
                                                PatternAllowance* allowance = nullptr);

/// Everything that is wrong with the instance, which stands in text that json::check() has passed;
/// nothing if it fits. If finding out takes too long, that is what is wrong.
std::vector<Violation> check(const Schema& schema, json::Value instance);

}  // namespace parlance::schema
