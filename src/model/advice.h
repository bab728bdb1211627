// What somebody is told who was refused: what is wrong, and what to do about it.
#pragma once

#include <string>
#include <string_view>

#include "model/refusal.h"

namespace parlance {

/// "What is wrong. What to do."
std::string sentence(std::string_view detail, std::string_view advice);
/// The same, with the advice for this refusal.
std::string sentence(Refusal refusal, std::string_view detail);

}  // namespace parlance
