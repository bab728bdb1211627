// Puts placeholders where personal data stands in JSON, and the data back where they return.
//
// A placeholder follows from the value, its scope and a secret key: the same value has the same one
// wherever and whenever it is met in that scope, nothing is kept to make it so, and nobody without
// the key can find a value by trying. To put values back, one needs the text they came from.
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
    std::string_view scope{};  ///< A workflow: beyond it the same value has another placeholder.
    std::string_view key{};
};

/// "[EMAIL_1f9c03ab]": the kind's word, and digits of a keyed hash. Where two keys of one object
/// would become the same, redact() gives them others.
std::string placeholder(Kind kind, std::string_view value, const Masking& masking);

/// Which stretches of a JSON text are looked into: values and members that stand in it, in order.
using Parts = std::span<const std::string_view>;

/// The text with placeholders in its keys, strings and long numbers; nothing if none is needed, and
/// every other byte as it was. `json` must be strict JSON (base/json.h).
std::optional<std::string> redact(std::string_view json, Parts parts, const Masking& masking);
std::optional<std::string> redact(std::string_view json, const Masking& masking);

/// The same for words that are no JSON but may quote some: a line of a log, the detail of an error.
std::string redact_words(std::string_view text, const Masking& masking);

/// A placeholder that a text gives rise to, and what it stands for there.
struct Original {
    std::string placeholder;
    std::string_view written;  ///< As it may stand in a JSON string.
    bool is_number;            ///< It stood by itself, and not in a string.
    bool is_in_path = false;   ///< It stood in a path, in which a slash of a value is written ~1.
};

/// In order of their placeholders. Of a value that is written in several ways, the first one is put
/// back.
std::vector<Original> originals(std::string_view json, Parts parts, const Masking& masking);
std::vector<Original> originals(std::string_view json, const Masking& masking);

/// JSON with these originals in place of their placeholders, in keys too; nothing if it has none of
/// them. Other placeholders stay, and so does one whose value is a key beside it already.
/// `pointers` are strings of it that are JSON pointers.
std::optional<std::string> restore(std::string_view json,
                                   std::span<const Original> originals,
                                   Parts pointers = {});

}  // namespace parlance::personal
