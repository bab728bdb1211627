#include "dialects/passing.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/json_write.h"
#include "dialects/dialect_row.h"
#include "dialects/extension.h"
#include "dialects/written.h"

namespace parlance::dialects {

namespace {

std::string text_at(json::Value object, std::string_view key) {
    const auto value = json::find(object, key);
    std::string spare;
    return value && value->is_string() ? std::string{value->text(spare)} : std::string{};
}

/// Each once: they are kept as long as the request is open.
void add_texts(json::Value object, std::string_view key, std::vector<std::string>& texts) {
    const auto list = json::find(object, key);
    if (!list || !list->is_array()) return;
    std::set<std::string, std::less<>> known{texts.begin(), texts.end()};
    for (json::Elements elements{*list}; elements.next();) {
        std::string spare;
        if (!elements.value.is_string()) continue;
        const auto text = elements.value.text(spare);
        if (known.emplace(text).second) texts.emplace_back(text);
    }
}

/// A new JSON value for every field of the slot.
struct Rewording {
    Slot slot;
    std::string json{};
};

std::vector<Written> written_in(const Envelope& message, std::span<const Slot> slots) {
    const DialectRow* const row = row_of(message.dialect());
    const json::Value text = json::root(message.body());
    const Form* const form =
        row != nullptr && text.is_object() ? form_of(*row->forms, text) : nullptr;
    return form != nullptr ? written_in(*form, text, slots) : std::vector<Written>{};
}

/// The message's text with new values; every other byte is unchanged.
std::string changed(const Envelope& message, std::span<const Rewording> rewordings) {
    std::vector<Slot> slots;
    for (const auto& rewording : rewordings) slots.push_back(rewording.slot);
    const std::string_view text = message.body();
    std::string body;
    std::size_t copied = 0;
    for (const auto& [rule, value] : written_in(message, slots)) {
        const auto rewording = std::ranges::find(rewordings, rule->slot, &Rewording::slot);
        const bool is_plain = value.is_string() || value.integer();
        if (rewording == rewordings.end() || !is_plain) continue;
        const auto at = static_cast<std::size_t>(value.raw.data() - text.data());
        body.append(text.substr(copied, at - copied)).append(rewording->json);
        copied = at + value.raw.size();
    }
    return body.append(text.substr(copied));
}

/// The message with another number in the slot's fields.
EnvelopePtr with_number(const Envelope& message, Slot slot, std::uint64_t number) {
    const std::array rewordings{Rewording{slot, std::to_string(number)}};
    return Envelope::make(message.header(), changed(message, rewordings));
}

}  // namespace

PassingPtr passing_of(const Envelope& request) {
    constexpr std::string_view kHandoff = "TASK_HANDOFF";
    constexpr std::string_view kHelp = "HELP_REQUEST";
    if (request.intent() != Intent::Request) return {};
    if (request.type() != kHandoff && request.type() != kHelp) return {};
    const json::Value message = json::root(request.body());
    const json::Value payload = json::find(message, "payload").value_or(json::Value{});
    auto passing = std::make_shared<Passing>();
    passing->hands_over = request.type() == kHandoff;
    if (!payload.is_object()) return passing;
    passing->fallback = text_at(payload, "fallback");
    add_texts(payload, "required_capabilities", passing->skills);
    const auto constraints = json::find(payload, "constraints");
    if (constraints && constraints->is_object()) {
        add_texts(*constraints, "required_capabilities", passing->skills);
    }
    // A request for help to anyone names the kind of help.
    const auto kind = text_at(payload, "help_type");
    if (request.to() == kAnyone && passing->skills.empty() && !kind.empty()) {
        passing->skills.push_back(kind);
    }
    return passing;
}

EnvelopePtr readdressed(const Envelope& message, const Redirection& redirection) {
    std::vector<Rewording> rewordings;
    const auto reword = [&](Slot slot, std::string_view text) {
        if (!text.empty()) json::append_quoted(rewordings.emplace_back(Rewording{slot}).json, text);
    };
    reword(Slot::To, redirection.to);
    reword(Slot::Id, redirection.id);
    reword(Slot::ChildSession, redirection.child_session);
    auto header = message.header();
    if (!redirection.to.empty()) header.to = redirection.to;
    if (!redirection.id.empty()) header.id = redirection.id;
    return Envelope::make(header, changed(message, rewordings));
}

EnvelopePtr allotted(const Envelope& request, std::uint64_t tokens) {
    return with_number(request, Slot::TokensMax, tokens);
}

EnvelopePtr charged(const Envelope& answer, std::uint64_t tokens) {
    return with_number(answer, Slot::TokensUsed, tokens);
}

EnvelopePtr made_partial(const Envelope& answer, std::string_view lack) {
    const DialectRow* const row = row_of(answer.dialect());
    const std::string_view text = answer.body();
    const json::Value message = json::root(text);
    const Form* const form =
        row != nullptr && message.is_object() ? form_of(*row->forms, message) : nullptr;
    std::string body;
    std::size_t copied = 0;
    const auto reword = [&](json::Value value, std::string_view as) {
        const auto at = static_cast<std::size_t>(value.raw.data() - text.data());
        body.append(text.substr(copied, at - copied)).append(as);
        copied = at + value.raw.size();
    };
    constexpr std::array kStatus{Slot::Status};
    const auto said =
        form != nullptr ? written_in(*form, message, kStatus) : std::vector<Written>{};
    for (const auto& [rule, value] : said) {
        const auto meant = std::ranges::find(rule->means, kPartial);
        if (meant == rule->means.end() || !value.is_string()) continue;
        const auto place = static_cast<std::size_t>(meant - rule->means.begin());
        reword(value, fmt::format("\"{}\"", rule->words[place]));
    }
    if (body.empty()) return Envelope::make(answer.header(), text);
    body.append(text.substr(copied));
    const auto rule = std::ranges::find(form->shape->fields, Slot::Warnings, &FieldRule::slot);
    if (rule == form->shape->fields.end()) return Envelope::make(answer.header(), body);
    std::string warning;
    json::append_quoted(warning, lack);
    auto rest = without_member(json::root(body), rule->name);
    rest.pop_back();
    return Envelope::make(answer.header(),
                          fmt::format("{},\"{}\":[{}]}}", rest, rule->name, warning));
}

std::string recipient_in(const Envelope& message) {
    std::string spare;
    for (const auto& [rule, value] : written_in(message, std::array{Slot::To})) {
        if (value.is_string()) return std::string{value.text(spare)};
    }
    return std::string{message.to()};
}

void take_state(SendMessage& request) {
    const Envelope& envelope = *request.envelope;
    const bool may_have = envelope.intent() == Intent::Request &&
                          envelope.body().find("\"parlance\"") != std::string_view::npos;
    if (!may_have) return;
    const json::Value message = json::root(envelope.body());
    const auto extension = json::find(message, kExtensionMember);
    const auto state =
        extension && extension->is_object() ? json::find(*extension, "state") : std::nullopt;
    if (!state) return;
    request.state = state->raw;
    const auto rest = without_member(*extension, "state");
    auto body = without_member(message, kExtensionMember);
    if (json::Members{json::root(rest)}.next()) {
        body.pop_back();
        body += fmt::format(R"(,"{}":{}}})", kExtensionMember, rest);
    }
    request.envelope = Envelope::make(envelope.header(), body);
}

}  // namespace parlance::dialects
