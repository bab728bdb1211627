// Generates the document of the mapping between dialects, docs/generated/dialects.md.
#pragma once

#include <string>

namespace parlance::dialects {

/// Each slot's field in each dialect, each act's form, and every form with its fields.
std::string describe_mapping();

}  // namespace parlance::dialects
