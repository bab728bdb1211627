#include "intents/space.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace parlance::intents {

namespace {

/// A few texts do not show how rare a gram is. So texts are assumed in which only the frequency of
/// the common words is known; among thousands of real texts the assumed ones hardly count.
constexpr double kAssumedTexts = 200;
constexpr double kAssumedShare = 0.25;

/// With more texts than this, grams of a single text are dropped: they are the majority and predict
/// nothing about the next text.
constexpr std::size_t kManyTexts = 2'000;

bool is_common(const Gram& gram) { return std::ranges::binary_search(common_grams(), gram); }

/// Groups equal grams with their count: use(gram, count).
template <class Use>
void count_grams(std::vector<Gram> grams, Use use) {
    std::ranges::sort(grams);
    for (auto from = grams.begin(); from != grams.end();) {
        const auto to =
            std::find_if(from, grams.end(), [&](const Gram& gram) { return gram != *from; });
        use(*from, to - from);
        from = to;
    }
}

float rarity(double text_count, double with_it, const Gram& gram) {
    if (is_common(gram)) with_it += kAssumedTexts * kAssumedShare;
    return static_cast<float>(std::log((1 + text_count + kAssumedTexts) / (1 + with_it)) + 1);
}

}  // namespace

Space::Space(std::span<const std::string_view> texts)
    : text_count_(static_cast<double>(texts.size())) {
    struct Seen {
        Gram gram;
        std::uint32_t texts = 0;
    };
    // Numbered in the order of the texts: the same texts make the same space.
    std::vector<Seen> seen;
    std::unordered_map<std::uint64_t, std::size_t> number;
    for (const auto text : texts) {
        count_grams(grams_of(text), [&](const Gram& gram, auto) {
            const auto [at, is_new] = number.try_emplace(gram.key, seen.size());
            if (is_new) seen.push_back({gram});
            ++seen[at->second].texts;
        });
    }
    const std::uint32_t texts_min = texts.size() > kManyTexts ? 2 : 1;
    for (const auto& [gram, with_it] : seen) {
        if (with_it < texts_min) continue;
        index_.emplace(gram.key, static_cast<std::uint32_t>(rarity_.size()));
        rarity_.push_back(rarity(text_count_, with_it, gram));
    }
}

float Space::rarity_of_new(const Gram& gram) const { return rarity(text_count_, 0, gram); }

Place Space::place_of(std::string_view text) const {
    struct Weighed {
        Term term;
        GramKind kind;
    };
    std::vector<Weighed> known;
    std::array<double, 2> square{};
    count_grams(grams_of(text), [&](const Gram& gram, auto count) {
        const auto found = index_.find(gram.key);
        const float rarity = found == index_.end() ? rarity_of_new(gram) : rarity_[found->second];
        const float weight = rarity * static_cast<float>(1 + std::log(count));
        square.at(static_cast<std::size_t>(gram.kind)) += weight * weight;
        if (found != index_.end()) known.push_back({{found->second, weight}, gram.kind});
    });
    Place place;
    for (const auto& [term, kind] : known) {
        const double length = std::sqrt(2 * square.at(static_cast<std::size_t>(kind)));
        place.push_back({term.gram, static_cast<float>(term.weight / length)});
    }
    std::ranges::sort(place, {}, &Term::gram);
    return place;
}

}  // namespace parlance::intents
