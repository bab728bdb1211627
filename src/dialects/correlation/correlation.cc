#include "dialects/correlation/correlation.h"

#include <algorithm>

#include <fmt/format.h>

#include "dialects/correlation/tables.h"
#include "dialects/tables.h"

namespace parlance::dialects::correlation {

namespace {

/// An agent's part among the document's agents, by registered role, else by name. Empty for agents
/// unknown to the document.
std::string_view part_of(std::string_view agent, const Reception& reception) {
    const auto role = reception.role_of == nullptr ? std::nullopt : (*reception.role_of)(agent);
    const auto part = std::ranges::find(kAgents, role.value_or(agent));
    return part == kAgents.end() ? std::string_view{} : *part;
}

/// One end of a message: the agent there, and the document's agent permitted there.
struct End {
    const FieldRule& field;
    json::Value said;
    std::string_view permitted;  ///< Empty: any.
};

std::string in_words(const TypeRow& type) {
    const auto or_any = [](std::string_view agent) {
        return agent.empty() ? std::string_view{"any agent"} : agent;
    };
    return fmt::format("{} goes from {} to {}", type.name, or_any(type.from), or_any(type.to));
}

/// C3: agents unknown to the document may be at either end.
void hold_to_direction(const End& end,
                       const TypeRow& type,
                       const Reception& reception,
                       Problems& problems) {
    std::string spare;
    const std::string_view part = part_of(short_text(end.said, spare), reception);
    if (end.permitted.empty() || part.empty() || part == end.permitted) return;
    problems.push_back(
        {.pointer = fmt::format("/{}", end.field.name),
         .value = shortened(end.said.raw),
         .rule = fmt::format("must be {} and not {}: {}", end.permitted, part, in_words(type)),
         .section = std::string{kTypesSection}});
}

Refusal forbid(const Form& form,
               const Meaning& meaning,
               const Reception& reception,
               Problems& problems) {
    const auto type = std::ranges::find(kTypes, form.name, &TypeRow::name);
    if (type == kTypes.end()) return Refusal::None;
    hold_to_direction({kAgent, meaning[Slot::From], type->from}, *type, reception, problems);
    hold_to_direction({kTargetAgent, meaning[Slot::To], type->to}, *type, reception, problems);
    return problems.empty() ? Refusal::None : Refusal::RouteNotPermitted;
}

/// True if the hub knows the agent to have another dialect, or the name to be no agent's.
bool is_foreign(std::string_view agent, const Reception& reception) {
    const auto role = (*reception.role_of)(agent);
    return role && role->empty();
}

std::string forbid_between(const DialectRow& row,
                           const Envelope& message,
                           const Reception& reception) {
    if (reception.role_of == nullptr || is_foreign(message.to(), reception) ||
        is_foreign(message.from(), reception)) {
        return {};
    }
    const Form* const form = form_shown(row, message);
    if (form == nullptr) return {};
    const auto type = std::ranges::find(kTypes, form->name, &TypeRow::name);
    if (type == kTypes.end()) return {};
    const auto may_stand = [&](std::string_view agent, std::string_view permitted) {
        const std::string_view part = part_of(agent, reception);
        return permitted.empty() || part.empty() || part == permitted;
    };
    const bool is_right =
        may_stand(message.from(), type->from) && may_stand(message.to(), type->to);
    if (is_right) return {};
    return fmt::format("must go in a direction that correlation permits between its agents: {}",
                       in_words(*type));
}

}  // namespace

constinit const DialectRow kRow{
    .dialect = Dialect::Correlation,
    .name = "correlation",
    .document = kDocument,
    .marks = kMarks,
    .forms = &kForms,
    .forbid = forbid,
    .forbid_between = forbid_between,
    .read_message = read_by_tables,
    .read_reply = read_reply_by_tables,
    .write_failure = write_failure_by_tables,
    .write_refusal = write_refusal_by_tables,
    .with_defaults = with_ids_by_tables,
};

}  // namespace parlance::dialects::correlation
