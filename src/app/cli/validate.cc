// `parlance validate`: checks a message as the hub would, and lists all faults.
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/cli.h"
#include "app/cli/written.h"
#include "base/json_write.h"
#include "transport/transport.h"

namespace parlance::cli {

namespace {

struct ValidateOptions {
    std::string file{};
    std::string dialect{};
};

void say_good(const Context& context, const Envelope& envelope) {
    const std::string_view dialect = dialects::name_of(envelope.dialect());
    if (context.is_json) {
        fmt::print("{}\n",
                   json::ObjectWriter{}
                       .boolean("ok", true)
                       .text("dialect", dialect)
                       .text("type", envelope.type())
                       .text("id", envelope.id())
                       .done());
        return;
    }
    const std::string ok = paint(context.out(), Tone::Green, "ok");
    fmt::print("{} {} {}\n", ok, dialect, harmless(envelope.type()));
}

void say_part(const Context& context, Dialect dialect, const dialects::Part& part) {
    const auto name = dialects::name_of(dialect);
    const auto lacks = fmt::format("{}", fmt::join(part.lacks, ", "));
    if (context.is_json) {
        fmt::print("{}\n",
                   json::ObjectWriter{}
                       .boolean("ok", true)
                       .text("dialect", name)
                       .text("type", part.type)
                       .boolean("is_part", true)
                       .text("lacks", lacks)
                       .done());
        return;
    }
    const std::string ok = paint(context.out(), Tone::Green, "ok");
    fmt::print("{} {} {}, as a part: to send it by itself say {}\n", ok, name, part.type, lacks);
}

/// The hub's default bound on a message body.
std::optional<dialects::Rejection> too_large(const Written& written) {
    constexpr std::size_t kBytesMax = transport::DoorLimits{}.body_bytes_max;
    if (written.text.size() <= kBytesMax) return {};
    return dialects::Rejection{
        .refusal = Refusal::MessageTooLarge,
        .problems = {
            {.rule = fmt::format("must be at most {} bytes long (body_bytes_max), and has {}",
                                 kBytesMax,
                                 written.text.size())}}};
}

void say_bad(const Context& context, const dialects::Rejection& rejection) {
    if (context.is_json) {
        fmt::print("{}\n", as_json(rejection));
    } else {
        fmt::print("{}", in_words(context.out(), rejection));
    }
}

int validate(const Context& context, const ValidateOptions& options) {
    const auto messages = read_written(options.file);
    if (!messages) return complain(context, Misused, messages.error().message);
    int exit = Done;
    for (const Written& written : *messages) {
        if (const auto refused = too_large(written)) {
            say_bad(context, *refused);
            exit = Refused;
            continue;
        }
        const auto reading = read_as_hub(context, written, dialect_option(options.dialect));
        if (reading) {
            say_good(context, *reading->envelope);
            continue;
        }
        if (const auto part = as_part(written, reading.error().dialect)) {
            say_part(context, *reading.error().dialect, *part);
            continue;
        }
        exit = Refused;
        say_bad(context, reading.error());
    }
    return exit;
}

}  // namespace

void add_validate(CLI::App& app, Context& context) {
    CLI::App* const verb = add_verb(app,
                                    {"validate",
                                     "Say what is wrong with messages, without a hub",
                                     "  parlance validate message.json\n"
                                     "  generate-messages | parlance validate --dialect sam -"});
    const auto options = std::make_shared<ValidateOptions>();
    verb->add_option("file", options->file, "Where they stand; - for stdin")->required();
    verb->add_option("--dialect", options->dialect, "Their dialect (default: recognised)")
        ->check(CLI::IsMember(dialect_words()));
    verb->callback(leave(context, options, validate));
}

}  // namespace parlance::cli
