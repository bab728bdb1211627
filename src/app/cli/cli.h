// The verbs of the program, and shared parts: the hub's address, the caller's identity, complaints.
//
// One file per verb. Each verb registers in the command tree and stores its work in Context::run;
// nothing runs before the whole command line is parsed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "app/cli/colour.h"
#include "base/result.h"
#include "sdk/cpp/agent.h"
#include "sdk/cpp/client.h"

namespace parlance::cli {

/// Exit codes. Documented in --help and docs/reference/exit-codes.md.
enum Exit : int {
    Done = 0,
    Refused = 1,   ///< The hub refused.
    Misused = 2,   ///< The command line is invalid.
    NoHub = 3,     ///< No hub answers.
    TimedOut = 4,  ///< The answer did not come in time.
    BadData = 5,   ///< Stored data is damaged.
    LostTail = 6,  ///< The end of the journal is missing.
    Interrupted = 130,
};

struct Context {
    std::string hub = "127.0.0.1:7420";
    std::string agent{};
    std::string operator_name{};
    std::string token{};
    std::string token_file{};
    TlsFiles tls{};
    bool is_json = false;
    bool no_colour = false;
    std::function<int()> run{};  ///< The chosen verb.

    Screen out() const { return screen_of(stdout, no_colour); }
    Screen err() const { return screen_of(stderr, no_colour); }
};

/// A verb's name, its purpose in a line, and its help with an example.
struct VerbText {
    std::string name;
    std::string purpose;
    std::string example;
};

/// Restricts an option to unsigned whole numbers: read as unsigned, -1 would be the maximum.
CLI::Validator whole_number(std::uint64_t least = 0,
                            std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
/// Restricts an option to a range of numbers with fractions.
CLI::Validator number_between(double least, double most);

/// Global options may follow the verb too.
CLI::App* add_verb(CLI::App& parent, const VerbText& text);
/// Stores a verb's work, which runs after parsing.
std::function<void()> leave(Context& context, std::function<int()> work);
template <typename Options, typename Work>
std::function<void()> leave(Context& context, std::shared_ptr<Options> options, Work work) {
    return leave(context, [&context, options, work] { return work(context, *options); });
}
void add_globals(CLI::App& app, Context& context);
/// Parses, runs the verb and returns the exit code; complaints go to stderr.
int run(CLI::App& app, Context& context, int argc, char** argv);

void add_agent(CLI::App& app, Context& context);
void add_agents(CLI::App& app, Context& context);
void add_audit(CLI::App& app, Context& context);
void add_bench(CLI::App& app, Context& context);
void add_cancel(CLI::App& app, Context& context);
void add_capabilities(CLI::App& app, Context& context);
void add_cert(CLI::App& app, Context& context);
void add_chat(CLI::App& app, Context& context);
void add_classify(CLI::App& app, Context& context);
void add_completion(CLI::App& app, Context& context);
void add_convert(CLI::App& app, Context& context);
void add_dead_letters(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_fleet(CLI::App& app, Context& context);
void add_human(CLI::App& app, Context& context);
void add_journal(CLI::App& app, Context& context);
void add_listen(CLI::App& app, Context& context);
void add_policy(CLI::App& app, Context& context);
void add_request(CLI::App& app, Context& context);
void add_schema(CLI::App& app, Context& context);
void add_send(CLI::App& app, Context& context);
void add_serve(CLI::App& app, Context& context);
void add_sim(CLI::App& app, Context& context);
void add_sql(CLI::App& app, Context& context);
void add_stats(CLI::App& app, Context& context);
void add_token(CLI::App& app, Context& context);
void add_trace(CLI::App& app, Context& context);
void add_validate(CLI::App& app, Context& context);
void add_version(CLI::App& app, Context& context);
void add_workflow(CLI::App& app, Context& context);

/// Prints an error line on stderr, and the advice below; returns `exit`.
int complain(const Context& context,
             Exit exit,
             std::string_view what,
             std::string_view advice = {});
/// An Error of the sdk: an absent hub, or a refusal.
int complain(const Context& context, const Error& error);
/// A problem response: its code, the fault, and the advice.
int complain(const Context& context, const sdk::HttpResponse& response);
/// A refusal by its stable code.
int complain(const Context& context, std::string_view code, std::string_view detail);

/// How long agents and senders wait for a hub that is just starting.
inline constexpr std::chrono::milliseconds kWhileItStarts{2000};

/// The hub's address, with the caller's credentials.
Result<sdk::HubAddress> hub_of(const Context& context, std::chrono::milliseconds patience = {});
/// The identity for calls that no agent makes: the operator, unless --as names a different
/// identity.
sdk::Identity operator_identity(const Context& context);
Result<sdk::Client> client_of(const Context& context,
                              sdk::Identity identity,
                              std::chrono::milliseconds timeout = std::chrono::seconds{30},
                              std::chrono::milliseconds patience = {});
/// For one segment of a path.
std::string percent_encoded(std::string_view text);

/// The names of all dialects, for a dialect option.
std::vector<std::string> dialect_words();

/// True when the user agrees. Without a terminal no question is asked and `is_agreed` decides.
bool is_confirmed(const Context& context, std::string_view question, bool is_agreed);

}  // namespace parlance::cli
