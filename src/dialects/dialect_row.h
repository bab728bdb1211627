// What a dialect's folder offers to the room: one row of functions and tables.
#pragma once

#include <span>
#include <string_view>

#include "dialects/dialects.h"
#include "dialects/fields.h"

namespace parlance::dialects {

/// The text as a value, by its outline if it came with one.
json::Value value_of(std::string_view text, const Reception& reception);

struct DialectRow {
    Dialect dialect;
    std::string_view name;
    std::string_view document;          ///< For people: what the dialect's document is called.
    std::span<const FieldRule> fields;  ///< Of its messages, at the top level.
    std::span<const std::string_view> marks;  ///< Any of these members makes it this dialect.

    Reading<SendMessage> (*read_message)(std::string_view text, const Reception& reception);
    Reading<SendMessage> (*read_reply)(std::string_view text,
                                       const Envelope& request,
                                       const Reception& reception);
    std::string (*write_failure)(const Envelope& request,
                                 Refusal refusal,
                                 std::string_view detail,
                                 Time now);
    std::string (*write_refusal)(std::string_view message_id,
                                 std::string_view to,
                                 Refusal refusal,
                                 std::string_view detail,
                                 Time now);
};

}  // namespace parlance::dialects
