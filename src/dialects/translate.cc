#include "dialects/translate.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/iso_time.h"
#include "base/uuid.h"
#include "dialects/extension.h"
#include "dialects/meaning.h"
#include "dialects/same.h"

namespace parlance::dialects {

namespace {

void add_what_the_hub_knows(Meaning& meaning, const Passage& passage, Texts& texts) {
    const auto say = [&](Slot slot, std::string_view text, bool always) {
        if (text.empty() || (meaning.says(slot) && !always)) return;
        meaning[slot] = quoted(text, texts);
    };
    say(Slot::From, passage.from, false);
    say(Slot::To, passage.to, false);
    say(Slot::Id, passage.id, true);
    say(Slot::Answers, passage.answers, true);
    say(Slot::Correlation, passage.correlation, true);
    if (passage.patience > Duration{}) {
        meaning[Slot::Patience] = numbered(passage.patience.count(), texts);
    }
    if (passage.began != Time{}) say(Slot::Began, print_iso_time(passage.began), true);
}

/// Limit for exact keeps. Many small keeps take many times the room of their values; beyond the
/// limit each keep is a whole member of the message, and all take no more room than the message.
constexpr std::size_t kKeepsBytesMax = std::size_t{4} << 20U;

std::size_t bytes_of(std::span<const Keep> keeps) {
    constexpr std::size_t kBytesAround = sizeof(R"({"at":"","value":,"was":},)");
    std::size_t bytes = 0;
    for (const Keep& keep : keeps) {
        bytes += kBytesAround + keep.at.size() + keep.value.raw.size() + keep.was.raw.size();
    }
    return bytes;
}

/// A message to be written in another dialect.
struct Saying {
    const Form& form;
    json::Value message;
    std::string_view without{};  ///< A member to leave out.
};

/// The form that the request demands of its answer; null if any reply will do.
const Form* special_answer(Act act, const Forms& others, const Passage& passage) {
    if (act != Act::Reply || passage.type.empty()) return nullptr;
    const auto asks_for_it = [&](const Form& form) { return form.answered_by == passage.type; };
    const bool is_special = std::ranges::any_of(others.all, asks_for_it);
    return is_special ? form_named(others, passage.type) : nullptr;
}

const Shape* shape_in(const Form& form, const FieldRule& rule) {
    return rule.kind == Kind::Body ? form.body : rule.shape;
}

/// True if the form's content must be text: an object is then written as JSON text, although
/// capability schemas are checked against the object (K6).
bool tells_in_text(const Form& form, const Shape& shape) {
    return std::ranges::any_of(shape.fields, [&](const FieldRule& rule) {
        if (rule.slot == Slot::Content && rule.kind == Kind::String) return true;
        const Shape* const inner = shape_in(form, rule);
        return inner != nullptr && tells_in_text(form, *inner);
    });
}

/// The message in the other dialect, without the values that have no place there. `wanted` is the
/// mandatory form; null: the form for the message's act. Outlines the result.
std::string plainly(const Saying& saying,
                    const Forms& others,
                    const Form* wanted,
                    const Passage& passage,
                    json::Outline& outline) {
    const Form& form = saying.form;
    Texts texts;
    Meaning meaning = understand(form, saying.message, passage.now, texts);
    add_what_the_hub_knows(meaning, passage, texts);
    if (tells_in_text(form, *form.shape)) {
        meaning[Slot::Content] = structured(meaning[Slot::Content], texts);
    }
    const Act act = act_of(form, meaning);
    const Form* const special = wanted == nullptr ? special_answer(act, others, passage) : nullptr;
    if (special != nullptr) wanted = special;
    const Form& other = wanted != nullptr ? *wanted : form_for(others, act);
    // The priority with which the hub treats the message.
    if (other.implies_priority && !meaning.says(Slot::Priority)) {
        const auto priority = static_cast<std::int64_t>(priority_of(form, meaning));
        meaning[Slot::Priority] = numbered(priority, texts);
    }
    // The id that the hub gives to a message without one.
    if (!meaning.says(Slot::Id)) {
        const std::uint64_t digest = digest_of(saying.message, saying.without);
        meaning[Slot::Id] = quoted(derived_uuid(digest), texts);
    }
    return express(other, meaning, passage.now, outline);
}

/// The rule of the field that a pointer names; null if there is none.
const FieldRule* rule_at(const Form& form, std::string_view pointer) {
    const Shape* shape = form.shape;
    const FieldRule* rule = nullptr;
    while (pointer.starts_with('/')) {
        pointer.remove_prefix(1);
        const std::string_view name = pointer.substr(0, pointer.find('/'));
        rule = shape == nullptr ? nullptr : find_rule(*shape, name);
        if (rule == nullptr) return nullptr;
        shape = shape_in(form, *rule);
        pointer.remove_prefix(name.size());
    }
    return rule;
}

/// The text as a value with an outline, for several walks.
json::Value outlined(std::string_view text, json::Outline& outline) {
    const auto checked = json::check(text, outline, json::kDepthMadeMax);
    return checked ? json::root(text, outline) : json::root(text);
}

constexpr std::size_t kBytesSmall = std::size_t{16} << 10U;

/// The same, unless the text is small. Without an outline each level is scanned again, which is
/// expensive in a large text.
json::Value walkable(std::string_view text, json::Outline& outline) {
    return text.size() <= kBytesSmall ? json::root(text) : outlined(text, outline);
}

/// Fields in which the hub's knowledge overrides an extension: sender and recipient, and the ids of
/// a message that the hub carries.
class Known {
  public:
    Known(const Form& form, const Passage& passage)
        : form_{form}, knows_ids_{!passage.id.empty()} {}

