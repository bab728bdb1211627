#include "app/cli/cli.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "app/cli/interrupt.h"
#include "app/cli/json_view.h"
#include "base/json.h"
#include "base/read_file.h"
#include "dialects/dialect_row.h"
#include "model/refusal.h"

namespace parlance::cli {

namespace {

constexpr std::string_view kExitCodes =
    "Exit codes: 0 done, 1 the hub refused, 2 the command makes no sense, 3 no hub answers,\n"
    "            4 timed out, 5 damaged data found, 130 interrupted.";

std::string user_name() {
    const char* const user = std::getenv("USER");
    return user != nullptr && *user != '\0' ? user : "operator";
}

constexpr std::size_t kHelpWidth = 100;
constexpr std::size_t kHelpColumn = 34;

/// Breaks between words, so that no line is wider than `width`.
std::string wrapped(std::string_view text, std::size_t width) {
    std::string out;
    std::size_t used = 0;
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        if (used > 0 && used + 1 + word.size() > width) {
            out += '\n';
            used = 0;
        } else if (used > 0) {
            out += ' ';
            ++used;
        }
        out += word;
        used += word.size();
    }
    return out;
}

/// CLI11's help page, in a width that fits a terminal.
class Help : public CLI::Formatter {
  public:
    Help() { column_width(kHelpColumn); }
    std::string make_option_desc(const CLI::Option* option) const override {
        return wrapped(option->get_description(), kHelpWidth - kHelpColumn);
    }
    std::string make_subcommand(const CLI::App* verb) const override {
        std::stringstream out;
        CLI::detail::format_help(out,
                                 verb->get_display_name(true),
                                 wrapped(verb->get_description(), kHelpWidth - kHelpColumn),
                                 kHelpColumn);
        return out.str();
    }
};

/// "`parlance journal show` needs 'range': SEQ, SEQ..SEQ or SEQ..".
std::string need(const CLI::App& verb, const std::string& path, const std::string& name) {
    const CLI::Option* const option = verb.get_option_no_throw(name);
    if (option == nullptr) return name + " is required";
    return fmt::format(
        fmt::runtime(option->get_positional() ? "`{}` needs '{}': {}" : "`{}` needs {}: {}"),
        path,
        name,
        option->get_description());
}

/// Rewords CLI11's error; only its first line is useful.
int complain_about_usage(const CLI::App& app,
                         const Context& context,
                         const CLI::ParseError& error) {
    constexpr std::string_view kRequired = " is required";
    std::string what = error.what();
    what = what.substr(0, what.find('\n'));
    std::string path = "parlance";
    const CLI::App* verb = &app;
    while (!verb->get_subcommands().empty()) {
        verb = verb->get_subcommands().front();
        path += " " + verb->get_name();
    }
    const auto strays = app.remaining(true);
    const bool lacks = error.get_name() == "RequiredError";
    // For stray words after a verb, get_name() is the verb's name, so the exit code is tested.
    const bool has_strays = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    if (!strays.empty() && (lacks || has_strays)) {
        const auto option = std::ranges::find_if(
            strays, [](const std::string& word) { return word.size() > 1 && word[0] == '-'; });
        if (option != strays.end()) {
            what = "there is no option '" + *option + "' here";
        } else if (lacks) {
            what = "there is no verb '" + strays.front() + "' here";
        } else {
            what = "'" + strays.front() + "' is one word too many here";
        }
    } else if (lacks && what.ends_with(kRequired)) {
        what = need(*verb, path, what.substr(0, what.size() - kRequired.size()));
    }
    return complain(context, Misused, what, "See `" + path + " --help`.");
}

/// Overwrites a typed secret in argv, where every user of the machine could list it.
void blot_out(const std::string& secret, int argc, char** argv) {
    if (secret.empty()) return;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word{argv[i]};
        const auto at = word.find(secret);
        if (at != std::string_view::npos) std::memset(argv[i] + at, '*', secret.size());
    }
}

/// True if the reader closed the other end of a pipe: output is no longer wanted.
bool is_left_by_its_reader(int descriptor) {
    pollfd item{.fd = descriptor, .events = POLLOUT, .revents = 0};
    return ::poll(&item, 1, 0) == 1 && (item.revents & POLLERR) != 0;
}

