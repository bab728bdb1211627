// The names of all events, in the order of the variant: for counters kept by index.
#pragma once

#include <array>
#include <string_view>
#include <variant>

#include "model/event.h"

namespace parlance::views {

std::array<std::string_view, std::variant_size_v<Event>> event_names();

}  // namespace parlance::views
