#include "sdk/cpp/frame_reader.h"

#include <algorithm>
#include <array>
#include <limits>

namespace parlance::sdk {

namespace {

/// Fills a field of an item; false for a value of the wrong kind.
template <class Item>
struct FieldRow {
    std::string_view name;
    bool (*read)(Item&, json::Value, HubFrame&);
    bool is_required = false;
};

bool read_text(std::string_view& to, json::Value value, HubFrame& frame) {
    if (!value.is_string()) return false;
    std::string spare;
    to = value.text(spare);
    if (!spare.empty()) to = frame.unescaped.emplace_back(std::move(spare));
    return true;
}

template <class Number>
bool read_number(Number& to, json::Value value) {
    const auto number = value.integer();
    if (!number || *number < 0) return false;
    if (static_cast<std::uint64_t>(*number) > std::numeric_limits<Number>::max()) return false;
    to = static_cast<Number>(*number);
    return true;
}

bool read_flag(bool& to, json::Value value) {
    to = value.raw == "true";
    return value.is_bool();
}

template <auto Member, class Item>
bool text_at(Item& item, json::Value value, HubFrame& frame) {
    return read_text(item.*Member, value, frame);
}
template <auto Member, class Item>
bool number_at(Item& item, json::Value value, HubFrame&) {
    return read_number(item.*Member, value);
}
template <auto Member, class Item>
bool flag_at(Item& item, json::Value value, HubFrame&) {
    return read_flag(item.*Member, value);
}
template <auto Member, class Item>
bool raw_at(Item& item, json::Value value, HubFrame&) {
    item.*Member = value.raw;
    return true;
}

constexpr std::array<FieldRow<Welcome>, 7> kWelcome{{
    {"hub", text_at<&Welcome::hub>},
    {"version", text_at<&Welcome::version>},
    {"agent", text_at<&Welcome::agent>, true},
    {"instance", text_at<&Welcome::instance>},
    {"send_credit", number_at<&Welcome::send_credit>},
    {"heartbeat_ms", number_at<&Welcome::heartbeat_ms>},
    {"frame_bytes_max", number_at<&Welcome::frame_bytes_max>},
}};

constexpr std::array<FieldRow<Accepted>, 5> kAccepted{{
    {"message_id", text_at<&Accepted::message_id>, true},
    {"correlation_id", text_at<&Accepted::correlation_id>},
    {"sequence", number_at<&Accepted::sequence>},
    {"duplicate", flag_at<&Accepted::is_duplicate>},
    {"missed", number_at<&Accepted::missed_count>},
}};

constexpr std::array<FieldRow<Refused>, 6> kRefused{{
    {"message_id", text_at<&Refused::message_id>},
    {"delivery_id", text_at<&Refused::delivery_id>},
    {"code", text_at<&Refused::code>, true},
    {"message", text_at<&Refused::message>},
    {"retryable", flag_at<&Refused::is_retryable>},
    {"retry_after_ms", number_at<&Refused::retry_after_ms>},
}};

constexpr std::array<FieldRow<Delivery>, 5> kDelivery{{
    {"delivery_id", text_at<&Delivery::delivery_id>, true},
    {"attempt", number_at<&Delivery::attempt>},
    {"message", raw_at<&Delivery::message>, true},
    {"grant", raw_at<&Delivery::grant>},
    {"state", raw_at<&Delivery::state>},
}};

constexpr std::array<FieldRow<Cancelled>, 2> kCancelled{{
    {"delivery_id", text_at<&Cancelled::delivery_id>, true},
    {"reason", text_at<&Cancelled::reason>},
}};

constexpr std::array<FieldRow<Progress>, 2> kProgress{{
    {"message_id", text_at<&Progress::message_id>, true},
    {"note", raw_at<&Progress::note>},
}};

constexpr std::array<FieldRow<HubError>, 2> kError{{
    {"code", text_at<&HubError::code>, true},
    {"message", text_at<&HubError::message>},
}};

auto malformed(std::string_view verb, std::string_view why) {
    return fail(Fault::Malformed,
                "the hub's '" + std::string(verb) + "' cannot be read: " + std::string(why));
}

template <class Item, std::size_t N>
Result<Item> read_item(std::string_view verb,
                       json::Value value,
                       const std::array<FieldRow<Item>, N>& table,
                       HubFrame& frame) {
    if (!value.is_object()) return malformed(verb, "an item is no object");
    Item item;
    std::array<bool, N> seen{};
    for (json::Members members{value}; members.next();) {
        for (std::size_t i = 0; i < N; ++i) {
            if (members.key != table[i].name) continue;
            if (!table[i].read(item, members.value, frame)) {
                return malformed(verb, "'" + std::string(table[i].name) + "' is of a wrong kind");
            }
            seen[i] = true;
            break;
        }
    }
    for (std::size_t i = 0; i < N; ++i) {
        if (table[i].is_required && !seen[i]) {
            return malformed(verb, "'" + std::string(table[i].name) + "' is missing");
        }
    }
    return item;
}

template <class Item, std::size_t N>
Result<void> read_items(std::string_view verb,
                        json::Value value,
                        const std::array<FieldRow<Item>, N>& table,
                        std::vector<Item>& items,
                        HubFrame& frame) {
    if (!value.is_array()) return malformed(verb, "it is no array");
    for (json::Elements elements{value}; elements.next();) {
        items.push_back(TRY(read_item(verb, elements.value, table, frame)));
    }
    return {};
}

struct VerbRow {
    std::string_view name;
    Result<void> (*read)(std::string_view, json::Value, HubFrame&);
};

constexpr std::array kVerbs{
    VerbRow{"accepted",
            [](std::string_view verb, json::Value value, HubFrame& frame) {
                return read_items(verb, value, kAccepted, frame.accepted, frame);
            }},
    VerbRow{"deliver",
            [](std::string_view verb, json::Value value, HubFrame& frame) {
                return read_items(verb, value, kDelivery, frame.deliveries, frame);
            }},
    VerbRow{"settled",
            [](std::string_view verb, json::Value value, HubFrame& frame) -> Result<void> {
                if (!read_number(frame.settled, value)) return malformed(verb, "it is no number");
                return {};
            }},
    VerbRow{"refused",
            [](std::string_view verb, json::Value value, HubFrame& frame) {
                return read_items(verb, value, kRefused, frame.refused, frame);
            }},
    VerbRow{"progress",
            [](std::string_view verb, json::Value value, HubFrame& frame) {
                return read_items(verb, value, kProgress, frame.progress, frame);
            }},
    VerbRow{"cancelled",
            [](std::string_view verb, json::Value value, HubFrame& frame) {
                return read_items(verb, value, kCancelled, frame.cancelled, frame);
            }},
    VerbRow{"welcome",
            [](std::string_view verb, json::Value value, HubFrame& frame) -> Result<void> {
                frame.welcome = TRY(read_item(verb, value, kWelcome, frame));
                return {};
            }},
    VerbRow{"error",
            [](std::string_view verb, json::Value value, HubFrame& frame) -> Result<void> {
                frame.error = TRY(read_item(verb, value, kError, frame));
                return {};
            }},
};

}  // namespace

void HubFrame::clear() {
    welcome.reset();
    accepted.clear();
    refused.clear();
    deliveries.clear();
    cancelled.clear();
    progress.clear();
    settled = 0;
    error.reset();
    unescaped.clear();
}

Result<void> read_frame(std::string_view text, HubFrame& frame) {
    frame.clear();
    // Walking unchecked text could stop the process, and the hub's text is untrusted too.
    TRY(json::check(text, frame.outline, json::kDepthMadeMax));
    const json::Value whole = json::root(text, frame.outline);
    if (!whole.is_object()) return fail(Fault::Malformed, "the hub sent a frame that is no object");
    for (json::Members members{whole}; members.next();) {
        const auto verb = std::ranges::find(kVerbs, members.key, &VerbRow::name);
        if (verb == kVerbs.end()) continue;
        TRY(verb->read(verb->name, members.value, frame));
    }
    return {};
}

bool is_cancelled(const HubFrame& frame, std::string_view delivery_id) {
    return std::ranges::find(frame.cancelled, delivery_id, &Cancelled::delivery_id) !=
           frame.cancelled.end();
}

}  // namespace parlance::sdk