    /// True if the extension's value for the field is ignored.
    bool settles(const Keep& keep) const {
        const FieldRule* rule = rule_at(form_, keep.at);
        if (rule == nullptr || !says(*rule)) return false;
        const bool is_taken_away = keep.value.raw.empty() || keep.value.is_null();
        return !is_taken_away || (knows_ids_ && rule->need != Need::Optional);
    }

  private:
    /// True if the field, or a field inside, has a slot that the hub knows.
    bool says(const FieldRule& rule) const {
        if (!rule.is_echo && is_known(rule.slot)) return true;
        const Shape* shape = shape_in(form_, rule);
        return shape != nullptr &&
               std::ranges::any_of(shape->fields, [&](const FieldRule& in) { return says(in); });
    }

    bool is_known(Slot slot) const {
        if (slot == Slot::From || slot == Slot::To) return true;
        const bool is_id = slot == Slot::Id || slot == Slot::Correlation || slot == Slot::Answers;
        return is_id && knows_ids_;
    }

    const Form& form_;
    bool knows_ids_;
};

/// True if the message may be a translation from the form `origin`: equal intents, and equal acts
/// or the act's translation. Otherwise an extension could disguise a request as a one-way message,
/// or an answer as a request.
bool can_have_been(const Form& origin,
                   const Form& form,
                   json::Value message,
                   const Forms& forms,
                   const Passage& passage) {
    if (passage.id.empty()) return true;
    if (origin.intent != form.intent) return false;
    Texts texts;
    const Meaning meaning = understand(form, message, passage.now, texts);
    const Act act = act_of(origin, meaning);
    return act == act_of(form, meaning) || &form_for(forms, act) == &form;
}

/// The problems of a message that must have this form.
Problems problems_in(const DialectRow& row, const Form& form, std::string_view text) {
    if (form_of(*row.forms, json::root(text)) != &form) return {{.rule = "must be of its form"}};
    const Reception anybody{.caller = "a", .fresh_id = "00000000-0000-4000-8000-000000000000"};
    Problems problems;
    const Checking checking{
        .reception = &anybody, .body = form.body, .is_body_whole = row.is_body_whole};
    hold_to_shape(*form.shape, json::root(text), "", checking, problems);
    return problems;
}

/// The problems' pointers, in the order of keeps.
std::vector<std::string_view> places_of(const Problems& problems) {
    std::vector<std::string_view> places;
    for (const Problem& problem : problems) places.emplace_back(problem.pointer);
    std::ranges::sort(places, is_before);
    return places;
}

/// True if one of the sorted pointers is the given pointer or inside of it.
bool leads_to_any(std::string_view pointer, const std::vector<std::string_view>& places) {
    const auto place = std::ranges::lower_bound(places, pointer, is_before);
    return place != places.end() && place->starts_with(pointer) &&
           (place->size() == pointer.size() || (*place)[pointer.size()] == '/');
}

/// Keeps that are put back, and keeps that stay in the extension.
struct Heeded {
    std::vector<Keep> keeps;
    std::vector<Keep> left{};

    template <class IsLeft>
    void leave(IsLeft is_left) {
        const auto first = std::ranges::find_if(keeps, is_left);
        const auto rest = std::stable_partition(first, keeps.end(), std::not_fn(is_left));
        left.insert(left.end(), rest, keeps.end());
        keeps.erase(rest, keeps.end());
    }
};

bool has_extension(json::Value message) {
    return json::find(message, kExtensionMember).has_value();
}

void append_member(std::string& text, const Extension& extension, const DialectRow& origin) {
    text.pop_back();
    if (text.size() > 1) text += ',';
    text.append(1, '"').append(kExtensionMember).append("\":");
    append_extension(text, extension, origin);
    text += '}';
}

/// The text with the extension for the way back. A foreign member of that name stays, and is
/// restored like any other member.
std::string with_extension(std::string text, const Extension& extension, const DialectRow& origin) {
    if (has_extension(json::root(text))) return text;
    append_member(text, extension, origin);
    return text;
}

class Translation {
  public:
    Translation(const DialectRow& row, const DialectRow& other, const Passage& passage)
        : row_{row}, other_{other}, passage_{passage} {}

