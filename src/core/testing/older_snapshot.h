// Snapshots in the forms of older versions, for the tests that read them: runs, delegations and
// human tasks had other encodings.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "core/core.h"
#include "core/words.h"

namespace parlance::core {

// --- form 6: every field, with texts in full -----------------------------------------------------

inline void put_six(std::string& out, const workflow::Run& run, const EnvelopePtr& reply) {
    put(out, run.number.value);
    for (const auto* text : {&run.id,
                             &run.correlation,
                             &run.plan_hash,
                             &run.input,
                             &run.request,
                             &run.constraints,
                             &run.user,
                             &run.session,
                             &run.by}) {
        put(out, *text);
    }
    for (const auto time : {run.started_at, run.deadline, run.due}) put(out, time);
    put(out, run.parent.value << 1U | std::uint64_t{run.is_compensating});
    put(out, run.reason);
    for (const auto& step : run.steps) {
        put(out, static_cast<std::uint64_t>(step.stage));
        put(out, step.items.size());
        for (const auto& item : step.items) {
            // A done item held the whole answer, and the output's position in the answer.
            const bool is_done = item.stage == workflow::Stage::Done;
            put(out, static_cast<std::uint64_t>(item.stage));
            put(out, static_cast<std::uint64_t>(item.path));
            put(out, item.attempt);
            put(out, std::uint64_t{item.is_partial});
            put(out, item.confidence);
            put(out, item.agent);
            put(out, item.request.value);
            put(out, is_done ? reply->body().find(item.output) : 0U);
            put(out, is_done ? item.output.size() : 0U);
            put(out, is_done ? std::string_view{} : std::string_view{item.output});
            put(out, item.code);
            put(out, item.detail);
            put(out, item.due);
            put(out, std::uint64_t{is_done});
            if (is_done) reply->pack(out);
        }
    }
}

inline void put_six(std::string& out, const governor::Root& root) {
    put(out, root.number.value);
    put(out, root.session);
    put(out, root.origin);
    put(out, root.user);
    for (const std::uint64_t number : {std::uint64_t{root.is_by_session},
                                       std::uint64_t{root.count},
                                       std::uint64_t{root.open_children}}) {
        put(out, number);
    }
    put(out, root.ends_at);
    for (const auto number : {root.tokens,
                              root.cost,
                              root.budget.reserved,
                              root.budget.spent,
                              root.cost_budget.reserved,
                              root.cost_budget.spent,
                              std::uint64_t{root.delegation_keys.size()}}) {
        put(out, number);
    }
    for (const auto& key : root.delegation_keys) {
        put(out,
            std::to_string(key.origin) + ' ' + std::to_string(key.target) + ' ' +
                key.objective_hash);
    }
}

inline void put_six(std::string& out, const governor::Delegation& each) {
    for (const std::uint64_t number : {each.request.value,
                                       each.parent.value,
                                       each.root.value,
                                       std::uint64_t{each.origin},
                                       std::uint64_t{each.target},
                                       std::uint64_t{each.depth},
                                       std::uint64_t{each.depth_max}}) {
        put(out, number);
    }
    put(out, each.admitted_at);
    put(out, each.deadline);
    for (const auto* text : {&each.user, &each.session, &each.objective_hash}) put(out, *text);
    for (const std::uint64_t number : {std::uint64_t{0},  // Tools: none.
                                       std::uint64_t{each.limits_tools},
                                       std::uint64_t{each.is_open},
                                       std::uint64_t{each.open_children},
                                       each.tokens,
                                       each.cost,
                                       each.below.reserved,
                                       each.below.spent}) {
        put(out, number);
    }
}

inline void put_six(std::string& out, const people::HumanTask& human_task) {
    const auto& asked = human_task.asked;
    put(out, asked.id.value);
    put(out, asked.request.value);
    for (const auto* text : {&asked.workflow, &asked.step, &asked.role}) put(out, *text);
    put(out, static_cast<std::uint64_t>(asked.kind));
    for (const auto* text : {&asked.question, &asked.context}) put(out, *text);
    put(out, std::uint64_t{0});  // Options: none.
    for (const auto* text : {&asked.asked_by, &asked.user}) put(out, *text);
    put(out, asked.deadline_ms);
    put(out, asked.reminder_ms);
    put(out, asked.escalation);
    put(out, static_cast<std::uint64_t>(asked.if_nobody));
    put(out, asked.approvals_needed);
    put(out, asked.state_version);
    put(out, human_task.asked_at);
    put(out, human_task.term_began);
    put(out, std::uint64_t{human_task.is_reminded});
    put(out, std::uint64_t{human_task.is_escalated});
    put(out, static_cast<std::uint64_t>(human_task.stage));
    put(out, human_task.ended.value);
    put(out, human_task.ended_at);
    put(out, std::uint64_t{0});  // Answers: none.
    put(out, human_task.end_reason);
}

// --- forms 7 and 8: every field, with short texts
// -------------------------------------------------

inline void put_eight(std::string& out, const workflow::Run& run) {
    put(out, run.number.value);
    append_short(out, run.id);
    put(out, std::uint64_t{run.correlation != run.id});
    if (run.correlation != run.id) append_short(out, run.correlation);
    for (const auto* text : {&run.plan_hash,
                             &run.input,
                             &run.request,
                             &run.constraints,
                             &run.user,
                             &run.session,
                             &run.by}) {
        append_short(out, *text);
    }
    for (const auto time : {run.started_at, run.deadline, run.due}) put(out, time);
    put(out, run.parent.value << 1U | std::uint64_t{run.is_compensating});
    append_short(out, run.reason);
    for (const auto& step : run.steps) {
        put(out, static_cast<std::uint64_t>(step.stage));
        put(out, step.items.size());
        for (const auto& item : step.items) {
            for (const std::uint64_t number : {static_cast<std::uint64_t>(item.stage),
                                               static_cast<std::uint64_t>(item.path),
                                               std::uint64_t{item.attempt},
                                               std::uint64_t{item.is_partial},
                                               std::uint64_t{item.confidence},
                                               std::uint64_t{item.agent},
                                               item.request.value,
                                               std::uint64_t{item.output_at},
                                               std::uint64_t{item.output_size}}) {
                put(out, number);
            }
            for (const auto* text : {&item.output, &item.code, &item.detail}) {
                append_short(out, *text);
            }
            put(out, item.due);
            put(out, std::uint64_t{item.reply != nullptr});
            if (item.reply) item.reply->pack(out);
        }
        put(out, step.tokens_used);
    }
}

inline void put_eight(std::string& out, const governor::Root& root) {
    put(out, root.number.value);
    append_short(out, root.session);
    put(out, root.origin);
    append_short(out, root.user);
    put(out, std::uint64_t{root.is_by_session});
    put(out, root.count);
    put(out, root.open_children);
    put(out, root.ends_at);
    for (const auto number : {root.tokens,
                              root.cost,
                              root.budget.reserved,
                              root.budget.spent,
                              root.cost_budget.reserved,
                              root.cost_budget.spent,
                              std::uint64_t{root.delegation_keys.size()}}) {
        put(out, number);
    }
    for (const auto& key : root.delegation_keys) {
        put(out, key.origin);
        put(out, key.target);
        append_short(out, key.objective_hash);
    }
}

inline void put_eight(std::string& out, const governor::Delegation& each) {
    for (const std::uint64_t number : {each.request.value,
                                       each.parent.value,
                                       each.root.value,
                                       std::uint64_t{each.origin},
                                       std::uint64_t{each.target},
                                       std::uint64_t{each.depth},
                                       std::uint64_t{each.depth_max}}) {
        put(out, number);
    }
    put(out, each.admitted_at);
    put(out, each.deadline);
    for (const auto* text : {&each.user, &each.session, &each.objective_hash}) {
        append_short(out, *text);
    }
    put(out, each.tools.size());
    for (const auto& tool : each.tools) append_short(out, tool);
    for (const std::uint64_t number : {std::uint64_t{each.limits_tools},
                                       std::uint64_t{each.is_open},
                                       std::uint64_t{each.open_children},
                                       each.tokens,
                                       each.cost,
                                       each.below.reserved,
                                       each.below.spent,
                                       std::uint64_t{each.children},
                                       std::uint64_t{each.is_granted}}) {
        put(out, number);
    }
}

inline void put_eight(std::string& out, const people::HumanTask& human_task) {
    const auto& asked = human_task.asked;
    put(out, asked.id.value);
    put(out, asked.request.value);
    for (const auto* text : {&asked.workflow, &asked.step, &asked.role}) append_short(out, *text);
    put(out, static_cast<std::uint64_t>(asked.kind));
    append_short(out, asked.question);
    append_short(out, asked.context);
    put(out, asked.options.size());
    for (const auto& option : asked.options) append_short(out, option);
    append_short(out, asked.asked_by);
    append_short(out, asked.user);
    put(out, asked.deadline_ms);
    put(out, asked.reminder_ms);
    append_short(out, asked.escalation);
    put(out, static_cast<std::uint64_t>(asked.if_nobody));
    put(out, asked.approvals_needed);
    put(out, asked.state_version);
    put(out, human_task.asked_at);
    put(out, human_task.term_began);
    put(out, std::uint64_t{human_task.is_reminded});
    put(out, std::uint64_t{human_task.is_escalated});
    put(out, static_cast<std::uint64_t>(human_task.stage));
    put(out, human_task.ended.value);
    put(out, human_task.ended_at);
    put(out, human_task.answers.size());
    for (const auto& answer : human_task.answers) {
        append_short(out, answer.by);
        put(out, static_cast<std::uint64_t>(answer.decision));
        append_short(out, answer.reason);
        append_short(out, answer.content);
        put(out, answer.state_version);
        put(out, std::uint64_t{answer.awaits_another});
        put(out, answer.tokens);
    }
    append_short(out, human_task.end_reason);
    put(out, human_task.news.value);
}

/// Replaces each item's packed bytes in a snapshot by its older form.
template <class ColdStore, class Codec, class PutOlder>
void age(std::string& bytes, const ColdStore& store, const Codec& codec, PutOlder put_older) {
    ASSERT_FALSE(store.empty());
    for (const auto ticket : store.tickets()) {
        std::string packed;
        store.append_packed(packed, ticket, codec);
        std::string older;
        put_older(older, *store.at(ticket, codec));
        ASSERT_NE(bytes.find(packed), std::string::npos);
        bytes.replace(bytes.find(packed), packed.size(), older);
    }
}

}  // namespace parlance::core
