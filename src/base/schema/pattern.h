// Regular expressions matched in linear time.
//
// Schemas use ECMA-262 patterns. RE2 accepts the regular patterns among them, in nearly the same
// notation; patterns with lookaround or backreferences are refused when the schema is compiled.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace parlance::schema {

class Pattern {
  public:
    static Result<Pattern> compile(std::string_view ecma);

    /// Whether the pattern matches anywhere in the text.
    bool matches(std::string_view text) const;
    /// The number of instructions: the worst cost of one byte of text.
    std::size_t size() const;
    const std::string& source() const { return source_; }

  private:
    Pattern(std::string source, std::shared_ptr<const re2::RE2> expression);

    std::string source_;
    std::shared_ptr<const re2::RE2> expression_;
};

/// Whether a text is a regular expression, supported here or not.
bool is_pattern(std::string_view text);

}  // namespace parlance::schema
