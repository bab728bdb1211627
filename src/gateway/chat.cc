// POST /v1/chat: a user's words in, one coherent answer out (K11-K18, K24).
//
// The words are classified, each intent becomes a step of a workflow, and the results become one
// text. Known inputs are not asked for again, and presented analyses are not repeated, unless the
// user wants them afresh. The chat decides nothing: every stage is a call to a public route.
#include <algorithm>
#include <cmath>
#include <deque>

#include <fmt/format.h>

#include "base/fold.h"
#include "base/iso_time.h"
#include "base/json_write.h"
#include "gateway/admission.h"
#include "gateway/handlers.h"
#include "gateway/intent_steps.h"
#include "gateway/internal_request.h"
#include "gateway/open_conflicts.h"
#include "gateway/personal.h"
#include "gateway/problem.h"
#include "gateway/unreadable.h"
#include "narrative/reasons.h"

namespace parlance::gateway {

namespace {

constexpr std::size_t kTextBytesMax = 8'192;
constexpr Duration kPatience{std::chrono::seconds{60}};

/// A chat turn: a user's text, on its way to an answer.
struct ChatTurn {
    ExchangePtr exchange;
    CallerPtr caller;
    Saying saying;
    bool is_afresh = false;
    Duration wait{};
    std::string asked{};  ///< The hub's question of the last turn, as JSON; empty: none.
};

json::ObjectWriter begin_answer(const ChatTurn& turn, std::string_view status) {
    json::ObjectWriter out;
    if (!turn.saying.session.empty()) out.text("session_id", turn.saying.session);
    out.text("status", status);
    return out;
}

void copy_members(json::ObjectWriter& out,
                  json::Value from,
                  std::initializer_list<std::string_view> keys) {
    for (const auto key : keys) {
        if (const auto value = json::find(from, key)) out.raw(key, value->raw);
    }
}

/// K11: all text for users goes through here.
void write_words(Desk& desk,
                 json::ObjectWriter& out,
                 std::string_view key,
                 std::string_view words) {
    const auto& offers = trainer_of(desk).offers(*desk.engine);
    out.text(key, narrative::discreet(words, internals_of(offers)));
}

/// Tells the user of a refusal, without the details, which are for operators.
void tell_refused(const ChatTurn& turn, const transport::Response& response) {
    const auto body = json::check(response.body, json::kDepthMadeMax) ? json::root(response.body)
                                                                      : json::Value{"{}"};
    auto refused = response;
    json::ObjectWriter out;
    copy_members(out, body, {"type", "title", "status", "code"});
    out.text(
        "detail",
        fmt::format("I cannot do this: {}.", narrative::reason_for(text_member(body, "code"))));
    copy_members(out, body, {"retryable"});
    refused.body = out.done();
    turn.exchange->respond(std::move(refused));
}

/// Whether the caller's credential is still valid; if not, the call is answered with only the
/// refusal.
bool is_still_there(const Desk& desk, const ChatTurn& turn) {
    if (stands(desk, *turn.caller)) return true;
    turn.exchange->respond(no_longer_proved());
    return false;
}

/// An operator who talks for a user sees no personal data.
void tell(Desk& desk, const ChatTurn& turn, json::ObjectWriter& out, int status = 200) {
    if (!is_still_there(desk, turn)) return;
    auto body = out.done();
    auto workflow = text_member(json::root(body), "correlation_id");
    if (workflow.empty()) workflow = turn.saying.session;
    body = shown_to(desk.options, *turn.caller, std::move(body), workflow);
    turn.exchange->respond({.status = status, .headers = {}, .body = std::move(body)});
}

// --- open questions to the user ----------------------------------------------------------------

std::string asked_in(const core::shared::Session& session) {
    const auto* part = core::shared::find(session.agents, kOrchestrator);
    const auto asked = part != nullptr ? json::find(json::root(*part), "asked") : std::nullopt;
    return asked && asked->is_object() ? std::string{asked->raw} : std::string{};
}

/// Stores the hub's question in the hub's part of the session, for the next turn to answer.
void keep_asked(Desk& desk, const ChatTurn& turn, const std::string& asked) {
    const auto& sessions = desk.engine->state().shared.sessions;
    const auto* session = core::shared::find(sessions, turn.saying.session);
    if (session != nullptr && asked == asked_in(*session)) return;
    submit(
        desk,
        WriteSession{.id = turn.saying.session,
                     .user = turn.saying.user,
                     .agent = std::string{kOrchestrator},
                     .agent_state =
                         json::ObjectWriter{}.raw("asked", asked.empty() ? "null" : asked).done()},
        nullptr,
        {});
}

/// The option named by the text, by number or in the option's own words.
std::optional<json::Value> chosen(json::Value asked, std::string_view text) {
    const auto targets = json::find(asked, "option_targets");
    const auto options = json::find(asked, "options");
    if (!targets || !options) return std::nullopt;
    const auto said = folded(text);
    json::Elements words{*options};
    json::Elements target{*targets};
    std::string spare;
    for (int number = 1; target.next() && words.next(); ++number) {
        const bool is_named = words.value.is_string() && said == folded(words.value.text(spare));
        if (is_named || said == fmt::format("{}", number)) return target.value;
    }
    return std::nullopt;
}

// --- the answer --------------------------------------------------------------------------------

const core::shared::Analysis* kept_analysis(const Desk& desk,
                                            const ChatTurn& turn,
                                            std::string_view key) {
    const auto& sessions = desk.engine->state().shared.sessions;
    const auto* session = core::shared::find(sessions, turn.saying.session);
    return session != nullptr ? core::shared::find(session->analyses, key) : nullptr;
}

/// Stores each presented analysis in the session, for the same intent in later turns.
void keep_analyses(Desk& desk,
                   const ChatTurn& turn,
                   const std::vector<IntentStep>& intent_steps,
                   json::Value report) {
    const auto steps = json::find(report, "steps");
    if (!steps || !steps->is_array()) return;
    std::size_t at = 0;
    for (json::Elements each{*steps}; each.next() && at < intent_steps.size(); ++at) {
        const auto output = json::find(each.value, "output");
        if (!output || text_member(each.value, "status") != "COMPLETED") continue;
        auto key = analysis_key(intent_steps[at].capability, intent_steps[at].inputs);
        const auto* known = kept_analysis(desk, turn, key);
        if (known != nullptr && known->result == output->raw) continue;
        submit(desk,
               KeepAnalysis{.session = turn.saying.session,
                            .key = std::move(key),
                            .capability = intent_steps[at].capability,
                            .result = std::string{output->raw},
                            .agent = intent_steps[at].agent},
               nullptr,
               {});
    }
}

struct Standing {
    std::string_view of_workflow;
    std::string_view told;
    std::string_view words{};  ///< Shown while there is no answer.
};
constexpr std::array kStandings{
    Standing{"COMPLETED", "answered"},
    Standing{"PARTIAL", "partial"},
    Standing{"RUNNING", "working", "I am still working on it."},
    Standing{"WAITING_FOR_HUMAN", "waiting_for_a_person", "I am waiting for somebody to decide."},
    Standing{"", "failed"}};

/// The user's decisions in this session.
std::vector<narrative::Decision> decisions_of(const Desk& desk, const ChatTurn& turn) {
    std::vector<narrative::Decision> decisions;
    const auto& facts = desk.engine->state().shared.facts;
    const auto* known = core::shared::find(facts, turn.saying.user);
    if (known == nullptr) return decisions;
    for (std::size_t i = known->size(); i-- > 0;) {  // The latest first.
        const auto& each = (*known)[i];
        if (each.fact.kind != "decision" || each.session != turn.saying.session) continue;
        decisions.push_back({.about = each.fact.about, .value = each.fact.value});
    }
    return decisions;
}

/// All parts as one answer, in words for users (K11, K17, K18).
narrative::Aggregate one_answer(Desk& desk,
                                const ChatTurn& turn,
                                const std::vector<narrative::Part>& parts) {
    const auto& offers = trainer_of(desk).offers(*desk.engine);
    return narrative::aggregate(
        parts, {.internals = internals_of(offers), .decisions = decisions_of(desk, turn)});
}

/// The parts of a report's answer.
struct Parts {
    std::vector<narrative::Part> list{};
    std::deque<std::string> texts{};  ///< Owns the texts of the parts.

