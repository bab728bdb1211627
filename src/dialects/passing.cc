#include "dialects/passing.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/json_write.h"
#include "dialects/dialect_row.h"
#include "dialects/extension.h"

namespace parlance::dialects {

namespace {

std::string text_at(json::Value object, std::string_view key) {
    const auto value = json::find(object, key);
    std::string spare;
    return value && value->is_string() ? std::string{value->text(spare)} : std::string{};
}

void add_texts(json::Value object, std::string_view key, std::vector<std::string>& texts) {
    const auto list = json::find(object, key);
    if (!list || !list->is_array()) return;
    for (json::Elements elements{*list}; elements.next();) {
        std::string spare;
        if (elements.value.is_string()) texts.emplace_back(elements.value.text(spare));
    }
}

/// A value that stands in the message, and what it means.
struct Written {
    std::string_view raw;
    Slot slot;
};

/// Every place at which the message says one of the two, in their order.
void find_written(const Shape& shape,
                  const Form& form,
                  json::Value object,
                  std::vector<Written>& places) {
    for (json::Members members{object}; members.next();) {
        const auto rule = std::ranges::find(shape.fields, members.key, &FieldRule::name);
        if (rule == shape.fields.end()) continue;
        const bool is_meant = rule->slot == Slot::To || rule->slot == Slot::Id;
        if (is_meant && members.value.is_string()) {
            places.push_back({members.value.raw, rule->slot});
            continue;
        }
        const Shape* const inner = rule->kind == Kind::Body ? form.body : rule->shape;
        if (inner == nullptr || !members.value.is_object()) continue;
        find_written(*inner, form, members.value, places);
    }
}

std::vector<Written> written_in(const Envelope& message) {
    const DialectRow* const row = row_of(message.dialect());
    const json::Value text = json::root(message.body());
    const Form* const form =
        row != nullptr && text.is_object() ? form_of(*row->forms, text) : nullptr;
    std::vector<Written> places;
    if (form != nullptr) find_written(*form->shape, *form, text, places);
    return places;
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
    // Who asks anyone for help says of which kind.
    const auto kind = text_at(payload, "help_type");
    if (request.to() == kAnyone && passing->skills.empty() && !kind.empty()) {
        passing->skills.push_back(kind);
    }
    return passing;
}

EnvelopePtr readdressed(const Envelope& message, std::string_view to, std::string_view id) {
    const std::string_view text = message.body();
    std::string body;
    std::size_t copied = 0;
    for (const auto& [raw, slot] : written_in(message)) {
        if (slot == Slot::Id && id.empty()) continue;
        const auto at = static_cast<std::size_t>(raw.data() - text.data());
        body.append(text.substr(copied, at - copied));
        json::append_quoted(body, slot == Slot::To ? to : id);
        copied = at + raw.size();
    }
    body.append(text.substr(copied));
    auto header = message.header();
    header.to = to;
    if (!id.empty()) header.id = id;
    return Envelope::make(header, body);
}

std::string recipient_in(const Envelope& message) {
    for (const auto& [raw, slot] : written_in(message)) {
        std::string spare;
        if (slot == Slot::To) return std::string{json::Value{raw}.text(spare)};
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
