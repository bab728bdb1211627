#include "dialects/dialects.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "base/json.h"
#include "dialects/dialect_row.h"
#include "dialects/taskwire/taskwire.h"

namespace parlance::dialects {

namespace {

/// Every dialect that is spoken. A new one is a folder, and a line here.
constexpr std::array kDialects{
    &taskwire::kRow,
};

const DialectRow* row_of(Dialect dialect) {
    const auto row = std::ranges::find(kDialects, dialect, &DialectRow::dialect);
    return row == kDialects.end() ? nullptr : *row;
}

const DialectRow& spoken(Dialect dialect) {
    const DialectRow* row = row_of(dialect);
    CHECK(row != nullptr);  // Only dialects that dialect_named() gave are ever asked for.
    return *row;
}

/// The dialect whose marks the message has; it is looked at no further than the first.
const DialectRow* recognised(json::Value message) {
    for (json::Members members{message}; members.next();) {
        for (const DialectRow* row : kDialects) {
            if (std::ranges::find(row->marks, members.key) != row->marks.end()) return row;
        }
    }
    return nullptr;
}

/// The dialect that shares most members with the message.
const DialectRow& nearest(json::Value message) {
    const auto shared = [&](const DialectRow* row) {
        return std::ranges::count_if(row->fields, [&](const FieldRule& field) {
            return json::find(message, field.name).has_value();
        });
    };
    return **std::ranges::max_element(kDialects, {}, shared);
}

Rejection rejection(Refusal refusal, std::string_view text, std::string rule, std::string section) {
    return {
        .refusal = refusal,
        .problems = {
            {.value = shortened(text), .rule = std::move(rule), .section = std::move(section)}}};
}

Rejection unknown_dialect(json::Value message) {
    const DialectRow& row = nearest(message);
    std::vector<std::string_view> lacking;
    for (const std::string_view mark : row.marks) {
        if (!json::find(message, mark)) lacking.push_back(mark);
    }
    return rejection(Refusal::MessageDialectUnknown,
                     message.raw,
                     fmt::format("must be a message of a known dialect; the nearest is {}, and for "
                                 "that it lacks {}",
                                 row.name,
                                 fmt::join(lacking, ", ")),
                     std::string{row.document});
}

/// What no dialect can read: nothing, if the text is an object of bearable size.
std::optional<Rejection> unreadable(std::string_view text) {
    if (text.size() > kMessageBytesMax) {
        return rejection(Refusal::MessageTooLarge,
                         text,
                         fmt::format("must be at most {} bytes long", kMessageBytesMax),
                         {});
    }
    if (!json::root(text).is_object()) {
        return rejection(Refusal::MessageMalformed, text, "must be a JSON object", {});
    }
    return {};
}

Rejection unspoken(std::string_view text, Dialect dialect) {
    return rejection(Refusal::MessageDialectUnknown,
                     text,
                     fmt::format("must be in a dialect that this hub speaks, and it does not speak "
                                 "number {}",
                                 static_cast<int>(dialect)),
                     {});
}

}  // namespace

json::Value value_of(std::string_view text, const Reception& reception) {
    return reception.message.raw.empty() ? json::root(text) : reception.message;
}

std::string Rejection::summary() const {
    std::string sentence;
    for (const Problem& problem : problems) {
        if (!sentence.empty()) sentence += "; ";
        sentence += problem.pointer.empty() ? "the message" : problem.pointer;
        sentence += ' ' + problem.rule;
        if (!problem.value.empty() && !problem.pointer.empty()) {
            sentence += ", not " + problem.value;
        }
        if (!problem.section.empty()) sentence += " (" + problem.section + ')';
    }
    return sentence.empty() ? "the message cannot be read" : sentence;
}

Reading<SendMessage> read_message(std::string_view text, const Reception& reception) {
    if (auto problem = unreadable(text)) return tl::unexpected(*std::move(problem));
    const json::Value message = value_of(text, reception);
    const DialectRow* row = reception.dialect ? row_of(*reception.dialect) : recognised(message);
    if (row != nullptr) return row->read_message(text, reception);
    return tl::unexpected(reception.dialect ? unspoken(text, *reception.dialect)
                                            : unknown_dialect(message));
}

Reading<SendMessage> read_reply(std::string_view text,
                                const Envelope& request,
                                const Reception& reception) {
    if (auto problem = unreadable(text)) return tl::unexpected(*std::move(problem));
    const Dialect dialect = reception.dialect.value_or(request.dialect());
    const DialectRow* row = row_of(dialect);
    if (row == nullptr) return tl::unexpected(unspoken(text, dialect));
    return row->read_reply(text, request, reception);
}

std::string write_failure(const Envelope& request,
                          Refusal refusal,
                          std::string_view detail,
                          Time now) {
    return spoken(request.dialect()).write_failure(request, refusal, detail, now);
}

std::string write_refusal(Dialect dialect,
                          std::string_view message_id,
                          std::string_view to,
                          Refusal refusal,
                          std::string_view detail,
                          Time now) {
    return spoken(dialect).write_refusal(message_id, to, refusal, detail, now);
}

std::optional<Dialect> dialect_named(std::string_view name) {
    const auto row = std::ranges::find(kDialects, name, &DialectRow::name);
    if (row == kDialects.end()) return {};
    return (*row)->dialect;
}

std::string_view name_of(Dialect dialect) { return spoken(dialect).name; }

}  // namespace parlance::dialects
