#include "views/timeline.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/iso_time.h"
#include "base/json_write.h"
#include "model/names.h"

namespace parlance::views {

namespace {

struct Interval {
    Time from{};
    Time to{};
};

/// The intervals in which requests were open, keyed by the parent request if known, otherwise by
/// requester and conversation.
struct Asked {
    std::multimap<Ticket, Interval> by_parent;
    std::multimap<std::pair<std::string_view, std::string_view>, Interval> by_asker;

    void add(const Span& request, Interval interval) {
        if (request.parent != Ticket{}) {
            by_parent.emplace(request.parent, interval);
        } else {
            by_asker.emplace(
                std::pair<std::string_view, std::string_view>{request.from, request.correlation},
                interval);
        }
    }
    std::vector<Interval> during(const Span& span) const {
        std::vector<Interval> intervals;
        const auto add_all = [&](const auto& range) {
            for (auto each = range.first; each != range.second; ++each) {
                intervals.push_back(each->second);
            }
        };
        add_all(by_parent.equal_range(span.ticket));
        add_all(by_asker.equal_range(
            std::pair<std::string_view, std::string_view>{span.to, span.correlation}));
        return intervals;
    }
};

/// The part of `within` that the intervals cover together.
Duration covered(Interval within, std::vector<Interval> intervals) {
    std::ranges::sort(intervals, {}, &Interval::from);
    Duration sum{};
    auto reached = within.from;
    for (const auto& interval : intervals) {
        const auto from = std::max(interval.from, reached);
        const auto to = std::min(interval.to, within.to);
        if (to <= from) continue;
        sum += to - from;
        reached = to;
    }
    return sum;
}

/// From the first lease to the end; empty if never leased.
Interval work_of(const Span& span, Time now) {
    const auto& course = span.course;
    if (course.attempts == 0) return {};
    return {course.leased_at, is_open(course.standing) ? now : course.since};
}

Span up_to(Span span, Time now) {
    auto& course = span.course;
    if (!is_open(course.standing) || now <= course.since) return span;
    const auto spent = now - course.since;
    if (course.standing == Standing::Waiting) course.queue += spent;
    if (course.standing == Standing::AtWork) course.run += spent;
    if (course.standing == Standing::WaitingForHuman) course.human += spent;
    course.since = now;
    return span;
}

/// The agent's own time: run time without the intervals in which the agent waited for its own
/// requests.
Duration own_time(const Span& span, const Asked& asked, Time now) {
    const auto waited = covered(work_of(span, now), asked.during(span));
    return std::max(Duration{}, span.course.run - waited);
}

struct Gathered {
    Share share;
    std::vector<Duration> queue;
    std::vector<Duration> run;
    std::vector<Duration> human;

