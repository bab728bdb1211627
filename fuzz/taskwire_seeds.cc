// One right message of each type, and every word of the tables.
#include "base/json_write.h"
#include "dialects/taskwire/tables.h"
#include "fuzz/seeds.h"

namespace parlance::dialects::taskwire {
namespace {

std::string example(const TypeRow& type) {
    json::ObjectWriter payload;
    payload.text("task_id", "t-1").text("deadline", "2025-11-23T11:00:00Z");
    if (!type.answers.member.empty()) payload.text(type.answers.member, "m-1");
    if (!type.reply_mark.member.empty()) payload.boolean(type.reply_mark.member, true);
    return json::ObjectWriter{}
        .text("id", "m-2")
        .text("timestamp", "2025-11-23T10:00:00.123Z")
        .text("from", "bob")
        .text("to", "alice")
        .text("type", type.name)
        .raw("payload", payload.done())
        .raw("metadata",
             json::ObjectWriter{}
                 .text("correlation_id", "wf-1")
                 .text("priority", kPriorityWords[static_cast<std::size_t>(type.priority)])
                 .integer("ttl_ms", 60'000)
                 .integer("retry_count", 0)
                 .integer("max_retries", 3)
                 .integer("timeout_ms", 1'000)
                 .done())
        .done();
}

fuzz::Seeds seeds() {
    fuzz::Seeds seeds{.inputs = {R"({"accepted":true,"agent_id":"bob"})",
                                 R"({"type":"TASK_FAILED","payload":null})"},
                      .words = {"null", "{}", "topic:", "\"payload\":{", "\"metadata\":{"}};
    const auto add_word = [&](std::string_view word) {
        if (!word.empty()) seeds.words.push_back('"' + std::string{word} + '"');
    };
    for (const auto& type : kTypes) {
        seeds.inputs.push_back(example(type));
        add_word(type.name);
        add_word(type.answers.member);
        add_word(type.reply_mark.member);
        for (const Place place : type.task) add_word(place.member);
    }
    for (const auto& field : kBase) add_word(field.name);
    for (const auto& field : kMetadata) add_word(field.name);
    for (const auto word : kPriorityWords) add_word(word);
    for (const Place place : kDeadlines) add_word(place.member);
    return seeds;
}

}  // namespace
}  // namespace parlance::dialects::taskwire

int main(int count, char** arguments) {
    return parlance::fuzz::write_seeds(count, arguments, parlance::dialects::taskwire::seeds());
}
