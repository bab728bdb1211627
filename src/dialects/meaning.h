// The meaning of a message apart from its dialect, and writing a meaning in a form of any dialect.
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

/// Storage for texts made while reading or writing a message. The first kilobyte needs no
/// allocation.
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

/// A value for each slot, on the slot's own scale; empty if the message has none.
class Meaning {
  public:
    json::Value& operator[](Slot slot) { return said_[static_cast<std::size_t>(slot)]; }
    json::Value operator[](Slot slot) const { return said_[static_cast<std::size_t>(slot)]; }
    bool says(Slot slot) const { return !(*this)[slot].raw.empty(); }
    /// The value of a numeric slot: a priority, a status, milliseconds.
    std::optional<std::int64_t> number(Slot slot) const { return (*this)[slot].integer(); }

  private:
    std::array<json::Value, kSlots> said_{};
};

/// A JSON string, stored in `texts`.
json::Value quoted(std::string_view text, Texts& texts);
/// A whole number as JSON, stored in `texts`.
json::Value numbered(std::int64_t number, Texts& texts);

/// Whether a message is already checked against its form's rules.
enum class Trust : std::uint8_t { Nobody, KeepsItsRules };

/// The message's meaning. Values that break a rule of the form are left out.
Meaning understand(const Form& form, json::Value message, Time now, Texts& texts);
/// The meaning of a message whose fields are already found.
Meaning understand(const Form& form, const Found& found, Time now, Texts& texts, Trust trust);

/// What a message of this form and meaning does: a reply may be a failure.
Act act_of(const Form& form, const Meaning& meaning);
/// The sender's priority, or the form's default.
Priority priority_of(const Form& form, const Meaning& meaning);
/// True if an answer reports that its request is not done, or not wholly.
bool falls_short(const Form& form, const Meaning& meaning);

/// The meaning in this form: a message that keeps the form's rules.
std::string express(const Form& form, Meaning meaning, Time now);
/// The same with an outline, in which values copied as a whole are closed. Consumes the meaning.
std::string express(const Form& form, Meaning& meaning, Time now, json::Outline& outline);

/// The number of tokens used: rounded up, and 0 unless the value is a number above 0.
std::uint64_t tokens_in(json::Value value);

/// A string that contains an object or a list, parsed; any other value unchanged.
json::Value structured(json::Value value, Texts& texts);

/// The field's value for this meaning; empty if the meaning has none.
json::Value worded(const FieldRule& rule, const Meaning& meaning, Time now, Texts& texts);

}  // namespace parlance::dialects
