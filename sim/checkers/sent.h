// The message in a command.
#pragma once

#include "model/command.h"

namespace parlance::sim {

/// The command's message, alone or with a context; null if none.
inline const SendMessage* message_of(const Command& command) {
    if (const auto* handoff = std::get_if<HandOffContext>(&command)) return &handoff->request;
    return std::get_if<SendMessage>(&command);
}

}  // namespace parlance::sim
