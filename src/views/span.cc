#include "views/span.h"

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

std::optional<Step> take_step(const Span& span, std::string_view& text) {
    const auto* const row = std::ranges::find(kStandings, text.front(), &StandingRow::letter);
    if (row == kStandings.end()) return std::nullopt;
    text.remove_prefix(1);
    std::uint64_t records = 0;
    std::int64_t time_ms = 0;
    if (!take_number(text, '+', records) || !take_number(text, ' ', time_ms)) return std::nullopt;
    return Step{
        row->standing, {span.sequence.value + records}, span.accepted_at + Duration{time_ms}};
}

}  // namespace

Course course_at_start(const Span& span) { return {.since = span.accepted_at}; }

void take(Course& course, const Step& step) {
    const auto spent = step.at - course.since;
    if (course.standing == Standing::Waiting) course.queue += spent;
    if (course.standing == Standing::AtWork) course.run += spent;
    if (course.standing == Standing::WaitingForHuman) course.human += spent;
    course.standing = step.to;
    course.since = step.at;
    if (step.to == Standing::WaitingForHuman) course.waited_for_human = true;
    if (step.to != Standing::AtWork) return;
    if (++course.attempts == 1) course.leased_at = step.at;
}

void take(Span& span, const Step& step) {
    // Readable in the file: "a2+15 s5+40 ".
    span.steps += row_of(step.to).letter;
    span.steps += std::to_string(step.sequence.value - span.sequence.value) + "+" +
                  std::to_string((step.at - span.accepted_at).count()) + " ";
    take(span.course, step);
}

std::optional<std::vector<Step>> steps_of(const Span& span) {
    std::vector<Step> steps;
    std::string_view text = span.steps;
    while (!text.empty()) {
        const auto step = take_step(span, text);
        if (!step) return std::nullopt;
        steps.push_back(*step);
    }
    return steps;
}

std::optional<Span> as_of(const Span& span, Sequence at) {
    if (span.sequence > at) return std::nullopt;
    auto past = span;
    past.steps.clear();
    past.course = course_at_start(span);
    for (const auto& step : steps_of(span).value_or(std::vector<Step>{})) {
        if (step.sequence <= at) take(past, step);
    }
    return past;
}

}  // namespace parlance::views
