// Finds the values in a message's fields of given slots, by the tables of its form. For callers
// that need the position or the exact text, not only the meaning.
#pragma once

#include <span>
#include <vector>

#include "dialects/form.h"

namespace parlance::dialects {

/// A value of a message, and its field's row.
struct Written {
    const FieldRule* rule;
    json::Value value;
};

/// All values in fields of these slots, in the message's order; includes a string that stands in
/// place of an object with such a field.
std::vector<Written> written_in(const Form& form, json::Value message, std::span<const Slot> slots);

}  // namespace parlance::dialects