/// Flushes stdout and reports lost output: a script must know that the output arrived.
int ended(const Context& context, int exit) {
    errno = 0;
    const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    const int why = errno;
    if (is_written || why == EPIPE || is_left_by_its_reader(STDOUT_FILENO)) return exit;
    const auto words = why == 0 ? std::string{} : fmt::format(": {}", std::strerror(why));
    complain(context, Refused, "what there was to say could not be written" + words);
    return exit == Done ? Refused : exit;
}

}  // namespace

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
    const bool has_most = most != std::numeric_limits<std::uint64_t>::max();
    const auto range =
        has_most ? fmt::format("from {} to {}", least, most) : fmt::format("from {}", least);
    return {[=](std::string& text) {
                std::uint64_t value = 0;
                const auto* const end = text.data() + text.size();
                const auto read = std::from_chars(text.data(), end, value);
                const bool fits =
                    read.ec == std::errc{} && read.ptr == end && value >= least && value <= most;
                return fits ? std::string{}
                            : fmt::format("must be a whole number {}, not '{}'", range, text);
            },
            has_most ? fmt::format("in [{} - {}]", least, most) : std::string{}};
}

CLI::Validator number_between(double least, double most) {
    return {[=](std::string& text) {
                char* end = nullptr;
                const double value = std::strtod(text.c_str(), &end);
                const bool is_number = !text.empty() && *end == '\0';
                return is_number && value >= least && value <= most
                           ? std::string{}
                           : fmt::format(
                                 "must be a number from {} to {}, not '{}'", least, most, text);
            },
            fmt::format("in [{} - {}]", least, most)};
}

CLI::App* add_verb(CLI::App& parent, const VerbText& text) {
    CLI::App* const verb = parent.add_subcommand(text.name, text.purpose);
    verb->fallthrough();
    if (!text.example.empty()) verb->footer("Example:\n" + text.example);
    return verb;
}

std::function<void()> leave(Context& context, std::function<int()> work) {
    return [&context, work = std::move(work)] { context.run = work; };
}

void add_globals(CLI::App& app, Context& context) {
    app.name("parlance");
    app.description(
        "Parlance: a durable message hub for AI agents.\n"
        "Start one with `parlance serve --dev`, then talk to it from another terminal.");
    app.footer(std::string(kExitCodes));
    app.require_subcommand(1);
    app.formatter(std::make_shared<Help>());
    app.add_option("--hub,--url", context.hub, "Where the hub is, HOST:PORT or https://HOST:PORT")
        ->envname("PARLANCE_HUB")
        ->capture_default_str();
    app.add_option("--as", context.agent, "The agent that speaks")->envname("PARLANCE_AGENT");
    app.add_option("--operator", context.operator_name, "The operator who speaks");
    app.add_option("--token", context.token, "What proves who speaks; better in PARLANCE_TOKEN")
        ->envname("PARLANCE_TOKEN");
    app.add_option("--token-file", context.token_file, "The same in a file")
        ->envname("PARLANCE_TOKEN_FILE")
        ->type_name("FILE");
    app.add_option("--ca", context.tls.authority, "Whom to trust as a hub over https")
        ->envname("PARLANCE_CA")
        ->type_name("FILE");
    app.add_option("--cert", context.tls.certificate, "The agent's certificate")
        ->envname("PARLANCE_CERT")
        ->type_name("FILE");
    app.add_option("--key", context.tls.key, "The key of --cert")
        ->envname("PARLANCE_KEY")
        ->type_name("FILE");
    app.add_flag("--json", context.is_json, "Print JSON for programs, one object a line");
    app.add_flag("--no-color,--no-colour", context.no_colour, "Print without colours");
}

int run(CLI::App& app, Context& context, int argc, char** argv) {
    try {
        app.parse(argc, argv);
        blot_out(context.token, argc, argv);
    } catch (const CLI::Success& success) {
        return ended(context, app.exit(success));
    } catch (const CLI::ParseError& error) {
        return complain_about_usage(app, context, error);
    }
    leave_when_interrupted();
    if (!context.run) return Misused;
    try {
        return ended(context, context.run());
        // More output than the buffer holds, and no place to write.
    } catch (const std::system_error& error) {
        return complain(context, Refused, error.what());
    }
}