    std::string fresh(const Form& form, json::Value message) const {
        json::Outline outline;
        std::string made = plainly({form, message}, *other_.forms, nullptr, passage_, outline);
        // Values closed in the outline are scanned repeatedly too.
        const json::Value other =
            made.size() <= kBytesSmall ? json::root(made, outline) : outlined(made, outline);
        add_way_back(made, other, {form, message});
        return made;
    }

    /// The way back: kept values are restored. Values that this dialect's agents added are kept in
    /// turn, and so are values that cannot be restored. `message` still has the extension.
    std::string home(const Form& form, json::Value message, Extension extension) {
        const Passage passage = passage_;
        passage_.now = extension.at;
        passage_.patience = {};  // Kept values were computed without the hub's time limit.
        json::Outline outline;
        const std::string plain = plainly(
            {form, message, kExtensionMember}, *other_.forms, extension.form, passage_, outline);
        Heeded heeded{.keeps = std::exchange(extension.keeps, {})};
        std::string made = restored(*extension.form, plain, heeded);
        const bool is_as_it_was =
            heeded.left.empty() && digest_of(message, kExtensionMember) == extension.digest;
        if (!made.empty() && is_as_it_was) return made;

        std::string rest = without_member(message, kExtensionMember);
        if (made.empty() || !heeded.left.empty()) {
            extension.keeps = std::move(heeded.left);
            rest = with_extension(std::move(rest), extension, other_);
        }
        json::Outline outline_rest;
        const json::Value original = walkable(rest, outline_rest);
        if (made.empty()) {
            passage_ = passage;
            return fresh(form, original);
        }
        json::Outline outline_made;
        add_way_back(made, walkable(made, outline_made), {form, original});
        return made;
    }

  private:
    /// The message with as many keeps as possible restored; empty if invalid even without keeps.
    std::string restored(const Form& wanted, const std::string& plain, Heeded& heeded) const {
        const Known known{wanted, passage_};
        heeded.leave([&](const Keep& keep) { return known.settles(keep); });
        json::Outline outline;
        const json::Value value = walkable(plain, outline);
        std::string made = with_differences(value, heeded.keeps);
        const Problems problems = problems_in(other_, wanted, made);
        if (problems.empty()) return made;
        const auto places = places_of(problems);
        heeded.leave([&](const Keep& keep) { return leads_to_any(keep.at, places); });
        made = with_differences(value, heeded.keeps);
        if (problems_in(other_, wanted, made).empty()) return made;
        heeded.leave([](const Keep&) { return true; });
        return problems_in(other_, wanted, plain).empty() ? plain : std::string{};
    }

    /// Adds the values lost on the way back from `made`; `other` is `made` as a value.
    void add_way_back(std::string& made, json::Value other, const Saying& original) const {
        const Form* form = form_of(*other_.forms, other);
        CHECK(form != nullptr);  // `made` was written in one of these forms.
        json::Outline outline;
        const std::string back =
            plainly({*form, other}, *row_.forms, &original.form, {.now = passage_.now}, outline);
        if (has_extension(other)) return;
        Texts texts;
        const json::Value returned = json::root(back, outline);
        Extension extension{.form = &original.form,
                            .at = passage_.now,
                            .digest = digest_of(other),
                            .keeps = differences(returned, original.message, texts)};
        if (bytes_of(extension.keeps) > kKeepsBytesMax) {
            extension.keeps = coarse_differences(returned, original.message, texts);
        }
        append_member(made, extension, row_);
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
    CHECK(row != nullptr && other != nullptr);  // Only supported dialects are asked for.
    json::Outline outline;
    const json::Value message = outlined(text, outline);
    const Form* form = form_of(*row->forms, message);
    if (form == nullptr) {
        return tl::unexpected(Rejection{
            .problems = {{.value = shortened(text),
                          .rule = fmt::format("must be a message of the dialect {}", row->name)}}});
    }
    Translation translation{*row, *other, passage};
    Texts texts;
    auto extension = read_extension(message, *other, texts);
    const bool is_heeded =
        extension && can_have_been(*extension->form, *form, message, *row->forms, passage);
    return is_heeded ? translation.home(*form, message, *std::move(extension))
                     : translation.fresh(*form, message);
}

bool is_shown_as_request(const Envelope& message, Dialect reader) {
    const DialectRow* const row = row_of(reader);
    CHECK(row != nullptr);  // Agents register with a supported dialect.
    const Form* const form = form_shown(*row, message);
    return form != nullptr && form->intent == Intent::Request;
}

}  // namespace parlance::dialects