    void add(const Span& span, Duration own) {
        ++share.count;
        if (is_failure(span.course.standing)) ++share.failures;
        queue.push_back(span.course.queue);
        if (span.course.attempts > 0) run.push_back(span.course.run);
        if (span.course.waited_for_human) human.push_back(span.course.human);
        share.queue_total += span.course.queue;
        share.run_total += span.course.run;
        share.human_total += span.course.human;
        share.own_total += own;
    }
    Share done() {
        share.queue = percentiles_of(std::move(queue));
        share.run = percentiles_of(std::move(run));
        share.has_people = !human.empty();
        share.human = percentiles_of(std::move(human));
        return std::move(share);
    }
};

using Groups = std::map<std::pair<std::string, std::string>, Gathered>;

std::vector<Share> shares_of(Groups&& groups) {
    std::vector<Share> shares;
    shares.reserve(groups.size());
    for (auto& [name, gathered] : groups) {
        gathered.share.agent = name.first;
        gathered.share.type = name.second;
        shares.push_back(gathered.done());
    }
    return shares;
}

/// Answers are excluded: an answer in the requester's mailbox is no work given to the requester.
bool is_work(const Span& span) {
    return span.part == Part::Request || span.part == Part::OneWay || span.part == Part::HumanTask;
}

std::string print(const Percentiles& percentiles) {
    return fmt::format(R"({{"p50":{},"p90":{},"p99":{}}})",
                       percentiles.p50.count(),
                       percentiles.p90.count(),
                       percentiles.p99.count());
}

std::string time_or_null(bool is_there, Time time) {
    return is_there ? "\"" + print_iso_time(time) + "\"" : "null";
}

}  // namespace

Percentiles percentiles_of(std::vector<Duration> durations) {
    if (durations.empty()) return {};
    std::ranges::sort(durations);
    const auto rank = [&](std::size_t percent) {
        return durations[(durations.size() * percent + 99) / 100 - 1];
    };
    return {rank(50), rank(90), rank(99)};
}

Timeline timeline_of(std::span<const Span> spans, Time now) {
    Timeline timeline;
    Asked asked;
    auto first = Time::max();
    auto last = Time::min();
    for (const auto& span : spans) {
        const auto end = is_open(span.course.standing) ? now : span.course.since;
        if (span.part == Part::Request) asked.add(span, {span.accepted_at, end});
        first = std::min(first, span.accepted_at);
        last = std::max(last, end);
    }
    if (first <= last) timeline.whole = last - first;
    Groups agents;
    Groups steps;
    for (const auto& each : spans) {
        if (each.part == Part::Workflow) continue;  // The workflow covers all other spans.
        const auto& span = timeline.spans.emplace_back(up_to(each, now));
        const auto own = is_work(span) ? own_time(span, asked, now) : Duration{};
        timeline.own.push_back(own);
        if (!is_work(span)) continue;
        agents[{span.to, ""}].add(span, own);
        steps[{span.to, span.type}].add(span, own);
    }
    timeline.agents = shares_of(std::move(agents));
    timeline.steps = shares_of(std::move(steps));
    return timeline;
}

std::string bottleneck_of(const Timeline& timeline) {
    const auto cost = [](const Share& share) {
        return share.queue_total + share.own_total + share.human_total;
    };
    const auto worst = std::ranges::max_element(timeline.agents, {}, cost);
    if (worst == timeline.agents.end()) return {};
    if (worst->human_total > worst->queue_total + worst->own_total) {
        return fmt::format("{} took most of the time: {} ms with people over {} message{}.",
                           worst->agent,
                           worst->human_total.count(),
                           worst->count,
                           worst->count == 1 ? "" : "s");
    }
    const bool is_queue = worst->queue_total > worst->own_total;
    return fmt::format(
        "{} took most of the time: {} ms of work of its own and {} ms in its queue "
        "over {} message{}{}.",
        worst->agent,
        worst->own_total.count(),
        worst->queue_total.count(),
        worst->count,
        worst->count == 1 ? "" : "s",
        is_queue ? "; more instances of it would shorten the queue" : "");
}

std::string print(const Share& share) {
    json::ObjectWriter writer;
    writer.text("agent", share.agent);
    if (!share.type.empty()) writer.text("type", share.type);
    if (share.has_people) {
        writer.raw("human_ms", print(share.human))
            .integer("human_ms_total", share.human_total.count());
    }
    return writer.integer("messages", static_cast<std::int64_t>(share.count))
        .integer("failures", static_cast<std::int64_t>(share.failures))
        .raw("queue_ms", print(share.queue))
        .raw("run_ms", print(share.run))
        .integer("queue_ms_total", share.queue_total.count())
        .integer("run_ms_total", share.run_total.count())
        .integer("own_ms_total", share.own_total.count())
        .done();
}

std::string print(const Span& span, std::string_view more) {
    const auto& course = span.course;
    const auto human =
        course.waited_for_human ? std::to_string(course.human.count()) : std::string{"null"};
    return json::ObjectWriter{}
        .text("message_id", span.id)
        .integer("sequence", static_cast<std::int64_t>(span.sequence.value))
        .integer("ticket", static_cast<std::int64_t>(span.ticket.value))
        .integer("parent", static_cast<std::int64_t>(span.parent.value))
        .text("from", span.from)
        .text("to", span.to)
        .text("type", span.type)
        .text("dialect", enum_name(span.dialect))
        .text("kind", kPartNames[static_cast<std::size_t>(span.part)])
        .text("state", row_of(course.standing).name)
        .text("status", row_of(course.standing).status)
        .integer("attempts", course.attempts)
        .text("accepted_at", print_iso_time(span.accepted_at))
        .raw("leased_at", time_or_null(course.attempts > 0, course.leased_at))
        .raw("ended_at", time_or_null(!is_open(course.standing), course.since))
        .integer("queue_ms", course.queue.count())
        .integer("run_ms", course.run.count())
        .raw("human_ms", human + std::string{more})
        .done();
}

}  // namespace parlance::views
