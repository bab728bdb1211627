// `parlance chat`: sends a user's words and prints the answer of the agents; interactive by line,
// or once.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/cli/json_view.h"
#include "base/json_write.h"

namespace parlance::cli {

namespace {

struct ChatOptions {
    std::string text;
    std::string user;
    std::string session;
    bool is_afresh = false;
    std::uint32_t wait_ms = 60'000;
};

/// The user, for tokens without a user.
std::string default_user() {
    const char* const name = std::getenv("USER");  // NOLINT(concurrency-mt-unsafe): one thread.
    return name != nullptr && *name != '\0' ? name : "me";
}

std::string saying_of(const Context& context, const ChatOptions& options) {
    json::ObjectWriter saying;
    saying.text("text", options.text);
    const bool is_proved = !context.token.empty() || !context.token_file.empty();
    if (!options.user.empty() || !is_proved) {
        saying.text("user_id", options.user.empty() ? default_user() : options.user);
    }
    if (!options.session.empty()) saying.text("session_id", options.session);
    if (options.is_afresh) saying.boolean("afresh", true);
    return saying.done();
}

/// Prints an answer with one line per part.
void print_lines(std::string_view text) {
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        fmt::print("{}\n", harmless(line));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
}

void print_turn(const Context& context, json::Value turn) {
    print_lines(text_member(turn, "answer"));
    const auto question = text_member(turn, "question");
    if (!question.empty()) {
        fmt::print("{}\n", paint(context.out(), Tone::Yellow, harmless(question)));
    }
    const auto options = member(turn, "options");
    std::string spare;
    int number = 0;
    if (options.is_array()) {
        for (json::Elements each{options}; each.next();) {
            fmt::print("  {}. {}\n", ++number, harmless(each.value.text(spare)));
        }
    }
    if (text_member(turn, "status") == "working") {
        fmt::print("{}\n",
                   paint(context.out(),
                         Tone::Dim,
                         fmt::format("later: parlance workflow show {}",
                                     harmless(text_member(turn, "chat_id")))));
    }
}

/// One exchange. The next exchange continues its session.
int say(const Context& context, ChatOptions& options) {
    const std::chrono::milliseconds wait{options.wait_ms};
    auto client = client_of(context, operator_identity(context), wait + std::chrono::seconds{10});
    if (!client) return complain(context, Misused, client.error().message);
    const auto response = client->call("POST",
                                       "/v1/chat",
                                       saying_of(context, options),
                                       {{"Prefer", fmt::format("wait={}", options.wait_ms)}});
    if (!response) return complain(context, response.error());
    if (response->status >= 300 || !json::check(response->body, json::kDepthMadeMax)) {
        return complain(context, *response);
    }
    const auto turn = json::root(response->body);
    options.session = text_member(turn, "session_id");
    if (context.is_json) {
        fmt::print("{}\n", one_line(response->body));
    } else {
        print_turn(context, turn);
    }
    std::fflush(stdout);
    return text_member(turn, "status") == "failed" ? Refused : Done;
}

/// One exchange per line of stdin; returns the exit code of the last failure.
int turn(const Context& context, ChatOptions options) {
    const bool is_asked = ::isatty(STDIN_FILENO) == 1;
    int exit = Done;
    for (;;) {
        if (is_asked) {
            fmt::print("{} ", paint(context.out(), Tone::Bold, "you:"));
            std::fflush(stdout);
        }
        if (!std::getline(std::cin, options.text)) return exit;
        if (options.text.empty()) continue;
        exit = say(context, options);
        if (exit == NoHub || exit == Misused) return exit;
    }
}

}  // namespace

void add_chat(CLI::App& app, Context& context) {
    auto options = std::make_shared<ChatOptions>();
    CLI::App* const verb = add_verb(app,
                                    {"chat",
                                     "Say something as a user, and hear what the agents make of it",
                                     "  parlance chat 'forecast our cash flow and write it up'\n"
                                     "  parlance chat --user ann < questions.txt"});
    verb->add_option(
        "text", options->text, "What the user says; without it, each line of the input");
    verb->add_option("--user", options->user, "Who says it, unless a user's token does");
    verb->add_option("--session", options->session, "The conversation that goes on");
    verb->add_flag("--afresh", options->is_afresh, "Work it out again, even if it is known");
    verb->add_option("--wait", options->wait_ms, "Milliseconds to wait for an answer")
        ->capture_default_str();
    verb->callback(leave(context, [&context, options] {
        return options->text.empty() ? turn(context, *options) : say(context, *options);
    }));
}

}  // namespace parlance::cli
