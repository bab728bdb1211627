// Replaces personal data in JSON by placeholders, and placeholders by the original data.
//
// A placeholder is derived from the value, its scope and a secret key: equal values get equal
// placeholders throughout a scope, without any stored table, and nobody without the key can guess
// values by trial. Restoring values requires the original text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/personal/personal.h"

namespace parlance::personal {

struct Masking {
    Kinds kinds{};
    std::string_view scope{};  ///< A workflow: another scope gives other placeholders.
    std::string_view key{};
};

/// "[EMAIL_1f9c03ab]": the kind's word, and digits of a keyed hash. If two keys of one object would
/// become equal, redact() gives all keys other placeholders.
std::string placeholder(Kind kind, std::string_view value, const Masking& masking);

/// The stretches of a JSON text to search: values and members inside the text, in order.
using Parts = std::span<const std::string_view>;

/// The text with placeholders in its keys, strings and long numbers, and all other bytes unchanged;
/// nothing if no placeholder is needed. `json` must be strict JSON (base/json.h).
std::optional<std::string> redact(std::string_view json, Parts parts, const Masking& masking);
std::optional<std::string> redact(std::string_view json, const Masking& masking);

/// The same for text that is not JSON but may quote JSON: a log line, the detail of an error.
std::string redact_words(std::string_view text, const Masking& masking);

/// A placeholder of a text, and the original value.
struct Original {
    std::string placeholder;
    std::string_view written;  ///< As it may be written in a JSON string.
    bool is_number;            ///< The value was a JSON number, not part of a string.
    bool is_in_path = false;   ///< The value was in a path, where ~1 stands for a slash.
};

/// Sorted by placeholder. If a value has several spellings, the first spelling is restored.
std::vector<Original> originals(std::string_view json, Parts parts, const Masking& masking);
std::vector<Original> originals(std::string_view json, const Masking& masking);

/// The JSON with these originals in place of their placeholders, in keys too; nothing if no
/// placeholder matches. Other placeholders stay, and so do placeholders in keys if restoring them
/// would make two keys equal. `pointers` are the strings in `json` that are JSON pointers.
std::optional<std::string> restore(std::string_view json,
                                   std::span<const Original> originals,
                                   Parts pointers = {});

}  // namespace parlance::personal
