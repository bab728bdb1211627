// The speed limit of a durable hub on this machine: the least work that keeps the promise. One
// producer, one consumer and one hub thread on loopback TCP; every message is read as JSON, chained
// by SHA-256, logged and synced before confirmation or delivery, and so is every acknowledgement.
//
// A bound for comparison, not a hub: one queue, no recovery, no errors handled.
#include <array>
#include <cstring>
#include <memory>
#include <thread>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <poll.h>
#include <simdjson.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/measure.h"

namespace parlance::bench {
namespace {

enum class Kind : std::uint32_t { Message = 1, Acknowledgement };

/// Precedes each body on the wire and in the log.
struct FrameHead {
    std::uint32_t body_bytes;
    Kind kind;
    std::uint64_t sequence;
};

struct Work {
    std::uint64_t outstanding;
    std::uint64_t messages;
    std::size_t body_bytes;
    std::string directory;
};

constexpr std::size_t kBodyBytesMax = std::size_t{64} << 10U;
constexpr std::size_t kInboxBytes = std::size_t{512} << 10U;
constexpr std::size_t kDigestBytes = 32;

template <class T>
std::string_view bytes_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

// ---- the wire

struct Connection {
    int client;
    int hub;
};

Connection connect_on_loopback() {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t address_bytes = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(bind(listener, generic, address_bytes) == 0 && listen(listener, 1) == 0);
    REQUIRE(getsockname(listener, generic, &address_bytes) == 0);

    Connection connection{.client = socket(AF_INET, SOCK_STREAM, 0), .hub = -1};
    REQUIRE(connect(connection.client, generic, address_bytes) == 0);
    connection.hub = accept(listener, nullptr, nullptr);
    REQUIRE(connection.hub >= 0);
    close(listener);
    for (const int end : {connection.client, connection.hub}) {
        const int on = 1;
        REQUIRE(setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
    }
    return connection;
}

void send_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return;  // The peer has closed; the main loop notices if too early.
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

struct Frame {
    FrameHead head;
    std::string_view whole;  ///< Head and body, as received.
    const char* body() const { return whole.data() + sizeof(FrameHead); }
};

/// Splits the bytes of a connection into frames.
class Inbox {
  public:
    explicit Inbox(int socket) : socket_(socket) {}

    /// One read, then `use` for every complete frame. False once the peer has closed.
    template <class Use>
    bool receive(int flags, Use use) {
        const auto got = recv(socket_, buffer_.data() + filled_, kInboxBytes - filled_, flags);
        if (got <= 0) return false;
        filled_ += static_cast<std::size_t>(got);

        std::size_t begin = 0;
        while (const auto bytes = complete_frame_at(begin)) {
            Frame frame{.head = {}, .whole = {buffer_.data() + begin, bytes}};
            std::memcpy(&frame.head, frame.whole.data(), sizeof frame.head);
            use(frame);
            begin += bytes;
        }
        filled_ -= begin;
        std::memmove(buffer_.data(), buffer_.data() + begin, filled_);
        return true;
    }

  private:
    /// The frame's length, or 0 while incomplete.
    std::size_t complete_frame_at(std::size_t begin) const {
        const auto there = filled_ - begin;
        FrameHead head{};
        if (there < sizeof head) return 0;
        std::memcpy(&head, buffer_.data() + begin, sizeof head);
        REQUIRE(head.body_bytes <= kBodyBytesMax);
        const auto bytes = sizeof head + head.body_bytes;
        return there < bytes ? 0 : bytes;
    }

    int socket_;
    std::size_t filled_ = 0;
    /// The padding lets the parser read past the last body without a copy.
    std::vector<char> buffer_ = std::vector<char>(kInboxBytes + simdjson::SIMDJSON_PADDING);
};

// ---- the log

/// A log file whose blocks are allocated and zeroed before the clock starts: a sync then flushes
/// data and no metadata. The log wraps around when full and is never read.
class Log {
  public:
    Log(const std::string& directory, std::size_t bytes_wanted) {
        const auto path = directory + "/floor.log";
        file_ = open(path.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
        if (file_ < 0) std::perror(path.c_str());
        REQUIRE(file_ >= 0);
        unlink(path.c_str());  // The open file lives on, and is deleted on close.
        const std::vector<char> zeros(kStepBytes);
        while (capacity_ < std::min(bytes_wanted, kBytesMax)) {
            REQUIRE(write(file_, zeros.data(), zeros.size()) == static_cast<ssize_t>(zeros.size()));
            capacity_ += zeros.size();
        }
        REQUIRE(fsync(file_) == 0);
    }
    ~Log() { close(file_); }
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    void append_and_sync(std::string_view bytes) {
        if (end_ + bytes.size() > capacity_) end_ = 0;
        const auto written = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(end_));
        REQUIRE(written == static_cast<ssize_t>(bytes.size()));
        REQUIRE(fdatasync(file_) == 0);
        end_ += bytes.size();
        ++syncs_;
    }

    std::uint64_t syncs() const { return syncs_; }

  private:
    static constexpr std::size_t kStepBytes = std::size_t{1} << 20U;
    static constexpr std::size_t kBytesMax = std::size_t{600} << 20U;

    int file_ = -1;
    std::size_t capacity_ = 0;
    std::size_t end_ = 0;
    std::uint64_t syncs_ = 0;
};

/// Each record's digest covers the previous digest. The algorithm is fetched once: a lookup per
/// record would cost more than the hash.
class Chain {
  public:
    std::string_view extend(std::string_view record) {
        unsigned written = 0;
        REQUIRE(EVP_DigestInit_ex2(context_.get(), sha256_.get(), nullptr) == 1);
        REQUIRE(EVP_DigestUpdate(context_.get(), head_.data(), head_.size()) == 1);
        REQUIRE(EVP_DigestUpdate(context_.get(), record.data(), record.size()) == 1);
        REQUIRE(EVP_DigestFinal_ex(context_.get(), head_.data(), &written) == 1);
        return {reinterpret_cast<const char*>(head_.data()), head_.size()};
    }

  private:
    template <auto free>
    struct Free {
        void operator()(auto* resource) const { free(resource); }
    };
    std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>> context_{EVP_MD_CTX_new()};
    std::unique_ptr<EVP_MD, Free<EVP_MD_free>> sha256_{EVP_MD_fetch(nullptr, "SHA256", nullptr)};
    std::array<unsigned char, kDigestBytes> head_{};
};

std::size_t log_bytes(const Work& work) {
    const auto per_message = 2 * (sizeof(FrameHead) + kDigestBytes) + work.body_bytes;
    return work.messages * per_message;
}

// ---- the hub

/// Output held back until the next sync.
struct Turn {
    std::string log;
    std::string deliveries;
    std::uint64_t confirmed = 0;
};

struct Hub {
    int producer;
    int consumer;
    Log& log;
    Chain chain{};
    simdjson::ondemand::parser parser{};
    Turn turn{};
    std::uint64_t acknowledged = 0;
    /// Never read; keeps the compiler from removing the header parsing.
    std::size_t header_bytes = 0;
};

/// Reads the fields for routing: recipient and priority.
void read_header(Hub& hub, const Frame& frame) {
    const auto bytes = frame.head.body_bytes;
    auto document = hub.parser.iterate(frame.body(), bytes, bytes + simdjson::SIMDJSON_PADDING);
    const std::string_view to = document["to"].get_string();
    const std::string_view priority = document["metadata"]["priority"].get_string();
    hub.header_bytes += to.size() + priority.size();
}

void take(Hub& hub, const Frame& frame) {
    if (frame.head.kind == Kind::Message) {
        read_header(hub, frame);
        hub.turn.confirmed = frame.head.sequence;
        hub.turn.deliveries.append(frame.whole);
    } else {
        hub.acknowledged = frame.head.sequence;
    }
    hub.turn.log.append(frame.whole);
    hub.turn.log.append(hub.chain.extend(frame.whole));
}

/// One sync for all input of the turn; output leaves only after the sync.
void finish_turn(Hub& hub) {
    hub.log.append_and_sync(hub.turn.log);
    if (!hub.turn.deliveries.empty()) {
        send_all(hub.consumer, hub.turn.deliveries);
        send_all(hub.producer, bytes_of(hub.turn.confirmed));
    }
    hub.turn.log.clear();
    hub.turn.deliveries.clear();
}

/// Returns once the acknowledgement of the last message is durable.
void run_hub(Hub& hub, std::uint64_t messages) {
    std::array inboxes{Inbox{hub.producer}, Inbox{hub.consumer}};
    std::array<pollfd, 2> ready{{{.fd = hub.producer, .events = POLLIN, .revents = 0},
                                 {.fd = hub.consumer, .events = POLLIN, .revents = 0}}};
    while (hub.acknowledged < messages) {
        REQUIRE(poll(ready.data(), ready.size(), -1) > 0);
        for (std::size_t i = 0; i < ready.size(); ++i) {
            if (ready[i].revents == 0) continue;
            REQUIRE(
                inboxes[i].receive(MSG_DONTWAIT, [&](const Frame& frame) { take(hub, frame); }));
        }
        if (!hub.turn.log.empty()) finish_turn(hub);
    }
}

// ---- the agents

/// Waits for a confirmation and takes all available: each confirmation covers all before.
std::uint64_t last_confirmation(int socket) {
    std::array<std::uint64_t, 1024> confirmations{};
    const auto got = recv(socket, confirmations.data(), sizeof confirmations, 0);
    REQUIRE(got > 0 && got % sizeof(std::uint64_t) == 0);  // Eight bytes leave in one segment.
    return confirmations.at(static_cast<std::size_t>(got) / sizeof(std::uint64_t) - 1);
}

/// Keeps `outstanding` messages unconfirmed. Returns the wait for each confirmation, in µs.
std::vector<double> produce(int socket, const Work& work) {
    const auto body = message_of(work.body_bytes);
    std::vector<double> waits_us;
    std::string burst;
    std::uint64_t sent = 0;
    std::uint64_t confirmed = 0;
    while (confirmed < work.messages) {
        burst.clear();
        for (; sent < work.messages && sent - confirmed < work.outstanding; ++sent) {
            const FrameHead head{static_cast<std::uint32_t>(body.size()), Kind::Message, sent + 1};
            burst.append(bytes_of(head)).append(body);
        }
        const auto asked = Clock::now();
        send_all(socket, burst);
        confirmed = last_confirmation(socket);
        waits_us.push_back(seconds_between(asked, Clock::now()) * 1e6);
    }
    return waits_us;
}

/// Acknowledges each read's messages in one write.
void consume(int socket) {
    Inbox inbox{socket};
    std::string answers;
    const auto acknowledge = [&](const Frame& frame) {
        answers.append(bytes_of(FrameHead{0, Kind::Acknowledgement, frame.head.sequence}));
    };
    while (inbox.receive(0, acknowledge)) {
        send_all(socket, answers);
        answers.clear();
    }
}

void run(const Work& work, bool as_json) {
    Log log{work.directory, log_bytes(work)};
    const auto to_producer = connect_on_loopback();
    const auto to_consumer = connect_on_loopback();
    Hub hub{.producer = to_producer.hub, .consumer = to_consumer.hub, .log = log};

    std::vector<double> waits_us;
    std::jthread consumer{[&] { consume(to_consumer.client); }};
    const auto begin = Clock::now();
    std::jthread producer{[&] { waits_us = produce(to_producer.client, work); }};
    run_hub(hub, work.messages);
    const auto elapsed_s = seconds_between(begin, Clock::now());

    producer.join();
    shutdown(to_consumer.hub, SHUT_RDWR);  // The consumer reads the end, and stops.
    consumer.join();

    const auto count = static_cast<double>(work.messages);
    const auto rate = count / elapsed_s;
    const auto per_sync = count / static_cast<double>(log.syncs());
    if (work.outstanding == 1) {
        print_figures({{"messages_per_s", rate},
                       {"p50_us", percentile(waits_us, 0.50)},
                       {"p99_us", percentile(waits_us, 0.99)}},
                      as_json);
    } else {
        print_figures({{"messages_per_s", rate}, {"messages_per_sync", per_sync}}, as_json);
    }
}

}  // namespace
}  // namespace parlance::bench

int main(int argc, char** argv) {
    using namespace parlance::bench;
    const Flags flags{argc,
                      argv,
                      "parlance_floor: what a minimal durable hub reaches on this machine",
                      {{"--outstanding", "256", "messages sent and not yet confirmed"},
                       {"--messages", "400000", "messages in all"},
                       {"--size", "512", "bytes of one message"},
                       {"--dir", ".", "directory of the log; its disk is what is measured"},
                       {"--json", "", "print one JSON object"}}};
    const Work work{.outstanding = flags.number("--outstanding"),
                    .messages = flags.number("--messages"),
                    .body_bytes = flags.number("--size"),
                    .directory = flags.text("--dir")};
    REQUIRE(work.body_bytes <= kBodyBytesMax);
    run(work, flags.is_set("--json"));
}
