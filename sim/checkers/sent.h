// Which message a command brings.
#pragma once

#include "model/command.h"

namespace parlance::sim {

/// Alone or with a context; null if it brings none.
inline const SendMessage* message_of(const Command& command) {
    if (const auto* handoff = std::get_if<HandOffContext>(&command)) return &handoff->request;
    return std::get_if<SendMessage>(&command);
}

}  // namespace parlance::sim
