#include "dialects/claim.h"

#include <algorithm>

#include "base/check.h"
#include "base/fold.h"
#include "base/json_sorted.h"
#include "base/plain_text.h"
#include "base/sha256.h"
#include "dialects/dialect_row.h"
#include "dialects/read_claim.h"
#include "model/user.h"

namespace parlance::dialects {

namespace {

/// About four bytes of text are a token.
constexpr std::size_t kBytesPerToken = 4;

/// What a JSON number can say exactly.
constexpr std::int64_t kTokensMost = std::int64_t{1} << 53U;

/// So much of what was wanted is on record with a refusal.
constexpr std::size_t kObjectiveBytesMax = 1'024;

std::string text_in(const Meaning& meaning, Slot slot) {
    std::string spare;
    return meaning[slot].is_string() ? std::string{meaning[slot].text(spare)} : std::string{};
}

std::uint64_t number_in(const Meaning& meaning, Slot slot, std::int64_t most) {
    return static_cast<std::uint64_t>(
        std::clamp(meaning.number(slot).value_or(0), std::int64_t{0}, most));
}

std::vector<std::string> texts_in(json::Value list) {
    std::vector<std::string> texts;
    if (!list.is_array()) return texts;
    for (json::Elements elements{list}; elements.next();) {
        std::string spare;
        if (elements.value.is_string()) texts.emplace_back(elements.value.text(spare));
    }
    std::ranges::sort(texts);
    return texts;
}

/// So many words of a list are looked at for a capability.
constexpr std::size_t kHintsMax = 64;

/// What may name a capability: what is wanted, if that is a word, and then what is hinted at.
std::vector<std::string> capability_words(const DialectRow& row,
                                          json::Value message,
                                          const std::string& objective) {
    constexpr std::size_t kUsualWords = 4;
    std::vector<std::string> words;
    words.reserve(kUsualWords);
    const auto add = [&](std::string_view word) {
        if (!word.empty() && word.size() <= kIdBytesMax) words.emplace_back(word);
    };
    add(objective);
    const auto hints = row.hints.empty() ? std::nullopt : json::find(message, row.hints);
    if (!hints || !hints->is_array()) return words;
    json::Elements elements{*hints};
    for (std::size_t count = 0; count < kHintsMax && elements.next(); ++count) {
        std::string spare;
        if (elements.value.is_string()) add(elements.value.text(spare));
    }
    return words;
}

/// Whether a field of this kind only keeps the books: who, when, which, how many.
constexpr bool keeps_books(Kind kind) {
    switch (kind) {
        case Kind::Id:
        case Kind::Agent:
        case Kind::Recipient:
        case Kind::Text:
        case Kind::Word:
        case Kind::Instant:
        case Kind::Integer:
        case Kind::Number:
        case Kind::Boolean:
        case Kind::Uuid4:
        case Kind::RequestId:
        case Kind::CorrelationId:
        case Kind::ErrorCode:
            return true;
        case Kind::Anything:
        case Kind::Object:
        case Kind::String:
        case Kind::List:
        case Kind::Map:
        case Kind::Body:
            return false;
    }
    return false;
}

bool is_to_be_read(const FieldRule& rule, json::Value value) {
    constexpr std::size_t kEmpty = 2;  // "", [] and {}.
    if (value.raw.size() <= kEmpty) return false;
    const bool is_entry = keeps_books(rule.kind) || rule.slot == Slot::User;
    if (!is_entry || rule.slot == Slot::Action) return true;
    // Where nobody insists on the kind, anything may stand in its place.
    return value.raw.size() > kIdBytesMax + kEmpty;
}

/// How much of an object there is to be read by whom it is sent to: all but the entries of the
/// books, and so whatever no table knows.
std::size_t bytes_to_read(const Form& form, const Shape& shape, json::Value object) {
    std::size_t bytes = 0;
    for (json::Members members{object}; members.next();) {
        const FieldRule* const rule = find_rule(shape, members.key);
        if (rule == nullptr) {
            bytes += members.key.size() + members.value.raw.size();
            continue;
        }
        const Shape* const inner = rule->kind == Kind::Body ? form.body : rule->shape;
        const bool is_known = inner != nullptr && rule->kind != Kind::Anything;
        if (is_known && members.value.is_object()) {
            bytes += bytes_to_read(form, *inner, members.value);
        } else if (is_to_be_read(*rule, members.value)) {
            bytes += members.value.raw.size();
        }
    }
    return bytes;
}

/// A text with its size before it, so that no text looks like two.
void append_sized(std::string& out, std::string_view text) {
    out += std::to_string(text.size());
    out += ':';
    out += text;
}

/// Whether an entry says for whom, for which task or how much, and not what; or what was said
/// already.
bool is_beside_the_point(const FieldRule& rule, json::Value value) {
    const bool is_name = rule.slot == Slot::Task || rule.slot == Slot::Session ||
                         rule.slot == Slot::ChildSession || rule.slot == Slot::Correlation;
    return is_name || rule.slot == Slot::Action || !is_to_be_read(rule, value);
}

/// Appends what the value says, and not how it is written: members in order, no white space between
/// them, strings folded. An object of `shape` without what is beside the point.
void append_normal(std::string& out, json::Value value, const Shape* shape = nullptr) {
    if (value.is_string()) {
        std::string spare;
        out += '"';
        append_sized(out, folded(value.text(spare)));
    } else if (value.is_object()) {
        const json::SortedMembers members{value};
        out += '{';
        for (const auto& member : members.all()) {
            const FieldRule* const rule =
                shape == nullptr ? nullptr : find_rule(*shape, member.key);
            if (rule != nullptr && is_beside_the_point(*rule, member.value)) continue;
            append_sized(out, member.key);
            append_normal(out, member.value);
        }
        out += '}';
    } else if (value.is_array()) {
        out += '[';
        for (json::Elements elements{value}; elements.next();) append_normal(out, elements.value);
        out += ']';
    } else if (const auto whole = value.is_number() ? value.integer() : std::nullopt) {
        out += std::to_string(*whole);
        out += ',';
    } else {
        out += value.raw;
        out += ',';
    }
}

/// The shape of the content, if that is a body as a whole: one of its sender's own making.
const Shape* shape_of_content(const Form& form, json::Value content, json::Value message) {
    const auto rule = std::ranges::find(form.shape->fields, Kind::Body, &FieldRule::kind);
    if (rule == form.shape->fields.end()) return nullptr;
    const auto body = json::find(message, rule->name);
    const bool is_whole = body && body->raw.data() == content.raw.data();
    return is_whole ? form.body : nullptr;
}

/// What it is about, for comparing: its words and, where errands are not told in words, what else
/// it is about.
void note_objective(Claim& claim,
                    const DialectRow& row,
                    const Form& form,
                    const Meaning& meaning,
                    json::Value message) {
    const std::string words = folded(claim.objective);
    if (row.threads_sessions) {
        claim.objective_hash = to_hex(sha256(words));
        return;
    }
    if (!claim.objective.empty()) claim.words_hash = to_hex(sha256(words));
    const json::Value content = meaning[Slot::Content];
    // What only fills its place is as good as nothing in it.
    const json::Value nothing = json::root("{}");
    std::string normal;
    append_normal(
        normal, content.raw.empty() ? nothing : content, shape_of_content(form, content, message));
    const bool is_bare = normal == nothing.raw;
    // Where nothing else says what it is about, another task is another errand.
    std::string task;
    if (is_bare && meaning.says(Slot::Task)) append_normal(task, meaning[Slot::Task]);
    if (is_bare && !claim.words_hash.empty()) {
        claim.objective_hash = claim.words_hash;
        if (!task.empty()) claim.objective_hash += to_hex(sha256(task));
    } else {
        claim.objective_hash = to_hex(sha256(words + '\n' + normal + task));
    }
}

json::Value member_of(json::Value object, std::string_view key) {
    if (!object.is_object()) return {};
    return json::find(object, key).value_or(json::Value{});
}

/// A payload of taskwire may say for whom and how much in more places than the table of its type
/// has: what is said in any of them counts, of several budgets the least.
void add_said_in_payload(Claim& claim, json::Value message) {
    const auto payload = member_of(message, "payload");
    for (const auto& said : {payload, member_of(payload, "context")}) {
        const auto user = member_of(said, "user_id");
        std::string spare;
        if (claim.user.empty() && user.is_string()) claim.user = user_named(user.text(spare));
    }
    for (const auto& said : {payload, member_of(payload, "constraints")}) {
        const auto most = member_of(said, "max_tokens");
        const auto tokens = most.is_number() ? most.integer().value_or(0) : 0;
        if (tokens <= 0) continue;
        const auto wanted = static_cast<std::uint64_t>(std::min(tokens, kTokensMost));
        claim.tokens_max = claim.tokens_max == 0 ? wanted : std::min(claim.tokens_max, wanted);
    }
}

}  // namespace

std::vector<std::string> owners_of(const Meaning& meaning) {
    std::vector<std::string> owners;
    if (!meaning[Slot::Sources].is_array()) return owners;
    for (json::Elements sources{meaning[Slot::Sources]}; sources.next();) {
        const auto owner =
            sources.value.is_object() ? json::find(sources.value, "owner_scope") : std::nullopt;
        std::string spare;
        if (owner && owner->is_string()) owners.emplace_back(owner->text(spare));
    }
    std::ranges::sort(owners);
    owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
    return owners;
}

ClaimPtr read_claim(const DialectRow& row,
                    const Form& form,
                    const Meaning& meaning,
                    json::Value message) {
    auto claim = std::make_shared<Claim>();
    claim->user = user_named(text_in(meaning, Slot::User));
    claim->session = text_in(meaning, Slot::Session);
    claim->child_session = text_in(meaning, Slot::ChildSession);
    claim->objective = text_in(meaning, Slot::Action);
    if (row.names_capabilities) {
        claim->capability = claim->objective;
    } else {
        claim->words = capability_words(row, message, claim->objective);
    }
    note_objective(*claim, row, form, meaning, message);
    claim->depth = static_cast<std::uint32_t>(number_in(meaning, Slot::Depth, 1'000'000));
    claim->depth_max = static_cast<std::uint32_t>(number_in(meaning, Slot::DepthMax, 1'000'000));
    claim->tokens_max = number_in(meaning, Slot::TokensMax, kTokensMost);
    if (row.dialect == Dialect::Taskwire) add_said_in_payload(*claim, message);
    const std::size_t bytes = bytes_to_read(form, *form.shape, message);
    // Nothing is done for less than a token, whatever was left out.
    claim->tokens_estimated =
        std::max<std::uint64_t>((bytes + kBytesPerToken - 1) / kBytesPerToken, 1);
    claim->tools = texts_in(meaning[Slot::Tools]);
    claim->limits_tools = meaning[Slot::Tools].is_array();
    claim->owners = owners_of(meaning);
    claim->has_session = row.threads_sessions;
    return claim;
}

ClaimPtr claim_of(const Envelope& request) {
    const DialectRow* const row = row_of(request.dialect());
    CHECK(row != nullptr);  // Only what a dialect has read becomes an envelope.
    const json::Value message = json::root(request.body());
    const Form* const form = message.is_object() ? form_of(*row->forms, message) : nullptr;
    if (form == nullptr) return {};
    Texts texts;
    return read_claim(*row, *form, understand(*form, message, {}, texts), message);
}

bool may_name_user(const Envelope& request) {
    // Every dialect's name for it has this in it; a member whose name is written in escapes has
    // not, so that a backslash is worth a look, too.
    const std::string_view body = request.body();
    return body.find("user") != std::string_view::npos ||
           body.find("\\u") != std::string_view::npos;
}

bool may_say_budget(const Envelope& request) {
    const std::string_view body = request.body();
    return body.find("max_tokens") != std::string_view::npos ||
           body.find("\\u") != std::string_view::npos;
}

void note_claim(Rejection& rejection, std::string_view text) {
    if (rejection.dialect != Dialect::Delegation || !json::check(text)) return;
    const DialectRow* const row = row_of(*rejection.dialect);
    const json::Value message = json::root(text);
    const Form* const form = message.is_object() ? form_of(*row->forms, message) : nullptr;
    if (form == nullptr || form->intent != Intent::Request) return;
    Texts texts;
    const Meaning meaning = understand(*form, message, {}, texts);
    if (rejection.id.empty()) rejection.id = cut(text_in(meaning, Slot::Id), kIdBytesMax);
    rejection.to = cut(text_in(meaning, Slot::To), kIdBytesMax);
    rejection.user = cut(text_in(meaning, Slot::User), kIdBytesMax);
    rejection.objective = cut(text_in(meaning, Slot::Action), kObjectiveBytesMax);
}

}  // namespace parlance::dialects
