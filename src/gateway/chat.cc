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
#include "gateway/errand.h"
#include "gateway/handlers.h"
#include "gateway/personal.h"
#include "gateway/problem.h"
#include "gateway/ties.h"
#include "gateway/unreadable.h"
#include "gateway/wishes.h"
#include "narrative/reasons.h"

namespace parlance::gateway {

namespace {

constexpr std::size_t kTextBytesMax = 8'192;
constexpr Duration kPatience{std::chrono::seconds{60}};

/// A chat turn: a user's text, on its way to an answer.
struct Talk {
    ExchangePtr exchange;
    CallerPtr caller;
    Saying saying;
    bool is_afresh = false;
    Duration wait{};
    std::string asked{};  ///< The hub's question of the last turn, as JSON; empty: none.
};

json::ObjectWriter begin_answer(const Talk& talk, std::string_view status) {
    json::ObjectWriter out;
    if (!talk.saying.session.empty()) out.text("session_id", talk.saying.session);
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
    const auto& offers = tutor_of(desk).offers(*desk.engine);
    out.text(key, narrative::discreet(words, internals_of(offers)));
}

/// Tells the user of a refusal, without the details, which are for operators.
void tell_refused(const Talk& talk, const transport::Response& response) {
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
    talk.exchange->respond(std::move(refused));
}

/// Whether the caller's credential is still valid; if not, the call is answered with only the
/// refusal.
bool is_still_there(const Desk& desk, const Talk& talk) {
    if (stands(desk, *talk.caller)) return true;
    talk.exchange->respond(no_longer_proved());
    return false;
}

/// An operator who talks for a user sees no personal data.
void tell(Desk& desk, const Talk& talk, json::ObjectWriter& out, int status = 200) {
    if (!is_still_there(desk, talk)) return;
    auto body = out.done();
    auto workflow = text_member(json::root(body), "correlation_id");
    if (workflow.empty()) workflow = talk.saying.session;
    body = shown_to(desk.options, *talk.caller, std::move(body), workflow);
    talk.exchange->respond({.status = status, .headers = {}, .body = std::move(body)});
}

// --- open questions to the user ----------------------------------------------------------------

std::string asked_in(const core::shared::Session& session) {
    const auto* part = core::shared::find(session.agents, kOrchestrator);
    const auto asked = part != nullptr ? json::find(json::root(*part), "asked") : std::nullopt;
    return asked && asked->is_object() ? std::string{asked->raw} : std::string{};
}

/// Stores the hub's question in the hub's part of the session, for the next turn to answer.
void keep_asked(Desk& desk, const Talk& talk, const std::string& asked) {
    const auto& sessions = desk.engine->state().shared.sessions;
    const auto* session = core::shared::find(sessions, talk.saying.session);
    if (session != nullptr && asked == asked_in(*session)) return;
    submit(
        desk,
        WriteSession{.id = talk.saying.session,
                     .user = talk.saying.user,
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
                                            const Talk& talk,
                                            std::string_view key) {
    const auto& sessions = desk.engine->state().shared.sessions;
    const auto* session = core::shared::find(sessions, talk.saying.session);
    return session != nullptr ? core::shared::find(session->analyses, key) : nullptr;
}

/// Stores each presented analysis in the session, for the same intent in later turns.
void keep_analyses(Desk& desk,
                   const Talk& talk,
                   const std::vector<Wish>& wishes,
                   json::Value report) {
    const auto steps = json::find(report, "steps");
    if (!steps || !steps->is_array()) return;
    std::size_t at = 0;
    for (json::Elements each{*steps}; each.next() && at < wishes.size(); ++at) {
        const auto output = json::find(each.value, "output");
        if (!output || text_member(each.value, "status") != "COMPLETED") continue;
        auto key = analysis_key(wishes[at].capability, wishes[at].inputs);
        const auto* known = kept_analysis(desk, talk, key);
        if (known != nullptr && known->result == output->raw) continue;
        submit(desk,
               KeepAnalysis{.session = talk.saying.session,
                            .key = std::move(key),
                            .capability = wishes[at].capability,
                            .result = std::string{output->raw},
                            .agent = wishes[at].agent},
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
std::vector<narrative::Decision> decisions_of(const Desk& desk, const Talk& talk) {
    std::vector<narrative::Decision> decisions;
    const auto& facts = desk.engine->state().shared.facts;
    const auto* known = core::shared::find(facts, talk.saying.user);
    if (known == nullptr) return decisions;
    for (std::size_t i = known->size(); i-- > 0;) {  // The latest first.
        const auto& each = (*known)[i];
        if (each.fact.kind != "decision" || each.session != talk.saying.session) continue;
        decisions.push_back({.about = each.fact.about, .value = each.fact.value});
    }
    return decisions;
}

/// All parts as one answer, in words for users (K11, K17, K18).
narrative::Aggregate one_answer(Desk& desk,
                                const Talk& talk,
                                const std::vector<narrative::Part>& parts) {
    const auto& offers = tutor_of(desk).offers(*desk.engine);
    return narrative::aggregate(
        parts, {.internals = internals_of(offers), .decisions = decisions_of(desk, talk)});
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
void tell_report(Desk& desk, const Talk& talk, json::Value report) {
    const auto status = text_member(report, "status");
    const auto& standing = *std::ranges::find_if(kStandings, [&](const Standing& row) {
        return row.of_workflow == status || row.of_workflow.empty();
    });
    auto out = begin_answer(talk, standing.told);
    if (const auto id = json::find(report, "workflow_id")) out.raw("chat_id", id->raw);
    copy_members(out, report, {"correlation_id"});
    if (!standing.words.empty()) out.text("answer", standing.words);
    if (const auto components = json::find(report, "components")) {
        const auto all = one_answer(desk, talk, Parts{*components}.list);
        out.text("answer", all.answer);
        if (!all.question.empty()) out.text("question", all.question);
        out.raw("components", all.components).raw("conflicts", all.conflicts);
        const auto ties = ties_in(all.conflicts);
        if (!ties.empty()) keep_asked(desk, talk, json::ObjectWriter{}.raw("ties", ties).done());
    }
    tell(desk, talk, out);
}

/// Answers from stored analyses; false if any is missing.
bool tell_again(Desk& desk, const Talk& talk, const std::vector<Wish>& wishes) {
    if (talk.is_afresh) return false;
    std::vector<narrative::Part> parts;
    Time oldest = Time::max();
    for (const auto& wish : wishes) {
        const auto* known = kept_analysis(desk, talk, analysis_key(wish.capability, wish.inputs));
        if (known == nullptr) return false;
        parts.push_back({.label = wish.label, .output = known->result});
        oldest = std::min(oldest, known->at);
    }
    const auto all = one_answer(desk, talk, parts);
    auto out = begin_answer(talk, "answered");
    out.text("answer", fmt::format("{}\n(as of {})", all.answer, print_iso_time(oldest)));
    out.raw("components", all.components);
    out.text("presented_at", print_iso_time(oldest));
    tell(desk, talk, out);
    return true;
}

void tell_begun(Desk& desk, const Talk& talk, const std::vector<Wish>& wishes, json::Value begun) {
    auto out = begin_answer(talk, "working");
    if (const auto id = json::find(begun, "workflow_id")) out.raw("chat_id", id->raw);
    copy_members(out, begun, {"correlation_id"});
    std::string words;
    for (const auto& wish : wishes) words += (words.empty() ? "" : " ") + wish.narration;
    write_words(desk, out, "answer", words);
    tell(desk, talk, out, 202);
}

// --- the work ----------------------------------------------------------------------------------

bool is_unfit(const std::vector<Wish>& wishes, std::string_view name) {
    return std::ranges::any_of(wishes, [&](const Wish& wish) {
        return std::ranges::find(wish.unfit, name) != wish.unfit.end();
    });
}

/// The user's values that no agent's schema refused.
std::string fitting(std::string_view given, const std::vector<Wish>& wishes) {
    json::ObjectWriter out;
    for (json::Members each{json::root(given)}; each.next();) {
        if (!is_unfit(wishes, each.key)) out.raw(each.key, each.value.raw);
    }
    return out.done();
}

/// Stores the accepted values as facts of the session.
void keep_given(Desk& desk, const Talk& talk, const std::vector<Wish>& wishes) {
    AddFacts add{.session = talk.saying.session, .facts = {}};
    const auto given = fitting(talk.saying.given, wishes);
    for (json::Members each{json::root(given)}; each.next();) {
        if (each.key.size() > kIdBytesMax) continue;
        add.facts.push_back(
            {.kind = "fact", .about = std::string{each.key}, .value = std::string{each.value.raw}});
    }
    if (!add.facts.empty()) submit(desk, std::move(add), nullptr, {});
}

/// Asks the user for the missing inputs; the next turn can answer.
void ask_lacking(Desk& desk, const Talk& talk, const std::vector<Wish>& wishes) {
    std::string words;
    std::vector<std::pair<const Wish*, std::string>> lacking;
    for (const auto& wish : wishes) {
        for (std::size_t i = 0; i < wish.lacking.size(); ++i) {
            words += (words.empty() ? "" : ", ") + wish.asked[i];
            lacking.emplace_back(&wish, wish.lacking[i]);
        }
    }
    json::ObjectWriter asked;
    asked.text("text", talk.saying.text).raw("given", fitting(talk.saying.given, wishes));
    // With several missing inputs, a bare value would be ambiguous.
    if (lacking.size() == 1) {
        asked.text("agent", lacking.front().first->agent)
            .text("capability", lacking.front().first->capability)
            .text("lacking", lacking.front().second);
    }
    keep_asked(desk, talk, asked.done());
    auto out = begin_answer(talk, "clarify");
    write_words(desk, out, "question", fmt::format("To do this I need to know: {}.", words));
    std::string names = "[";
    for (const auto& [wish, name] : lacking) {
        if (names.size() > 1) names += ',';
        json::append_quoted(names, name);
    }
    tell(desk, talk, out.raw("inputs_needed", names + "]"));
}

bool may_talk_for(const Caller& caller, std::string_view user) {
    if (caller.is_operator) return caller.role != OperatorRole::Viewer;
    return may_act_for_user(caller, user);
}

/// A caller with the agent's name and the right to act for any user; may_talk_for() has checked the
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
bool is_talk_of(const Caller& caller, const WorkflowStarted& start) {
    const bool is_hubs = start.by == kOrchestrator;
    const bool is_callers =
        caller.user.empty() ? start.by == caller.agent.value : start.user == caller.user;
    return (is_hubs || is_callers) && may_talk_for(caller, start.user);
}

void fulfil(Desk& desk, const Talk& talk, std::vector<Wish> wishes) {
    if (!is_still_there(desk, talk)) return;
    keep_given(desk, talk, wishes);
    const bool is_known =
        std::ranges::all_of(wishes, &std::vector<std::string>::empty, &Wish::lacking);
    if (!is_known) return ask_lacking(desk, talk, wishes);
    keep_asked(desk, talk, {});
    if (tell_again(desk, talk, wishes)) return;
    transport::Request request{.method = "POST",
                               .path = "/v1/workflows",
                               .headers = {{"Prefer", fmt::format("wait={}", talk.wait.count())}},
                               .body = definition_of(talk.saying, wishes)};
    auto then = [&desk, talk, wishes = std::move(wishes)](const transport::Response& response) {
        if (response.status >= 400) return tell_refused(talk, response);
        const auto body = json::root(response.body);
        if (response.status == 202) return tell_begun(desk, talk, wishes, body);
        keep_analyses(desk, talk, wishes, body);
        tell_report(desk, talk, body);
    };
    auto errand = errand_call(std::move(request), beginner(talk.caller), std::move(then));
    post_workflow(desk, errand);
}

/// The text is the missing input of the turn before.
void fulfil_lacking(Desk& desk, Talk talk) {
    const auto asked = json::root(talk.asked);
    const auto name = text_member(asked, "lacking");
    auto wish =
        Wish{.agent = text_member(asked, "agent"), .capability = text_member(asked, "capability")};
    const auto value = as_input(desk, wish, name, talk.saying.text);
    json::ObjectWriter given;
    const auto before = json::find(asked, "given");
    if (before) {
        for (json::Members each{*before}; each.next();) given.raw(each.key, each.value.raw);
    }
    talk.saying.given = given.raw(name, value).done();
    talk.saying.text = text_member(asked, "text");
    auto again = wish_for(desk, talk.saying, std::move(wish.agent), std::move(wish.capability));
    fulfil(desk, talk, {std::move(again)});
}

void tell_classified(Desk& desk, const Talk& talk, const transport::Response& response) {
    if (response.status != 200) return tell_refused(talk, response);
    const auto found = json::root(response.body);
    const auto outcome = text_member(found, "outcome");
    if (outcome == "route") return fulfil(desk, talk, wishes_of(desk, talk.saying, found));
    const bool was_asked = !talk.asked.empty() && json::find(json::root(talk.asked), "lacking");
    if (was_asked) return fulfil_lacking(desk, talk);
    auto out = begin_answer(talk, outcome);
    json::ObjectWriter asked;
    if (json::find(found, "option_targets")) {
        asked.text("text", talk.saying.text).raw("given", talk.saying.given);
        copy_members(asked, found, {"options", "option_targets"});
        keep_asked(desk, talk, asked.done());
    }
    copy_members(out, found, {"options"});
    if (const auto words = text_member(found, "question"); !words.empty()) {
        write_words(desk, out, "question", words);
    }
    if (const auto words = text_member(found, "message"); !words.empty()) {
        write_words(desk, out, "answer", words);
    }
    tell(desk, talk, out);
}

/// K18: stores the user's decision between contradicting values; false if the text decides nothing.
bool tell_settled(Desk& desk, const Talk& talk, json::Value asked) {
    const auto ties = json::find(asked, "ties");
    if (!ties || !ties->is_array()) return false;
    std::optional<narrative::Decision> decision;
    std::string left;
    std::string question;
    for (json::Elements each{*ties}; each.next();) {
        if (!decision && (decision = settled(each.value, talk.saying.text))) continue;
        if (left.empty()) question = question_about(each.value);
        left += (left.empty() ? "[" : ",") + std::string{each.value.raw};
    }
    if (!decision) return false;
    submit(desk,
           AddFacts{
               .session = talk.saying.session,
               .facts = {{.kind = "decision", .about = decision->about, .value = decision->value}}},
           nullptr,
           {});
    keep_asked(
        desk, talk, left.empty() ? left : json::ObjectWriter{}.raw("ties", left + "]").done());
    std::string spare;
    const auto value = json::root(decision->value);
    auto out = begin_answer(talk, "answered");
    out.text("answer",
             fmt::format("{}: {}. I go by this from here on.",
                         decision->about,
                         value.is_string() ? value.text(spare) : value.raw));
    if (!question.empty()) out.text("question", question);
    out.raw(
        "decision",
        json::ObjectWriter{}.text("about", decision->about).raw("value", decision->value).done());
    tell(desk, talk, out);
    return true;
}

void classify(Desk& desk, const Talk& talk) {
    transport::Request request{.method = "POST",
                               .path = "/v1/classify",
                               .headers = {},
                               .body = json::ObjectWriter{}.text("text", talk.saying.text).done()};
    auto then = [&desk, talk](const transport::Response& response) {
        tell_classified(desk, talk, response);
    };
    auto errand = errand_call(std::move(request), beginner(talk.caller), std::move(then));
    post_classify(desk, errand);
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
    if (may_talk_for(*call.caller, user)) return user;
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
bool open_session(Desk& desk, Call& call, Talk& talk) {
    auto& id = talk.saying.session;
    if (id.size() > kIdBytesMax) {
        refuse_member(call, "session_id", "at most 128 bytes long");
        return false;
    }
    if (id.empty()) id = "s-" + fresh_uuid(desk);
    const auto& state = desk.engine->state();
    const auto* known = core::shared::find(state.shared.sessions, id);
    const bool is_anothers = known != nullptr ? known->user != talk.saying.user
                                              : core::governor::is_of_another(
                                                    state.governor.lineage, id, talk.saying.user);
    if (is_anothers) {
        const auto why = fmt::format("there is no session '{}' of this user", id);
        record_refusal(desk, Refusal::SessionNotFound, why, call.caller);
        call.exchange->respond(problem(Refusal::SessionNotFound, why));
        return false;
    }
    if (known != nullptr) {
        talk.asked = asked_in(*known);
        return true;
    }
    const auto refusal =
        submit(desk, WriteSession{.id = id, .user = talk.saying.user}, nullptr, {});
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
    Talk talk{.exchange = call.exchange,
              .caller = call.caller,
              .saying = {.text = std::move(text),
                         .user = *user,
                         .session = text_member(*body, "session_id")},
              .is_afresh = afresh && afresh->raw == "true",
              .wait = *wait};
    if (!open_session(desk, call, talk) || !read_given(call, *body, talk.saying)) return;
    if (!talk.asked.empty()) {
        const auto asked = json::root(talk.asked);
        if (tell_settled(desk, talk, asked)) return;
        if (const auto target = chosen(asked, talk.saying.text)) {
            talk.saying.text = text_member(asked, "text");
            if (const auto given = json::find(asked, "given")) talk.saying.given = given->raw;
            auto wish = wish_for(desk,
                                 talk.saying,
                                 text_member(*target, "agent"),
                                 text_member(*target, "capability"));
            return fulfil(desk, talk, {std::move(wish)});
        }
    }
    classify(desk, talk);
}

/// The outcome of a turn without an immediate answer.
void get_chat(Desk& desk, Call& call) {
    const std::string id{call.captures.at(0)};
    const Talk talk{.exchange = call.exchange, .caller = call.caller, .saying = {}};
    const auto standing = desk.engine->workflow(id);
    const auto refuse = [talk, id] {
        talk.exchange->respond(problem(Refusal::WorkflowNotFound,
                                       fmt::format("there is no talk '{}'", json::shortened(id))));
    };
    if (!standing) return refuse();
    auto& loop = desk.loop;
    desk.feed.read_one(standing->started, [&desk, &loop, talk, refuse, id](const auto& event) {
        loop.post([&desk, talk, refuse, id, event] {
            if (!event) return talk.exchange->respond(unreadable(event.error()));
            const auto* start = std::get_if<WorkflowStarted>(event->get());
            const bool is_own = start != nullptr && is_talk_of(*talk.caller, *start);
            if (start != nullptr && !is_own) {
                record_unseen(desk,
                              Refusal::UserIsolationViolated,
                              fmt::format("talk '{}'", json::shortened(id)),
                              talk.caller);
            }
            if (!is_own) return refuse();
            auto own = talk;
            own.saying.session = start->session;
            own.saying.user = start->user;
            auto then =
                [&desk, own, wishes = wishes_in(start->plan)](const transport::Response& response) {
                    if (response.status != 200) return tell_refused(own, response);
                    const auto report = json::root(response.body);
                    keep_analyses(desk, own, wishes, report);
                    tell_report(desk, own, report);
                };
            auto errand =
                errand_call({.method = "GET", .path = "/v1/workflows/" + id, .headers = {}},
                            in_name_of(start->by, *own.caller),
                            std::move(then));
            errand.captures = {id};
            get_workflow(desk, errand);
        });
    });
}

}  // namespace parlance::gateway
