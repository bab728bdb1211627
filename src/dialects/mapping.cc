#include "dialects/mapping.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "dialects/dialect_row.h"

namespace parlance::dialects {

namespace {

struct Named {
    std::string_view name;
    std::string_view scale;
};

/// In the order of Slot.
constexpr std::array<Named, kSlots> kSlotNames{{
    {"", ""},
    {"", ""},
    {"id", "follows from the content where a form has none; made a UUID where it must be one"},
    {"sender", ""},
    {"recipient", "an agent, or `topic:` and a name"},
    {"workflow", "correlation's ids have a form, and are made"},
    {"answered request", ""},
    {"task", ""},
    {"sent", "ISO 8601"},
    {"what is wanted", ""},
    {"content", "an object as text where only text may stand"},
    {"context", ""},
    {"priority", "critical, high, normal, low; kessel's three are the lower three"},
    {"time limit", "milliseconds from now; a date where the field is a date"},
    {"user", ""},
    {"session", ""},
    {"child session", ""},
    {"status", "the nearest word: timeout is a failure, pending at best partial"},
    {"confidence", "HIGH 0.9, MEDIUM 0.7, LOW 0.4, SPECULATIVE 0.15; from 0.8, 0.5, 0.25 and 0 on"},
    {"summary", ""},
    {"warnings", ""},
    {"error code", "CATEGORY_SPECIFIC_ERROR for kessel"},
    {"error text", "begins with `Timeout:` where no status can say it"},
    {"error source", ""},
    {"severity", "low, medium, high, critical"},
    {"may be retried", ""},
    {"fallback", ""},
    {"elapsed ms", ""},
    {"token budget", ""},
    {"facts", ""},
    {"sources", ""},
    {"next steps", "the first, where there is room for one only"},
    {"constraints", "with what taskwire's always have; what cannot stand there is left out"},
    {"prior agents", "an event of each in a history, at the time of the message; of the first 64"},
    {"workflow position", ""},
    {"history reference", ""},
    {"decisions", ""},
    {"findings", ""},
    {"data gathered", ""},
    {"assumptions", ""},
    {"capability wanted next", ""},
    {"secondary intents", ""},
    {"secondary targets", ""},
    {"follow-up is needed", ""},
    {"", ""},
    {"", ""},
    {"", ""},
    {"tokens used", "whole tokens; where nothing is said it is 0"},
}};

/// In the order of Act.
constexpr std::array<std::string_view, kActs> kActNames{"request",
                                                        "reply",
                                                        "failure",
                                                        "event",
                                                        "error report",
                                                        "handoff",
                                                        "answer to a handoff",
                                                        "status",
                                                        "classification"};

constexpr std::array<std::string_view, 7> kNeedNames{
    "", "default", "required", "required to send", "caller", "fresh id", "now"};

void find_slot(const Shape& shape,
               const Form& form,
               const std::string& parent,
               Slot slot,
               std::vector<std::string>& paths) {
    for (const FieldRule& rule : shape.fields) {
        const std::string path =
            parent.empty() ? std::string{rule.name} : fmt::format("{}.{}", parent, rule.name);
        const Shape* inner = rule.kind == Kind::Body ? form.body : rule.shape;
        const std::size_t before = paths.size();
        if (inner != nullptr) find_slot(*inner, form, path, slot, paths);
        // A more exact field inside replaces the outer one.
        if (rule.slot == slot && !rule.is_echo && paths.size() == before) paths.push_back(path);
    }
}

std::string places_of(const DialectRow& row, Slot slot) {
    std::vector<std::string> paths;
    for (const Form& form : row.forms->all) {
        std::vector<std::string> found;
        find_slot(*form.shape, form, {}, slot, found);
        for (auto& path : found) {
            if (std::ranges::find(paths, path) == paths.end()) paths.push_back(std::move(path));
        }
    }
    std::string text;
    for (const auto& path : paths) text += (text.empty() ? "`" : ", `") + path + '`';
    return text;
}

std::string heading(std::string_view first, std::string_view last) {
    std::string names = fmt::format("| {} |", first);
    std::string line = "|---|";
    for (const DialectRow* row : all_rows()) {
        names += fmt::format(" {} |", row->name);
        line += "---|";
    }
    if (!last.empty()) {
        names += fmt::format(" {} |", last);
        line += "---|";
    }
    return names + '\n' + line + '\n';
}

std::string acts() {
    std::string text = heading("what it does", "");
    for (std::size_t act = 0; act < kActs; ++act) {
        text += fmt::format("| {} |", kActNames[act]);
        for (const DialectRow* row : all_rows())
            text += fmt::format(" {} |", row->forms->by_act[act]);
        text += '\n';
    }
    return text;
}

std::string slots() {
    std::string text = heading("what it means", "scale");
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
        if (kSlotNames[slot].name.empty()) continue;
        text += fmt::format("| {} |", kSlotNames[slot].name);
        for (const DialectRow* row : all_rows()) {
            text += fmt::format(" {} |", places_of(*row, static_cast<Slot>(slot)));
        }
        text += fmt::format(" {} |\n", kSlotNames[slot].scale);
    }
    return text;
}

std::string kind_of(const FieldRule& rule) {
    switch (rule.kind) {
        case Kind::List:
            return rule.element == nullptr ? "array" : "array: " + expectation(*rule.element);
        case Kind::Map:
            return "object by id";
        default:
            return expectation(rule);
    }
}

/// The field's need. Missing fields of a body are not enforced where the dialect does not check
/// bodies.
std::string need_of(const FieldRule& rule, bool is_insisted_on) {
    if (!rule.preset.empty()) return fmt::format("default `{}`", rule.preset);
    const std::string_view name = kNeedNames[static_cast<std::size_t>(rule.need)];
    const bool is_said = is_insisted_on || rule.need == Need::Optional;
    return is_said ? std::string{name} : "by the document, not insisted on";
}

void list_fields(const Shape& shape,
                 const Form& form,
                 const std::string& parent,
                 bool is_insisted_on,
                 bool is_body_whole,
                 std::string& text) {
    for (const FieldRule& rule : shape.fields) {
        const std::string path =
            parent.empty() ? std::string{rule.name} : fmt::format("{}.{}", parent, rule.name);
        // Without its mark a body has another form.
        const bool is_mark = &shape == form.body && rule.name == form.body_mark;
        text += fmt::format("| `{}` | {} | {} | {} |\n",
                            path,
                            need_of(rule, is_insisted_on || is_mark),
                            kind_of(rule),
                            rule.section.empty() ? shape.section : rule.section);
        const bool is_body = rule.kind == Kind::Body;
        const Shape* inner = is_body ? form.body : rule.shape;
        if (inner == nullptr) continue;
        list_fields(
            *inner, form, path, is_insisted_on && (!is_body || is_body_whole), is_body_whole, text);
    }
}

std::string forms() {
    std::string text;
    for (const DialectRow* row : all_rows()) {
        text += fmt::format("\n## {}\n\nFrom \"{}\".\n", row->name, row->document);
        for (const Form& form : row->forms->all) {
            text += fmt::format(
                "\n### {} {}\n\n| field | need | must be | section |\n|---|---|---|---|\n",
                row->name,
                form.name);
            list_fields(*form.shape, form, {}, true, row->is_body_whole, text);
        }
    }
    return text;
}

}  // namespace

std::string describe_mapping() {
    return fmt::format(R"(# The mapping of the dialects

Written from the tables in `src/dialects`; the test `Mapping` with `UPDATE=1` writes this page anew.

A message of one dialect reaches an agent of another dialect in the agent's own dialect. The act of the message decides
its form, and the meaning of its fields decides their places. A value without a place travels in the member `parlance`,
and the translation back restores the value ([decision 0011](../decisions/0011-dialects-as-tables.md)).

## Forms

{}
## Fields

A path names the field in the forms that have it. A value whose row is empty for a dialect is kept in the extension.

{}{})",
                       acts(),
                       slots(),
                       forms());
}

}  // namespace parlance::dialects
