// Writes the starting data of a fuzz target: a corpus of valid inputs, and a dictionary of words.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace parlance::fuzz {

struct Seeds {
    std::vector<std::string> inputs;
    std::vector<std::string> words;
};

/// A word in the form of libFuzzer's dictionaries.
inline std::string dictionary_entry(const std::string& word) {
    std::string entry = "\"";
    for (const char c : word) {
        char hex[5];
        std::snprintf(hex, sizeof hex, "\\x%02X", static_cast<unsigned>(c) & 0xFFU);
        entry += hex;
    }
    return entry + "\"\n";
}

/// For main(): the arguments are the corpus' directory and the dictionary's file.
inline int write_seeds(int count, char** arguments, const Seeds& seeds) {
    if (count != 3) {
        std::fprintf(stderr, "usage: %s CORPUS_DIRECTORY DICTIONARY_FILE\n", arguments[0]);
        return 2;
    }
    const std::filesystem::path corpus{arguments[1]};
    std::filesystem::create_directories(corpus);
    for (std::size_t i = 0; i < seeds.inputs.size(); ++i) {
        std::ofstream{corpus / ("seed-" + std::to_string(i)), std::ios::binary} << seeds.inputs[i];
    }
    std::ofstream dictionary{arguments[2], std::ios::binary};
    dictionary << "# The words that the seeds program knows.\n";
    for (const auto& word : seeds.words) dictionary << dictionary_entry(word);
    return dictionary.good() ? 0 : 1;
}

}  // namespace parlance::fuzz