    explicit Parts(json::Value components) {
        for (json::Elements each{components}; each.next();) {
            const auto content = json::find(each.value, "content");
            const auto sureness = json::find(each.value, "confidence");
            const auto confidence = sureness ? sureness->number() : std::nullopt;
            narrative::Part part{.label = texts.emplace_back(text_member(each.value, "label")),
                                 .output = content ? std::string{content->raw} : std::string{},
                                 .reason = texts.emplace_back(text_member(each.value, "reason"))};
            if (confidence) {
                part.confidence = static_cast<std::uint32_t>(std::lround(*confidence * 1000));
            }
            list.push_back(std::move(part));
        }
    }
};

/// Tells the user the outcome of a workflow.
void tell_report(Desk& desk, const ChatTurn& turn, json::Value report) {
    const auto status = text_member(report, "status");
    const auto& standing = *std::ranges::find_if(kStandings, [&](const Standing& row) {
        return row.of_workflow == status || row.of_workflow.empty();
    });
    auto out = begin_answer(turn, standing.told);
    if (const auto id = json::find(report, "workflow_id")) out.raw("chat_id", id->raw);
    copy_members(out, report, {"correlation_id"});
    if (!standing.words.empty()) out.text("answer", standing.words);
    if (const auto components = json::find(report, "components")) {
        const auto all = one_answer(desk, turn, Parts{*components}.list);
        out.text("answer", all.answer);
        if (!all.question.empty()) out.text("question", all.question);
        out.raw("components", all.components).raw("conflicts", all.conflicts);
        const auto open_conflicts = open_conflicts_in(all.conflicts);
        if (!open_conflicts.empty())
            keep_asked(desk, turn, json::ObjectWriter{}.raw("ties", open_conflicts).done());
    }
    tell(desk, turn, out);
}

/// Answers from stored analyses; false if any is missing.
bool tell_again(Desk& desk, const ChatTurn& turn, const std::vector<IntentStep>& intent_steps) {
    if (turn.is_afresh) return false;
    std::vector<narrative::Part> parts;
    Time oldest = Time::max();
    for (const auto& intent_step : intent_steps) {
        const auto* known =
            kept_analysis(desk, turn, analysis_key(intent_step.capability, intent_step.inputs));
        if (known == nullptr) return false;
        parts.push_back({.label = intent_step.label, .output = known->result});
        oldest = std::min(oldest, known->at);
    }
    const auto all = one_answer(desk, turn, parts);
    auto out = begin_answer(turn, "answered");
    out.text("answer", fmt::format("{}\n(as of {})", all.answer, print_iso_time(oldest)));
    out.raw("components", all.components);
    out.text("presented_at", print_iso_time(oldest));
    tell(desk, turn, out);
    return true;
}

void tell_begun(Desk& desk,
                const ChatTurn& turn,
                const std::vector<IntentStep>& intent_steps,
                json::Value begun) {
    auto out = begin_answer(turn, "working");
    if (const auto id = json::find(begun, "workflow_id")) out.raw("chat_id", id->raw);
    copy_members(out, begun, {"correlation_id"});
    std::string words;
    for (const auto& intent_step : intent_steps)
        words += (words.empty() ? "" : " ") + intent_step.narration;
    write_words(desk, out, "answer", words);
    tell(desk, turn, out, 202);
}

// --- the work ----------------------------------------------------------------------------------

bool is_unfit(const std::vector<IntentStep>& intent_steps, std::string_view name) {
    return std::ranges::any_of(intent_steps, [&](const IntentStep& intent_step) {
        return std::ranges::find(intent_step.unfit, name) != intent_step.unfit.end();
    });
}

/// The user's values that no agent's schema refused.
std::string fitting(std::string_view given, const std::vector<IntentStep>& intent_steps) {
    json::ObjectWriter out;
    for (json::Members each{json::root(given)}; each.next();) {
        if (!is_unfit(intent_steps, each.key)) out.raw(each.key, each.value.raw);
    }
    return out.done();
}

/// Stores the accepted values as facts of the session.
void keep_given(Desk& desk, const ChatTurn& turn, const std::vector<IntentStep>& intent_steps) {
    AddFacts add{.session = turn.saying.session, .facts = {}};
    const auto given = fitting(turn.saying.given, intent_steps);
    for (json::Members each{json::root(given)}; each.next();) {
        if (each.key.size() > kIdBytesMax) continue;
        add.facts.push_back(
            {.kind = "fact", .about = std::string{each.key}, .value = std::string{each.value.raw}});
    }
    if (!add.facts.empty()) submit(desk, std::move(add), nullptr, {});
}

/// Asks the user for the missing inputs; the next turn can answer.
void ask_lacking(Desk& desk, const ChatTurn& turn, const std::vector<IntentStep>& intent_steps) {
    std::string words;
    std::vector<std::pair<const IntentStep*, std::string>> lacking;
    for (const auto& intent_step : intent_steps) {
        for (std::size_t i = 0; i < intent_step.lacking.size(); ++i) {
            words += (words.empty() ? "" : ", ") + intent_step.asked[i];
            lacking.emplace_back(&intent_step, intent_step.lacking[i]);
        }
    }
    json::ObjectWriter asked;
    asked.text("text", turn.saying.text).raw("given", fitting(turn.saying.given, intent_steps));
    // With several missing inputs, a bare value would be ambiguous.
    if (lacking.size() == 1) {
        asked.text("agent", lacking.front().first->agent)
            .text("capability", lacking.front().first->capability)
            .text("lacking", lacking.front().second);
    }
    keep_asked(desk, turn, asked.done());
    auto out = begin_answer(turn, "clarify");
    write_words(desk, out, "question", fmt::format("To do this I need to know: {}.", words));
    std::string names = "[";
    for (const auto& [intent_step, name] : lacking) {
        if (names.size() > 1) names += ',';
        json::append_quoted(names, name);
    }
    tell(desk, turn, out.raw("inputs_needed", names + "]"));
}

bool may_chat_for(const Caller& caller, std::string_view user) {
    if (caller.is_operator) return caller.role != OperatorRole::Viewer;
    return may_act_for_user(caller, user);
}

/// A caller with the agent's name and the right to act for any user; may_chat_for() has checked the
/// real caller. Valid as long as the real caller's credential.
CallerPtr in_name_of(std::string_view agent, const Caller& caller) {
    return std::make_shared<const Caller>(Caller{.agent = {std::string{agent}},
                                                 .users = {"*"},
                                                 .credential = caller.credential,
                                                 .until = caller.until});
}

/// The caller in whose name a workflow starts. A workflow of an agent starts in the agent's own
/// name, and so counts toward the agent's rate and stands below the agent in its tree of
/// delegations.
CallerPtr beginner(const CallerPtr& caller) {
    const bool is_agent = !caller->is_operator && caller->user.empty();
    return is_agent && !caller->agent.value.empty() ? caller : in_name_of(kOrchestrator, *caller);
}

/// Whether the workflow is a chat turn the caller may see: agents see the turns they began, users
/// the turns for themselves.
bool is_chat_turn_of(const Caller& caller, const WorkflowStarted& start) {
    const bool is_hubs = start.by == kOrchestrator;
    const bool is_callers =
        caller.user.empty() ? start.by == caller.agent.value : start.user == caller.user;
    return (is_hubs || is_callers) && may_chat_for(caller, start.user);
}

void fulfil(Desk& desk, const ChatTurn& turn, std::vector<IntentStep> intent_steps) {
    if (!is_still_there(desk, turn)) return;
    keep_given(desk, turn, intent_steps);
    const bool is_known =
        std::ranges::all_of(intent_steps, &std::vector<std::string>::empty, &IntentStep::lacking);
    if (!is_known) return ask_lacking(desk, turn, intent_steps);
    keep_asked(desk, turn, {});
    if (tell_again(desk, turn, intent_steps)) return;
    transport::Request request{.method = "POST",
                               .path = "/v1/workflows",
                               .headers = {{"Prefer", fmt::format("wait={}", turn.wait.count())}},
                               .body = definition_of(turn.saying, intent_steps)};
    auto then =
        [&desk, turn, intent_steps = std::move(intent_steps)](const transport::Response& response) {
            if (response.status >= 400) return tell_refused(turn, response);
            const auto body = json::root(response.body);
            if (response.status == 202) return tell_begun(desk, turn, intent_steps, body);
            keep_analyses(desk, turn, intent_steps, body);
            tell_report(desk, turn, body);
        };
    auto internal_call =
        make_internal_call(std::move(request), beginner(turn.caller), std::move(then));
    post_workflow(desk, internal_call);
}

/// The text is the missing input of the turn before.
void fulfil_lacking(Desk& desk, ChatTurn turn) {
    const auto asked = json::root(turn.asked);
    const auto name = text_member(asked, "lacking");
    auto intent_step = IntentStep{.agent = text_member(asked, "agent"),
                                  .capability = text_member(asked, "capability")};
    const auto value = as_input(desk, intent_step, name, turn.saying.text);
    json::ObjectWriter given;
    const auto before = json::find(asked, "given");
    if (before) {
        for (json::Members each{*before}; each.next();) given.raw(each.key, each.value.raw);
    }
    turn.saying.given = given.raw(name, value).done();
    turn.saying.text = text_member(asked, "text");
    auto again = intent_step_for(
        desk, turn.saying, std::move(intent_step.agent), std::move(intent_step.capability));
    fulfil(desk, turn, {std::move(again)});
}

void tell_classified(Desk& desk, const ChatTurn& turn, const transport::Response& response) {
    if (response.status != 200) return tell_refused(turn, response);
    const auto found = json::root(response.body);
    const auto outcome = text_member(found, "outcome");
    if (outcome == "route") return fulfil(desk, turn, intent_steps_of(desk, turn.saying, found));
    const bool was_asked = !turn.asked.empty() && json::find(json::root(turn.asked), "lacking");
    if (was_asked) return fulfil_lacking(desk, turn);
    auto out = begin_answer(turn, outcome);
    json::ObjectWriter asked;
    if (json::find(found, "option_targets")) {
        asked.text("text", turn.saying.text).raw("given", turn.saying.given);
        copy_members(asked, found, {"options", "option_targets"});
        keep_asked(desk, turn, asked.done());
    }
    copy_members(out, found, {"options"});
    if (const auto words = text_member(found, "question"); !words.empty()) {
        write_words(desk, out, "question", words);
    }
    if (const auto words = text_member(found, "message"); !words.empty()) {
        write_words(desk, out, "answer", words);
    }
    tell(desk, turn, out);
}

/// K18: stores the user's decision between contradicting values; false if the text decides nothing.
bool tell_settled(Desk& desk, const ChatTurn& turn, json::Value asked) {
    const auto open_conflicts = json::find(asked, "ties");
    if (!open_conflicts || !open_conflicts->is_array()) return false;
    std::optional<narrative::Decision> decision;
    std::string left;
    std::string question;
    for (json::Elements each{*open_conflicts}; each.next();) {
        if (!decision && (decision = settled(each.value, turn.saying.text))) continue;
        if (left.empty()) question = question_about(each.value);
        left += (left.empty() ? "[" : ",") + std::string{each.value.raw};
    }
    if (!decision) return false;
    submit(desk,
           AddFacts{
               .session = turn.saying.session,
               .facts = {{.kind = "decision", .about = decision->about, .value = decision->value}}},
           nullptr,
           {});
    keep_asked(
        desk, turn, left.empty() ? left : json::ObjectWriter{}.raw("ties", left + "]").done());
    std::string spare;
    const auto value = json::root(decision->value);
    auto out = begin_answer(turn, "answered");
    out.text("answer",
             fmt::format("{}: {}. I go by this from here on.",
                         decision->about,
                         value.is_string() ? value.text(spare) : value.raw));
    if (!question.empty()) out.text("question", question);
    out.raw(
        "decision",
        json::ObjectWriter{}.text("about", decision->about).raw("value", decision->value).done());
    tell(desk, turn, out);
    return true;
}

void classify(Desk& desk, const ChatTurn& turn) {
    transport::Request request{.method = "POST",
                               .path = "/v1/classify",
                               .headers = {},
                               .body = json::ObjectWriter{}.text("text", turn.saying.text).done()};
    auto then = [&desk, turn](const transport::Response& response) {
        tell_classified(desk, turn, response);
    };
    auto internal_call =
        make_internal_call(std::move(request), beginner(turn.caller), std::move(then));
    post_classify(desk, internal_call);
}

// --- the routes --------------------------------------------------------------------------------

/// The user who speaks; nothing, with the call answered, if the caller may not speak for the user.
std::optional<std::string> user_of(Desk& desk, Call& call, json::Value body) {
    auto user = text_member(body, "user_id");
    if (user.empty()) user = call.caller->user;
    if (user.empty() || user.size() > kIdBytesMax) {
        refuse_member(call, "user_id", "whose words these are, in at most 128 bytes");
        return std::nullopt;
    }
    if (may_chat_for(*call.caller, user)) return user;
    record_refusal(
        desk, Refusal::UserIsolationViolated, fmt::format("speaks for '{}'", user), call.caller);
    call.exchange->respond(problem(Refusal::UserIsolationViolated,
                                   fmt::format("the caller may not speak for user '{}'", user)));
    return std::nullopt;
}

/// Reads the values that came with the text.
bool read_given(Call& call, json::Value body, Saying& saying) {
    const auto given = json::find(body, "inputs");
    if (!given) return true;
    if (!given->is_object()) {
        refuse_member(call, "inputs", "an object of values by name");
        return false;
    }
    saying.given = given->raw;
    return true;
}

/// Opens the user's session, a new one if need be; false, with the call answered, if the session is
/// another user's.
bool open_session(Desk& desk, Call& call, ChatTurn& turn) {
    auto& id = turn.saying.session;
    if (id.size() > kIdBytesMax) {
        refuse_member(call, "session_id", "at most 128 bytes long");
        return false;
    }
    if (id.empty()) id = "s-" + fresh_uuid(desk);
    const auto& state = desk.engine->state();
    const auto* known = core::shared::find(state.shared.sessions, id);
    const bool is_anothers = known != nullptr ? known->user != turn.saying.user
                                              : core::governor::is_of_another(
                                                    state.governor.lineage, id, turn.saying.user);
    if (is_anothers) {
        const auto why = fmt::format("there is no session '{}' of this user", id);
        record_refusal(desk, Refusal::SessionNotFound, why, call.caller);
        call.exchange->respond(problem(Refusal::SessionNotFound, why));
        return false;
    }
    if (known != nullptr) {
        turn.asked = asked_in(*known);
        return true;
    }
    const auto refusal =
        submit(desk, WriteSession{.id = id, .user = turn.saying.user}, nullptr, {});
    if (refusal == Refusal::None) return true;
    call.exchange->respond(problem(refusal, desk.engine->health().reason));
    return false;
}

}  // namespace

void post_chat(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    auto text = text_member(*body, "text");
    if (text.empty()) text = text_member(*body, "message");
    if (text.empty() || text.size() > kTextBytesMax) {
        return call.exchange->respond(
            problem(Refusal::InputValidationFailed,
                    R"(a "text" of 1 to 8192 bytes is needed, what the user said)"));
    }
    const auto user = user_of(desk, call, *body);
    if (!user) return;
    const auto afresh = json::find(*body, "afresh");
    const auto wait = preferred_wait(call, kPatience);
    if (!wait) return;
    ChatTurn turn{.exchange = call.exchange,
                  .caller = call.caller,
                  .saying = {.text = std::move(text),
                             .user = *user,
                             .session = text_member(*body, "session_id")},
                  .is_afresh = afresh && afresh->raw == "true",
                  .wait = *wait};
    if (!open_session(desk, call, turn) || !read_given(call, *body, turn.saying)) return;
    if (!turn.asked.empty()) {
        const auto asked = json::root(turn.asked);
        if (tell_settled(desk, turn, asked)) return;
        if (const auto target = chosen(asked, turn.saying.text)) {
            turn.saying.text = text_member(asked, "text");
            if (const auto given = json::find(asked, "given")) turn.saying.given = given->raw;
            auto intent_step = intent_step_for(desk,
                                               turn.saying,
                                               text_member(*target, "agent"),
                                               text_member(*target, "capability"));
            return fulfil(desk, turn, {std::move(intent_step)});
        }
    }
    classify(desk, turn);
}

/// The outcome of a turn without an immediate answer.
void get_chat(Desk& desk, Call& call) {
    const std::string id{call.captures.at(0)};
    const ChatTurn turn{.exchange = call.exchange, .caller = call.caller, .saying = {}};
    const auto standing = desk.engine->workflow(id);
    const auto refuse = [turn, id] {
        turn.exchange->respond(problem(Refusal::WorkflowNotFound,
                                       fmt::format("there is no talk '{}'", json::shortened(id))));
    };
    if (!standing) return refuse();
    auto& loop = desk.loop;
    desk.feed.read_one(standing->started, [&desk, &loop, turn, refuse, id](const auto& event) {
        loop.post([&desk, turn, refuse, id, event] {
            if (!event) return turn.exchange->respond(unreadable(event.error()));
            const auto* start = std::get_if<WorkflowStarted>(event->get());
            const bool is_own = start != nullptr && is_chat_turn_of(*turn.caller, *start);
            if (start != nullptr && !is_own) {
                record_unseen(desk,
                              Refusal::UserIsolationViolated,
                              fmt::format("talk '{}'", json::shortened(id)),
                              turn.caller);
            }
            if (!is_own) return refuse();
            auto own = turn;
            own.saying.session = start->session;
            own.saying.user = start->user;
            auto then = [&desk, own, intent_steps = intent_steps_in(start->plan)](
                            const transport::Response& response) {
                if (response.status != 200) return tell_refused(own, response);
                const auto report = json::root(response.body);
                keep_analyses(desk, own, intent_steps, report);
                tell_report(desk, own, report);
            };
            auto internal_call =
                make_internal_call({.method = "GET", .path = "/v1/workflows/" + id, .headers = {}},
                                   in_name_of(start->by, *own.caller),
                                   std::move(then));
            internal_call.captures = {id};
            get_workflow(desk, internal_call);
        });
    });
}

}  // namespace parlance::gateway
