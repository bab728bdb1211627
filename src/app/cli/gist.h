// One record of the journal in one line for people: what matters first, nothing that says nothing.
#pragma once

#include <string>
#include <string_view>

namespace parlance::cli {

/// Of an event's JSON, without what a table shows beside it: its sequence, time and name.
std::string gist_of(std::string_view event);

}  // namespace parlance::cli