int complain(const Context& context, Exit exit, std::string_view what, std::string_view advice) {
    const Screen screen = context.err();
    fmt::print(stderr, "{} {}\n", paint(screen, Tone::Red, "parlance:"), harmless(what));
    if (!advice.empty()) {
        fmt::print(stderr, "  {} {}\n", paint(screen, Tone::Dim, "→"), harmless(advice));
    }
    return exit;
}

int complain(const Context& context, const Error& error) {
    const Exit exit = error.fault == Fault::Unavailable ? NoHub : Refused;
    // The sdk separates its advice by a semicolon.
    const std::size_t semicolon = error.message.find("; ");
    if (semicolon == std::string::npos) return complain(context, exit, error.message);
    std::string advice = error.message.substr(semicolon + 2);
    advice.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(advice.front())));
    return complain(context, exit, error.message.substr(0, semicolon), advice + ".");
}

int complain(const Context& context, const sdk::HttpResponse& response) {
    const std::string body = response.body;
    if (!json::check(body) || !json::root(body).is_object()) {
        return complain(context,
                        Refused,
                        fmt::format("the hub answered {} without saying why", response.status),
                        "Is it a Parlance hub that answers at " + context.hub + "?");
    }
    const json::Value problem = json::root(body);
    if (context.is_json) fmt::print("{}\n", one_line(body));
    return complain(context, text_member(problem, "code"), text_member(problem, "detail"));
}

int complain(const Context& context, std::string_view code, std::string_view detail) {
    const Exit exit = code == "REQUEST_TIMED_OUT" ? TimedOut : Refused;
    // The hub joins fault and advice in one text; the table knows the advice.
    std::string_view advice;
    const auto row = std::ranges::find(kRefusals, code, &RefusalRow::code);
    if (row != kRefusals.end() && detail.ends_with(row->advice)) {
        advice = row->advice;
        detail.remove_suffix(advice.size());
    }
    while (detail.ends_with(' ') || detail.ends_with('.')) detail.remove_suffix(1);
    return complain(
        context, exit, fmt::format("{}{}{}", code, detail.empty() ? "" : ": ", detail), advice);
}

Result<sdk::HubAddress> hub_of(const Context& context, std::chrono::milliseconds patience) {
    auto hub = TRY(sdk::HubAddress::parse(context.hub));
    hub.patience = patience;
    hub.tls = context.tls;
    hub.token = context.token;
    if (context.tls.certificate.empty() != context.tls.key.empty()) {
        return fail(Fault::Malformed, "--cert and --key belong together");
    }
    if (!context.token.empty() || context.token_file.empty()) return hub;
    std::istringstream{TRY(read_file(context.token_file))} >> hub.token;
    if (!hub.token.empty()) return hub;
    return fail(Fault::Malformed, "there is no token in '" + context.token_file + "'");
}

sdk::Identity operator_identity(const Context& context) {
    if (!context.operator_name.empty()) return {.operator_name = context.operator_name};
    if (!context.agent.empty()) return {.agent = context.agent};
    return {.operator_name = user_name()};
}

Result<sdk::Client> client_of(const Context& context,
                              sdk::Identity identity,
                              std::chrono::milliseconds timeout,
                              std::chrono::milliseconds patience) {
    auto address = TRY(hub_of(context, patience));
    return sdk::Client{std::move(address), std::move(identity), timeout};
}

std::string percent_encoded(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_plain =
            std::isalnum(byte) != 0 || std::string_view{"-._~"}.find(c) != std::string_view::npos;
        if (is_plain) {
            out.push_back(c);
        } else {
            out += fmt::format("%{:02X}", byte);
        }
    }
    return out;
}

std::vector<std::string> dialect_words() {
    std::vector<std::string> words;
    for (const dialects::DialectRow* row : dialects::all_rows()) words.emplace_back(row->name);
    return words;
}

bool is_confirmed(const Context& context, std::string_view question, bool is_agreed) {
    if (is_agreed || ::isatty(STDIN_FILENO) == 0) return is_agreed;
    fmt::print(stderr, "{} [y/N] ", paint(context.err(), Tone::Bold, harmless(question)));
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace parlance::cli
