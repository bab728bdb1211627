// A conversation of two agents, and the verbs for its continuation.
#include "fuzz/seeds.h"

int main(int count, char** arguments) {
    const std::string hello =
        R"({"hello":{"agent":"alice","credit":4,"register":{"dialect":"taskwire"}}})"
        "\n\t"
        R"({"hello":{"agent":"bob","credit":4,"register":{"dialect":"taskwire"}}})"
        "\n";
    const std::string ask =
        R"({"send":[{"id":"m1","from":"alice","to":"bob","type":"TASK_ASSIGNMENT","payload":{"task_id":"t"}}]})"
        "\n";
    return parlance::fuzz::write_seeds(
        count,
        arguments,
        {.inputs =
             {hello + ask +
                  "\t"
                  R"({"ack":["7168.1"]})",
              hello + ask +
                  "\t"
                  R"({"reply":[{"delivery_id":"7168.1","message":{"type":"TASK_COMPLETE","payload":{}}}]})",
              hello + R"({"subscribe":["news"],"credit":9,"heartbeat":1})"
                      "\n\t"
                      R"({"send":[{"to":"topic:news","type":"STATUS_UPDATE","payload":null}]})",
              hello + ask +
                  "\t"
                  R"({"nack":[{"delivery_id":"7168.1","final":true,"reason":"no"}]})"},
         .words = {"\"hello\"",
                   "\"credit\"",
                   "\"subscribe\"",
                   "\"unsubscribe\"",
                   "\"ack\"",
                   "\"nack\"",
                   "\"extend\"",
                   "\"progress\"",
                   "\"reply\"",
                   "\"send\"",
                   "\"heartbeat\"",
                   "\"delivery_id\"",
                   "7168.1",
                   "7168.2",
                   "topic:news",
                   "TASK_ASSIGNMENT",
                   "\n\t",
                   "\"ttl_ms\":1",
                   "\"max_retries\":0"}});
}
