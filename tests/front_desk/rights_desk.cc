#include "tests/front_desk/rights_desk.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "core/snapshot.h"

namespace parlance::front_desk {

namespace {

using identity::Kind;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
    }
    return text;
}

constexpr const char* kId = "6b1f0d1e-7c55-4a6e-9a77-000000000001";

/// `form` with the user filled in, if any.
std::string said_of_user(const Plain& plain, std::string_view form) {
    return plain.user.empty() ? "" : fmt::format(fmt::runtime(form), plain.user);
}

std::string taskwire(const Plain& plain) {
    return fmt::format(R"({{"id":"{}","from":"{}","to":"{}","type":"TASK_ASSIGNMENT",)"
                       R"("payload":{{"action":"SORT"{}}}}})",
                       kId,
                       plain.from,
                       plain.to,
                       said_of_user(plain, R"(,"user_id":"{}")"));
}

std::string kessel(const Plain& plain) {
    return fmt::format(
        R"({{"source_agent":"{}","target_agent":"{}","capability_code":"SORT","request_id":"{}",)"
        R"("inputs_json":{{}}{}}})",
        plain.from,
        plain.to,
        kId,
        said_of_user(plain, R"(,"context":{{"user_id":"{}"}})"));
}

std::string sam(const Plain& plain) {
    return fmt::format(
        R"({{"message_id":"{}","correlation_id":"w-7","timestamp":"2025-11-23T10:00:00Z",)"
        R"("sender":{{"agent_id":"{}"}},"recipient":{{"agent_id":"{}"}},"message_type":"REQUEST",)"
        R"("metadata":{{{}}},"payload":{{"action":"SORT","data":{{}},"context":{{}}}}}})",
        kId,
        plain.from,
        plain.to,
        said_of_user(plain, R"("user_id":"{}")"));
}

std::string correlation(const Plain& plain) {
    return fmt::format(
        R"({{"correlation_id":"session_u_a7b2c9d4_1692633612","agent":"{}","target_agent":"{}",)"
        R"("timestamp":"2025-08-21T10:30:00Z","message_type":"orchestration_command",)"
        R"("status":"pending","payload":{{}}{}}})",
        plain.from,
        plain.to,
        said_of_user(plain, R"(,"user_id":"{}")"));
}

std::string delegation(const Plain& plain) {
    return fmt::format(
        R"({{"request_id":"{}","origin_employee":"{}","target_employee":"{}","user_id":"{}",)"
        R"("parent_session_id":"s-77","objective":"Sort","input":"x",)"
        R"("constraints":{{"max_depth":8,"max_tokens":20}}}})",
        kId,
        plain.from,
        plain.to,
        plain.user.empty() ? "unknown" : plain.user);
}

}  // namespace

const std::array<Language, 5> kLanguages{Language{"taskwire", taskwire},
                                         Language{"kessel", kessel},
                                         Language{"sam", sam},
                                         Language{"correlation", correlation},
                                         Language{"delegation", delegation}};

std::string text_at(std::string_view json, std::string_view pointer) {
    if (json.empty() || json.front() != '{') return {};
    const auto value = json::find_at(json::root(json), pointer);
    std::string spare;
    if (!value) return {};
    return std::string{value->is_string() ? value->text(spare) : value->raw};
}

RightsDesk::RightsDesk() {
    tokens["admin"] = mint_operator("ann", OperatorRole::Admin);
    let_in("prime", {.kind = Kind::Agent, .users = {"u1"}});
    let_in("scout", {.kind = Kind::Agent, .users = {"u2"}});
    for (const auto* user : {"u1", "u2"}) let_in(user, {.kind = Kind::User});
    for (const auto* agent : {"byte", "tag", "crystal", "ledger", "audit", "mallory"}) {
        let_in(agent, {.kind = Kind::Agent});
    }
    for (const auto* agent :
         {"prime", "scout", "byte", "tag", "crystal", "ledger", "audit", "mallory"}) {
        done("admin",
             "PUT",
             std::string{"/v1/agents/"} + agent,
             R"({"dialect":"delegation","tools_allowed":["ocr","sql"],)"
             R"("capabilities":[{"code":"SORT"}]})");
    }
}

