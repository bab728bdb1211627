// What a transcript expects, held against what came: `…` stands for anything, `$name` for a value
// that is kept at first sight and must be the same from then on.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace parlance::scenarios {

using Names = std::map<std::string, std::string>;

/// Whether the text fits; the names it was first to see are added only then.
bool matches(std::string_view pattern, std::string_view text, Names& names);

/// A text as a new line of a transcript: ids, times and sequences that the reader need not compare
/// become `…`, and the ids that later lines use get names.
std::string as_pattern(std::string text, Names& names);

/// What a command says, with names filled in and %repeat(text,n), %hex(ff), %fill(n) written out;
/// %fill pads the whole to n bytes.
std::string written_out(std::string_view text, const Names& names);

}  // namespace parlance::scenarios
