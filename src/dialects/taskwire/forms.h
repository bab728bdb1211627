// Taskwire's types as forms: what each does, and the shape of its payload.
#pragma once

#include <array>
#include <string_view>

#include "dialects/form.h"
#include "dialects/taskwire/bodies.h"
#include "dialects/taskwire/tables.h"

namespace parlance::dialects::taskwire {

/// The reply has the type of its request; only Parlance uses this name.
inline constexpr std::string_view kHandoffReplyName = "TASK_HANDOFF_RESPONSE";

constexpr const TypeRow& type_row(std::string_view name) {
    std::size_t at = 0;
    while (kTypes[at].name != name) ++at;  // Unknown: no constant expression.
    return kTypes[at];
}

/// The usual reply is TASK_COMPLETE.
constexpr std::string_view special_answer(const TypeRow& row) {
    if (row.answered_by == row.name) return kHandoffReplyName;
    return row.answered_by == "TASK_COMPLETE" ? std::string_view{} : row.answered_by;
}

constexpr Form form_row(std::string_view type, Act act, const Shape* body) {
    const TypeRow& row = type_row(type);
    return {.name = row.name,
            .act = act,
            .intent = row.intent,
            .priority = row.priority,
            .implies_priority = true,
            .shape = &kMessageShape,
            .body = body,
            .word = row.name,
            .answered_by = special_answer(row)};
}

constexpr Form handoff_reply_row() {
    Form form = form_row("TASK_HANDOFF", Act::HandoffReply, &kHandoffResponse);
    form.name = kHandoffReplyName;
    form.intent = Intent::Reply;
    form.body_mark = type_row("TASK_HANDOFF").reply_mark.member;
    form.answered_by = {};
    return form;
}

inline constexpr std::array kFormRows{
    handoff_reply_row(),
    form_row("TASK_ASSIGNMENT", Act::Request, &kAssignment),
    form_row("TASK_HANDOFF", Act::Handoff, &kHandoffRequest),
    form_row("TASK_UPDATE", Act::Event, &kUpdate),
    form_row("TASK_COMPLETE", Act::Reply, &kCompletion),
    form_row("TASK_FAILED", Act::Failure, &kTaskFailure),
    form_row("HELP_REQUEST", Act::Request, &kHelpRequest),
    form_row("HELP_RESPONSE", Act::Reply, &kHelpResponse),
    form_row("STATUS_UPDATE", Act::Status, &kStatusUpdate),
    form_row("HEARTBEAT", Act::Status, nullptr),
    form_row("ERROR_REPORT", Act::Report, &kErrorReport),
};

/// In the order of Act. Another dialect's status becomes progress: STATUS_UPDATE needs more
/// details.
inline constexpr Forms kForms{.type_field = "type",
                              .all = kFormRows,
                              .by_act = {"TASK_ASSIGNMENT",
                                         "TASK_COMPLETE",
                                         "TASK_FAILED",
                                         "TASK_UPDATE",
                                         "ERROR_REPORT",
                                         "TASK_HANDOFF",
                                         kHandoffReplyName,
                                         "TASK_UPDATE",
                                         "TASK_UPDATE"}};

}  // namespace parlance::dialects::taskwire
