// What an agent may read and cancel of its own requests for a user: being the same agent is not
// enough, the token needs a grant for the user.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "identity/testing/scratch.h"
#include "identity/token_book.h"
#include "tests/front_desk/front_desk.h"

namespace parlance::front_desk {
namespace {

using identity::Claims;
using identity::Kind;
using identity::testing::kDay;
using identity::testing::kNoon;

constexpr const char* kAddress = "ana@example.org";

std::string code_in(std::string_view body) {
    if (body.empty() || body.front() != '{') return "";
    const auto code = json::find(json::root(body), "code");
    std::string spare;
    return code ? std::string{code->text(spare)} : "";
}

/// The part of `text` between `begin` and `end`.
std::string between(std::string_view text, std::string_view begin, std::string_view end) {
    const auto at = text.find(begin);
    if (at == std::string_view::npos) return "";
    const auto from = at + begin.size();
    return std::string{text.substr(from, text.find(end, from) - from)};
}

gateway::Options guarded(const std::string& data) {
    return {.guard = std::make_shared<identity::Guard>(data, [](const std::string&) {})};
}

/// Two tokens of prime, each for a user; byte and tag have no grant, and mallory no part in the
/// requests.
struct Grants : identity::testing::Scratch, FrontDesk {
    Grants() : FrontDesk({}, guarded(path())) {
        mint("prime of u1", {.kind = Kind::Agent, .name = "prime", .users = {"u1"}});
        mint("prime of u2", {.kind = Kind::Agent, .name = "prime", .users = {"u2"}});
        for (const auto* agent : {"byte", "tag", "mallory"}) {
            mint(agent, {.kind = Kind::Agent, .name = agent});
        }
        mint("operator", {.kind = Kind::Operator, .name = "olga", .role = OperatorRole::Operator});
        const std::pair<const char*, const char*> agents[] = {
            {"prime of u1", "prime"}, {"byte", "byte"}, {"tag", "tag"}, {"mallory", "mallory"}};
        for (const auto& [who, name] : agents) {
            const auto profile = R"({"dialect":"delegation","capabilities":[{"code":"bill"}]})";
            EXPECT_EQ(as(who, "PUT", fmt::format("/v1/agents/{}", name), profile)->status(), 200);
        }
    }

    void mint(const std::string& who, Claims claims) {
        claims.expires = kNoon + kDay;
        tokens[who] =
            identity::mint_token(identity::Folder{path()}, std::move(claims), kNoon)->secret;
    }
    Headers proof(const std::string& who) const {
        return {{"Authorization", "Bearer " + tokens.at(who)}};
    }
    /// A request with this caller's token, answered.
    ExchangePtr as(const std::string& who,
                   std::string method,
                   std::string path,
                   std::string body = {}) {
        auto exchange = ask(std::move(method), std::move(path), std::move(body), proof(who));
        turn();
        run_until([&] { return !exchange->answers.empty(); });
        return exchange;
    }
    /// Sends a delegation; returns the status.
    int delegate(const std::string& who,
                 std::string_view origin,
                 std::string_view target,
                 std::string_view id,
                 std::string_view session) {
        const auto text = fmt::format(
            R"({{"request_id":"{}","origin_employee":"{}","target_employee":"{}",)"
            R"("user_id":"u1","parent_session_id":"{}","objective":"Bill {}","input":"{}",)"
            R"("constraints":{{"max_tokens":100,"max_depth":3,"deadline_ms":60000}},)"
            R"("context_hints":[],"handoff_data":{{}}}})",
            id,
            origin,
            target,
            session,
            id,
            kAddress);
        return as(who, "POST", "/v1/messages", text)->status();
    }
    std::string inbox(const std::string& agent) {
        return as(agent, "GET", "/v1/agents/" + agent + "/inbox")->body();
    }
    /// The whole of a stream.
    std::string streamed(const std::string& who, const std::string& path) {
        const auto stream = as(who, "GET", path);
        EXPECT_EQ(stream->status(), 200) << who << " " << stream->body();
        run_until([&] { return stream->has_ended; });
        return stream->streamed;
    }
    /// The token for another user must get the same answer as for an unknown id.
    void expect_not_there(const std::string& method,
                          const std::string& path,
                          const std::string& id,
                          const std::string& body = {}) {
        constexpr const char* kUnknown = "00000000-0000-4000-8000-000000000000";
        auto elsewhere = path;
        elsewhere.replace(elsewhere.find(id), id.size(), kUnknown);
        const auto other = as("prime of u2", method, path, body);
        const auto nothing = as("prime of u2", method, elsewhere, body);
        EXPECT_EQ(other->status(), 404) << method << " " << path << " " << other->body();
        EXPECT_EQ(nothing->status(), 404) << method << " " << path;
        auto said = nothing->body();
        while (said.find(kUnknown) != std::string::npos) {
            said.replace(said.find(kUnknown), std::string_view{kUnknown}.size(), id);
        }
        EXPECT_EQ(other->body(), said) << method << " " << path;
    }

