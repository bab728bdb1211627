#include "app/cli/checklist.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/cli/examination.h"
#include "app/cli/interrupt.h"
#include "app/cli/json_view.h"
#include "app/cli/table.h"
#include "base/json_write.h"
#include "gateway/policy.h"

namespace parlance::cli {

namespace {

/// Untried: a limit prevented the attempt, so the item neither holds nor fails.
enum class Verdict { Holds, Fails, Untried };

struct Outcome {
    Verdict verdict = Verdict::Fails;
    std::string happened{};
    std::string because{};  ///< Untried only: the limit, and its message.
};

/// Holds if `is_good`; Untried if a limit other than the item's own ended a reply; else Fails.
Outcome judge(bool is_good,
              std::string happened,
              std::initializer_list<const Reply*> replies,
              std::string_view own_code) {
    if (is_good) return {Verdict::Holds, std::move(happened)};
    for (const Reply* const reply : replies) {
        if (reply->hindrance.empty() || reply->code == own_code) continue;
        return {Verdict::Untried, std::move(happened), reply->hindrance};
    }
    return {Verdict::Fails, std::move(happened)};
}

/// The first reply must be accepted, the second refused.
Outcome refused_after(const Reply& first, const Reply& second, std::string_view code) {
    return judge(first.is_taken() && second.code == code,
                 fmt::format("{}, then {}", first.in_short(), second.in_short()),
                 {&first, &second},
                 code);
}

/// A failure proves nothing if `rule` ended the first request before the rest was tried.
Outcome unless_late(const Examination& examination, Rule rule, Outcome outcome) {
    constexpr std::chrono::milliseconds kUnsure{2};  // Both sides count in whole milliseconds.
    const auto limit = examination.ruling_of(rule);
    const auto took = examination.took();
    if (outcome.verdict != Verdict::Fails || (took + kUnsure).count() < limit.value) return outcome;
    outcome.verdict = Verdict::Untried;
    outcome.because = fmt::format(
        "{}: what is asked for first is over before the rest is tried, which took {} ms",
        rule_in_words(rule, limit),
        took.count());
    return outcome;
}

constexpr std::int64_t preset_of(Rule rule) {
    return kRules[static_cast<std::size_t>(rule)].preset;
}

/// The settings that loosen a rule beyond its default, in any scope: also in scopes that the
/// examination's agents do not belong to.
std::string loosened(const Examination& examination, Rule rule) {
    constexpr int kNamed = 5;
    std::string words;
    int count = 0;
    for (const auto& [key, value] : examination.policy().settings) {
        if (key.first != rule || value <= preset_of(rule) || ++count > kNamed) continue;
        words += fmt::format("{}{}",
                             words.empty() ? "" : ", ",
                             rule_in_words(rule, {.value = value, .scope = key.second}));
    }
    if (count > kNamed) words += fmt::format(" and {} more", count - kNamed);
    return words;
}

/// An item holds only where no scope is looser than the default.
Outcome unless_loosened(const Examination& examination, Rule rule, Outcome outcome) {
    const auto loose = loosened(examination, rule);
    outcome.happened += "; the policy has " +
                        (loose.empty() ? rule_in_words(rule, examination.ruling_of(rule)) : loose);
    if (loose.empty()) return outcome;
    return {Verdict::Fails, std::move(outcome.happened)};
}

/// The depth reached by a chain of delegations, each out of the previous delegation's session, and
/// the last reply.
struct Descent {
    std::int64_t taken = 0;
    Reply end{};

