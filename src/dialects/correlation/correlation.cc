#include "dialects/correlation/correlation.h"

#include <algorithm>

#include <fmt/format.h>

#include "dialects/correlation/tables.h"
#include "dialects/tables.h"

namespace parlance::dialects::correlation {

namespace {

/// C3: whether this end may be this agent. Agents that the document does not know have no end.
void hold_to_direction(json::Value said,
                       std::string_view permitted,
                       std::string_view field,
                       std::string_view type,
                       Problems& problems) {
    std::string spare;
    const std::string_view agent = short_text(said, spare);
    const bool is_bound = std::ranges::find(kAgents, agent) != kAgents.end();
    if (permitted.empty() || !is_bound || agent == permitted) return;
    problems.push_back({.pointer = fmt::format("/{}", field),
                        .value = shortened(said.raw),
                        .rule = fmt::format("must be {} in a {}", permitted, type),
                        .section = std::string{kTypesSection}});
}

Refusal forbid(const Form& form, const Meaning& meaning, Problems& problems) {
    const auto type = std::ranges::find(kTypes, form.name, &TypeRow::name);
    if (type == kTypes.end()) return Refusal::None;
    hold_to_direction(meaning[Slot::From], type->from, kAgent.name, type->name, problems);
    hold_to_direction(meaning[Slot::To], type->to, kTargetAgent.name, type->name, problems);
    return problems.empty() ? Refusal::None : Refusal::RouteNotPermitted;
}

}  // namespace

constinit const DialectRow kRow{
    .dialect = Dialect::Correlation,
    .name = "correlation",
    .document = kDocument,
    .marks = kMarks,
    .forms = &kForms,
    .forbid = forbid,
    .read_message = read_by_tables,
    .read_reply = read_reply_by_tables,
    .write_failure = write_failure_by_tables,
    .write_refusal = write_refusal_by_tables,
};

}  // namespace parlance::dialects::correlation
