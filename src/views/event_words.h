// Which stretches of an event, as it is printed, somebody else wrote.
//
// By the journal's tables: every text and every document of every event is somebody's words, unless
// its row says that it is a name. So an event that is new tells nobody more than the others do.
#pragma once

#include <string_view>
#include <vector>

namespace parlance::views {

struct Stretch {
    std::string_view json;     ///< A value that stands in the printed event.
    bool is_envelope = false;  ///< A message, with where it comes from and goes to.
};

/// In their order. Of an event that the tables do not know, all of it.
std::vector<Stretch> words_in(std::string_view printed);

}  // namespace parlance::views
