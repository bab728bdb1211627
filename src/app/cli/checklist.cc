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
    std::string_view from = "a";
    std::string_view to = "b";
    std::string session{};
    std::string_view objective = "Look around";
    std::string_view input = "Nothing is to be done";
    std::string_view user = "parlance-doctor";
    std::string_view constraints = "{}";
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
        const bool is_json = json::check(response->body).has_value();
        return {.status = response->status, .body = is_json ? response->body : std::string{}};
    }

    std::string request(const Errand& errand) {
        return json::ObjectWriter{}
            .text("request_id", uuid_v4(chance_(), chance_()))
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
    static constexpr std::array<std::string_view, 8> kSessions{
        "depth", "fan-out", "cycle", "timeout", "tokens", "personal", "audit", "user"};

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
    std::string tried{};
    std::string happened{};
};

Outcome refused_with(const Reply& reply, std::string_view code, std::string tried) {
    return {reply.code() == code, std::move(tried), reply.in_short()};
}

Outcome try_depth(Ward& ward) {
    const auto first = ward.delegate({.session = ward.session("depth")});
    const std::string taken = ward.inbox("b");
    std::string session = ward.session("depth");
    if (!taken.empty()) {
        for (json::Elements each{member(json::root(taken), "messages")}; each.next();) {
            session = text_member(member(each.value, "message"), "child_session_id");
        }
    }
    auto outcome = refused_with(
        ward.delegate({.from = "b", .to = "c", .session = session, .objective = "Go deeper"}),
        "DELEGATION_DEPTH_EXCEEDED",
        "a to b, and b to c out of the session that b was given, at max_depth 2");
    outcome.is_good = outcome.is_good && first.status == 202;
    return outcome;
}

Outcome try_fanout(Ward& ward) {
    int accepted = 0;
    for (const std::string_view to : {"b", "c", "d"}) {
        accepted += ward.delegate({.to = to, .session = ward.session("fan-out")}).status == 202;
    }
    auto outcome = refused_with(ward.delegate({.to = "e", .session = ward.session("fan-out")}),
                                "DELEGATION_FANOUT_EXCEEDED",
                                "a to b, c and d, and while they are open to e");
    outcome.is_good = outcome.is_good && accepted == 3;
    return outcome;
}

Outcome try_cycle(Ward& ward) {
    const Errand errand{.session = ward.session("cycle"), .objective = "Extract receipt"};
    ward.delegate(errand);
    auto again = errand;
    again.objective = "EXTRACT  receipt";
    return refused_with(ward.delegate(again),
                        "DELEGATION_CYCLE_DETECTED",
                        "the same errand twice in one session, in capitals the second time");
}

Outcome try_timeout(Ward& ward) {
    const auto reply = ward.ask("POST",
                                "/v1/delegations",
                                ward.request({.to = "c",
                                              .session = ward.session("timeout"),
                                              .constraints = R"({"deadline_ms":50})"}));
    const auto error = reply.body.empty() ? "" : text_member(json::root(reply.body), "error");
    return {error.find("Delegation timeout after 50 ms") != std::string::npos,
            "a delegation of 50 ms that nobody answers",
            error.empty() ? reply.in_short() : error};
}

Outcome try_tokens(Ward& ward) {
    return refused_with(
        ward.delegate({.session = ward.session("tokens"), .constraints = R"({"max_tokens":1})"}),
        "BUDGET_TOKENS_EXCEEDED",
        "a sentence with a budget of one token");
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
            "an e-mail address in the input, and what the delegate is shown",
            !has_come  ? "the delegate was shown nothing"
            : is_shown ? "the address itself"
                       : "a placeholder"};
}

