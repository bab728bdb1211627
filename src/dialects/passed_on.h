// What one agent passes on to the next, where a dialect has no fields of its own for it: the
// context that goes along is any object, and these are its members that other dialects have fields
// for.
#pragma once

#include <array>

#include "dialects/fields.h"

namespace parlance::dialects {

// Ours, and so never insisted on: each may be anything.
inline constexpr FieldRule kPassedPosition{
    .name = "workflow_position", .slot = Slot::Position, .section = kExtension};
inline constexpr FieldRule kPassedHistory{
    .name = "history_reference", .slot = Slot::History, .section = kExtension};
inline constexpr FieldRule kPassedDecisions{
    .name = "decisions", .slot = Slot::Decisions, .section = kExtension};
inline constexpr FieldRule kPassedFindings{
    .name = "findings", .slot = Slot::Findings, .section = kExtension};
inline constexpr FieldRule kPassedData{
    .name = "data", .slot = Slot::Gathered, .section = kExtension};
inline constexpr FieldRule kPassedAssumptions{
    .name = "assumptions", .slot = Slot::Assumptions, .section = kExtension};
inline constexpr FieldRule kPassedCapability{
    .name = "target_capability", .slot = Slot::Capability, .section = kExtension};
inline constexpr FieldRule kPassedIntents{
    .name = "secondary_intents", .slot = Slot::SecondaryIntents, .section = kExtension};
inline constexpr FieldRule kPassedTargets{
    .name = "secondary_targets", .slot = Slot::SecondaryTargets, .section = kExtension};

inline constexpr std::array kPassedOnFields{
    FieldRule{.name = "constraints", .slot = Slot::Constraints, .section = kExtension},
    FieldRule{.name = "prior_agents", .slot = Slot::PriorAgents, .section = kExtension},
    FieldRule{.name = "next_steps", .slot = Slot::NextSteps, .section = kExtension},
    kPassedPosition,
    kPassedHistory,
    kPassedDecisions,
    kPassedFindings,
    kPassedData,
    kPassedAssumptions,
    kPassedCapability,
    kPassedIntents,
    kPassedTargets,
};
/// Of a field of Slot::Context. What stands there as a whole is told as a whole, with what was said
/// beside it.
inline constexpr Shape kPassedOn{
    .name = "context", .section = kExtension, .fields = kPassedOnFields, .is_soft = true};

}  // namespace parlance::dialects
