// The common work on Redis Streams: XADD in a window, XREADGROUP, and one XACK per batch.
#include <memory>
#include <span>

#include <hiredis/hiredis.h>

#include "bench/peers/load.h"

namespace parlance::bench {
namespace {

struct FreeReply {
    void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;
using Words = std::vector<std::string_view>;

/// A command in wire form. Encoding once spares the client hiredis's format parsing for each
/// message.
std::string encode(const Words& words) {
    std::string wire = "*" + std::to_string(words.size()) + "\r\n";
    for (const auto word : words) {
        wire.append("$").append(std::to_string(word.size())).append("\r\n");
        wire.append(word).append("\r\n");
    }
    return wire;
}

class Connection {
  public:
    explicit Connection(int port) : context_(redisConnect("127.0.0.1", port)) {
        REQUIRE(context_ != nullptr && context_->err == 0);
        context_->reader->maxbuf = 0;  // Keep the read buffer instead of freeing an empty buffer.
    }

    void queue(const std::string& command) {
        REQUIRE(redisAppendFormattedCommand(context_.get(), command.data(), command.size()) ==
                REDIS_OK);
    }

    /// Sends queued commands, if any, and waits for the next reply.
    Reply receive() {
        void* reply = nullptr;
        REQUIRE(redisGetReply(context_.get(), &reply) == REDIS_OK);
        return checked(reply);
    }

    /// A reply already received, or none.
    Reply receive_if_here() {
        void* reply = nullptr;
        REQUIRE(redisReaderGetReply(context_->reader, &reply) == REDIS_OK);
        return reply == nullptr ? Reply{} : checked(reply);
    }

    Reply ask(const Words& words) {
        queue(encode(words));
        return receive();
    }

  private:
    static Reply checked(void* raw) {
        Reply reply{static_cast<redisReply*>(raw)};
        if (reply->type == REDIS_REPLY_ERROR) std::fprintf(stderr, "redis: %s\n", reply->str);
        REQUIRE(reply->type != REDIS_REPLY_ERROR);
        return reply;
    }

    struct Close {
        void operator()(redisContext* context) const { redisFree(context); }
    };
    std::unique_ptr<redisContext, Close> context_;
};

void create_stream(Connection& connection) {
    connection.ask({"DEL", "stream"});
    connection.ask({"XGROUP", "CREATE", "stream", "group", "$", "MKSTREAM"});
}

std::uint64_t produce(Connection& connection, const Work& work, const Sending& sending) {
    const auto add = encode({"XADD", "stream", "*", "m", work.message});
    std::uint64_t sent = 0;
    std::uint64_t confirmed = 0;
    while (!sending.is_over()) {
        for (; sent - confirmed < work.outstanding; ++sent) connection.queue(add);
        connection.receive();
        ++confirmed;
        while (connection.receive_if_here()) ++confirmed;
    }
    for (; confirmed < sent; ++confirmed) connection.receive();
    return sent;
}

std::string_view text_of(const redisReply& reply) { return {reply.str, reply.len}; }

/// The entries of an XREADGROUP reply on one stream; none after a timeout.
std::span<redisReply*> entries_of(const redisReply& reply) {
    if (reply.type != REDIS_REPLY_ARRAY) return {};
    const auto* entries = reply.element[0]->element[1];
    return {entries->element, entries->elements};
}

/// The acknowledgement of one batch and the request for the next travel together.
void consume(Connection& connection, const Work& work, Tally& tally) {
    const auto count = std::to_string(work.outstanding);
    const auto read = encode({"XREADGROUP",
                              "GROUP",
                              "group",
                              "consumer",
                              "COUNT",
                              count,
                              "BLOCK",
                              "100",
                              "STREAMS",
                              "stream",
                              ">"});
    connection.queue(read);
    auto batch = connection.receive();
    while (!tally.is_complete()) {
        Words acknowledge{"XACK", "stream", "group"};
        const auto entries = entries_of(*batch);
        for (const auto* entry : entries) acknowledge.push_back(text_of(*entry->element[0]));
        if (!entries.empty()) {
            connection.queue(encode(acknowledge));
            connection.queue(read);
            connection.receive();
            tally.acknowledged(entries.size());
        } else {
            connection.queue(read);
        }
        batch = connection.receive();
    }
}

}  // namespace
}  // namespace parlance::bench

int main(int argc, char** argv) {
    using namespace parlance::bench;
    const auto work = read_work(argc, argv, "redis_client: the common work on Redis Streams");
    Connection producer{work.port};
    Connection consumer{work.port};
    create_stream(producer);
    measure(
        work,
        [&](const Sending& sending) { return produce(producer, work, sending); },
        [&](Tally& tally) { consume(consumer, work, tally); });
    producer.ask({"DEL", "stream"});
}
