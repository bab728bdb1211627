#include "views/journey.h"

#include <algorithm>
#include <charconv>

namespace parlance::views {

namespace {

/// Takes a number and the character `behind` off the front.
template <class Number>
bool take_number(std::string_view& text, char behind, Number& number) {
    const auto* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stopped == end || *stopped != behind) return false;
    text.remove_prefix(static_cast<std::size_t>(stopped - text.data()) + 1);
    return true;
}

std::optional<Step> take_step(const Journey& journey, std::string_view& text) {
    const auto* const row = std::ranges::find(kStandings, text.front(), &StandingRow::letter);
    if (row == kStandings.end()) return std::nullopt;
    text.remove_prefix(1);
    std::uint64_t records = 0;
    std::int64_t time_ms = 0;
    if (!take_number(text, '+', records) || !take_number(text, ' ', time_ms)) return std::nullopt;
    return Step{
        row->standing, {journey.sequence.value + records}, journey.accepted_at + Duration{time_ms}};
}

}  // namespace

Course course_at_start(const Journey& journey) { return {.since = journey.accepted_at}; }

void take(Course& course, const Step& step) {
    const auto spent = step.at - course.since;
    if (course.standing == Standing::Waiting) course.queue += spent;
    if (course.standing == Standing::AtWork) course.run += spent;
    if (course.standing == Standing::WithPerson) course.human += spent;
    course.standing = step.to;
    course.since = step.at;
    if (step.to == Standing::WithPerson) course.was_with_person = true;
    if (step.to != Standing::AtWork) return;
    if (++course.attempts == 1) course.leased_at = step.at;
}

void take(Journey& journey, const Step& step) {
    // Readable in the file: "a2+15 s5+40 ".
    journey.steps += row_of(step.to).letter;
    journey.steps += std::to_string(step.sequence.value - journey.sequence.value) + "+" +
                     std::to_string((step.at - journey.accepted_at).count()) + " ";
    take(journey.course, step);
}

std::optional<std::vector<Step>> steps_of(const Journey& journey) {
    std::vector<Step> steps;
    std::string_view text = journey.steps;
    while (!text.empty()) {
        const auto step = take_step(journey, text);
        if (!step) return std::nullopt;
        steps.push_back(*step);
    }
    return steps;
}

std::optional<Journey> as_of(const Journey& journey, Sequence at) {
    if (journey.sequence > at) return std::nullopt;
    auto past = journey;
    past.steps.clear();
    past.course = course_at_start(journey);
    for (const auto& step : steps_of(journey).value_or(std::vector<Step>{})) {
        if (step.sequence <= at) take(past, step);
    }
    return past;
}

}  // namespace parlance::views
