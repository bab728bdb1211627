#include "dialects/delegation/delegation.h"

#include <fmt/format.h>

#include "dialects/delegation/tables.h"
#include "dialects/splice.h"
#include "dialects/tables.h"

namespace parlance::dialects::delegation {

void check_token_usage(json::Value usage, std::string_view pointer, Problems& problems) {
    const auto count = [&](std::string_view name) -> std::optional<std::int64_t> {
        const auto value = json::find(usage, name);
        return value ? value->integer() : std::nullopt;
    };
    const auto prompt = count("prompt");
    const auto completion = count("completion");
    const auto total = count("total");
    if (!prompt || !completion || !total) return;
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(*prompt, *completion, &sum) && sum == *total) return;
    problems.push_back({.pointer = fmt::format("{}/total", pointer),
                        .value = std::to_string(*total),
                        .rule = fmt::format("must be prompt and completion together, {}", sum),
                        .section = std::string{kResponseSection}});
}

Reading<std::string> in_current_version(std::string_view text) {
    auto made = made_current(kReadVersions, text, json::root(text));
    if (!made) made.error().dialect = Dialect::Delegation;
    if (made && made->empty()) made->assign(text);
    return made;
}

Problems check_headers(json::Value request, const HeaderOf& header) {
    Problems problems;
    for (const HeaderRow& row : kHeaders) {
        const std::string_view said = header(row.header);
        const auto value = json::find(request, row.field);
        if (said.empty() || !value || value->is_null()) continue;
        std::string spare;
        const std::string_view written = value->is_string() ? value->text(spare) : value->raw;
        if (said == written) continue;
        problems.push_back({.pointer = fmt::format("/{}", row.field),
                            .value = shortened(value->raw),
                            .rule = fmt::format(
                                "must be what the header {} says, {}", row.header, shortened(said)),
                            .section = "Request Headers (HTTP)"});
    }
    return problems;
}

std::string with_headers(json::Value request, const HeaderOf& header) {
    std::vector<NewMember> members;
    for (const HeaderRow& row : kHeaders) {
        const std::string_view said = header(row.header);
        const auto value = json::find(request, row.field);
        if (said.empty() || (value && !value->is_null())) continue;
        // A depth is a number; the field's rule refuses any other value.
        const bool is_number = row.is_number && json::check(said) && json::Value{said}.integer();
        members.push_back({row.field, {}});
        if (is_number) {
            members.back().json = said;
        } else {
            json::append_quoted(members.back().json, said);
        }
    }
    Splice splice{request.raw};
    splice.set(request, members);
    return splice.is_empty() ? std::string{request.raw} : splice.done();
}

constinit const DialectRow kRow{
    .dialect = Dialect::Delegation,
    .name = "delegation",
    .document = kDocument,
    .marks = kMarks,
    .forms = &kForms,
    .versions = &kReadVersions,
    .hints = kHints,
    .threads_sessions = true,
    .read_message = read_by_tables,
    .read_reply = read_reply_by_tables,
    .write_failure = write_failure_by_tables,
    .write_refusal = write_refusal_by_tables,
    .with_defaults = with_ids_by_tables,
};

}  // namespace parlance::dialects::delegation
