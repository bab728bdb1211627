#include "dialects/dialects.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "base/json.h"
#include "dialects/correlation/correlation.h"
#include "dialects/delegation/delegation.h"
#include "dialects/dialect_row.h"
#include "dialects/kessel/block.h"
#include "dialects/kessel/kessel.h"
#include "dialects/message_writer.h"
#include "dialects/sam/sam.h"
#include "dialects/tables.h"
#include "dialects/taskwire/taskwire.h"
#include "model/handing.h"

namespace parlance::dialects {

namespace {

/// All supported dialects. A new dialect is a folder, and a line here. The first has most messages.
constexpr std::array kDialects{
    &taskwire::kRow,
    &kessel::kRow,
    &delegation::kRow,
    &sam::kRow,
    &correlation::kRow,
};

const DialectRow& spoken(Dialect dialect) {
    const DialectRow* row = row_of(dialect);
    CHECK(row != nullptr);  // Only dialects from dialect_named() are asked for.
    return *row;
}

/// A member name that only one dialect's messages have.
struct MarkRow {
    std::string_view mark;
    const DialectRow* row;
};
/// All marks, bucketed by glance_at().
using Marks = std::array<std::vector<MarkRow>, kLooks>;

Marks all_marks() {
    Marks marks;
    for (const DialectRow* row : kDialects) {
        for (const std::string_view mark : row->marks) {
            marks[glance_at(mark)].push_back({mark, row});
        }
    }
    return marks;
}

/// The dialect of the message's first mark, and a second dialect if the message has its marks too.
struct Marked {
    const DialectRow* row = nullptr;  ///< Of the first mark.
    const DialectRow* other = nullptr;
};

Marked marks_on(json::Value message) {
    static const Marks all = all_marks();
    Marked marked;
    for (json::Members members{message}; members.next() && marked.other == nullptr;) {
        for (const auto& [mark, row] : all[glance_at(members.key)]) {
            if (row == marked.row || !is_named(members.key, mark)) continue;
            (marked.row == nullptr ? marked.row : marked.other) = row;
        }
    }
    return marked;
}

/// True for a field whose words distinguish dialects.
bool is_telling(const FieldRule& rule) {
    return (rule.slot == Slot::Type || rule.slot == Slot::Status) && rule.kind == Kind::Word;
}

/// A member of a message in which some dialect has words of its own.
struct Telling {
    std::string_view name;  ///< As in the tables.
    json::Value value{};
};
using Tellings = std::vector<Telling>;

Tellings all_tellings() {
    Tellings all;
    for (const DialectRow* row : kDialects) {
        for (const Form& form : row->forms->all) {
            for (const FieldRule& rule : form.shape->fields) {
                const bool is_new = std::ranges::find(all, rule.name, &Telling::name) == all.end();
                if (is_telling(rule) && is_new) all.push_back({rule.name});
            }
        }
    }
    return all;
}

/// The message's values for all telling members. A single walk, as the message may be long.
Tellings tellings_in(json::Value message) {
    static const Tellings all = all_tellings();
    Tellings said = all;
    for (json::Members members{message}; members.next();) {
        const auto telling = std::ranges::find(said, members.key, &Telling::name);
        if (telling != said.end()) telling->value = members.value;
    }
    return said;
}

/// True if one of the values is a word of the dialect.
bool has_word_of(const Tellings& said, const DialectRow& row) {
    for (const Form& form : row.forms->all) {
        for (const FieldRule& rule : form.shape->fields) {
            if (!is_telling(rule)) continue;
            const json::Value value = std::ranges::find(said, rule.name, &Telling::name)->value;
            if (!value.raw.empty() && fits(rule, value)) return true;
        }
    }
    return false;
}

/// The dialect of a message without marks, by its words; null if no dialect or several match.
const DialectRow* recognised_by_words(const Tellings& said) {
    const DialectRow* found = nullptr;
    for (const DialectRow* row : kDialects) {
        if (!has_word_of(said, *row)) continue;
        if (found != nullptr) return nullptr;
        found = row;
    }
    return found;
}

/// A message of an older version, converted to the current version.
struct Current {
    const DialectRow* row = nullptr;
    std::string text{};
};

/// Recognises an older version: the dialect knows the version's name, and the converted message has
/// the dialect's marks. Empty if no dialect matches.
Current recognised_by_version(std::string_view text, json::Value message) {
    for (const DialectRow* row : kDialects) {
        if (row->versions == nullptr) continue;
        auto current = made_current(*row->versions, text, message);
        const bool is_its =
            current && !current->empty() && marks_on(json::root(*current)).row == row;
        if (is_its) return {row, *std::move(current)};
    }
    return {};
}

/// Names of a message's first members. More names would make recognition no surer, but a hostile
/// message expensive.
std::vector<std::string> names_in(json::Value message) {
    constexpr std::size_t kNamesMax = 64;
    std::vector<std::string> names;
    for (json::Members members{message}; names.size() < kNamesMax && members.next();) {
        names.emplace_back(members.key);
    }
    return names;
}

std::ptrdiff_t marks_in(const std::vector<std::string>& names, const DialectRow& row) {
    return std::ranges::count_if(row.marks, [&](std::string_view mark) {
        return std::ranges::find(names, mark) != names.end();
    });
}

/// The most names that any of the dialect's forms knows.
std::ptrdiff_t names_known(const std::vector<std::string>& names, const DialectRow& row) {
    std::ptrdiff_t best = 0;
    for (const Form& form : row.forms->all) {
        const auto known = std::ranges::count_if(form.shape->fields, [&](const FieldRule& field) {
            return std::ranges::find(names, field.name) != names.end();
        });
        best = std::max(best, known);
    }
    return best;
}

/// The dialect that shares most members with the message; among equals, a dialect with a matching
/// word.
const DialectRow& nearest(json::Value message, const Tellings& said) {
    const auto names = names_in(message);
    return **std::ranges::max_element(kDialects, {}, [&](const DialectRow* row) {
        return std::pair{names_known(names, *row), has_word_of(said, *row)};
    });
}

/// Members that the form demands and the message lacks.
std::vector<std::string_view> lacking(json::Value message, const DialectRow& row) {
    const Form* form = form_of(*row.forms, message);
    const Shape& shape = *(form == nullptr ? row.forms->all.back() : *form).shape;
    const Found found = fields_in(message, shape);
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < shape.fields.size(); ++i) {
        const FieldRule& field = shape.fields[i];
        const bool is_needed = field.need == Need::Required || field.need == Need::Routing ||
                               field.need == Need::CallerStandsIn;
        if (is_needed && found[i].raw.empty()) names.push_back(field.name);
    }
    return names;
}

Rejection rejection(Refusal refusal, std::string_view text, std::string rule, std::string section) {
    return {
        .refusal = refusal,
        .problems = {
            {.value = shortened(text), .rule = std::move(rule), .section = std::move(section)}}};
}

/// How to make the message one of the nearest dialect.
std::string way_to(const DialectRow& row, json::Value message) {
    const auto lacks = lacking(message, row);
    if (!lacks.empty()) return fmt::format("and for that it lacks {}", fmt::join(lacks, ", "));
    return fmt::format(
        "but it has none of the members that only {} has: {}; give it one, or post it with the "
        "dialect in the header Parlance-Dialect",
        row.name,
        listed(row.marks));
}

Rejection unknown_dialect(json::Value message, const Tellings& said) {
    const DialectRow& row = nearest(message, said);
    return rejection(Refusal::MessageDialectUnknown,
                     message.raw,
                     fmt::format("must be a message of a known dialect; the nearest is {}, {}",
                                 row.name,
                                 way_to(row, message)),
                     std::string{row.document});
}

Rejection doubtful(json::Value message, const DialectRow& one, const DialectRow& other) {
    return rejection(Refusal::MessageDialectUnknown,
                     message.raw,
                     fmt::format("must be a message of one dialect; it has marks of {} and of {}: "
                                 "leave out those of one, or post it with the right one in the "
                                 "header Parlance-Dialect",
                                 one.name,
                                 other.name),
                     {});
}

/// The text in the dialect's current version; empty if the text is current.
Reading<std::string> current_of(const DialectRow& row,
                                std::string_view text,
                                const Reception& reception) {
    if (row.versions == nullptr) return std::string{};
    auto current = made_current(*row.versions, text, value_of(text, reception));
    if (!current) current.error().dialect = row.dialect;
    return current;
}

/// A rule between the agents of another dialect holds in every dialect.
std::optional<Rejection> forbidden(const DialectRow& row,
                                   const Envelope& message,
                                   const Reception& reception) {
    for (const DialectRow* other : kDialects) {
        if (other == &row || other->forbid_between == nullptr) continue;
        auto rule = other->forbid_between(*other, message, reception);
        if (rule.empty()) continue;
        return Rejection{
            .refusal = Refusal::RouteNotPermitted,
            .dialect = row.dialect,
            .id = std::string{message.id()},
            .from = std::string{message.from()},
            .correlation = std::string{message.correlation()},
            .problems = {{.rule = std::move(rule), .section = std::string{other->document}}}};
    }
    return {};
}

/// `current` is the text in the dialect's current version; empty if the text is current.
Reading<SendMessage> read_current(const DialectRow& row,
                                  std::string_view text,
                                  std::string_view current,
                                  const Reception& reception) {
    Reception as_current = reception;
    if (!current.empty()) as_current.message = {};
    auto reading = row.read_message(row, current.empty() ? text : current, as_current);
    if (!reading) {
        reading.error().dialect = row.dialect;
        return reading;
    }
    if (auto refused = forbidden(row, *reading->envelope, reception)) {
        return tl::unexpected(*std::move(refused));
    }
    if (reading->falls_short) reading->kind = kind_of(*reading->envelope);
    return reading;
}

Reading<SendMessage> read_in(const DialectRow& row,
                             std::string_view text,
                             const Reception& reception) {
    const auto current = current_of(row, text, reception);
    if (!current) return tl::unexpected(current.error());
    return read_current(row, text, *current, reception);
}

/// Tries the other dialects whose marks the message has, after the first mark's dialect failed.
Reading<SendMessage> read_again(json::Value message,
                                std::string_view text,
                                const DialectRow& first,
                                Reading<SendMessage> refused,
                                const Reception& reception) {
    const auto names = names_in(message);
    const auto marks = marks_in(names, first);
    for (const DialectRow* row : kDialects) {
        if (row == &first) continue;
        const auto others = marks_in(names, *row);
        if (others == 0) continue;
        auto reading = read_in(*row, text, reception);
        if (reading || others > marks) return reading;
        if (others == marks) return tl::unexpected(doubtful(message, first, *row));
    }
    return refused;
}

/// Nothing if the text is an object within the size limit; else the reason why no dialect reads it.
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
        if (!problem.is_sentence) {
            sentence += problem.pointer.empty() ? "the message" : problem.pointer;
            sentence += ' ';
        }
        sentence += problem.rule;
        if (!problem.value.empty() && !problem.pointer.empty()) {
            sentence += ", not " + problem.value;
        }
        if (!problem.section.empty()) sentence += " (" + problem.section + ')';
    }
    return sentence.empty() ? "the message cannot be read" : sentence;
}

