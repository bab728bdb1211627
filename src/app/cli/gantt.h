// Draws a conversation: a line per message, indented under its parent, with a bar for the time in
// the queue and the time with an agent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/colour.h"

namespace parlance::cli {

struct Bar {
    std::int64_t ticket = 0;
    std::int64_t parent = 0;  ///< Ticket of the parent message; 0: none.
    std::string label{};
    std::int64_t start_ms = 0;  ///< From the beginning of the conversation.
    std::int64_t queue_ms = 0;
    std::int64_t run_ms = 0;
    std::string state{};
    Tone tone = Tone::Plain;
};

/// In the order given; each line ended by a newline.
std::string draw(const std::vector<Bar>& bars, const Screen& screen);

}  // namespace parlance::cli
