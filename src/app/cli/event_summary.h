// One record of the journal in one line for people: the important fields first, empty fields
// omitted.
#pragma once

#include <string>
#include <string_view>

namespace parlance::cli {

/// Of an event's JSON, without the fields a table shows beside: sequence, time and name.
std::string summary_of_event(std::string_view event);

}  // namespace parlance::cli