const DialectRow* row_of(Dialect dialect) {
    const auto row = std::ranges::find(kDialects, dialect, &DialectRow::dialect);
    return row == kDialects.end() ? nullptr : *row;
}

std::span<const DialectRow* const> all_rows() { return kDialects; }

const Form* form_shown(const DialectRow& reader, const Envelope& message) {
    const DialectRow* const row = row_of(message.dialect());
    const json::Value said = json::root(message.body());
    const Form* const form =
        row == nullptr || !said.is_object() ? nullptr : form_of(*row->forms, said);
    if (form == nullptr || row == &reader) return form;
    Texts texts;
    return &form_for(*reader.forms, act_of(*form, understand(*form, said, {}, texts)));
}

Reading<SendMessage> read_message(std::string_view text, const Reception& reception) {
    if (auto problem = unreadable(text)) return tl::unexpected(*std::move(problem));
    const json::Value message = value_of(text, reception);
    if (reception.dialect) {
        const DialectRow* row = row_of(*reception.dialect);
        if (row == nullptr) return tl::unexpected(unspoken(text, *reception.dialect));
        return read_in(*row, text, reception);
    }
    const Marked marked = marks_on(message);
    if (marked.row != nullptr) {
        auto reading = read_in(*marked.row, text, reception);
        // The order of members must not decide: a message that two dialects can read is ambiguous.
        const bool is_doubtful =
            reading && marked.other != nullptr && read_in(*marked.other, text, reception);
        if (is_doubtful) return tl::unexpected(doubtful(message, *marked.row, *marked.other));
        if (reading) return reading;
        return read_again(message, text, *marked.row, std::move(reading), reception);
    }
    const Tellings said = tellings_in(message);
    const DialectRow* const row = recognised_by_words(said);
    if (row != nullptr) return read_in(*row, text, reception);
    const Current current = recognised_by_version(text, message);
    if (current.row == nullptr) return tl::unexpected(unknown_dialect(message, said));
    return read_current(*current.row, text, current.text, reception);
}

