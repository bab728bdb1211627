#include <string>

#include "base/json_write.h"
#include "gateway/components.h"
#include "gateway/openapi.h"
#include "gateway/verb_table.h"

namespace parlance::gateway {

namespace {

/// A direction of the connection, named from the hub's side.
struct Direction {
    std::string_view action;
    std::string_view prefix;
};
constexpr Direction kHears{"receive", "hear_"};
constexpr Direction kSays{"send", "say_"};

std::string key_of(const Direction& direction, std::string_view verb) {
    return std::string{direction.prefix}.append(verb);
}

std::string reference(std::string_view path) {
    return json::ObjectWriter{}.text("$ref", path).done();
}

template <class Write>
void for_each_verb(Write write) {
    for (const Verb& verb : kVerbs) write(kHears, verb.name, verb.meaning, verb.value);
    for (const Word& word : kWords) write(kSays, word.name, word.meaning, word.value);
}

/// A frame with this verb; other verbs may stand beside it.
std::string payload_of(std::string_view verb, std::string_view value) {
    std::string required;
    json::append_quoted(required, verb);
    return json::ObjectWriter{}
        .text("type", "object")
        .raw("required", "[" + required + "]")
        .raw("properties", json::ObjectWriter{}.raw(verb, value).done())
        .done();
}

std::string messages() {
    json::ObjectWriter out;
    for_each_verb([&](const Direction& direction, auto verb, auto meaning, auto value) {
        out.raw(key_of(direction, verb),
                json::ObjectWriter{}
                    .text("name", verb)
                    .text("summary", meaning)
                    .text("contentType", "application/json")
                    .raw("payload", payload_of(verb, value))
                    .done());
    });
    return out.done();
}

std::string channel() {
    json::ObjectWriter known;
    for_each_verb([&](const Direction& direction, auto verb, auto, auto) {
        const std::string key = key_of(direction, verb);
        known.raw(key, reference("#/components/messages/" + key));
    });
    return json::ObjectWriter{}
        .text("address", "/v1/connect")
        .text("description",
              "JSON text frames. A frame is one object; every member is a verb, and one frame may "
              "carry many.")
        .raw("messages", known.done())
        .done();
}

std::string operations() {
    json::ObjectWriter out;
    for_each_verb([&](const Direction& direction, auto verb, auto meaning, auto) {
        const std::string key = key_of(direction, verb);
        out.raw(key,
                json::ObjectWriter{}
                    .text("action", direction.action)
                    .text("summary", meaning)
                    .raw("channel", reference("#/channels/connect"))
                    .raw("messages", "[" + reference("#/channels/connect/messages/" + key) + "]")
                    .done());
    });
    return out.done();
}

}  // namespace

std::string write_asyncapi(std::string_view version) {
    return json::ObjectWriter{}
        .text("asyncapi", "3.0.0")
        .raw("info",
             json::ObjectWriter{}
                 .text("title", "Parlance")
                 .text("version", version)
                 .text("description",
                       "A durable message hub for AI agents: an agent's duplex connection, as the "
                       "hub sees it.")
                 .raw("license", R"({"name":"Apache 2.0"})")
                 .done())
        .text("defaultContentType", "application/json")
        .raw("channels", json::ObjectWriter{}.raw("connect", channel()).done())
        .raw("operations", operations())
        .raw("components",
             json::ObjectWriter{}
                 .raw("messages", messages())
                 .raw("schemas", write_components())
                 .done())
        .done();
}

}  // namespace parlance::gateway
