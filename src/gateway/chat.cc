// POST /v1/chat: a user's words in, one coherent answer out (K11-K18, K24).
//
// The words are classified; what each part asks for is a step of a workflow; what came of it is told
// in one text. What the session knows is not asked for again, and what was presented in it is not
// worked out again, unless the user wants it afresh. Nothing is decided here: every stage is a call
// to a route that others may call as well.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/fold.h"
#include "base/iso_time.h"
#include "base/json.h"
#include "base/json_write.h"
#include "gateway/errand.h"
#include "gateway/handlers.h"
#include "gateway/problem.h"
#include "narrative/aggregate.h"

namespace parlance::gateway {

namespace {

constexpr std::size_t kTextBytesMax = 8'192;
constexpr Duration kPatience{std::chrono::seconds{60}};

/// Members of a capability's inputs that are the user's own words, whatever it calls them.
constexpr std::array<std::string_view, 6> kOwnWords{
    "text", "question", "message", "query", "request", "input"};

/// One thing that a user said, on its way to an answer.
struct Talk {
    ExchangePtr exchange;
    CallerPtr caller;
    std::string text;
    std::string session;
    std::string user;
    bool is_afresh = false;
    Duration wait{};
};

/// What one part of the words asks for.
struct Wish {
    std::string agent;
    std::string capability;
    std::string label;      ///< For the user.
    std::string narration;  ///< What is being done, for the user.
    std::string inputs;     ///< JSON.
    std::string lacking;    ///< What has to be known first, in words; empty if nothing.
};

json::ObjectWriter begin_answer(const Talk& talk, std::string_view status) {
    json::ObjectWriter out;
    out.text("session_id", talk.session).text("status", status);
    return out;
}

void tell(const Talk& talk, json::ObjectWriter& out, int status = 200) {
    talk.exchange->respond({.status = status, .headers = {}, .body = out.done()});
}

/// The newest that is known of the user under this name; null if nothing is.
const Fact* known_fact(const Desk& desk, const Talk& talk, std::string_view about) {
    const auto& shared = desk.engine->state().shared;
    const auto* facts = core::shared::find(shared.facts, talk.user);
    if (facts == nullptr) return nullptr;
    const auto wanted = folded(about);
    std::string spaced{about};
    std::ranges::replace(spaced, '_', ' ');
    const auto wanted_spaced = folded(spaced);
    for (auto at = facts->rbegin(); at != facts->rend(); ++at) {
        const auto name = folded(at->fact.about);
        if (name == wanted || name == wanted_spaced) return &at->fact;
    }
    return nullptr;
}

/// The capability as it was registered; an empty value if it was not.
json::Value registered(const Desk& desk, std::string_view agent, std::string_view code) {
    const auto* profile = desk.engine->profile(agent);
    if (profile == nullptr) return {};
    for (json::Elements each{json::root(profile->capabilities)}; each.next();) {
        if (text_member(each.value, "code") == code) return each.value;
    }
    return {};
}

bool is_required(json::Value schema, std::string_view name) {
    const auto required = json::find(schema, "required");
    if (!required || !required->is_array()) return false;
    std::string spare;
    for (json::Elements each{*required}; each.next();) {
        if (each.value.is_string() && each.value.text(spare) == name) return true;
    }
    return false;
}

/// What the capability is given: the words, and what is known of what it asks for.
void fill_inputs(const Desk& desk, const Talk& talk, json::Value capability, Wish& wish) {
    json::ObjectWriter inputs;
    const auto schema = capability.raw.empty() ? std::nullopt : json::find(capability, "input_schema");
    const auto properties = schema ? json::find(*schema, "properties") : std::nullopt;
    if (!properties || !properties->is_object()) {
        wish.inputs = inputs.text("text", talk.text).done();
        return;
    }
    for (json::Members each{*properties}; each.next();) {
        const bool is_words = std::ranges::find(kOwnWords, each.key) != kOwnWords.end();
        if (is_words) {
            inputs.text(each.key, talk.text);
        } else if (const auto* fact = known_fact(desk, talk, each.key)) {
            inputs.raw(each.key, fact->value);
        } else if (is_required(*schema, each.key) && !json::find(each.value, "default")) {
            auto words = text_member(each.value, "description");
            if (words.empty()) words = each.key;
            wish.lacking += (wish.lacking.empty() ? "" : ", ") + words;
        }
    }
    wish.inputs = inputs.done();
}

Wish wish_for(const Desk& desk, const Talk& talk, std::string agent, std::string code) {
    const auto capability = registered(desk, agent, code);
    Wish wish{.agent = std::move(agent), .capability = std::move(code)};
    if (!capability.raw.empty()) {
        wish.label = text_member(capability, "description");
        wish.narration = text_member(capability, "narration");
    }
    if (wish.label.empty()) wish.label = "What you asked for";
    if (wish.narration.empty()) wish.narration = "Let me see to this: " + wish.label;
    fill_inputs(desk, talk, capability, wish);
    return wish;
}

std::vector<Wish> wishes_of(const Desk& desk, const Talk& talk, json::Value found) {
    std::vector<Wish> wishes;
    wishes.push_back(wish_for(
        desk, talk, text_member(found, "target_agent"), text_member(found, "target_capability")));
    if (const auto others = json::find(found, "secondary_targets")) {
        for (json::Elements each{*others}; each.next();) {
            wishes.push_back(wish_for(desk,
                                      talk,
                                      text_member(each.value, "agent"),
                                      text_member(each.value, "capability")));
        }
    }
    return wishes;
}

std::string definition_of(const Talk& talk, const std::vector<Wish>& wishes) {
    std::string steps = "[";
    for (std::size_t i = 0; i < wishes.size(); ++i) {
        if (i > 0) steps += ',';
        steps += json::ObjectWriter{}
                     .text("id", fmt::format("part-{}", i + 1))
                     .text("label", wishes[i].label)
                     .text("agent", wishes[i].agent)
                     .text("capability", wishes[i].capability)
                     .raw("inputs", wishes[i].inputs)
                     .done();
    }
    return json::ObjectWriter{}
        .text("name", "chat")
        .text("request", talk.text)
        .text("user_id", talk.user)
        .text("session_id", talk.session)
        .raw("steps", steps + "]")
        .done();
}

void copy_members(json::ObjectWriter& out,
                  json::Value from,
                  std::initializer_list<std::string_view> keys) {
    for (const auto key : keys) {
        if (const auto value = json::find(from, key)) out.raw(key, value->raw);
    }
}

/// What was presented is kept, so that it need not be worked out again.
void keep_analyses(Desk& desk,
                   const Talk& talk,
                   const std::vector<Wish>& wishes,
                   json::Value report) {
    const auto steps = json::find(report, "steps");
    std::size_t at = 0;
    for (json::Elements each{*steps}; each.next() && at < wishes.size(); ++at) {
        const auto output = json::find(each.value, "output");
        if (!output || text_member(each.value, "status") != "COMPLETED") continue;
        submit(desk,
               KeepAnalysis{.session = talk.session,
                            .key = analysis_key(wishes[at].capability, wishes[at].inputs),
                            .capability = wishes[at].capability,
                            .result = std::string{output->raw},
                            .agent = wishes[at].agent},
               nullptr,
               {});
    }
}

void tell_report(Desk& desk,
                 const Talk& talk,
                 const std::vector<Wish>& wishes,
                 const transport::Response& response) {
    if (response.status != 200 && response.status != 202) {
        return talk.exchange->respond(response);
    }
    const auto report = json::root(response.body);
    if (response.status == 202) {
        auto out = begin_answer(talk, "working");
        std::string words;
        for (const auto& wish : wishes) words += (words.empty() ? "" : " ") + wish.narration;
        copy_members(out, report, {"workflow_id", "correlation_id"});
        return tell(talk, out.text("answer", words), 202);
    }
    keep_analyses(desk, talk, wishes, report);
    const auto status = text_member(report, "status");
    auto out = begin_answer(talk,
                            status == "COMPLETED" ? "answered"
                            : status == "PARTIAL" ? "partial"
                                                  : "failed");
    copy_members(out,
                 report,
                 {"workflow_id",
                  "correlation_id",
                  "answer",
                  "question",
                  "components",
                  "conflicts",
                  "missing"});
    tell(talk, out);
}

/// An answer out of what was presented before; false if any of it was not.
bool tell_again(const Desk& desk, const Talk& talk, const std::vector<Wish>& wishes) {
    const auto* session = core::shared::find(desk.engine->state().shared.sessions, talk.session);
    if (talk.is_afresh || session == nullptr) return false;
    std::vector<narrative::Part> parts;
    Time oldest = Time::max();
    for (const auto& wish : wishes) {
        const auto* known = core::shared::find(session->analyses,
                                               analysis_key(wish.capability, wish.inputs));
        if (known == nullptr) return false;
        parts.push_back({.label = wish.label, .output = known->result});
        oldest = std::min(oldest, known->at);
    }
    const auto all = narrative::aggregate(parts, {});
    auto out = begin_answer(talk, "answered");
    out.text("answer", fmt::format("{}\n(as of {})", all.answer, print_iso_time(oldest)))
        .raw("components", all.components)
        .text("presented_at", print_iso_time(oldest));
    tell(talk, out);
    return true;
}

void run_wishes(Desk& desk, const Talk& talk, std::vector<Wish> wishes) {
    std::string lacking;
    for (const auto& wish : wishes) {
        if (!wish.lacking.empty()) lacking += (lacking.empty() ? "" : ", ") + wish.lacking;
    }
    if (!lacking.empty()) {
        auto out = begin_answer(talk, "clarify");
        out.text("question", fmt::format("To do this I need to know: {}.", lacking));
        return tell(talk, out);
    }
    if (tell_again(desk, talk, wishes)) return;
    transport::Request request{
        .method = "POST",
        .path = "/v1/workflows",
        .headers = {{"Prefer", fmt::format("wait={}", talk.wait.count())}},
        .body = definition_of(talk, wishes)};
    auto then = [&desk, talk, wishes = std::move(wishes)](const transport::Response& response) {
        tell_report(desk, talk, wishes, response);
    };
    // The hub asks in the user's name; who may ask for that user was seen to before.
    auto errand = errand_call(std::move(request), orchestrator_caller(), std::move(then));
    post_workflow(desk, errand);
}

void tell_classified(Desk& desk, const Talk& talk, const transport::Response& response) {
    if (response.status != 200) return talk.exchange->respond(response);
    const auto found = json::root(response.body);
    const auto outcome = text_member(found, "outcome");
    if (outcome == "route") return run_wishes(desk, talk, wishes_of(desk, talk, found));
    auto out = begin_answer(talk, outcome);
    copy_members(out, found, {"question", "options"});
    if (const auto words = json::find(found, "message")) out.raw("answer", words->raw);
    tell(talk, out);
}

/// Whose words these are; nothing, with the call answered, if the caller may not say them.
std::optional<std::string> user_of(Desk& desk, Call& call, json::Value body) {
    const auto& caller = *call.caller;
    auto user = text_member(body, "user_id");
    if (user.empty()) user = caller.user;
    if (user.empty()) {
        call.exchange->respond(problem(Refusal::InputValidationFailed,
                                       R"("user_id" is needed: whose words these are)"));
        return std::nullopt;
    }
    if (caller.is_operator || may_act_for_user(caller, user)) return user;
    record_refusal(desk, Refusal::UserIsolationViolated, "speaks for '" + user + "'", call.caller);
    call.exchange->respond(problem(Refusal::UserIsolationViolated,
                                   fmt::format("the caller may not speak for user '{}'", user)));
    return std::nullopt;
}

}  // namespace

void post_chat(Desk& desk, Call& call) {
    const auto body = read_object(call);
    if (!body) return;
    auto text = text_member(*body, "text");
    if (text.empty()) text = text_member(*body, "message");
    if (text.empty() || text.size() > kTextBytesMax) {
        return call.exchange->respond(problem(Refusal::InputValidationFailed,
                                              R"(a "text" of 1 to 8192 bytes is needed)"));
    }
    const auto user = user_of(desk, call, *body);
    if (!user) return;
    auto session = text_member(*body, "session_id");
    if (session.empty()) session = "s-" + fresh_uuid(desk);
    const auto* known = core::shared::find(desk.engine->state().shared.sessions, session);
    if (known != nullptr && known->user != *user) {
        return call.exchange->respond(problem(
            Refusal::SessionNotFound, fmt::format("there is no session '{}' of this user", session)));
    }
    if (known == nullptr) {
        submit(desk, WriteSession{.id = session, .user = *user}, call.caller, {});
    }
    const auto afresh = json::find(*body, "afresh");
    const auto preferred = preferred_wait(call.request());
    const Talk talk{.exchange = call.exchange,
                    .caller = call.caller,
                    .text = text,
                    .session = session,
                    .user = *user,
                    .is_afresh = afresh && afresh->raw == "true",
                    .wait = preferred > Duration{} ? preferred : kPatience};
    transport::Request request{.method = "POST",
                               .path = "/v1/classify",
                               .headers = {},
                               .body = json::ObjectWriter{}.text("text", text).done()};
    auto errand = errand_call(
        std::move(request), call.caller, [&desk, talk](const transport::Response& response) {
            tell_classified(desk, talk, response);
        });
    post_classify(desk, errand);
}

}  // namespace parlance::gateway