std::string_view answer_type(const Envelope& request, Dialect answered_in) {
    if (request.dialect() == answered_in) return {};
    const DialectRow* const row = row_of(request.dialect());
    const Form* const form = row == nullptr ? nullptr : form_named(*row->forms, request.type());
    return form == nullptr ? std::string_view{} : form->answered_by;
}

Reading<SendMessage> read_reply(std::string_view text,
                                const Envelope& request,
                                const Reception& reception) {
    if (auto problem = unreadable(text)) return tl::unexpected(*std::move(problem));
    const Dialect dialect = reception.dialect.value_or(request.dialect());
    const DialectRow* row = row_of(dialect);
    if (row == nullptr) return tl::unexpected(unspoken(text, dialect));
    auto current = current_of(*row, text, reception);
    if (!current) return tl::unexpected(std::move(current).error());
    Reception as_current = reception;
    if (!current->empty()) as_current.message = {};
    auto reading = row->read_reply(*row, current->empty() ? text : *current, request, as_current);
    if (!reading) {
        reading.error().dialect = dialect;
        return reading;
    }
    if (reading->falls_short) reading->kind = kind_of(*reading->envelope);
    const std::string_view type = answer_type(request, dialect);
    if (!type.empty() && reading->envelope->intent() == Intent::Reply) {
        Header header = reading->envelope->header();
        header.type = type;
        reading->envelope = Envelope::make(header, reading->envelope->body());
    }
    return reading;
}

