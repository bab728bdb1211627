#include "intents/grams.h"

#include <algorithm>
#include <array>

#include "base/fold.h"
#include "base/hash.h"

namespace parlance::intents {

namespace {

constexpr std::size_t kPieceMin = 2;
constexpr std::size_t kPieceMax = 5;
/// No intent is expressed in a longer word; the cut bounds the cost of a key or a Base64 blob.
constexpr std::size_t kWordBytesMax = 64;

constexpr std::array<std::string_view, 96> kCommonWords{
    "a",     "about", "am",   "an",    "and",    "any",  "are",   "as",   "at",    "be",    "been",
    "but",   "by",    "can",  "could", "d",      "did",  "do",    "does", "for",   "from",  "get",
    "give",  "go",    "has",  "have",  "hello",  "help", "hey",   "hi",   "how",   "i",     "if",
    "in",    "into",  "is",   "it",    "its",    "just", "know",  "let",  "like",  "ll",    "m",
    "make",  "may",   "me",   "might", "my",     "need", "no",    "not",  "now",   "of",    "ok",
    "on",    "or",    "our",  "out",   "please", "s",    "shall", "she",  "so",    "some",  "t",
    "tell",  "thank", "that", "the",   "their",  "them", "then",  "this", "there", "these", "they",
    "thing", "those", "to",   "up",    "us",     "ve",   "want",  "was",  "we",    "what",  "when",
    "where", "which", "who",  "why",   "will",   "with", "would", "you"};

bool is_word_byte(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte >= 0x80;
}

std::uint64_t key_of(std::string_view kind, std::string_view text) {
    return siphash_short({}, std::string{kind}.append(text));
}

void add_words(const std::vector<std::string>& words, std::vector<Gram>& out) {
    std::string before = "^";
    for (const auto& word : words) {
        out.push_back({key_of("w", word), GramKind::Word});
        out.push_back({key_of("p", before.append(" ").append(word)), GramKind::Word});
        before = word;
    }
    if (!words.empty()) out.push_back({key_of("p", before + " $"), GramKind::Word});
}

void add_pieces(std::string_view word, std::vector<Gram>& out) {
    const std::string bounded = " " + std::string{word} + " ";
    for (std::size_t size = kPieceMin; size <= kPieceMax; ++size) {
        for (std::size_t at = 0; at + size <= bounded.size(); ++at) {
            out.push_back(
                {key_of("c", std::string_view{bounded}.substr(at, size)), GramKind::Piece});
        }
    }
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    const auto end_word = [&] {
        if (!word.empty() && word != "'") words.push_back(word.substr(0, kWordBytesMax));
        word.clear();
    };
    for (const char c : folded(text)) {
        if (is_word_byte(c)) {
            word.push_back(c);
        } else {
            const bool is_joined = c == '\'' && !word.empty();
            end_word();
            if (is_joined) word = "'";
        }
    }
    end_word();
    return words;
}

std::vector<Gram> grams_of(std::string_view text) {
    const auto words = words_of(text);
    std::vector<Gram> grams;
    add_words(words, grams);
    for (const auto& word : words) add_pieces(word, grams);
    return grams;
}

const std::vector<Gram>& common_grams() {
    static const std::vector<Gram> all = [] {
        std::vector<Gram> grams;
        for (const auto word : kCommonWords) {
            grams.push_back({key_of("w", word), GramKind::Word});
            add_pieces(word, grams);
        }
        std::ranges::sort(grams);
        grams.erase(std::unique(grams.begin(), grams.end()), grams.end());
        return grams;
    }();
    return all;
}

}  // namespace parlance::intents
