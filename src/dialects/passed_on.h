// Context that one agent passes to the next in dialects without fields of their own for it: the
// context may be any object, and other dialects have fields for these members.
#pragma once

#include <array>

#include "dialects/fields.h"

namespace parlance::dialects {

// Additions of Parlance, so never enforced: each may be anything.
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
/// Shape of a field of Slot::Context. An object that fills the slot as a whole is translated as a
/// whole, with the values of the other slots beside it.
inline constexpr Shape kPassedOn{
    .name = "context", .section = kExtension, .fields = kPassedOnFields, .is_soft = true};

}  // namespace parlance::dialects
