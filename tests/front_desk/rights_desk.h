// A guarded desk with two users, who must not get at each other, and a cast of agents who try. What
// is tried is held to three things: it is refused, on record under who it was, and without effect.
#pragma once

#include <array>

#include "tests/front_desk/guarded_desk.h"

namespace parlance::front_desk {

/// What somebody tries and may not do.
struct Attack {
    std::string name{};
    std::string who{};     ///< Whose token it bears.
    std::string method{};  ///< Or kFrame or kHello; there is no status then.
    std::string path{};
    std::string body{};
    int status = 0;
    std::string code{};
    Headers headers{};
    std::string record = "MessageRefused";  ///< What the record of it is called.
};
inline constexpr const char* kToolRecord = "ToolRefused";
inline constexpr const char* kFrame = "frame";  ///< Said on the caller's connection.
inline constexpr const char* kHello = "hello";  ///< Said first on a fresh one.

/// A message that is not to be taken.
struct Lie {
    std::string name{};
    std::string who{};
    std::string body{};
    int status = 403;
    std::string code{};
};

/// A delegation request as it is written.
struct Errand {
    std::string from = "prime";
    std::string to = "byte";
    std::string session = "s-1";
    std::string user = "u1";
    std::string objective = "Extract receipt data";
    std::string limits = R"({"max_depth":8,"max_tokens":100,"deadline_ms":60000})";
    std::string more{};  ///< Further members, each with a comma before it.
    std::string id{};    ///< A fresh one if it is empty.
};

/// A request as each of the five languages has it.
struct Plain {
    std::string from;
    std::string to;
    std::string user{};  ///< None: it is for nobody.
};
struct Language {
    const char* name;
    std::string (*write)(const Plain&);
};
extern const std::array<Language, 5> kLanguages;

/// Something that an agent has in hand.
struct Held {
    std::string id;  ///< The request's.
    std::string delivery;
    std::string session;  ///< In which it is worked on.
    std::string grant;    ///< JSON.
};

inline constexpr const char* kIdPlace = "<id>";
/// Something of another user's that somebody asks for, and the same of which there is none.
struct Hidden {
    std::string name{};
    std::string who{};
    std::string owner{};  ///< Who is shown it.
    std::string method{};
    std::string path{};  ///< With kIdPlace for the id, as the body.
    std::string id{};
    std::string none{};
    std::string body{};
    bool is_on_record = false;  ///< Also for what there is not: to change something is.
};

/// prime acts for u1 and scout for u2; byte, tag, crystal, ledger, audit and mallory for nobody.
struct RightsDesk : GuardedDesk {
    RightsDesk();

    void let_in(const std::string& who, identity::Claims claims);
    /// A request that is to be taken, decided; the body of the answer.
    std::string done(const std::string& who,
                     std::string method,
                     std::string path,
                     std::string body = {},
                     int status = 200);
    std::string written(Errand errand);
    /// Sends it, and has its target take it.
    Held give(Errand errand);
    /// Takes the next that waits for the agent.
    Held take(const std::string& who);

    void expect_refused(const Attack& attack);
    /// The same of a message, by every door that takes it.
    void expect_message_refused(const Lie& lie);
    void expect_hidden(const Hidden& hidden);

    /// Everything that the hub knows, but for how many records it has: mailboxes, open requests,
    /// the trees and their purses, rates, sessions, facts, contexts and what else there is.
    std::string footprint();
    std::uint64_t last_record() { return engine().state().sequence.value; }

    struct Recorded {
        std::string kind;
        std::string data;
    };
    std::vector<Recorded> records_behind(std::uint64_t sequence);
    /// That there is one record behind this one, of this refusal, naming who it was.
    void expect_on_record(std::uint64_t sequence, const Attack& attack);
    void expect_look_on_record(std::uint64_t sequence, const std::string& who);

    std::map<std::string, std::string> names;  ///< Whom each token is of.

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

/// A text member of a JSON object, or what a JSON pointer leads to.
std::string text_at(std::string_view json, std::string_view pointer);

}  // namespace parlance::front_desk
