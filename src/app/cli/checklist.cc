#include "app/cli/checklist.h"

#include <algorithm>
#include <array>
#include <random>

#include <fmt/format.h>

#include "app/cli/json_view.h"
#include "app/cli/table.h"
#include "base/json_write.h"
#include "base/uuid.h"

namespace parlance::cli {

namespace {

constexpr std::string_view kTool = "parlance-doctor-look";
/// So little that no threshold of a policy is passed: nobody is asked to approve an examination.
constexpr std::string_view kLittle = R"({"max_tokens":40})";

/// What came of a call: its status, and its body if that is JSON.
struct Reply {
    int status = 0;
    std::string body{};
    std::string code() const { return body.empty() ? "" : text_member(json::root(body), "code"); }
    std::string in_short() const {
        const auto named = code();
        return named.empty() ? std::to_string(status) : fmt::format("{} {}", status, named);
    }
};

struct Errand {
    std::string id{};  ///< A fresh one, if it has none.
    std::string_view from = "a";
    std::string_view to = "b";
    std::string session{};
    std::string_view objective = "Look around";
    std::string_view input = "Nothing is to be done";
    std::string_view user = "parlance-doctor";
    std::string_view constraints = kLittle;
};

/// The patient, and the agents that examine it.
class Ward {
  public:
    Ward(sdk::Client& client, std::uint64_t seed) : client_{client}, chance_{seed} {
        mark_ = fmt::format("parlance-doctor-{:08x}", chance_() & 0xFFFF'FFFFU);
    }

    std::string name(std::string_view agent) const { return fmt::format("{}-{}", mark_, agent); }
    std::string session(std::string_view which) const { return name(which); }
    std::string_view mark() const { return mark_; }

    Reply ask(std::string_view method, const std::string& target, const std::string& body = {}) {
        const auto response = client_.call(method, target, body);
        if (!response) return {.status = 0, .body = {}};
        const bool is_json = json::check(response->body, json::kDepthMadeMax).has_value();
        return {.status = response->status, .body = is_json ? response->body : std::string{}};
    }

    std::string fresh_id() { return uuid_v4(chance_(), chance_()); }

    std::string request(const Errand& errand) {
        return json::ObjectWriter{}
            .text("request_id", errand.id.empty() ? fresh_id() : errand.id)
            .text("origin_employee", name(errand.from))
            .text("target_employee", name(errand.to))
            .text("user_id", errand.user)
            .text("parent_session_id", errand.session)
            .text("objective", errand.objective)
            .text("input", errand.input)
            .raw("constraints", errand.constraints)
            .done();
    }
    Reply delegate(const Errand& errand) { return ask("POST", "/v1/messages", request(errand)); }

    /// The first message that waits for an agent, as text; empty if there is none.
    std::string inbox(std::string_view agent) {
        const auto reply = ask("GET", fmt::format("/v1/agents/{}/inbox?max=100", name(agent)));
        return reply.body;
    }

    bool move_in() {
        const auto profile = json::ObjectWriter{}
                                 .text("dialect", "delegation")
                                 .text("role", "examination")
                                 .raw("tools_allowed", fmt::format("[\"{}\"]", kTool))
                                 .done();
        return std::ranges::all_of(kAgents, [&](std::string_view agent) {
            return ask("PUT", "/v1/agents/" + name(agent), profile).status == 200;
        });
    }

    /// Ends what is open, takes what waits, and signs everybody off.
    void move_out() {
        for (const std::string_view which : kSessions) {
            ask("POST",
                fmt::format("/v1/workflows/{}/cancel", session(which)),
                R"({"reason":"the examination is over"})");
        }
        for (const std::string_view agent : kAgents) {
            for (int i = 0; i < kRounds && empty_inbox(agent); ++i) {
            }
            ask("DELETE", "/v1/agents/" + name(agent));
        }
    }

    static constexpr std::array<std::string_view, 5> kAgents{"a", "b", "c", "d", "e"};
    static constexpr std::array<std::string_view, 9> kSessions{
        "depth", "deepest", "fan-out", "cycle", "timeout", "tokens", "personal", "audit", "user"};

  private:
    static constexpr int kRounds = 20;

    bool empty_inbox(std::string_view agent) {
        const std::string taken = inbox(agent);
        if (taken.empty()) return false;
        bool is_any = false;
        const json::Value messages = member(json::root(taken), "messages");
        if (!messages.is_array()) return false;
        for (json::Elements elements{messages}; elements.next(); is_any = true) {
            ask("POST",
                fmt::format("/v1/deliveries/{}/ack", text_member(elements.value, "delivery_id")));
        }
        return is_any;
    }

    sdk::Client& client_;
    std::mt19937_64 chance_;
    std::string mark_;
};

struct Outcome {
    bool is_good = false;
    std::string happened{};
};
constexpr int kTaken = 202;

/// What was allowed first, and then must not be.
Outcome refused_after(const Reply& first, const Reply& second, std::string_view code) {
    return {first.status == kTaken && second.code() == code,
            fmt::format("{}, then {}", first.in_short(), second.in_short())};
}

/// How far down a chain of errands comes, each out of the session that the one before was given,
/// and what the first one hears that is not taken.
struct Descent {
    std::int64_t taken = 0;
    Reply end{};
};

Descent descend(Ward& ward, std::string session, std::string_view constraints) {
    constexpr std::int64_t kRuleMost = 64;  // Of depth_max.
    Descent descent;
    std::string_view from = Ward::kAgents.front();
    for (; descent.taken <= kRuleMost; ++descent.taken) {
        // Around b to e: a asks in other items too, and is in nobody's service there.
        const auto to = Ward::kAgents[1 + static_cast<std::size_t>(descent.taken) % 4];
        const std::string objective = fmt::format("Go {} deep", descent.taken + 1);
        descent.end = ward.delegate({.from = from,
                                     .to = to,
                                     .session = session,
                                     .objective = objective,
                                     .constraints = constraints});
        if (descent.end.status != kTaken) break;
        from = to;
        const std::string taken = ward.inbox(to);
        const auto messages = taken.empty() ? json::Value{} : member(json::root(taken), "messages");
        if (!messages.is_array()) continue;
        for (json::Elements each{messages}; each.next();) {
            session = text_member(member(each.value, "message"), "child_session_id");
        }
    }
    return descent;
}

/// What the policy in force allows these agents, whatever they ask for; 0 if it does not say.
std::int64_t allowed_by(Ward& ward, std::string_view name) {
    const auto told =
        ward.ask("POST", "/v1/policy/explain", ward.request({.session = ward.session("deepest")}));
    if (told.body.empty()) return 0;
    const json::Value guards = member(json::root(told.body), "guards");
    if (!guards.is_array()) return 0;
    for (json::Elements guard{guards}; guard.next();) {
        const json::Value rules = member(guard.value, "rules");
        if (!rules.is_array()) continue;
        for (json::Elements rule{rules}; rule.next();) {
            if (text_member(rule.value, "rule") != name) continue;
            return number_member(rule.value, "value").value_or(0);
        }
    }
    return 0;
}

/// Both limits: the request's own, which is the document's 2 where it says none, and the hub's,
/// below which a request may ask for more.
Outcome try_depth(Ward& ward) {
    constexpr std::string_view kCode = "DELEGATION_DEPTH_EXCEEDED";
    const auto own = descend(ward, ward.session("depth"), kLittle);
    const auto hub =
        descend(ward, ward.session("deepest"), R"({"max_tokens":40,"max_depth":1000})");
    const auto allowed = allowed_by(ward, "depth_max");
    return {own.taken == 1 && own.end.code() == kCode && hub.taken == allowed - 1 &&
                hub.end.code() == kCode,
            fmt::format("{} taken, then {}; of 1000 at depth_max {}: {} taken, then {}",
                        own.taken,
                        own.end.in_short(),
                        allowed,
                        hub.taken,
                        hub.end.in_short())};
}

/// The limit in force, which may be stricter than the document's and not wider.
Outcome try_fanout(Ward& ward) {
    constexpr std::size_t kDocumented = 3;
    const auto allowed = allowed_by(ward, "fanout_max");
    const auto most =
        allowed < 1 ? kDocumented : std::min(static_cast<std::size_t>(allowed), kDocumented);
    const auto ask = [&](std::size_t place) {
        return ward.delegate({.to = Ward::kAgents[1 + place], .session = ward.session("fan-out")});
    };
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < most; ++i) accepted += ask(i).status == kTaken ? 1 : 0;
    const auto next = ask(most);
    return {accepted == most && next.code() == "DELEGATION_FANOUT_EXCEEDED",
            fmt::format("{} of {} taken, then {}", accepted, most, next.in_short())};
}

Outcome try_cycle(Ward& ward) {
    const Errand errand{.session = ward.session("cycle"), .objective = "Extract receipt"};
    const auto first = ward.delegate(errand);
    auto again = errand;
    again.objective = "EXTRACT  receipt";
    return refused_after(first, ward.delegate(again), "DELEGATION_CYCLE_DETECTED");
}

Outcome try_timeout(Ward& ward) {
    const auto reply =
        ward.ask("POST",
                 "/v1/delegations",
                 ward.request({.to = "c",
                               .session = ward.session("timeout"),
                               .constraints = R"({"deadline_ms":50,"max_tokens":40})"}));
    const auto error = reply.body.empty() ? "" : text_member(json::root(reply.body), "error");
    return {error.find("Delegation timeout after 50 ms") != std::string::npos,
            error.empty() ? reply.in_short() : error};
}

Outcome try_tokens(Ward& ward) {
    const auto reply =
        ward.delegate({.session = ward.session("tokens"), .constraints = R"({"max_tokens":1})"});
    return {reply.code() == "BUDGET_TOKENS_EXCEEDED", reply.in_short()};
}

Outcome try_personal(Ward& ward) {
    constexpr std::string_view kAddress = "parlance.doctor@example.org";
    ward.delegate({.to = "d",
                   .session = ward.session("personal"),
                   .objective = "Write a letter",
                   .input = "Write to parlance.doctor@example.org"});
    const std::string taken = ward.inbox("d");
    const bool has_come = taken.find("Write to") != std::string::npos;
    const bool is_shown = taken.find(kAddress) != std::string::npos;
    return {has_come && !is_shown,
            !has_come  ? "the delegate was shown nothing"
            : is_shown ? "the address itself"
                       : "a placeholder"};
}

/// Other items have left rows of the same agents: it must be the one of this very request, which is
/// there also if it was refused.
Outcome try_audit(Ward& ward) {
    const auto id = ward.fresh_id();
    const auto answer = ward.delegate({.id = id, .to = "e", .session = ward.session("audit")});
    const auto hub = ward.ask("GET", "/v1/hub");
    const auto sequence = hub.body.empty() ? std::optional<std::int64_t>{}
                                           : number_member(json::root(hub.body), "sequence");
    const auto log = ward.ask("GET",
                              fmt::format("/v1/delegations?agent={}&max=1000&after_sequence={}",
                                          ward.name("e"),
                                          sequence.value_or(0)));
    const bool is_there = log.status == 200 && log.body.find(id) != std::string::npos;
    return {is_there,
            fmt::format("{}, then {}",
                        answer.in_short(),
                        is_there            ? "a row"
                        : log.status == 200 ? "no row"
                                            : log.in_short())};
}

Outcome try_users(Ward& ward) {
    const auto first = ward.delegate({.session = ward.session("user")});
    return refused_after(
        first,
        ward.delegate(
            {.to = "c", .session = ward.session("user"), .user = "parlance-doctor-other"}),
        "USER_ISOLATION_VIOLATED");
}

Outcome try_tools(Ward& ward) {
    const auto question = [&](std::string_view tool) {
        return json::ObjectWriter{}.text("agent", ward.name("b")).text("tool", tool).done();
    };
    const auto good = ward.ask("POST", "/v1/tools/authorize", question(kTool));
    const auto bad = ward.ask("POST", "/v1/tools/authorize", question("parlance-doctor-delete"));
    return {good.status == 200 && bad.code() == "TOOL_NOT_ALLOWED",
            fmt::format("{}, then {}", good.in_short(), bad.in_short())};
}

Outcome try_errors(Ward& ward) {
    const auto garbage = ward.ask("POST", "/v1/messages", R"({"no":)");
    const auto lost = ward.delegate({.to = "nobody", .session = ward.session("user")});
    return {garbage.code() == "MESSAGE_MALFORMED" && lost.code() == "AGENT_NOT_REGISTERED",
            fmt::format("{}, then {}", garbage.in_short(), lost.in_short())};
}

struct Item {
    std::string_view text;  ///< As the document has it.
    Outcome (*examine)(Ward& ward);
    std::string_view tried;
    std::string_view expected;
    std::string_view advice;  ///< If it did not come.
};
// clang-format off
constexpr std::array kItems{
    Item{"Max depth enforced (≤ 2)", try_depth,
         "a asks b, b asks c and so on, each out of the session that it was given: at max_depth 2, which is the default, and at 1000",
         "1 taken, then 403 DELEGATION_DEPTH_EXCEEDED; of 1000 one less than the policy's depth_max, then the same",
         "The policy's depth_max must be 2 or more for anybody to delegate: parlance policy show"},
    Item{"Fan-out enforced (≤ 3)", try_fanout,
         "a asks b, c and d, or as many as the policy's fanout_max if that is less, and while they are open one more",
         "3 of 3 taken, then 429 DELEGATION_FANOUT_EXCEEDED; the same with a smaller fanout_max",
         "The document has 3: set fanout_max in the policy"},
    Item{"Cycle detection active", try_cycle,
         "the same errand twice in one session, in capitals the second time",
         "202, then 409 DELEGATION_CYCLE_DETECTED",
         "If the first was refused, its code says why: parlance policy explain tells more"},
    Item{"Timeouts configured", try_timeout,
         "a delegation of 50 ms that nobody answers",
         "Delegation timeout after 50 ms",
         "If it was refused, its code says why: parlance policy explain tells more"},
    Item{"Token budgets set", try_tokens,
         "a sentence with a budget of one token",
         "403 BUDGET_TOKENS_EXCEEDED",
         "Another code is of a guard that was asked before: parlance policy explain names it"},
    Item{"PII redaction applied", try_personal,
         "an e-mail address in the input, and what the delegate is shown",
         "a placeholder",
         "personal.dialects of the hub's configuration must have delegation in it: docs/personal-data.md"},
    Item{"Audit logging enabled", try_audit,
         "a delegation, and whether delegation_audit_log has this very one, be it taken or refused",
         "202, then a row",
         "The log is written behind the journal; parlance journal list shows whether it was accepted"},
    Item{"User isolation verified", try_users,
         "one user's errand, and another user's in the same session",
         "202, then 403 USER_ISOLATION_VIOLATED",
         "If the first was refused, its code says why: parlance policy explain tells more"},
    Item{"Tool authorization checked", try_tools,
         "the tool that an agent has, and one that it has not",
         "200, then 403 TOOL_NOT_ALLOWED",
         "The doctor's agents are registered with one tool: parlance agents shows it while it runs"},
    Item{"Error handling complete", try_errors,
         "half a message, and one to nobody",
         "400 MESSAGE_MALFORMED, then 404 AGENT_NOT_REGISTERED",
         "Another code is of a limit that comes first: its own advice is in the problem"},
};
// clang-format on

/// `hindrance` keeps everything from being tried, and is the advice then.
void tell(const Context& context,
          const Item& item,
          const Outcome& outcome,
          std::string_view hindrance) {
    if (context.is_json) {
        fmt::print("{}\n",
                   json::ObjectWriter{}
                       .text("item", item.text)
                       .boolean("ok", outcome.is_good)
                       .text("tried", item.tried)
                       .text("expected", item.expected)
                       .text("happened", outcome.happened)
                       .done());
        return;
    }
    const auto mark = outcome.is_good ? paint(context.out(), Tone::Green, "✓")
                                      : paint(context.out(), Tone::Red, "✗");
    const auto line = [&](std::string_view name, std::string_view words) {
        fmt::print("    {}\n",
                   paint(context.out(), Tone::Dim, fmt::format("{:<9}{}", name, words)));
    };
    fmt::print("{} {}\n", mark, paint(context.out(), Tone::Bold, item.text));
    line("tried", item.tried);
    line("got", outcome.happened);
    if (outcome.is_good) return;
    line("expected", item.expected);
    fmt::print("    → {}\n", hindrance.empty() ? item.advice : hindrance);
}

/// What the hub would say to what the examination asks for first.
struct Forecast {
    std::int64_t people_asked = 0;  ///< So many would have to approve it.
    std::string hindrance{};        ///< Why nothing at all is taken; empty if something is.
};

Forecast forecast(Ward& ward) {
    const auto told =
        ward.ask("POST", "/v1/policy/explain", ward.request({.session = ward.session("depth")}));
    if (told.body.empty()) return {};
    const json::Value said = json::root(told.body);
    Forecast forecast{.people_asked = number_member(said, "approvals_needed").value_or(0)};
    if (told.code() == "ROUTE_NOT_PERMITTED") {
        forecast.hindrance = fmt::format(
            "Nothing was taken: {}. Enable it for the examination: parlance policy show",
            text_member(said, "detail"));
    }
    return forecast;
}

bool is_fleet_stopped(Ward& ward) {
    const auto fleet = ward.ask("GET", "/v1/fleet");
    return !fleet.body.empty() && member(json::root(fleet.body), "stopped").raw == "true";
}

}  // namespace

int try_checklist(const Context& context) {
    auto client = client_of(context, operator_identity(context));
    if (!client) return complain(context, Misused, client.error().message);
    const auto hub = client->call("GET", "/v1/hub");
    if (!hub) return complain(context, hub.error());
    if (hub->status != 200) return complain(context, *hub);
    std::random_device device;
    Ward ward{*client, (std::uint64_t{device()} << 32U) | device()};
    if (is_fleet_stopped(ward)) {
        return complain(context,
                        Refused,
                        "the fleet is stopped, and takes nothing that could be examined",
                        "Nothing was tried. `parlance fleet resume` lets it go on.");
    }
    if (!ward.move_in()) {
        ward.move_out();
        return complain(
            context,
            Refused,
            "the hub lets no agents of the examination in",
            "Use an identity that may act for agents: --operator with --dev, or a token.");
    }
    const auto foreseen = forecast(ward);
    if (foreseen.people_asked > 0) {
        ward.move_out();
        return complain(context,
                        Refused,
                        "people would be asked to approve what the examination asks for",
                        "Nothing was tried. `parlance policy show` has the thresholds (risk_low, "
                        "budget_asks_people).");
    }
    if (!context.is_json) {
        fmt::print(
            "Each item of the delegation checklist, tried with agents {} to {}, which are "
            "gone afterwards.\n\n",
            ward.name(Ward::kAgents.front()),
            Ward::kAgents.back());
    }
    std::size_t good = 0;
    for (const Item& item : kItems) {
        const Outcome outcome = item.examine(ward);
        good += outcome.is_good ? 1 : 0;
        tell(context, item, outcome, foreseen.hindrance);
    }
    ward.move_out();
    if (!context.is_json) fmt::print("\n{} of {} items hold\n", good, kItems.size());
    return good == kItems.size() ? Done : Refused;
}

}  // namespace parlance::cli
