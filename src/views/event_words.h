// Finds the stretches of a printed event that an agent or a user wrote.
//
// By the journal's tables every text and every document of every event is free text, unless its row
// declares a name. So a new event reveals no more than known events do.
#pragma once

#include <string_view>
#include <vector>

namespace parlance::views {

struct Stretch {
    std::string_view json;     ///< A value inside the printed event.
    bool is_envelope = false;  ///< A message with its sender and recipient.
};

/// The stretches in order. An event unknown to the tables is a single stretch.
std::vector<Stretch> words_in(std::string_view printed);

}  // namespace parlance::views
