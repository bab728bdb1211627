#include "dialects/translate.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "dialects/extension.h"
#include "dialects/id_forms.h"
#include "dialects/meaning.h"
#include "dialects/same.h"
#include "dialects/tables.h"

namespace parlance::dialects {

namespace {

void add_what_the_hub_knows(Meaning& meaning, const Passage& passage, Texts& texts) {
    const auto say = [&](Slot slot, std::string_view text, bool always) {
        if (text.empty() || (meaning.says(slot) && !always)) return;
        meaning[slot] = quoted(text, texts);
    };
    say(Slot::From, passage.from, false);
    say(Slot::To, passage.to, false);
    say(Slot::Answers, passage.answers, true);
    say(Slot::Correlation, passage.correlation, true);
}

/// The message in the other dialect, and nothing of what that has no place for. `wanted` is the
/// form that it must have; null: the one for what it does.
std::string plainly(const Form& form,
                    json::Value message,
                    const Forms& others,
                    const Form* wanted,
                    const Passage& passage) {
    Texts texts;
    Meaning meaning = understand(form, message, passage.now, texts);
    add_what_the_hub_knows(meaning, passage, texts);
    const Form& other = wanted != nullptr ? *wanted : form_for(others, act_of(form, meaning));
    // The same id that the hub gives to a message which has none.
    if (!meaning.says(Slot::Id))
        meaning[Slot::Id] = quoted(derived_uuid(digest_of(message)), texts);
    return express(other, meaning, passage.now);
}

/// The rule of the field that a pointer names; null if there is none.
const FieldRule* rule_at(const Form& form, std::string_view pointer) {
    const Shape* shape = form.shape;
    const FieldRule* rule = nullptr;
    while (pointer.starts_with('/')) {
        pointer.remove_prefix(1);
        const std::string_view name = pointer.substr(0, pointer.find('/'));
        if (shape == nullptr) return nullptr;
        const auto found = std::ranges::find(shape->fields, name, &FieldRule::name);
        if (found == shape->fields.end()) return nullptr;
        rule = &*found;
        shape = rule->kind == Kind::Body ? form.body : rule->shape;
        pointer.remove_prefix(name.size());
    }
    return rule;
}

/// Whether the field says who sends or who receives, itself or inside.
bool names_an_end(const FieldRule& rule) {
    if (!rule.is_echo && (rule.slot == Slot::From || rule.slot == Slot::To)) return true;
    return rule.shape != nullptr &&
           std::ranges::any_of(rule.shape->fields, [](const FieldRule& in) {
               return !in.is_echo && (in.slot == Slot::From || in.slot == Slot::To);
           });
}

/// Who sends and who receives is the hub's to say: an extension that says otherwise is not heeded.
void leave_ends_alone(Extension& extension) {
    std::erase_if(extension.keeps, [&](const Keep& keep) {
        const FieldRule* rule = rule_at(*extension.form, keep.at);
        const bool is_end = rule != nullptr && names_an_end(*rule);
        return is_end && !keep.value.raw.empty() && !keep.value.is_null();
    });
}

bool keeps_its_rules(const DialectRow& row, std::string_view text) {
    const Form* form = form_of(*row.forms, json::root(text));
    if (form == nullptr) return false;
    const Reception anybody{.caller = "a", .fresh_id = "00000000-0000-4000-8000-000000000000"};
    Problems problems;
    const Checking checking{.reception = &anybody,
                            .body = form->body,
                            .is_body_whole = row.dialect != Dialect::Taskwire};
    hold_to_shape(*form->shape, json::root(text), "", checking, problems);
    return problems.empty();
}

/// The text with what the way back needs. A member of that name which somebody else put there
/// comes back by itself, and stays.
std::string with_extension(std::string text, const Extension& extension, const DialectRow& origin) {
    if (json::find(json::root(text), kExtensionMember)) return text;
    text.pop_back();
    if (text.size() > 1) text += ',';
    json::append_quoted(text, kExtensionMember);
    return text + ':' + write_extension(extension, origin) + '}';
}

class Translation {
  public:
    Translation(const DialectRow& row, const DialectRow& other, const Passage& passage)
        : row_{row}, other_{other}, passage_{passage} {}

    std::string fresh(const Form& form, json::Value message) const {
        const std::string made = plainly(form, message, *other_.forms, nullptr, passage_);
        const std::string back = way_back(form, made);
        return with_extension(made,
                              {.form = &form,
                               .at = passage_.now,
                               .digest = digest_of(json::root(made)),
                               .keeps = differences(json::root(back), message)},
                              row_);
    }

    /// On the way home: what was kept is put back. What this dialect's agents have added is kept in
    /// turn.
    std::string home(const Form& form, json::Value message, Extension extension) {
        passage_.now = extension.at;
        leave_ends_alone(extension);
        const std::string plain = plainly(form, message, *other_.forms, extension.form, passage_);
        std::string made = with_differences(json::root(plain), std::move(extension.keeps));
        if (!keeps_its_rules(other_, made)) return fresh(form, message);
        if (digest_of(message) == extension.digest) return made;
        const std::string back = way_back(form, made);
        const Extension again{.form = &form,
                              .at = passage_.now,
                              .digest = digest_of(json::root(made)),
                              .keeps = differences(json::root(back), message)};
        return with_extension(std::move(made), again, row_);
    }

  private:
    std::string way_back(const Form& form, std::string_view made) const {
        const json::Value message = json::root(made);
        const Form* other = form_of(*other_.forms, message);
        CHECK(other != nullptr);  // It was written in one of its forms.
        return plainly(*other, message, *row_.forms, &form, {.now = passage_.now});
    }

    const DialectRow& row_;
    const DialectRow& other_;
    Passage passage_;
};

}  // namespace

Reading<std::string> translate(std::string_view text,
                               Dialect from,
                               Dialect to,
                               const Passage& passage) {
    if (from == to) return std::string{text};
    const DialectRow* row = row_of(from);
    const DialectRow* other = row_of(to);
    CHECK(row != nullptr && other != nullptr);  // Only dialects that are spoken are asked for.
    json::Value message = json::root(text);
    auto extension =
        passage.heeds_extension ? read_extension(message, *other) : std::optional<Extension>{};
    std::string core;
    if (extension) {
        core = without_member(message, kExtensionMember);
        message = json::root(core);
    }
    const Form* form = form_of(*row->forms, message);
    if (form == nullptr) {
        return tl::unexpected(Rejection{
            .problems = {{.value = shortened(text),
                          .rule = fmt::format("must be a message of the dialect {}", row->name)}}});
    }
    Translation translation{*row, *other, passage};
    std::string made = extension ? translation.home(*form, message, *std::move(extension))
                                 : translation.fresh(*form, message);
    if (auto problem = outgrown(text, made)) return tl::unexpected(*std::move(problem));
    return made;
}

}  // namespace parlance::dialects
