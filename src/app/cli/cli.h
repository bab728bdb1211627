// The verbs of the program, and what they share: where the hub is, who we are, how to say no.
//
// One file per verb. Each adds itself to the command tree and leaves its work in Context::run;
// nothing is done before the whole command line has been understood.
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

/// What the program ends with. Documented in --help and docs/operating.md.
enum Exit : int {
    Done = 0,
    Refused = 1,   ///< The hub said no.
    Misused = 2,   ///< The command line makes no sense.
    NoHub = 3,     ///< Nobody answers.
    TimedOut = 4,  ///< The answer did not come in time.
    BadData = 5,   ///< Something stored is damaged.
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
    std::function<int()> run{};  ///< The verb that was asked for.

    Screen out() const { return screen_of(stdout, no_colour); }
    Screen err() const { return screen_of(stderr, no_colour); }
};

/// A verb's place in the tree: its name, its purpose in a line, and its help with an example.
struct VerbText {
    std::string name;
    std::string purpose;
    std::string example;
};

/// Holds an option to whole numbers without a sign: read as unsigned, -1 would be the greatest.
CLI::Validator whole_number(std::uint64_t least = 0,
                            std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
/// The same for a number that may have a fraction.
CLI::Validator number_between(double least, double most);

/// Options of the whole program may follow the verb too.
CLI::App* add_verb(CLI::App& parent, const VerbText& text);
/// What a verb does is done after everything was parsed.
std::function<void()> leave(Context& context, std::function<int()> work);
template <typename Options, typename Work>
std::function<void()> leave(Context& context, std::shared_ptr<Options> options, Work work) {
    return leave(context, [&context, options, work] { return work(context, *options); });
}
void add_globals(CLI::App& app, Context& context);
/// Parses, runs the verb and gives the exit code; complaints go to stderr.
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

/// One clear line on stderr, and under it what to do; gives `exit` back.
int complain(const Context& context,
             Exit exit,
             std::string_view what,
             std::string_view advice = {});
/// An Error of the sdk: a hub that is not there, or one that said no.
int complain(const Context& context, const Error& error);
/// An answer that is a problem: its code, what is wrong, and what to do.
int complain(const Context& context, const sdk::HttpResponse& response);
/// A refusal by its stable code.
int complain(const Context& context, std::string_view code, std::string_view detail);

/// How long agents and those who write to them look out for a hub that is just being started.
inline constexpr std::chrono::milliseconds kWhileItStarts{2000};

/// Where the hub is, and what proves to it who we are.
Result<sdk::HubAddress> hub_of(const Context& context, std::chrono::milliseconds patience = {});
/// Who speaks in calls that are not an agent's own: the operator, unless --as says otherwise.
sdk::Identity operator_identity(const Context& context);
Result<sdk::Client> client_of(const Context& context,
                              sdk::Identity identity,
                              std::chrono::milliseconds timeout = std::chrono::seconds{30},
                              std::chrono::milliseconds patience = {});
/// For one segment of a path.
std::string percent_encoded(std::string_view text);

/// The names of all dialects, for an option that takes one.
std::vector<std::string> dialect_words();

/// True when the user agrees. Without a terminal nobody is asked and `is_agreed` decides.
bool is_confirmed(const Context& context, std::string_view question, bool is_agreed);

}  // namespace parlance::cli
