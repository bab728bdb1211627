#include "sim/messenger.h"

namespace parlance::sim {

namespace {

/// Chosen so that no seed of scenarios.txt has a messenger.
constexpr std::uint64_t kApart = 0x4D45'5353'454E'4701ULL;
constexpr std::uint64_t kLivesPercent = 20;

}  // namespace

Messenger::Messenger(std::uint64_t seed, Timeline& timeline, Hub& hub, Door& door, History& history)
    : entropy_(seed ^ kApart), timeline_(timeline), hub_(hub), history_(history) {
    if (!entropy_.percent(kLivesPercent)) return;
    door.on_notice([this](const NotifyPeople& notice) { take(notice); });
}

void Messenger::take(const NotifyPeople& notice) {
    if (entropy_.percent(15)) return;  // No server takes the mail, despite all retries.
    const auto wait = entropy_.percent(60) ? entropy_.ms(0, 20) : entropy_.ms(20, 1'500);
    const auto process = hub_.crashes();
    timeline_.after(wait, [this, process, id = notice.id, news = notice.news] {
        if (!hub_.is_up() || hub_.crashes() != process) return;
        history_.told_people.push_back({id, news});
        hub_.submit(NotePeopleTold{id, news}, "", true, false);
    });
}

}  // namespace parlance::sim
