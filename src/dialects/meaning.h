// What a message says, apart from its dialect; and saying it in a form of any dialect.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "dialects/form.h"

namespace parlance::dialects {

/// Keeps texts that were made on the way, and whoever looks at them need not. The first are kept
/// without allocating.
class Texts {
  public:
    std::string_view keep(std::string_view text) {
        if (text.empty()) return {};
        auto* const place = static_cast<char*>(memory_.allocate(text.size(), 1));
        std::memcpy(place, text.data(), text.size());
        return {place, text.size()};
    }
    /// The text between quotes.
    std::string_view keep_in_quotes(std::string_view text) {
        const std::size_t size = text.size() + 2;
        auto* const place = static_cast<char*>(memory_.allocate(size, 1));
        place[0] = place[size - 1] = '"';
        if (!text.empty()) std::memcpy(place + 1, text.data(), text.size());
        return {place, size};
    }

  private:
    std::array<std::byte, 1024> first_;
    std::pmr::monotonic_buffer_resource memory_{first_.data(), first_.size()};
};

/// A value for each slot, on the slot's own scale; empty if nothing was said.
class Meaning {
  public:
    json::Value& operator[](Slot slot) { return said_[static_cast<std::size_t>(slot)]; }
    json::Value operator[](Slot slot) const { return said_[static_cast<std::size_t>(slot)]; }
    bool says(Slot slot) const { return !(*this)[slot].raw.empty(); }
    /// The number of a slot that has one: a priority, a status, milliseconds.
    std::optional<std::int64_t> number(Slot slot) const { return (*this)[slot].integer(); }

  private:
    std::array<json::Value, kSlots> said_{};
};

/// A JSON string, kept.
json::Value quoted(std::string_view text, Texts& texts);
/// A whole number as JSON, kept.
json::Value numbered(std::int64_t number, Texts& texts);

/// Whether somebody has held a message to its form's rules.
enum class Trust : std::uint8_t { Nobody, KeepsItsRules };

/// What the message says. What breaks a rule of the form is left out.
Meaning understand(const Form& form, json::Value message, Time now, Texts& texts);
/// The same of a message whose fields somebody has found already.
Meaning understand(const Form& form, const Found& found, Time now, Texts& texts, Trust trust);

/// What a message of this form and meaning does: a reply may turn out to be a failure.
Act act_of(const Form& form, const Meaning& meaning);
/// The sender's priority, or the one that such a message has without.
Priority priority_of(const Form& form, const Meaning& meaning);
/// Of an answer: whether it says that what was asked is not done, or not wholly.
bool falls_short(const Form& form, const Meaning& meaning);

/// The meaning in this form: a message that keeps the form's rules.
std::string express(const Form& form, Meaning meaning, Time now);
/// The same, and outlines it. What was said as a whole is closed in the outline. The meaning is
/// used up.
std::string express(const Form& form, Meaning& meaning, Time now, json::Outline& outline);

/// How many tokens a value says were used: whole ones, and none where it is no number above 0.
std::uint64_t tokens_in(json::Value value);

/// A text that is itself an object or a list, as that; any other value as it is.
json::Value structured(json::Value value, Texts& texts);

/// What would stand in this field for this meaning; empty if there is nothing to say.
json::Value worded(const FieldRule& rule, const Meaning& meaning, Time now, Texts& texts);

}  // namespace parlance::dialects