void RightsDesk::let_in(const std::string& who, identity::Claims claims) {
    if (claims.name.empty()) claims.name = who;
    names[who] = claims.name;
    tokens[who] = mint(std::move(claims));
}

std::string RightsDesk::done(
    const std::string& who, std::string method, std::string path, std::string body, int status) {
    const auto what = method + " " + path + " " + body;
    const auto exchange = as(who, std::move(method), std::move(path), std::move(body));
    EXPECT_EQ(exchange->status(), status) << what << "\n" << exchange->body();
    return exchange->body();
}

std::string RightsDesk::written(DelegationRequestFields fields) {
    if (fields.id.empty()) {
        fields.id = fmt::format("550e8400-e29b-41d4-a716-{:012}", ++number_);
    }
    return fmt::format(
        R"({{"request_id":"{}","origin_employee":"{}","target_employee":"{}","user_id":"{}",)"
        R"("parent_session_id":"{}","objective":"{}","input":"x","constraints":{}{}}})",
        fields.id,
        fields.from,
        fields.to,
        fields.user,
        fields.session,
        fields.objective,
        fields.limits,
        fields.more);
}

Held RightsDesk::take(const std::string& who) {
    const auto inbox = done(who, "GET", "/v1/agents/" + who + "/inbox");
    return {.id = text_at(inbox, "/messages/0/message/request_id"),
            .delivery = text_at(inbox, "/messages/0/delivery_id"),
            .session = text_at(inbox, "/messages/0/message/child_session_id"),
            .grant = text_at(inbox, "/messages/0/grant")};
}

Held RightsDesk::give(DelegationRequestFields fields) {
    done(fields.from, "POST", "/v1/messages", written(fields), 202);
    return take(fields.to);
}

std::string RightsDesk::footprint() {
    const auto& lived = engine().state();
    auto state = core::decode_state(core::encode_state(lived), lived.limits).value();
    state.sequence = {};
    return core::encode_state(state);
}

/// Reads "id: 7\nevent: MessageRefused\ndata: {…}\n\n", repeated.
std::vector<RightsDesk::Recorded> RightsDesk::records_behind(std::uint64_t sequence) {
    std::vector<Recorded> records;
    if (last_record() == sequence) return records;
    const auto text = record(sequence + 1);
    const auto line_at = [&](std::size_t at) { return text.substr(at, text.find('\n', at) - at); };
    constexpr std::string_view kEvent = "\nevent: ";
    constexpr std::string_view kData = "\ndata: ";
    for (std::size_t at = 0; (at = text.find(kEvent, at)) != std::string::npos; ++at) {
        records.push_back({.kind = line_at(at + kEvent.size()),
                           .data = line_at(text.find(kData, at) + kData.size())});
    }
    return records;
}

const SocketPtr& RightsDesk::connection(const std::string& who) {
    auto& socket = connections_[who];
    if (socket) return socket;
    socket = open(proof(who));
    socket->say(R"({"hello":{"credit":0}})");
    turn();
    EXPECT_EQ(socket->frames.size(), 1U) << who << " is not welcome";
    return socket;
}

RightsDesk::Told RightsDesk::try_it(const Attack& attack) {
    if (attack.method != kFrame && attack.method != kHello) {
        const auto exchange =
            as(attack.who, attack.method, attack.path, attack.body, attack.headers);
        EXPECT_EQ(exchange->answers.size(), 1U);
        return {exchange->status(), code_in(exchange->body()), exchange->body()};
    }
    const bool is_hello = attack.method == kHello;
    const auto socket = is_hello ? open(proof(attack.who)) : connection(attack.who);
    socket->frames.clear();
    socket->say(attack.body);
    turn();
    const auto said = socket->frames.empty() ? std::string{} : socket->frames.back();
    return {0, text_at(said, is_hello ? "/error/code" : "/refused/0/code"), said};
}

void RightsDesk::expect_on_record(std::uint64_t sequence, const Attack& attack) {
    const auto records = records_behind(sequence);
    ASSERT_EQ(records.size(), 1U) << "of a refusal there is one record, and of nothing else any";
    EXPECT_EQ(records[0].kind, attack.record);
    const bool is_message = records[0].kind == "MessageRefused";
    EXPECT_EQ(text_at(records[0].data, is_message ? "/from" : "/by"), names.at(attack.who));
    EXPECT_EQ(text_at(records[0].data, "/refusal"), attack.code);
}

