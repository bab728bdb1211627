// What a program's line means for the message it was given.
#pragma once

#include <string>
#include <string_view>

namespace parlance::cli::exec {

struct Verdict {
    enum class Kind { Ack, Reply, Nack } kind = Kind::Ack;
    std::string text{};     ///< The answer, or why there is none.
    bool is_final = false;  ///< Nack: another try would end the same way.
};

/// The verdict, or if its answer is too long to be sent, that there is none and will be none.
Verdict within(Verdict verdict, std::size_t answer_bytes_max);

/// Of a taskwire message: one that awaits an answer gets the line as its payload, or as the whole
/// answer if it is one; anything else is done with whatever the line says. In other dialects a
/// line that is an object is the answer and an empty one says done.
Verdict verdict_of(std::string_view dialect, std::string_view message, std::string_view line);

}  // namespace parlance::cli::exec
