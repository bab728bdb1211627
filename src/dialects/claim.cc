#include "dialects/claim.h"

#include <algorithm>

#include "base/check.h"
#include "base/fold.h"
#include "base/sha256.h"
#include "dialects/dialect_row.h"
#include "dialects/read_claim.h"
#include "model/user.h"

namespace parlance::dialects {

namespace {

/// About four bytes of text are a token.
constexpr std::size_t kBytesPerToken = 4;

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

/// What it is about, for comparing. Where errands are not told in words, with what they are about.
std::string objective_hash(const DialectRow& row, const Meaning& meaning, std::string_view words) {
    std::string objective = folded(words);
    if (!row.threads_sessions) {
        objective += '\n';
        objective += meaning[Slot::Content].raw;
    }
    return to_hex(sha256(objective));
}

}  // namespace

ClaimPtr read_claim(const DialectRow& row, const Meaning& meaning, json::Value message) {
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
    claim->objective_hash = objective_hash(row, meaning, claim->objective);
    claim->depth = static_cast<std::uint32_t>(number_in(meaning, Slot::Depth, 1'000'000));
    claim->depth_max = static_cast<std::uint32_t>(number_in(meaning, Slot::DepthMax, 1'000'000));
    claim->tokens_max = number_in(meaning, Slot::TokensMax, std::int64_t{1} << 53U);
    std::size_t bytes = 0;
    for (const Slot slot : {Slot::Action, Slot::Content, Slot::Context, Slot::Facts}) {
        bytes += meaning[slot].raw.size();
    }
    claim->tokens_estimated = (bytes + kBytesPerToken - 1) / kBytesPerToken;
    claim->tools = texts_in(meaning[Slot::Tools]);
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
    return read_claim(*row, understand(*form, message, {}, texts), message);
}

bool may_name_user(const Envelope& request) {
    // Every dialect's name for it has this in it; a member whose name is written in escapes has
    // not, so that a backslash is worth a look, too.
    const std::string_view body = request.body();
    return body.find("user") != std::string_view::npos ||
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
    if (rejection.id.empty()) rejection.id = text_in(meaning, Slot::Id).substr(0, kIdBytesMax);
    rejection.to = text_in(meaning, Slot::To).substr(0, kIdBytesMax);
    rejection.user = text_in(meaning, Slot::User).substr(0, kIdBytesMax);
    rejection.objective = text_in(meaning, Slot::Action).substr(0, kObjectiveBytesMax);
}

}  // namespace parlance::dialects
