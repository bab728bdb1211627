#include "app/cli/written.h"

#include <fmt/format.h>

#include "app/cli/draft.h"
#include "base/json_write.h"

namespace parlance::cli {

namespace {

/// One message per line; empty if the first line is no complete JSON.
std::vector<Written> read_lines(std::string_view text) {
    std::vector<Written> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = json::root(text.substr(0, end)).raw;
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty()) continue;
        if (lines.empty() && !json::check(line)) return {};
        lines.push_back({.text = std::string{line}});
    }
    return lines;
}

std::vector<Written> read_json(const std::string& text) {
    if (!json::check(text)) {
        auto lines = read_lines(text);
        if (lines.size() > 1) return lines;
        return {{.text = text}};
    }
    const json::Value root = json::root(text);
    if (!root.is_array()) return {{.text = std::string{root.raw}}};
    std::vector<Written> items;
    for (json::Elements elements{root}; elements.next();) {
        items.push_back({.text = std::string{elements.value.raw}});
    }
    return items;
}

dialects::Rejection malformed(std::string why, std::optional<Dialect> dialect) {
    return {.refusal = Refusal::MessageMalformed,
            .dialect = dialect,
            .problems = {{.rule = std::move(why)}}};
}

}  // namespace

Result<std::vector<Written>> read_written(const std::string& file) {
    const auto text = TRY(read_payload(file == "-" ? file : "@" + file));
    if (json::root(text).raw.empty()) {
        return fail(Fault::NotFound, fmt::format("there is no message in '{}'", file));
    }
    if (dialects::is_text_form(text)) return std::vector{Written{text, Dialect::Kessel}};
    auto messages = read_json(text);
    if (!messages.empty()) return messages;
    return fail(Fault::NotFound,
                fmt::format("there is no message in '{}': its list is empty", file));
}

dialects::Reading<std::string> plain_json(const Written& written, std::optional<Dialect> named) {
    if (written.dialect == Dialect::Kessel) {
        auto plain = dialects::from_text_form(written.text);
        if (plain) return std::move(plain->json);
        return tl::unexpected(
            malformed("is no block that can be read: " + plain.error().message, written.dialect));
    }
    if (const auto checked = json::check(written.text); !checked) {
        return tl::unexpected(malformed("cannot be read: " + checked.error().message, named));
    }
    return written.text;
}

dialects::Reading<SendMessage> read_as_hub(const Context& context,
                                           const Written& written,
                                           std::optional<Dialect> named) {
    const auto text = plain_json(written, named);
    if (!text) return tl::unexpected(text.error());
    const std::string id = fresh_id();
    return dialects::read_message(
        *text,
        {.dialect = written.dialect ? written.dialect : named,
         .caller = context.agent.empty() ? std::string_view{"caller"} : context.agent,
         .fresh_id = id,
         .now = now()});
}

std::optional<dialects::Part> as_part(const Written& written, std::optional<Dialect> dialect) {
    if (!dialect) return {};
    const auto text = plain_json(written, dialect);
    if (!text) return {};
    return dialects::read_part(*dialect, *text);
}

std::string in_words(const Screen& screen, const dialects::Rejection& rejection) {
    std::string out = paint(screen, Tone::Red, refusal_row(rejection.refusal).code);
    if (rejection.dialect) out += fmt::format(" in {}", dialects::name_of(*rejection.dialect));
    for (const dialects::Problem& problem : rejection.problems) {
        const std::string_view place = problem.pointer.empty() ? std::string_view{"the message"}
                                                               : std::string_view{problem.pointer};
        out += fmt::format(
            "\n  {} {}", paint(screen, Tone::Bold, harmless(place)), harmless(problem.rule));
        if (!problem.value.empty()) out += fmt::format(", not {}", harmless(problem.value));
        if (!problem.section.empty()) {
            out += paint(screen, Tone::Dim, fmt::format(" ({})", problem.section));
        }
    }
    return out + "\n";
}

std::string as_json(const dialects::Rejection& rejection, std::size_t number) {
    std::string problems = "[";
    for (const dialects::Problem& problem : rejection.problems) {
        if (problems.size() > 1) problems += ',';
        problems += json::ObjectWriter{}
                        .text("pointer", problem.pointer)
                        .text("value", problem.value)
                        .text("rule", problem.rule)
                        .text("section", problem.section)
                        .done();
    }
    json::ObjectWriter out;
    out.boolean("ok", false).text("code", refusal_row(rejection.refusal).code);
    if (number > 0) out.integer("message", static_cast<std::int64_t>(number));
    if (rejection.dialect) out.text("dialect", dialects::name_of(*rejection.dialect));
    if (!rejection.id.empty()) out.text("id", rejection.id);
    return out.raw("problems", problems + "]").done();
}

std::optional<Dialect> dialect_option(const std::string& name) {
    return name.empty() ? std::nullopt : dialects::dialect_named(name);
}

}  // namespace parlance::cli
