// JSON Schema, draft 2020-12: a schema is compiled once and then checks any number of instances.
//
// Supports the vocabularies core, applicator, unevaluated, validation and format (asserted).
// References must resolve within the schema: nothing is fetched. Time and memory are bounded for
// any schema and instance; see docs/decisions/0013-schemas.md.
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
/// Bound on listed violations. One more entry counts the violations left out.
inline constexpr std::size_t kViolationsMax = 64;
/// Bound on listed flaws. One more entry says that flaws were left out.
inline constexpr std::size_t kFlawsMax = 64;

/// A reason why a schema cannot be used.
struct Flaw {
    std::string pointer{};  ///< JSON pointer into the schema.
    std::string value{};    ///< The value at the pointer, shortened.
    std::string reason{};   ///< In words.
};

/// A violation of the schema by an instance.
struct Violation {
    std::string pointer{};  ///< JSON pointer into the instance.
    std::string value{};    ///< The value at the pointer, shortened.
    std::string rule{};     ///< In words, after the value: "must be at least 3".
    std::string keyword{};  ///< JSON pointer of the rule in the schema.
};

struct Program;  // node.h

/// A compiled schema. Copies share the program.
class Schema {
  public:
    explicit Schema(std::shared_ptr<const Program> program) : program_{std::move(program)} {}
    const Program& program() const { return *program_; }

  private:
    std::shared_ptr<const Program> program_;
};

/// The budget for the patterns of several schemas. Compiling patterns takes most of the time.
struct PatternAllowance {
    std::size_t count = 2'000;
    std::size_t size = 100'000;  ///< In instructions.
    bool is_spent = false;
};

/// Compiles any text; returns all flaws of an invalid schema, as far as the text could be read.
/// Patterns are charged to the allowance, if given; a schema that exceeds the allowance cannot be
/// used.
tl::expected<Schema, std::vector<Flaw>> compile(std::string_view text,
                                                PatternAllowance* allowance = nullptr);

/// All violations by the instance, which must be part of a text checked by json::check(); empty if
/// the instance fits. A check that takes too long is reported as a violation.
std::vector<Violation> check(const Schema& schema, json::Value instance);

}  // namespace parlance::schema
