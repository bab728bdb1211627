// A transcript's expectations, matched against the hub's answers: `…` matches any text, `$name` a
// value that is kept at first sight and must be equal from then on.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace parlance::scenarios {

using Names = std::map<std::string, std::string>;

/// Whether the text matches; only then are new names added.
bool matches(std::string_view pattern, std::string_view text, Names& names);

/// A text as a new line of a transcript: ids, times and sequences that readers need not compare
/// become `…`, and ids that later lines use get names.
std::string as_pattern(std::string text, Names& names);

/// A command's text with names filled in and %repeat(text,n), %hex(ff), %fill(n) expanded; %fill
/// pads the whole to n bytes.
std::string written_out(std::string_view text, const Names& names);

}  // namespace parlance::scenarios
