// The kinds of messages in a dialect: how each is recognised and checked, and what it does.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "dialects/fields.h"
#include "model/envelope.h"
#include "model/message.h"

namespace parlance::dialects {

/// What a message does, under any dialect's name for it.
enum class Act : std::uint8_t {
    Request,
    Reply,
    Failure,  ///< A reply without a result.
    Event,
    Report,  ///< An error that answers no request.
    Handoff,
    HandoffReply,
    Status,
    Classification,
    kActs
};
inline constexpr auto kActs = static_cast<std::size_t>(Act::kActs);

struct Form {
    std::string_view name;  ///< The document's name for the form, and the name of its schema.
    Act act;
    Intent intent;
    Priority priority = Priority::Normal;  ///< For messages without a priority.
    bool implies_priority = false;  ///< The document sets the priority, so translations state it.
    const Shape* shape = nullptr;
    const Shape* body = nullptr;  ///< Of the field of Kind::Body.
    /// Recognition: the type field must say `word` (empty: no type), and a member must be among
    /// `marks` (if there are any). `status_word` and `body_mark` are further conditions.
    std::string_view word{};
    std::span<const std::string_view> marks{};
    std::string_view status_word{};  ///< The field of Slot::Status must say so.
    std::string_view body_mark{};    ///< The body must have a boolean of this name.
    /// Shown by the document as a part of something else, without a recipient.
    bool is_part = false;
    /// The message's purpose: without these members it is refused for lost context.
    std::span<const std::string_view> keeps{};
    /// Name of the answering form, if not the usual reply.
    std::string_view answered_by{};
};

constexpr std::uint64_t looks_of(std::string_view type_field, std::span<const Form> forms) {
    std::uint64_t looks = type_field.empty() ? 0 : look_of(type_field);
    for (const Form& form : forms) {
        for (const std::string_view mark : form.marks) looks |= look_of(mark);
    }
    return looks;
}

/// The forms of a dialect. A message has the first form that fits.
struct Forms {
    std::string_view type_field{};
    std::span<const Form> all;
    std::array<std::string_view, kActs> by_act{};  ///< Each act's form, by name.
    /// Combined mask of all names by which a form is recognised.
    std::uint64_t looks = looks_of(type_field, all);
};

/// The form of a message, or null. Reads no further than necessary.
const Form* form_of(const Forms& forms, json::Value message);
const Form* form_named(const Forms& forms, std::string_view name);
const Form& form_for(const Forms& forms, Act act);

}  // namespace parlance::dialects
