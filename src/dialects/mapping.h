// The mapping between the dialects as a document: docs/dialects.md is written by this.
#pragma once

#include <string>

namespace parlance::dialects {

/// For each slot where each dialect has it, for each act what it is called, and every form with its
/// fields.
std::string describe_mapping();

}  // namespace parlance::dialects
