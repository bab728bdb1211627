// Regular expressions that are matched in linear time, or not at all.
//
// A schema's patterns are those of ECMA-262. RE2 takes the regular ones among them, in nearly the
// same notation; the rest (lookaround, backreferences) is refused when the schema is compiled.
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

    /// Whether it is found anywhere in the text.
    bool matches(std::string_view text) const;
    /// How many instructions it is: what a byte of text can cost at worst.
    std::size_t size() const;
    const std::string& source() const { return source_; }

  private:
    Pattern(std::string source, std::shared_ptr<const re2::RE2> expression);

    std::string source_;
    std::shared_ptr<const re2::RE2> expression_;
};

/// Whether a text is a regular expression at all, be it one that can be matched here or not.
bool is_pattern(std::string_view text);

}  // namespace parlance::schema
