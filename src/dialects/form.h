// The kinds of messages that a dialect has: what each looks like, and what it does.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "dialects/fields.h"
#include "model/envelope.h"
#include "model/message.h"

namespace parlance::dialects {

/// What a message does, whatever its dialect calls it.
enum class Act : std::uint8_t {
    Request,
    Reply,
    Failure,  ///< A reply that says that nothing came of it.
    Event,
    Report,  ///< An error that nobody asked about.
    Handoff,
    HandoffReply,
    Status,
    Classification,
    kActs
};
inline constexpr auto kActs = static_cast<std::size_t>(Act::kActs);

struct Form {
    std::string_view name;  ///< The document's word for it, and the name of its schema.
    Act act;
    Intent intent;
    Priority priority = Priority::Normal;  ///< Where the sender gives none.
    bool implies_priority = false;         ///< The document says that, so it is told to others.
    const Shape* shape = nullptr;
    const Shape* body = nullptr;  ///< Of the field of Kind::Body.
    /// It is this form if the dialect's type field says so, or if it has any of these members; and
    /// then only if the other two let it be.
    std::string_view word{};
    std::span<const std::string_view> marks{};
    std::string_view status_word{};  ///< Only with this in its field of Slot::Status.
    std::string_view body_mark{};    ///< Only with a boolean of this name in its body.
    /// The document shows it as a part of something else, without saying where it goes.
    bool is_part = false;
    /// What it is sent for: without these it is refused for having lost them.
    std::span<const std::string_view> keeps{};
    /// By name: the form that answers it, where that is not what any reply is written as.
    std::string_view answered_by{};
};

constexpr std::uint64_t looks_of(std::string_view type_field, std::span<const Form> forms) {
    std::uint64_t looks = type_field.empty() ? 0 : look_of(type_field);
    for (const Form& form : forms) {
        for (const std::string_view mark : form.marks) looks |= look_of(mark);
    }
    return looks;
}

/// The forms of a dialect. The first that fits a message is its form.
struct Forms {
    std::string_view type_field{};
    std::span<const Form> all;
    std::array<std::string_view, kActs> by_act{};  ///< By name: what an act is written as.
    /// Of all members by which a form is known.
    std::uint64_t looks = looks_of(type_field, all);
};

/// The form of a message, or null. Looks no further than it must.
const Form* form_of(const Forms& forms, json::Value message);
const Form* form_named(const Forms& forms, std::string_view name);
const Form& form_for(const Forms& forms, Act act);

}  // namespace parlance::dialects