void RightsDesk::expect_look_on_record(std::uint64_t sequence, const std::string& who) {
    const auto records = records_behind(sequence);
    ASSERT_EQ(records.size(), 1U) << "who looks at what is another's is on record, once";
    EXPECT_EQ(records[0].kind, "MessageRefused");
    EXPECT_EQ(text_at(records[0].data, "/from"), names.at(who));
    const auto code = text_at(records[0].data, "/refusal");
    EXPECT_TRUE(code == "USER_ISOLATION_VIOLATED" || code == "IDENTITY_MISMATCH") << code;
}

void RightsDesk::expect_refused(const Attack& attack) {
    SCOPED_TRACE(attack.name + ": " + attack.who + " " + attack.method + " " + attack.path + " " +
                 attack.body);
    if (attack.method == kFrame) {
        // A first sign of life after a pause would be a record, so the connection sends a heartbeat
        // beforehand.
        connection(attack.who)->say(R"({"heartbeat":0})");
        turn();
    }
    const auto before = footprint();
    const auto last = last_record();
    const auto told = try_it(attack);
    EXPECT_EQ(told.status, attack.status) << told.words;
    EXPECT_EQ(told.code, attack.code) << told.words;
    expect_on_record(last, attack);
    EXPECT_TRUE(footprint() == before) << "it had an effect";
}

void RightsDesk::expect_message_refused(const Lie& lie) {
    Attack attack{.name = lie.name,
                  .who = lie.who,
                  .method = "POST",
                  .path = "/v1/messages",
                  .body = lie.body,
                  .status = lie.status,
                  .code = lie.code};
    expect_refused(attack);
    attack.path = "/v1/delegations";
    if (lie.body.find("origin_employee") != std::string::npos) expect_refused(attack);
    attack.method = kFrame;
    attack.path.clear();
    attack.status = 0;
    attack.body = R"({"send":[)" + lie.body + "]}";
    expect_refused(attack);
}

void RightsDesk::expect_hidden(const Hidden& hidden) {
    SCOPED_TRACE(hidden.name + ": " + hidden.who + " " + hidden.method + " " + hidden.path);
    const auto asked_for = [&](const std::string& id) {
        const auto exchange = as(hidden.who,
                                 hidden.method,
                                 replaced(hidden.path, kIdPlace, id),
                                 replaced(hidden.body, kIdPlace, id));
        if (exchange->answers.empty()) run_until([&] { return !exchange->answers.empty(); });
        return exchange;
    };
    const auto before = footprint();
    auto last = last_record();
    const auto real = asked_for(hidden.id);
    const auto code = code_in(real->body());
    if (hidden.is_on_record) {
        expect_on_record(last, {.who = hidden.who, .code = code});
    } else if ((hidden.method == "GET" || hidden.path.ends_with("/analyses")) &&
               !hidden.path.ends_with("/stream") && hidden.path != "/v1/requests/<id>") {
        expect_look_on_record(last, hidden.who);
    } else {
        // Requests and their streams are looked for among the caller's own; a caller that changes
        // an item without naming a user is refused for the missing user.
        EXPECT_EQ(last_record(), last);
    }
    last = last_record();
    const auto none = asked_for(hidden.none);
    EXPECT_EQ(last_record() - last, hidden.is_on_record ? 1U : 0U)
        << "who looks for what there is not leaves no record";
    const auto& told = real->answers.back();
    EXPECT_GE(told.status, 400) << told.body;
    EXPECT_FALSE(code.empty());
    EXPECT_EQ(told.status, none->status());
    EXPECT_EQ(told.headers, none->answers.back().headers);
    EXPECT_EQ(told.content_type, none->answers.back().content_type);
    EXPECT_EQ(replaced(told.body, hidden.id, hidden.none),
              replaced(none->body(), hidden.id, hidden.none));
    EXPECT_TRUE(footprint() == before) << "it had an effect";
    if (hidden.owner.empty()) return;
    const auto own = as(hidden.owner, "GET", replaced(hidden.path, kIdPlace, hidden.id), "");
    if (own->answers.empty()) run_until([&] { return !own->answers.empty(); });
    EXPECT_EQ(own->status(), 200) << "whose it is, is shown it: " << own->body();
}

}  // namespace parlance::front_desk