    std::string in_short() const {
        return end.is_taken() ? fmt::format("{} taken, none refused", taken)
                              : fmt::format("{} taken, then {}", taken, end.in_short());
    }
};

Descent descend(Examination& examination, std::string_view key, std::string_view constraints) {
    Descent descent;
    std::string session = examination.name(key);
    std::string_view from = key;
    std::vector<std::string> asked;
    // A chain deeper than the default has gone too far already.
    while (descent.taken < preset_of(Rule::DepthMax)) {
        const auto place = static_cast<std::size_t>(descent.taken) % Examination::kDelegates.size();
        const auto to = Examination::kDelegates[place];
        const auto id = examination.fresh_id();
        const std::string objective = fmt::format("Go {}", descent.taken + 1);
        descent.end = examination.delegate({.id = id,
                                            .from = from,
                                            .to = to,
                                            .session = session,
                                            .user = key,
                                            .objective = objective,
                                            .constraints = constraints});
        if (!descent.end.is_taken()) break;
        ++descent.taken;
        asked.push_back(id);
        const auto delivery = examination.take(to, id);
        if (delivery.message.empty()) break;
        session = text_member(json::root(delivery.message), "child_session_id");
        from = to;
    }
    // Bottom up: a parent that ends before its delegate is charged for the delegate's reservation.
    for (; !asked.empty(); asked.pop_back()) examination.end(asked.back());
    return descent;
}

constexpr std::string_view kDeepest = "deepest";

/// Both limits: the request's own (the document's default of 2 without one), and the hub's limit on
/// the request's own.
Outcome try_depth(Examination& examination, std::string_view key) {
    constexpr std::string_view kCode = "DELEGATION_DEPTH_EXCEEDED";
    const auto own = descend(examination, key, R"({"max_tokens":10})");
    const auto most = descend(examination, kDeepest, R"({"max_tokens":10,"max_depth":1000})");
    const auto allowed = examination.ruling_of(Rule::DepthMax).value;
    const bool is_good = own.taken == std::min<std::int64_t>(allowed - 1, 1) &&
                         own.end.code == kCode && most.taken == allowed - 1 &&
                         most.end.code == kCode;
    auto outcome =
        judge(is_good,
              fmt::format("{}; with max_depth 1000: {}", own.in_short(), most.in_short()),
              {&own.end, &most.end},
              kCode);
    outcome = unless_late(examination, Rule::DeadlineMsMax, std::move(outcome));
    return unless_loosened(examination, Rule::DepthMax, std::move(outcome));
}

/// The limit in force, which may be stricter than the document's, but not wider.
Outcome try_fanout(Examination& examination, std::string_view key) {
    constexpr std::string_view kCode = "DELEGATION_FANOUT_EXCEEDED";
    const auto most =
        std::min(examination.ruling_of(Rule::FanoutMax).value, preset_of(Rule::FanoutMax));
    const auto ask = [&](std::int64_t place) {
        return examination.delegate({.from = key,
                                     .to = Examination::kDelegates[static_cast<std::size_t>(place)],
                                     .session = examination.name(key),
                                     .user = key});
    };
    std::int64_t taken = 0;
    Reply next = ask(0);
    for (; taken < most && next.is_taken(); next = ask(taken)) ++taken;
    auto outcome = judge(taken == most && next.code == kCode,
                         fmt::format("{} of {} taken, then {}", taken, most, next.in_short()),
                         {&next},
                         kCode);
    outcome = unless_late(examination, Rule::DeadlineMsMax, std::move(outcome));
    return unless_loosened(examination, Rule::FanoutMax, std::move(outcome));
}

/// Without room for a second open request the first is answered: an objective given once in a
/// session is refused the second time even then.
Outcome try_cycle(Examination& examination, std::string_view key) {
    constexpr std::string_view kCode = "DELEGATION_CYCLE_DETECTED";
    const auto id = examination.fresh_id();
    DelegationDraft draft{.id = id,
                          .from = key,
                          .session = examination.name(key),
                          .user = key,
                          .objective = "Extract receipt"};
    const auto first = examination.delegate(draft);
    draft.id.clear();
    draft.objective = "EXTRACT  receipt";
    const auto second = examination.delegate(draft);
    if (second.code != "DELEGATION_FANOUT_EXCEEDED") return refused_after(first, second, kCode);
    examination.begin();
    examination.answer(examination.take(draft.to, id));
    const auto third = examination.delegate(draft);
    auto outcome = refused_after(first, third, kCode);
    outcome.happened = fmt::format("{}, then {}, and with the first answered {}",
                                   first.in_short(),
                                   second.in_short(),
                                   third.in_short());
    return unless_late(examination, Rule::RootIdleMs, std::move(outcome));
}

Outcome try_timeout(Examination& examination, std::string_view key) {
    constexpr std::int64_t kAskedMs = 50;
    const auto time_ms = std::min(kAskedMs, examination.ruling_of(Rule::DeadlineMsMax).value);
    const auto constraints = fmt::format(R"({{"deadline_ms":{},"max_tokens":10}})", kAskedMs);
    const auto reply = examination.delegate(
        {.from = key, .session = examination.name(key), .user = key, .constraints = constraints},
        "/v1/delegations");
    const auto error = reply.body.empty() ? "" : text_member(json::root(reply.body), "error");
    return judge(error == fmt::format("Delegation timeout after {} ms", time_ms),
                 error.empty() ? reply.in_short() : error,
                 {&reply},
                 {});
}

Outcome try_tokens(Examination& examination, std::string_view key) {
    constexpr std::string_view kCode = "BUDGET_TOKENS_EXCEEDED";
    const auto reply = examination.delegate({.from = key,
                                             .session = examination.name(key),
                                             .user = key,
                                             .constraints = R"({"max_tokens":1})"});
    return judge(reply.code == kCode, reply.in_short(), {&reply}, kCode);
}

Outcome try_personal(Examination& examination, std::string_view key) {
    constexpr std::string_view kAddress = "d@example.org";
    const auto id = examination.fresh_id();
    const auto reply = examination.delegate({.id = id,
                                             .from = key,
                                             .session = examination.name(key),
                                             .user = key,
                                             .objective = "Write",
                                             .input = kAddress});
    const auto shown = examination.take(DelegationDraft{}.to, id).message;
    const bool is_shown = shown.find(kAddress) != std::string::npos;
    const auto* const words = shown.empty() ? "the delegate was shown nothing"
                              : is_shown    ? "the delegate was shown the address itself"
                                            : "the delegate was shown a placeholder";
    auto outcome = judge(!shown.empty() && !is_shown,
                         fmt::format("{}, and {}", reply.in_short(), words),
                         {&reply},
                         {});
    if (is_shown) return outcome;
    return unless_late(examination, Rule::DeadlineMsMax, std::move(outcome));
}

/// Looks for the row of this very request. A refused request has a row too, under the name of the
/// sending operator, so the search is by recipient.
Outcome try_audit(Examination& examination, std::string_view key) {
    constexpr std::string_view kAsked = "e";
    const auto id = examination.fresh_id();
    const auto answer = examination.delegate(
        {.id = id, .from = key, .to = kAsked, .session = examination.name(key), .user = key});
    const auto hub = examination.ask("GET", "/v1/hub");
    const auto sequence = hub.body.empty() ? std::optional<std::int64_t>{}
                                           : number_member(json::root(hub.body), "sequence");
    const auto log =
        examination.ask("GET",
                        fmt::format("/v1/delegations?agent={}&max=1000&after_sequence={}",
                                    examination.name(kAsked),
                                    sequence.value_or(0)));
    const bool is_there = log.status == 200 && log.body.find(id) != std::string::npos;
    auto happened = fmt::format("{}, then {}",
                                answer.in_short(),
                                is_there            ? "a row"
                                : log.status == 200 ? "no row"
                                                    : log.in_short());
    // A refusal is no hindrance here; a request never sent is.
    if (answer.status != 0) return judge(is_there, std::move(happened), {}, {});
    return judge(is_there, std::move(happened), {&answer}, {});
}

Outcome try_users(Examination& examination, std::string_view key) {
    DelegationDraft draft{.from = key, .session = examination.name(key), .user = key};
    const auto first = examination.delegate(draft);
    draft.to = "c";
    draft.user = "other";
    return refused_after(first, examination.delegate(draft), "USER_ISOLATION_VIOLATED");
}

Outcome try_tools(Examination& examination, std::string_view key) {
    const auto may_use = [&](std::string_view tool) {
        return examination.ask(
            "POST",
            "/v1/tools/authorize",
            json::ObjectWriter{}.text("agent", examination.name(key)).text("tool", tool).done());
    };
    const auto good = may_use(Examination::kTool);
    const auto bad = may_use("parlance-doctor-delete");
    return judge(good.status == 200 && bad.code == "TOOL_NOT_ALLOWED",
                 fmt::format("{}, then {}", good.in_short(), bad.in_short()),
                 {&good, &bad},
                 {});
}

Outcome try_errors(Examination& examination, std::string_view key) {
    const auto garbage = examination.ask("POST", "/v1/messages", R"({"no":)");
    const auto lost = examination.delegate(
        {.from = key, .to = "nobody", .session = examination.name(key), .user = key});
    return judge(garbage.code == "MESSAGE_MALFORMED" && lost.code == "AGENT_NOT_REGISTERED",
                 fmt::format("{}, then {}", garbage.in_short(), lost.in_short()),
                 {&garbage, &lost},
                 {});
}

struct Item {
    std::string_view text;  ///< As worded in the document.
    std::string_view key;   ///< Names the item's requester, user and session.
    Outcome (*examine)(Examination& examination, std::string_view key);
    std::string_view tried;
    std::string_view expected;
    std::string_view advice;  ///< For a failed item.
};
// clang-format off
constexpr std::array kItems{
    Item{"Max depth enforced (≤ 2)", "depth", try_depth,
         "an agent asks b, b asks c and so on, each out of the session that it was given; then the same with max_depth 1000",
         "1 taken, then 403 DELEGATION_DEPTH_EXCEEDED; with max_depth 1000: one less than depth_max taken, then the same; and a depth_max of 8 or less for everybody",
         "A request that names no max_depth is held to 2, and one that does to depth_max: set that to 8, its default, or less in the policy"},
    Item{"Fan-out enforced (≤ 3)", "fan-out", try_fanout,
         "an agent asks b, c and d, or as many as fanout_max if that is less, and while they are open one more",
         "3 of 3 taken, then 429 DELEGATION_FANOUT_EXCEEDED, or the same with a smaller fanout_max; and one of 3 or less for everybody",
         "The document has 3: set fanout_max to that or less in the policy"},
    Item{"Cycle detection active", "cycle", try_cycle,
         "the same errand twice in one session, in capitals the second time",
         "202, then 409 DELEGATION_CYCLE_DETECTED",
         "parlance policy explain says what each guard thinks of a message"},
    Item{"Timeouts configured", "timeout", try_timeout,
         "a delegation of 50 ms, or deadline_ms_max if that is less, that nobody answers",
         "Delegation timeout after 50 ms",
         "parlance policy explain says what each guard thinks of a message"},
    Item{"Token budgets set", "tokens", try_tokens,
         "a sentence with a budget of one token",
         "403 BUDGET_TOKENS_EXCEEDED",
         "parlance policy explain says what each guard thinks of a message"},
    Item{"PII redaction applied", "personal", try_personal,
         "an e-mail address in the input, and what the delegate is shown",
         "202, and the delegate was shown a placeholder",
         "personal.dialects of the hub's configuration must have delegation in it: docs/reference/configuration.md"},
    Item{"Audit logging enabled", "audit", try_audit,
         "a delegation, and whether delegation_audit_log has this very one, be it taken or refused",
         "202, then a row",
         "The log is written behind the journal; parlance journal list shows whether it was accepted"},
    Item{"User isolation verified", "user", try_users,
         "one user's errand, and another user's in the same session",
         "202, then 403 USER_ISOLATION_VIOLATED",
         "parlance policy explain says what each guard thinks of a message"},
    Item{"Tool authorization checked", "tools", try_tools,
         "the tool that an agent has, and one that it has not",
         "200, then 403 TOOL_NOT_ALLOWED",
         "The doctor's agents are registered with one tool: parlance agents shows it while it runs"},
    Item{"Error handling complete", "errors", try_errors,
         "half a message, and one to nobody",
         "400 MESSAGE_MALFORMED, then 404 AGENT_NOT_REGISTERED",
         "Its own advice is in the problem that the hub answers"},
};
// clang-format on

struct VerdictRow {
    std::string_view sign;
    Tone tone;
    std::string_view json;  ///< The value of "ok".
};
/// In the order of Verdict.
constexpr std::array kVerdicts{VerdictRow{"✓", Tone::Green, "true"},
                               VerdictRow{"✗", Tone::Red, "false"},
                               VerdictRow{"?", Tone::Yellow, "null"}};

void tell_as_json(const Item& item, const Outcome& outcome, const VerdictRow& verdict) {
    json::ObjectWriter told;
    told.text("item", item.text)
        .raw("ok", verdict.json)
        .text("tried", item.tried)
        .text("expected", item.expected)
        .text("happened", outcome.happened);
    if (outcome.verdict == Verdict::Untried) told.text("not_tried_because", outcome.because);
    fmt::print("{}\n", told.done());
}

void tell(const Context& context, const Item& item, const Outcome& outcome) {
    const auto& verdict = kVerdicts[static_cast<std::size_t>(outcome.verdict)];
    if (context.is_json) return tell_as_json(item, outcome, verdict);
    const auto line = [&](std::string_view name, std::string_view words) {
        fmt::print("    {}\n",
                   paint(context.out(), Tone::Dim, fmt::format("{:<9}{}", name, harmless(words))));
    };
    fmt::print("{} {}\n",
               paint(context.out(), verdict.tone, verdict.sign),
               paint(context.out(), Tone::Bold, item.text));
    line("tried", item.tried);
    line("got", outcome.happened);
    if (outcome.verdict == Verdict::Fails) {
        line("expected", item.expected);
        fmt::print("    → {}\n", item.advice);
    }
    if (outcome.verdict == Verdict::Untried) {
        fmt::print("    → could not be tried, because of {}\n", harmless(outcome.because));
    }
}

struct Tally {
    std::array<std::size_t, kVerdicts.size()> counts{};
    std::size_t of(Verdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
};

void tell(const Context& context, const Tally& tally) {
    if (context.is_json) return;
    std::string words = fmt::format("{} of {} items hold", tally.of(Verdict::Holds), kItems.size());
    const auto fails = tally.of(Verdict::Fails);
    const auto untried = tally.of(Verdict::Untried);
    if (fails > 0) words += fmt::format(", {} {} not", fails, fails == 1 ? "does" : "do");
    if (untried > 0) words += fmt::format(", {} could not be tried", untried);
    fmt::print("\n{}\n", words);
}

/// Removes all agents and reports those that remain; otherwise returns `exit`.
int left(const Context& context, Examination& examination, int exit) {
    const auto stayed = examination.move_out();
    if (stayed.empty()) return exit;
    complain(context,
             Refused,
             fmt::format("{} of the examination could not be removed: {}",
                         stayed.size() == 1 ? "an agent" : fmt::format("{} agents", stayed.size()),
                         fmt::join(stayed, "; ")),
             "`parlance agents remove ID` does it, once what each has is settled.");
    return exit == Done ? Refused : exit;
}

/// Complains if the hub cannot be examined; Done if examination is possible.
int hindered(const Context& context, Examination& examination) {
    const auto fleet = examination.ask("GET", "/v1/fleet");
    if (!fleet.body.empty() && member(json::root(fleet.body), "stopped").raw == "true") {
        return complain(context,
                        Refused,
                        "the fleet is stopped, and takes nothing that could be examined",
                        "Nothing was tried. `parlance fleet resume` lets it go on.");
    }
    std::vector<std::string_view> askers{kDeepest};
    for (const Item& item : kItems) askers.push_back(item.key);
    const auto refused = examination.move_in(std::move(askers));
    if (!refused.empty()) {
        return complain(
            context,
            Refused,
            fmt::format("the hub lets no agents of the examination in ({})", refused),
            "Use an identity that may act for agents: --operator with --dev, or a token.");
    }
    const auto& first = kItems.front();
    const auto foreseen = examination.explain(
        {.from = first.key, .session = examination.name(first.key), .user = first.key});
    if (!foreseen.body.empty() &&
        number_member(json::root(foreseen.body), "approvals_needed").value_or(0) > 0) {
        return complain(context,
                        Refused,
                        "people would be asked to approve what the examination asks for",
                        "Nothing was tried. `parlance policy show` has the thresholds (risk_low, "
                        "budget_asks_people).");
    }
    return Done;
}

int examine(const Context& context, Examination& examination) {
    if (!context.is_json) {
        fmt::print(
            "Each item of the delegation checklist, tried with agents whose names begin "
            "with {}; they are removed afterwards.\n\n",
            examination.mark());
    }
    Tally tally;
    for (const Item& item : kItems) {
        examination.begin();
        const Outcome outcome = item.examine(examination, item.key);
        examination.end(examination.name(item.key));
        if (is_interrupted()) return Interrupted;
        ++tally.counts[static_cast<std::size_t>(outcome.verdict)];
        tell(context, item, outcome);
    }
    tell(context, tally);
    return tally.of(Verdict::Holds) == kItems.size() ? Done : Refused;
}

}  // namespace

int try_checklist(const Context& context) {
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    const auto told = client->call("GET", "/v1/policy");
    if (!told) return complain(context, told.error());
    if (told->status != 200 || !json::check(told->body, json::kDepthMadeMax)) {
        return complain(context, *told);
    }
    auto settings = gateway::read_settings(member(json::root(told->body), "policy"));
    if (!settings) return complain(context, settings.error());
    interrupt_descriptor();  // After an interrupt the agents are still removed.
    std::random_device device;
    Examination examination{*client,
                            Policy{.settings = std::move(*settings)},
                            (std::uint64_t{device()} << 32U) | device()};
    int exit = hindered(context, examination);
    if (exit == Done) exit = examine(context, examination);
    return left(context, examination, exit);
}

}  // namespace parlance::cli