    static constexpr const char* kAsked = "550e8400-e29b-41d4-a716-446655440001";
    static constexpr const char* kBelow = "550e8400-e29b-41d4-a716-446655440002";
    std::map<std::string, std::string> tokens;
};

TEST(Grants, I3_AStreamIsReadOnlyWithAGrantForItsUser) {
    Grants desk;
    ASSERT_EQ(desk.delegate("prime of u1", "prime", "byte", Grants::kAsked, "s-1"), 202);
    const auto path = fmt::format("/v1/requests/{}/stream", Grants::kAsked);
    desk.expect_not_there("GET", path, Grants::kAsked);
    const auto held = desk.inbox("byte");
    const auto delivery = between(held, R"("delivery_id":")", "\"");
    const auto mask = "[EMAIL_" + between(held, "[EMAIL_", "]") + "]";
    ASSERT_EQ(mask.size(), 16U) << held;
    const auto note = fmt::format(R"({{"note":"at {}"}})", mask);
    desk.as("byte", "POST", "/v1/deliveries/" + delivery + "/progress", note);
    const auto answer = fmt::format(R"({{"summary":"S","result":"to {}","status":"success",)"
                                    R"("token_usage":{{"prompt":1,"completion":1,"total":2}}}})",
                                    mask);
    ASSERT_EQ(desk.as("byte", "POST", "/v1/deliveries/" + delivery + "/reply", answer)->status(),
              202);
    // After the end the request's user is only on record.
    desk.expect_not_there("GET", path, Grants::kAsked);
    const auto own = desk.streamed("prime of u1", path);
    EXPECT_NE(own.find("at ana@example.org"), std::string::npos) << own;
    EXPECT_NE(own.find("to ana@example.org"), std::string::npos) << own;
    const auto seen = desk.streamed("operator", path + "?agent=prime");
    EXPECT_EQ(seen.find(kAddress), std::string::npos) << "X15: " << seen;
    EXPECT_NE(seen.find("at " + mask), std::string::npos) << seen;
    EXPECT_NE(seen.find("to " + mask), std::string::npos) << seen;
    // The same by a frame.
    for (const auto& [who, is_told] : {std::pair{"prime of u1", true}, {"prime of u2", false}}) {
        const auto socket = desk.open(desk.proof(who));
        ASSERT_TRUE(socket);
        socket->say(R"({"hello":{"agent":"prime","credit":0}})");
        desk.turn();
        socket->say(fmt::format(R"({{"stream":[{{"message_id":"{}"}}]}})", Grants::kAsked));
        const auto heard = [&] {
            desk.turn();
            for (const auto& frame : socket->frames) {
                const bool is_end = frame.find("\"answer\"") != std::string::npos ||
                                    frame.find("DELEGATION_NOT_FOUND") != std::string::npos;
                if (is_end) return true;
            }
            return false;
        };
        desk.run_until(heard);
        EXPECT_EQ(socket->frames.back().find(kAddress) != std::string::npos, is_told) << who;
    }
}

TEST(Grants, I3_AnAgentAtWorkForAUserMayReadItsOwnRequests) {
    Grants desk;
    ASSERT_EQ(desk.delegate("prime of u1", "prime", "byte", Grants::kAsked, "s-1"), 202);
    const auto held = desk.inbox("byte");
    const auto session = between(held, R"("session":")", "\"");
    ASSERT_NE(session, "") << held;
    ASSERT_EQ(desk.delegate("byte", "byte", "tag", Grants::kBelow, session), 202);
    const auto path = fmt::format("/v1/requests/{}/stream", Grants::kBelow);
    EXPECT_EQ(desk.as("byte", "GET", path)->status(), 200);
    // X15: a value has the same placeholder in the whole tree.
    const auto above = between(held, "[EMAIL_", "]");
    EXPECT_EQ(above.size(), 8U) << held;
    const auto below = desk.inbox("tag");
    EXPECT_EQ(between(below, "[EMAIL_", "]"), above) << below;
    // And the placeholder is replaced by the value on the way back.
    const auto answer =
        fmt::format(R"({{"summary":"S","result":"to [EMAIL_{}]","status":"success",)"
                    R"("token_usage":{{"prompt":1,"completion":1,"total":2}}}})",
                    above);
    const auto delivery = between(below, R"("delivery_id":")", "\"");
    ASSERT_EQ(desk.as("tag", "POST", "/v1/deliveries/" + delivery + "/reply", answer)->status(),
              202);
    EXPECT_NE(desk.inbox("byte").find("to ana@example.org"), std::string::npos);
}

