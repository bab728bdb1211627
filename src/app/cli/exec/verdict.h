// The meaning of a program's output line for its message.
#pragma once

#include <string>
#include <string_view>

namespace parlance::cli::exec {

struct Verdict {
    enum class Kind { Ack, Reply, Nack } kind = Kind::Ack;
    std::string text{};     ///< The answer, or the reason for its absence.
    bool is_final = false;  ///< Nack only: a retry would end the same way.
};

/// The verdict; a final Nack if the answer is too long to send.
Verdict within(Verdict verdict, std::size_t answer_bytes_max);

/// A taskwire message that awaits an answer gets the line as its payload, or as the whole answer if
/// the line is one; a taskwire message without an answer is acknowledged, whatever the line. In
/// other dialects an object is the answer and an empty line acknowledges.
Verdict verdict_of(std::string_view dialect, std::string_view message, std::string_view line);

}  // namespace parlance::cli::exec
