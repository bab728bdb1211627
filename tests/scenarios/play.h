// Plays a transcript against a hub and reports where the hub's answers differ. README.md beside
// this file describes the lines of a transcript.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parlance::scenarios {

struct Disagreement {
    std::size_t line = 0;  ///< From 1, in the transcript as written.
    std::string expected;
    std::string came;
};

struct Played {
    std::vector<std::string> lines;  ///< The transcript as it should read.
    std::vector<Disagreement> disagreements;
};

Played play(const std::vector<std::string>& transcript, const std::filesystem::path& data);

}  // namespace parlance::scenarios