TEST(Grants, I3_ARequestIsCancelledOnlyWithAGrantForItsUser) {
    Grants desk;
    ASSERT_EQ(desk.delegate("prime of u1", "prime", "byte", Grants::kAsked, "s-1"), 202);
    const auto path = fmt::format("/v1/workflows/{}/cancel", Grants::kAsked);
    desk.expect_not_there("POST", path, Grants::kAsked, "{}");
    EXPECT_EQ(desk.as("prime of u1", "POST", path, "{}")->status(), 204);
}

TEST(Grants, I3_AWorkflowAndItsContextNeedAGrantForTheUser) {
    Grants desk;
    const auto plan = R"({"workflow_id":"wf-1","user_id":"u1","input":{"q":"Q"},)"
                      R"("steps":[{"id":"a","agent":"byte","capability":"bill"}]})";
    const auto started = desk.as("prime of u1", "POST", "/v1/workflows", plan);
    ASSERT_EQ(started->status(), 202) << started->body();
    const auto written = desk.as("prime of u1", "PATCH", "/v1/contexts/wf-1", R"({"status":"ON"})");
    ASSERT_EQ(written->status(), 200) << written->body();

    const auto expect_apart = [&] {
        desk.expect_not_there("GET", "/v1/workflows/wf-1", "wf-1");
        desk.expect_not_there("GET", "/v1/contexts/wf-1", "wf-1");
        desk.expect_not_there("POST", "/v1/contexts/wf-1/handoff", "wf-1", R"({"to":"tag"})");
        desk.expect_not_there("POST", "/v1/workflows/wf-1/cancel", "wf-1", "{}");
        const auto patch =
            desk.as("prime of u2", "PATCH", "/v1/contexts/wf-1", R"({"status":"OFF"})");
        EXPECT_EQ(code_in(patch->body()), "CONTEXT_NOT_FOUND");
        EXPECT_EQ(desk.as("prime of u1", "GET", "/v1/workflows/wf-1")->status(), 200);
        EXPECT_EQ(desk.as("prime of u1", "GET", "/v1/contexts/wf-1")->status(), 200);
    };
    expect_apart();
    EXPECT_EQ(desk.as("prime of u1", "POST", "/v1/workflows/wf-1/cancel", "{}")->status(), 204);
    expect_apart();
}

TEST(Grants, X13_AContextIsHiddenFromUninvolvedAgents) {
    Grants desk;
    ASSERT_EQ(desk.as("byte", "PATCH", "/v1/contexts/wf-2", R"({"status":"ON"})")->status(), 200);
    const auto looked = desk.as("mallory", "GET", "/v1/contexts/wf-2");
    const auto nothing = desk.as("mallory", "GET", "/v1/contexts/wf-3");
    EXPECT_EQ(looked->status(), 404) << looked->body();
    EXPECT_EQ(code_in(looked->body()), code_in(nothing->body()));
    EXPECT_EQ(desk.as("byte", "GET", "/v1/contexts/wf-2")->status(), 200);
}

}  // namespace
}  // namespace parlance::front_desk
