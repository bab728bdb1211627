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

/// A token is about four bytes of text.
constexpr std::size_t kBytesPerToken = 4;

/// The largest exact integer in a JSON number.
constexpr std::int64_t kTokensMost = std::int64_t{1} << 53U;

/// Limit of the objective recorded with a refusal.
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
    // A delegation is on record with them for longer than its message is: each is kept once.
    std::ranges::sort(texts);
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return texts;
}

/// So many words of a list are searched for a capability.
constexpr std::size_t kHintsMax = 64;

/// Words that may name a capability: the objective, if it is short, and the hints.
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

/// True if fields of this kind hold bookkeeping: agents, times, ids, numbers.
constexpr bool holds_bookkeeping(Kind kind) {
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
    const bool is_entry = holds_bookkeeping(rule.kind) || rule.slot == Slot::User;
    if (!is_entry || rule.slot == Slot::Action) return true;
    // A field of unenforced kind may hold anything.
    return value.raw.size() > kIdBytesMax + kEmpty;
}

/// The bytes of an object for its recipient to read: all but bookkeeping, unknown members included.
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

/// A text after its size, so that one text never equals two.
void append_sized(std::string& out, std::string_view text) {
    out += std::to_string(text.size());
    out += ':';
    out += text;
}

/// True for entries beside the request's subject: user, task, amount, and the action, which
/// note_objective() hashes separately.
bool is_beside_the_point(const FieldRule& rule, json::Value value) {
    const bool is_name = rule.slot == Slot::Task || rule.slot == Slot::Session ||
                         rule.slot == Slot::ChildSession || rule.slot == Slot::Correlation;
    return is_name || rule.slot == Slot::Action || !is_to_be_read(rule, value);
}

/// Appends the value in canonical form: members sorted, no white space, strings folded. With
/// `shape`, entries beside the subject are left out.
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

/// The content's shape, if the content is the whole body, of the sender's own design.
const Shape* shape_of_content(const Form& form, json::Value content, json::Value message) {
    const auto rule = std::ranges::find(form.shape->fields, Kind::Body, &FieldRule::kind);
    if (rule == form.shape->fields.end()) return nullptr;
    const auto body = json::find(message, rule->name);
    const bool is_whole = body && body->raw.data() == content.raw.data();
    return is_whole ? form.body : nullptr;
}

/// Hashes of the request's subject, for comparing: of its words and, in dialects whose delegations
/// are not described by words alone, of its content.
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
    // A missing or mere fill content counts as an empty object.
    const json::Value nothing = json::root("{}");
    std::string normal;
    append_normal(
        normal, content.raw.empty() ? nothing : content, shape_of_content(form, content, message));
    const bool is_bare = normal == nothing.raw;
    // Without another subject, another task makes another delegation.
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

/// A taskwire payload may name the user and the budget in more members than the table of its type
/// has: each counts, and of several budgets the smallest.
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
    // Any work takes at least a token.
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
    CHECK(row != nullptr);  // Only messages that a dialect has read become envelopes.
    const json::Value message = json::root(request.body());
    const Form* const form = message.is_object() ? form_of(*row->forms, message) : nullptr;
    if (form == nullptr) return {};
    Texts texts;
    return read_claim(*row, *form, understand(*form, message, {}, texts), message);
}

bool may_name_user(const Envelope& request) {
    // Every dialect's name for the user contains "user", unless the name is written in \u escapes.
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
