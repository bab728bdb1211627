// The text of a refusal: the fault, and what to do.
#pragma once

#include <string>
#include <string_view>

#include "model/refusal.h"

namespace parlance {

/// "What is wrong. What to do."
std::string sentence(std::string_view detail, std::string_view advice);
/// With the refusal's advice.
std::string sentence(Refusal refusal, std::string_view detail);

}  // namespace parlance
