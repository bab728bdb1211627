// The common work on a RabbitMQ quorum queue: persistent messages, publisher confirms in a window,
// a consumer with a prefetch and cumulative acknowledgements.
#include <set>

#include <amqp.h>
#include <amqp_tcp_socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "bench/peers/load.h"

namespace parlance::bench {
namespace {

constexpr amqp_channel_t kChannel = 1;
constexpr std::string_view kQueue = "bench";

amqp_bytes_t bytes_of(std::string_view text) {
    return {.len = text.size(), .bytes = const_cast<char*>(text.data())};
}

void expect_normal(amqp_rpc_reply_t reply) { REQUIRE(reply.reply_type == AMQP_RESPONSE_NORMAL); }

class Connection {
  public:
    explicit Connection(int port) : state_(amqp_new_connection()) {
        REQUIRE(amqp_socket_open(amqp_tcp_socket_new(state_), "127.0.0.1", port) == 0);
        expect_normal(amqp_login(
            state_, "/", 0, AMQP_DEFAULT_FRAME_SIZE, 0, AMQP_SASL_METHOD_PLAIN, "guest", "guest"));
        amqp_channel_open(state_, kChannel);
        expect_normal(amqp_get_rpc_reply(state_));
        const int on = 1;
        REQUIRE(setsockopt(socket(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
    }
    ~Connection() {
        amqp_connection_close(state_, AMQP_REPLY_SUCCESS);
        amqp_destroy_connection(state_);
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    amqp_connection_state_t state() const { return state_; }
    int socket() const { return amqp_get_sockfd(state_); }
    bool has_input() const {
        return amqp_frames_enqueued(state_) != 0 || amqp_data_in_buffer(state_) != 0;
    }

  private:
    amqp_connection_state_t state_;
};

void delete_queue(Connection& connection) {
    amqp_queue_delete(connection.state(), kChannel, bytes_of(kQueue), 0, 0);
    expect_normal(amqp_get_rpc_reply(connection.state()));
}

void create_queue(Connection& connection) {
    delete_queue(connection);
    amqp_table_entry_t type{};
    type.key = bytes_of("x-queue-type");
    type.value.kind = AMQP_FIELD_KIND_UTF8;
    type.value.value.bytes = bytes_of("quorum");
    const amqp_table_t arguments{.num_entries = 1, .entries = &type};
    amqp_queue_declare(connection.state(), kChannel, bytes_of(kQueue), 0, 1, 0, 0, arguments);
    expect_normal(amqp_get_rpc_reply(connection.state()));
}

// ---- frames of AMQP 0-9-1, written by hand: the client library writes every frame separately, and
// the server deserves a window of messages in one write.

template <class Integer>
void append_big_endian(std::string& wire, Integer value) {
    for (auto shift = static_cast<int>(sizeof value) * 8 - 8; shift >= 0; shift -= 8) {
        wire.push_back(static_cast<char>((static_cast<std::uint64_t>(value) >> shift) & 0xFFU));
    }
}

std::string frame(std::uint8_t type, std::string_view payload) {
    std::string wire;
    append_big_endian(wire, type);
    append_big_endian(wire, kChannel);
    append_big_endian(wire, static_cast<std::uint32_t>(payload.size()));
    wire.append(payload);
    append_big_endian(wire, static_cast<std::uint8_t>(AMQP_FRAME_END));
    return wire;
}

/// basic.publish to the default exchange, the header of a persistent message, and its body.
std::string publication(std::string_view message) {
    std::string method;
    append_big_endian(method, static_cast<std::uint32_t>(AMQP_BASIC_PUBLISH_METHOD));
    append_big_endian(method, std::uint16_t{0});
    append_big_endian(method, std::uint8_t{0});
    append_big_endian(method, static_cast<std::uint8_t>(kQueue.size()));
    method.append(kQueue);
    append_big_endian(method, std::uint8_t{0});

    std::string header;
    append_big_endian(header, static_cast<std::uint16_t>(AMQP_BASIC_CLASS));
    append_big_endian(header, std::uint16_t{0});
    append_big_endian(header, static_cast<std::uint64_t>(message.size()));
    append_big_endian(header, static_cast<std::uint16_t>(AMQP_BASIC_DELIVERY_MODE_FLAG));
    append_big_endian(header, std::uint8_t{AMQP_DELIVERY_PERSISTENT});

    return frame(AMQP_FRAME_METHOD, method) + frame(AMQP_FRAME_HEADER, header) +
           frame(AMQP_FRAME_BODY, message);
}

void send_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        REQUIRE(sent > 0);
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

// ---- the two sides

/// A confirm names one message or all up to a tag, and confirms may come out of order.
class Confirms {
  public:
    void add(const amqp_basic_ack_t& confirm) {
        if (confirm.multiple != 0) {
            through_ = std::max(through_, confirm.delivery_tag);
        } else {
            ahead_.insert(confirm.delivery_tag);
        }
        while (!ahead_.empty() && *ahead_.begin() <= through_ + 1) {
            through_ = std::max(through_, *ahead_.begin());
            ahead_.erase(ahead_.begin());
        }
    }
    std::uint64_t count() const { return through_ + ahead_.size(); }

  private:
    std::uint64_t through_ = 0;
    std::set<std::uint64_t> ahead_;
};

void take_confirm(Connection& connection, Confirms& confirms) {
    amqp_frame_t frame{};
    amqp_maybe_release_buffers(connection.state());
    REQUIRE(amqp_simple_wait_frame(connection.state(), &frame) == AMQP_STATUS_OK);
    REQUIRE(frame.frame_type == AMQP_FRAME_METHOD);
    REQUIRE(frame.payload.method.id == AMQP_BASIC_ACK_METHOD);
    confirms.add(*static_cast<const amqp_basic_ack_t*>(frame.payload.method.decoded));
}

std::uint64_t produce(Connection& connection, const Work& work, const Sending& sending) {
    amqp_confirm_select(connection.state(), kChannel);
    expect_normal(amqp_get_rpc_reply(connection.state()));
    const auto one = publication(work.message);
    Confirms confirms;
    std::string burst;
    std::uint64_t sent = 0;
    while (!sending.is_over()) {
        burst.clear();
        for (; sent - confirms.count() < work.outstanding; ++sent) burst.append(one);
        send_all(connection.socket(), burst);
        do take_confirm(connection, confirms);
        while (connection.has_input());
    }
    while (confirms.count() < sent) take_confirm(connection, confirms);
    return sent;
}

void subscribe(Connection& connection, std::uint64_t prefetch) {
    amqp_basic_qos(connection.state(), kChannel, 0, static_cast<std::uint16_t>(prefetch), 0);
    expect_normal(amqp_get_rpc_reply(connection.state()));
    amqp_basic_consume(connection.state(),
                       kChannel,
                       bytes_of(kQueue),
                       amqp_empty_bytes,
                       0,
                       0,
                       0,
                       amqp_empty_table);
    expect_normal(amqp_get_rpc_reply(connection.state()));
}

/// The next delivery's tag, or 0 after a tenth of a second without a delivery.
std::uint64_t next_delivery(Connection& connection) {
    amqp_envelope_t envelope{};
    const timeval wait{.tv_sec = 0, .tv_usec = 100'000};
    amqp_maybe_release_buffers(connection.state());
    const auto reply = amqp_consume_message(connection.state(), &envelope, &wait, 0);
    if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION &&
        reply.library_error == AMQP_STATUS_TIMEOUT) {
        return 0;
    }
    expect_normal(reply);
    const auto tag = envelope.delivery_tag;
    amqp_destroy_envelope(&envelope);
    return tag;
}

/// One acknowledgement for all deliveries received, at the latest for half of the prefetch, so that
/// the server never waits for the consumer.
void consume(Connection& connection, const Work& work, Tally& tally) {
    subscribe(connection, work.outstanding);
    const auto together_max = std::max<std::uint64_t>(work.outstanding / 2, 1);
    std::uint64_t together = 0;
    while (!tally.is_complete()) {
        const auto tag = next_delivery(connection);
        if (tag == 0) continue;
        if (++together < together_max && connection.has_input()) continue;
        REQUIRE(amqp_basic_ack(connection.state(), kChannel, tag, 1) == AMQP_STATUS_OK);
        tally.acknowledged(together);
        together = 0;
    }
}

}  // namespace
}  // namespace parlance::bench

int main(int argc, char** argv) {
    using namespace parlance::bench;
    const auto work = read_work(argc, argv, "rabbit_client: the common work on a quorum queue");
    Connection control{work.port};
    Connection producer{work.port};
    Connection consumer{work.port};
    create_queue(control);
    measure(
        work,
        [&](const Sending& sending) { return produce(producer, work, sending); },
        [&](Tally& tally) { consume(consumer, work, tally); });
    delete_queue(control);
}
