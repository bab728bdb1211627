// `parlance convert`: translates a message to a different dialect, as the hub would for an agent.
#include <memory>

#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/draft.h"
#include "app/cli/json_view.h"
#include "app/cli/written.h"
#include "dialects/kessel/block.h"
#include "dialects/translate.h"

namespace parlance::cli {

namespace {

struct ConvertOptions {
    std::string file{};
    std::string from{};
    std::string to{};
    bool is_block = false;
};

dialects::Reading<std::string> convert_one(const Context& context,
                                           const ConvertOptions& options,
                                           const Written& written) {
    const auto named = dialect_option(options.from);
    const auto read = read_as_hub(context, written, named);
    // A mere part of a message can be translated, too.
    if (!read && !as_part(written, read.error().dialect)) return tl::unexpected(read.error());
    // The text as written: with the hub's defaults filled in, a round trip would differ.
    auto text = plain_json(written, named);
    const Dialect from = read ? read->envelope->dialect() : *read.error().dialect;
    const Dialect to = *dialect_option(options.to);
    if (!text || from == to) return text;
    auto current = dialects::in_current_version(from, *text);
    if (!current) return current;
    if (!current->empty()) text = std::move(current);
    // Only names in the message are written; stand-ins for missing names would not go away on the
    // way back. The message's time limit is stated where the target dialect requires a limit.
    const Duration limit = read ? read->timeout.value_or(Duration{}) : Duration{};
    return dialects::translate(
        *text, from, to, {.now = now(), .from = context.agent, .patience = limit});
}

/// One line for programs, several lines for people, a block on request.
Result<std::string> laid_out(const Context& context,
                             const ConvertOptions& options,
                             const std::string& message) {
    if (options.is_block) return dialects::kessel::json_to_block(message);
    const Screen screen = context.out();
    if (context.is_json || !screen.is_terminal) return one_line(message) + "\n";
    return pretty(screen, json::root(message)) + "\n";
}

int convert(const Context& context, const ConvertOptions& options) {
    if (options.is_block && options.to != "kessel") {
        return complain(context,
                        Misused,
                        "only kessel has a block text",
                        "Say --to kessel, or leave out --block.");
    }
    const auto messages = read_written(options.file);
    if (!messages) return complain(context, Misused, messages.error().message);
    int exit = Done;
    std::size_t number = 0;
    for (const Written& written : *messages) {
        ++number;
        const auto made = convert_one(context, options, written);
        if (!made) {
            // On stderr, so that a reader of the messages does not take the fault for a message.
            fmt::print(stderr,
                       "{}",
                       context.is_json ? as_json(made.error(), number) + "\n"
                                       : in_words(context.err(), made.error()));
            exit = Refused;
            continue;
        }
        const auto text = laid_out(context, options, *made);
        if (!text) return complain(context, Refused, text.error().message);
        fmt::print("{}", *text);
    }
    return exit;
}

}  // namespace

void add_convert(CLI::App& app, Context& context) {
    CLI::App* const verb = add_verb(app,
                                    {"convert",
                                     "Say messages in another dialect, without a hub",
                                     "  parlance convert --to kessel message.json\n"
                                     "  parlance convert --to kessel --block message.json"});
    const auto options = std::make_shared<ConvertOptions>();
    verb->add_option("--to", options->to, "The dialect to say them in")
        ->required()
        ->check(CLI::IsMember(dialect_words()));
    verb->add_option("--from", options->from, "Their dialect (default: recognised)")
        ->check(CLI::IsMember(dialect_words()));
    verb->add_flag("--block", options->is_block, "Print kessel's block text");
    verb->add_option("file", options->file, "Where they stand; - for stdin")->required();
    verb->callback(leave(context, options, convert));
}

}  // namespace parlance::cli
