// Kessel's block text (K7): the text form in which the contract prints its messages.
//
//   ---
//   REQUEST
//
//   source_agent: CST
//   inputs_json: {
//     cash_flows: [-100000, 25000],
//     periods: annual
//   }
//   ---
//
// A field is a line; a value that opens a brace or a bracket goes on until it is closed. Inside,
// strings need no quotes. A written block reads back as the same message.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace parlance::dialects::kessel {

/// True if the text begins like a block and so cannot be JSON.
bool is_block(std::string_view text);

/// The block's fields as one JSON object. Linear in the text, and at most as deep as JSON may be.
Result<std::string> block_to_json(std::string_view text);

/// A kessel message in strict JSON, as a block.
Result<std::string> json_to_block(std::string_view text);

}  // namespace parlance::dialects::kessel