std::string write_failure(const Envelope& request,
                          Refusal refusal,
                          std::string_view detail,
                          Time now,
                          std::optional<Dialect> reader) {
    const DialectRow& row = spoken(reader.value_or(request.dialect()));
    const bool was_for_nobody = request.to().starts_with("topic:") || is_for_several(request.to());
    const bool has_own_task = request.task() != request.correlation();
    const std::string child_session = child_session_of(request);
    return row.write_failure(row,
                             request,
                             {.about = request.id(),
                              .from = was_for_nobody ? kHubName : request.to(),
                              .to = request.from(),
                              .correlation = request.correlation(),
                              .task = has_own_task ? request.task() : std::string_view{},
                              .child_session = child_session,
                              .refusal = refusal,
                              .detail = detail,
                              .now = now});
}

std::string write_refusal(Dialect dialect,
                          std::string_view message_id,
                          std::string_view to,
                          Refusal refusal,
                          std::string_view detail,
                          Time now,
                          std::string_view correlation) {
    const DialectRow& row = spoken(dialect);
    return row.write_refusal(row,
                             {.about = message_id,
                              .from = kHubName,
                              .to = to,
                              .correlation = correlation,
                              .refusal = refusal,
                              .detail = detail,
                              .now = now});
}

std::string with_defaults(const Envelope& message, Time now) {
    // An answer is also shown its request's ids, which its sender may have left to the hub.
    if (message.is_whole() && message.answers().empty()) return {};
    const DialectRow* const row = row_of(message.dialect());
    return row == nullptr ? std::string{} : row->with_defaults(message, now);
}

std::vector<Problem> check_object(Dialect dialect, std::string_view name, std::string_view text) {
    const DialectRow& row = spoken(dialect);
    Problems problems;
    const json::Value object = json::root(text);
    if (!object.is_object()) return {{.value = shortened(text), .rule = "must be a JSON object"}};
    if (const Form* form = form_named(*row.forms, name)) {
        hold_to_shape(
            *form->shape, object, "", {.body = form->body, .is_message = false}, problems);
        return problems;
    }
    const auto shape = std::ranges::find(row.objects, name, &Shape::name);
    if (shape == row.objects.end()) {
        return {{.value = std::string{name},
                 .rule = fmt::format("must be named as the dialect {} has it", row.name),
                 .section = std::string{row.document}}};
    }
    hold_to_shape(**shape, object, "", {.is_message = false}, problems);
    return problems;
}

std::optional<Part> read_part(Dialect dialect, std::string_view text) {
    const DialectRow& row = spoken(dialect);
    const json::Value object = json::root(text);
    const Form* const form = object.is_object() ? form_of(*row.forms, object) : nullptr;
    if (form == nullptr || !form->is_part) return {};
    if (!check_object(dialect, form->name, text).empty()) return {};
    Part part{.type = form->name};
    for (const FieldRule& rule : form->shape->fields) {
        const bool is_lacking = rule.need == Need::Routing && !json::find(object, rule.name);
        if (is_lacking) part.lacks.push_back(fmt::format("/{}", rule.name));
    }
    return part;
}

Reading<std::string> in_current_version(Dialect dialect, std::string_view text) {
    return current_of(spoken(dialect), text, {});
}

bool is_text_form(std::string_view text) { return kessel::is_block(text); }

Result<FromText> from_text_form(std::string_view text) {
    return FromText{Dialect::Kessel, TRY(kessel::block_to_json(text))};
}

std::optional<std::string> to_text_form(Dialect dialect, std::string_view message) {
    if (dialect != Dialect::Kessel) return {};
    auto block = kessel::json_to_block(message);
    if (!block) return {};
    return *std::move(block);
}

std::optional<Dialect> dialect_named(std::string_view name) {
    const auto row = std::ranges::find(kDialects, name, &DialectRow::name);
    if (row == kDialects.end()) return {};
    return (*row)->dialect;
}

std::string_view name_of(Dialect dialect) { return spoken(dialect).name; }

std::string names_of_all() {
    std::vector<std::string_view> names;
    names.reserve(kDialects.size());
    for (const DialectRow* row : kDialects) names.push_back(row->name);
    const std::string_view last = names.back();
    names.pop_back();
    return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

}  // namespace parlance::dialects
