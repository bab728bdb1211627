// What a program's line means for the message it was given.
#pragma once

#include <string>
#include <string_view>

namespace parlance::cli::exec {

struct Verdict {
    enum class Kind { Ack, Reply, Nack } kind = Kind::Ack;
    std::string text{};  ///< The answer, or why there is none.
};

/// Of a taskwire message: one that awaits an answer gets the line as its payload, or as the whole
/// answer if it is one; anything else is done with whatever the line says. In other dialects a
/// line that is an object is the answer and an empty one says done.
Verdict verdict_of(std::string_view dialect, std::string_view message, std::string_view line);

}  // namespace parlance::cli::exec
