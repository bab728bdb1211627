#include <iterator>

#include <fmt/format.h>

#include "base/iso_time.h"
#include "base/json.h"
#include "journal/event_codec.h"
#include "journal/event_tables.h"

namespace parlance::journal {

namespace {

void append_key(std::string& out, std::string_view name) {
    if (out.back() != '{') out.push_back(',');
    json::append_quoted(out, name);
    out.push_back(':');
}

void append(std::string& out, bool value) { out += value ? "true" : "false"; }
void append(std::string& out, std::uint64_t value) {
    fmt::format_to(std::back_inserter(out), "{}", value);
}
void append(std::string& out, std::uint32_t value) { append(out, std::uint64_t{value}); }
void append(std::string& out, std::string_view text) { json::append_quoted(out, text); }
void append(std::string& out, const std::string& text) { json::append_quoted(out, text); }

void append(std::string& out, Time time) {
    if (time == Time{}) {
        out += "null";
    } else {
        append(out, print_iso_time(time));
    }
}

void append(std::string& out, const std::vector<std::string>& texts) {
    out.push_back('[');
    for (const auto& text : texts) {
        if (out.back() != '[') out.push_back(',');
        append(out, text);
    }
    out.push_back(']');
}

/// Appends valid JSON unchanged; any other text as a string, so that the whole stays readable.
void append_document(std::string& out, std::string_view text) {
    if (text.empty()) {
        out += "null";
    } else if (json::check(text)) {
        out += text;
    } else {
        append(out, text);
    }
}

void append(std::string& out, const EnvelopePtr& envelope) {
    if (!envelope) {
        out += "null";
        return;
    }
    const std::pair<std::string_view, std::string_view> texts[] = {
        {"id", envelope->id()},
        {"from", envelope->from()},
        {"to", envelope->to()},
        {"type", envelope->type()},
        {"task", envelope->task()},
        {"correlation", envelope->correlation()},
        {"dialect", enum_name(envelope->dialect())},
    };
    out.push_back('{');
    for (const auto& [name, text] : texts) {
        append_key(out, name);
        append(out, text);
    }
    append_key(out, "message");
    append_document(out, envelope->body());
    out.push_back('}');
}

template <class Tag, class Value>
void append(std::string& out, const Strong<Tag, Value>& strong) {
    append(out, strong.value);
}

template <class T>
void append_fields(std::string& out, const T& value);

template <class T>
void append_nested(std::string& out, const T& value) {
    out.push_back('{');
    append_fields(out, value);
    out.push_back('}');
}

void append(std::string& out, const Profile& profile) { append_nested(out, profile); }
void append(std::string& out, const DeliveryToken& delivery) { append_nested(out, delivery); }
void append(std::string& out, const Allocation& allocation) { append_nested(out, allocation); }

template <As as, class Value>
void append_as(std::string& out, const Value& value) {
    if constexpr (as == As::Hash) {
        append(out, fmt::format("{:016x}", value));
    } else if constexpr (as == As::Document) {
        append_document(out, value);
    } else if constexpr (std::is_enum_v<Value>) {
        append(out, enum_name(value));
    } else {
        append(out, value);
    }
}

template <class T>
void append_fields(std::string& out, const T& value) {
    [&]<std::size_t... index>(std::index_sequence<index...>) {
        const auto show = [&]<std::size_t at>(std::integral_constant<std::size_t, at>) {
            constexpr const auto& kField = std::get<at>(kFields<T>);
            if constexpr (kField.as != As::Secret) {
                append_key(out, kField.name);
                append_as<kField.as>(out, value.*kField.member);
            }
        };
        (show(std::integral_constant<std::size_t, index>{}), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(kFields<T>)>>{});
}

}  // namespace

void append_json(std::string& out, Sequence sequence, Time at, const Event& event) {
    out.push_back('{');
    append_key(out, "sequence");
    append(out, sequence);
    append_key(out, "at");
    append(out, print_iso_time(at));
    append_key(out, "event");
    append(out, event_name(event));
    std::visit([&](const auto& one) { append_fields(out, one); }, event);
    out.push_back('}');
}

}  // namespace parlance::journal
