// Where a message says something: the values that stand in the fields which mean it, found by the
// tables of its form. For who must know the place or the very word, and not only what is meant.
#pragma once

#include <span>
#include <vector>

#include "dialects/form.h"

namespace parlance::dialects {

/// A value of a message, and the row that it stands in.
struct Written {
    const FieldRule* rule;
    json::Value value;
};

/// Everything that is said in fields of these slots, in the message's order; also a word that
/// stands where an object with such a field would.
std::vector<Written> written_in(const Form& form, json::Value message, std::span<const Slot> slots);

}  // namespace parlance::dialects
