#include "sim/coverage.h"

#include <optional>
#include <utility>

#include "base/match.h"
#include "model/handing.h"
#include "model/human_task.h"

namespace parlance::sim {

namespace {

constexpr std::string_view kTopicPrefix = "topic:";

/// "SendMessage" for SendMessage, read from the compiler's name of this function, so that a new
/// command or event gets a row without being listed here.
template <class T>
constexpr std::string_view type_name() {
    std::string_view name = __PRETTY_FUNCTION__;
    name.remove_prefix(name.find("T = ") + 4);
    name = name.substr(0, name.find_first_of(";]"));
    const auto scope = name.rfind("::");
    return scope == std::string_view::npos ? name : name.substr(scope + 2);
}

template <class Variant, std::size_t... kIndices>
void append_rows(std::vector<CoverageRow>& rows,
                 std::string_view group,
                 std::index_sequence<kIndices...> /*indices*/) {
    (rows.push_back(
         {.group = group, .name = type_name<std::variant_alternative_t<kIndices, Variant>>()}),
     ...);
}

struct FormPrefix {
    std::string_view prefix;
    RecipientForm form;
};
constexpr std::array kFormPrefixes{FormPrefix{kTopicPrefix, RecipientForm::Topic},
                                   FormPrefix{kCapabilityPrefix, RecipientForm::Capability},
                                   FormPrefix{kDomainPrefix, RecipientForm::Domain},
                                   FormPrefix{"call:earliest:", RecipientForm::CallEarliest},
                                   FormPrefix{"call:cheapest:", RecipientForm::CallCheapest},
                                   FormPrefix{"call:ablest:", RecipientForm::CallAblest},
                                   FormPrefix{kAllPrefix, RecipientForm::All}};

RecipientForm form_of(std::string_view recipient) {
    if (recipient == kAnyone) return RecipientForm::Anyone;
    if (is_for_people(recipient)) return RecipientForm::Human;
    for (const auto& row : kFormPrefixes) {
        if (recipient.starts_with(row.prefix)) return row.form;
    }
    return RecipientForm::Agent;
}

}  // namespace

void Coverage::note_accepted(const SendMessage& send) {
    note(form_of(send.envelope->to()));
    if (!send.state.empty()) note(Act::StatePushed);
    if (!send.passing) return;
    note(send.passing->hands_over ? Act::TaskHandedOver : Act::HelpRequested);
    if (!send.passing->fallback.empty()) note(Act::FallbackNamed);
}

void Coverage::note_done(const Command& command, std::string_view caller) {
    match(
        command,
        [&](const StopFleet& stop) {
            note(stop.cancels ? Act::FleetStoppedCancelled : Act::FleetStopped);
        },
        [&](const ChangePolicy&) { note(Act::PolicyChanged); },
        [&](const RemoveAgent& remove) {
            note(remove.agent.value == caller ? Act::AgentRemovedByItself
                                              : Act::AgentRemovedByOperator);
        },
        [](const auto&) {});
}

std::vector<std::uint64_t> Coverage::counts() const {
    std::vector<std::uint64_t> all;
    const auto append = [&](const auto& group) {
        all.insert(all.end(), group.begin(), group.end());
    };
    append(commands_);
    append(events_);
    append(recipients_);
    append(acts_);
    append(faults_);
    return all;
}

std::vector<CoverageRow> coverage_rows() {
    std::vector<CoverageRow> rows;
    append_rows<Command>(rows, "command", std::make_index_sequence<std::variant_size_v<Command>>{});
    for (auto& row : rows) {
        row.is_exempt = row.name == type_name<StartHub>() || row.name == type_name<Tick>();
    }
    append_rows<Event>(rows, "event", std::make_index_sequence<std::variant_size_v<Event>>{});
    for (const auto name : kRecipientFormNames) rows.push_back({"recipient", name});
    for (const auto name : kActNames) rows.push_back({"act", name});
    for (const auto name : kFaultNames) rows.push_back({"fault", name});
    return rows;
}

}  // namespace parlance::sim
