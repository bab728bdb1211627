// A guarded desk with two users, who must not reach each other's data, and a cast of agents that
// try. Every attack must be refused, on record under the real caller, and without effect.
#pragma once

#include <array>

#include "tests/front_desk/guarded_desk.h"

namespace parlance::front_desk {

/// A forbidden action.
struct Attack {
    std::string name{};
    std::string who{};     ///< The owner of the token.
    std::string method{};  ///< Or kFrame or kHello, without a status.
    std::string path{};
    std::string body{};
    int status = 0;
    std::string code{};
    Headers headers{};
    std::string record = "MessageRefused";  ///< The kind of its record.
};
inline constexpr const char* kToolRecord = "ToolRefused";
inline constexpr const char* kFrame = "frame";  ///< Sent on the caller's connection.
inline constexpr const char* kHello = "hello";  ///< Sent first on a fresh connection.

/// A message that must be refused.
struct Lie {
    std::string name{};
    std::string who{};
    std::string body{};
    int status = 403;
    std::string code{};
};

/// The fields of a delegation request.
struct DelegationRequestFields {
    std::string from = "prime";
    std::string to = "byte";
    std::string session = "s-1";
    std::string user = "u1";
    std::string objective = "Extract receipt data";
    std::string limits = R"({"max_depth":8,"max_tokens":100,"deadline_ms":60000})";
    std::string more{};  ///< Further members, each after a comma.
    std::string id{};    ///< If empty, a fresh id.
};

/// A plain request, as each of the five dialects has it.
struct Plain {
    std::string from;
    std::string to;
    std::string user{};  ///< None: for no user.
};
struct Language {
    const char* name;
    std::string (*write)(const Plain&);
};
extern const std::array<Language, 5> kLanguages;

/// A request that an agent has in hand.
struct Held {
    std::string id;  ///< Of the request.
    std::string delivery;
    std::string session;  ///< In which the agent works.
    std::string grant;    ///< JSON.
};

inline constexpr const char* kIdPlace = "<id>";
/// A read of another user's item, and the same read of a missing item.
struct Hidden {
    std::string name{};
    std::string who{};
    std::string owner{};  ///< A caller that may read the item.
    std::string method{};
    std::string path{};  ///< With kIdPlace for the id, like the body.
    std::string id{};
    std::string none{};
    std::string body{};
    bool is_on_record = false;  ///< Attempted changes are on record, even of missing items.
};

/// prime acts for u1 and scout for u2; byte, tag, crystal, ledger, audit and mallory for no user.
struct RightsDesk : GuardedDesk {
    RightsDesk();

    void let_in(const std::string& who, identity::Claims claims);
    /// A request that must succeed, decided; returns the body of the answer.
    std::string done(const std::string& who,
                     std::string method,
                     std::string path,
                     std::string body = {},
                     int status = 200);
    std::string written(DelegationRequestFields fields);
    /// Sends the request, and has the target take it.
    Held give(DelegationRequestFields fields);
    /// Takes the next message of the agent.
    Held take(const std::string& who);

    void expect_refused(const Attack& attack);
    /// expect_refused() for a message, by every route that takes it.
    void expect_message_refused(const Lie& lie);
    void expect_hidden(const Hidden& hidden);

    /// The hub's whole state except the record count: mailboxes, open requests, trees and budgets,
    /// rates, sessions, facts, contexts and so on.
    std::string footprint();
    std::uint64_t last_record() { return engine().state().sequence.value; }

    struct Recorded {
        std::string kind;
        std::string data;
    };
    std::vector<Recorded> records_behind(std::uint64_t sequence);
    /// Expects exactly one record after `sequence`, of this refusal and naming the real caller.
    void expect_on_record(std::uint64_t sequence, const Attack& attack);
    void expect_look_on_record(std::uint64_t sequence, const std::string& who);

    std::map<std::string, std::string> names;  ///< The name in each token.

  private:
    struct Told {
        int status = 0;
        std::string code;
        std::string words;
    };
    Told try_it(const Attack& attack);
    const SocketPtr& connection(const std::string& who);

    std::map<std::string, SocketPtr> connections_;
    int number_ = 0;
};

/// A text member of a JSON object, or the value that a JSON pointer leads to.
std::string text_at(std::string_view json, std::string_view pointer);

}  // namespace parlance::front_desk