Outcome try_audit(Ward& ward) {
    const auto accepted = ward.delegate({.to = "e", .session = ward.session("audit")});
    const auto sequence = accepted.body.empty()
                              ? std::optional<std::int64_t>{}
                              : number_member(json::root(accepted.body), "sequence");
    const auto log = ward.ask("GET",
                              fmt::format("/v1/delegations?agent={}&after_sequence={}",
                                          ward.name("e"),
                                          sequence.value_or(0) + 1));
    const bool is_there = log.body.find(ward.name("e")) != std::string::npos;
    return {
        is_there, "a delegation, and delegation_audit_log", is_there ? "a row" : log.in_short()};
}

Outcome try_users(Ward& ward) {
    ward.delegate({.session = ward.session("user")});
    return refused_with(
        ward.delegate(
            {.to = "c", .session = ward.session("user"), .user = "parlance-doctor-other"}),
        "USER_ISOLATION_VIOLATED",
        "another user's name in a user's session");
}

Outcome try_tools(Ward& ward) {
    const auto question = [&](std::string_view tool) {
        return json::ObjectWriter{}.text("agent", ward.name("b")).text("tool", tool).done();
    };
    const auto good = ward.ask("POST", "/v1/tools/authorize", question(kTool));
    const auto bad = ward.ask("POST", "/v1/tools/authorize", question("parlance-doctor-delete"));
    return {good.status == 200 && bad.code() == "TOOL_NOT_ALLOWED",
            "the tool that an agent has, and one that it has not",
            fmt::format("{}, then {}", good.in_short(), bad.in_short())};
}

Outcome try_errors(Ward& ward) {
    const auto garbage = ward.ask("POST", "/v1/messages", R"({"no":)");
    const auto lost = ward.delegate({.to = "nobody", .session = ward.session("user")});
    return {garbage.code() == "MESSAGE_MALFORMED" && lost.code() == "AGENT_NOT_REGISTERED",
            "half a message, and one to nobody",
            fmt::format("{}, then {}", garbage.in_short(), lost.in_short())};
}

struct Item {
    std::string_view text;  ///< As the document has it.
    Outcome (*examine)(Ward& ward);
};
constexpr std::array kItems{
    Item{"Max depth enforced (≤ 2)", try_depth},
    Item{"Fan-out enforced (≤ 3)", try_fanout},
    Item{"Cycle detection active", try_cycle},
    Item{"Timeouts configured", try_timeout},
    Item{"Token budgets set", try_tokens},
    Item{"PII redaction applied", try_personal},
    Item{"Audit logging enabled", try_audit},
    Item{"User isolation verified", try_users},
    Item{"Tool authorization checked", try_tools},
    Item{"Error handling complete", try_errors},
};

void tell(const Context& context, const Item& item, const Outcome& outcome) {
    if (context.is_json) {
        fmt::print("{}\n",
                   json::ObjectWriter{}
                       .text("item", item.text)
                       .boolean("ok", outcome.is_good)
                       .text("tried", outcome.tried)
                       .text("happened", outcome.happened)
                       .done());
        return;
    }
    const auto mark = outcome.is_good ? paint(context.out(), Tone::Green, "✓")
                                      : paint(context.out(), Tone::Red, "✗");
    fmt::print("{} {}\n    {}\n    {}\n",
               mark,
               paint(context.out(), Tone::Bold, item.text),
               paint(context.out(), Tone::Dim, "tried: " + outcome.tried),
               paint(context.out(), Tone::Dim, "got:   " + outcome.happened));
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
    if (!ward.move_in()) {
        ward.move_out();
        return complain(
            context,
            Refused,
            "the hub lets no agents of the examination in",
            "Use an identity that may act for agents: --operator with --dev, or a token.");
    }
    std::size_t good = 0;
    for (const Item& item : kItems) {
        const Outcome outcome = item.examine(ward);
        good += outcome.is_good ? 1 : 0;
        tell(context, item, outcome);
    }
    ward.move_out();
    if (!context.is_json) fmt::print("\n{} of {} items hold\n", good, kItems.size());
    return good == kItems.size() ? Done : Refused;
}

}  // namespace parlance::cli
