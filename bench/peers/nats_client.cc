// The common work on NATS JetStream: a file-backed work queue, publish acknowledgements in a
// window, a pull consumer with an explicit acknowledgement for each message.
//
// Speaks the NATS text protocol on a bare socket: the C client spends two threads and a lock on
// every message, and on a small machine the server would lack the time.
#include <charconv>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/peers/load.h"

namespace parlance::bench {
namespace {

constexpr std::string_view kSubject = "bench.queue";
constexpr std::string_view kLineEnd = "\r\n";

struct Delivery {
    std::string reply_to;
    bool is_status = false;  ///< A status of the server for a pull request, not a message.
    std::string_view body;   ///< Valid until the next call.
};

class Connection {
  public:
    explicit Connection(int port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const auto* generic = reinterpret_cast<const sockaddr*>(&address);
        REQUIRE(connect(socket_, generic, sizeof address) == 0);
        const int on = 1;
        REQUIRE(setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
        next_line();  // INFO
        queue(R"(CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true})");
        queue(kLineEnd);
        synchronise();
    }
    ~Connection() { close(socket_); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void queue(std::string_view bytes) { out_.append(bytes); }

    void publish(std::string_view subject, std::string_view reply_to, std::string_view body) {
        queue(publication(subject, reply_to, body));
    }

    static std::string publication(std::string_view subject,
                                   std::string_view reply_to,
                                   std::string_view body) {
        std::string wire = "PUB ";
        wire.append(subject).append(" ");
        if (!reply_to.empty()) wire.append(reply_to).append(" ");
        wire.append(std::to_string(body.size())).append(kLineEnd);
        return wire.append(body).append(kLineEnd);
    }

    void subscribe(std::string_view subject) {
        queue(std::string("SUB ").append(subject).append(" 1\r\n"));
    }

    /// Returns once the server has processed all queued commands.
    void synchronise() {
        queue("PING\r\n");
        while (next_line() != "PONG") continue;
    }

    /// True if input arrives within the time; queued output is sent first.
    bool is_readable_within(int wait_ms) {
        if (read_ < in_.size()) return true;
        flush();
        pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
        return poll(&ready, 1, wait_ms) > 0;
    }

    Delivery receive() {
        for (;;) {
            const auto line = next_line();
            if (line == "PING") queue("PONG\r\n");
            if (line.starts_with("-ERR")) std::fprintf(stderr, "%s\n", std::string(line).c_str());
            REQUIRE(!line.starts_with("-ERR"));
            if (line.starts_with("MSG ") || line.starts_with("HMSG ")) return delivery_of(line);
        }
    }

    /// One request to the JetStream API; an error answer ends the program.
    void ask(const std::string& subject, std::string_view request) {
        const std::string inbox = "_INBOX.api";
        subscribe(inbox);
        publish(subject, inbox, request);
        const auto answer = receive();
        queue("UNSUB 1\r\n");
        if (answer.body.find(R"("error")") != std::string_view::npos) {
            std::fprintf(stderr, "%s: %s\n", subject.c_str(), std::string(answer.body).c_str());
            std::exit(2);
        }
    }

  private:
    /// "MSG subject sid [reply] bytes" or "HMSG subject sid [reply] head_bytes bytes".
    Delivery delivery_of(std::string_view line) {
        const bool has_head = line.starts_with("H");
        std::vector<std::string_view> words;
        for (std::size_t begin = 0; begin < line.size();) {
            const auto end = std::min(line.find(' ', begin), line.size());
            words.push_back(line.substr(begin, end - begin));
            begin = end + 1;
        }
        const std::size_t fixed = has_head ? 5 : 4;
        Delivery delivery;
        delivery.is_status = has_head;
        if (words.size() > fixed) delivery.reply_to = words[3];
        std::size_t bytes = 0;
        std::from_chars(words.back().begin(), words.back().end(), bytes);
        while (in_.size() - read_ < bytes + kLineEnd.size()) fill();
        delivery.body = std::string_view(in_).substr(read_, bytes);
        read_ += bytes + kLineEnd.size();
        return delivery;
    }

    std::string_view next_line() {
        for (;;) {
            const auto end = in_.find(kLineEnd, read_);
            if (end != std::string::npos) {
                const auto line = std::string_view(in_).substr(read_, end - read_);
                read_ = end + kLineEnd.size();
                return line;
            }
            fill();
        }
    }

    /// Sends all queued output in one write before a read would block.
    void fill() {
        flush();
        in_.erase(0, read_);
        read_ = 0;
        const auto filled = in_.size();
        in_.resize(filled + kReadBytes);
        const auto got = recv(socket_, in_.data() + filled, kReadBytes, 0);
        REQUIRE(got > 0);
        in_.resize(filled + static_cast<std::size_t>(got));
    }

    void flush() {
        std::string_view rest = out_;
        while (!rest.empty()) {
            const auto sent = send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
            REQUIRE(sent > 0);
            rest.remove_prefix(static_cast<std::size_t>(sent));
        }
        out_.clear();
    }

    static constexpr std::size_t kReadBytes = std::size_t{256} << 10U;
    int socket_;
    std::string in_;
    std::size_t read_ = 0;
    std::string out_;
};

void create_queue(Connection& connection) {
    connection.ask("$JS.API.STREAM.CREATE.BENCH",
                   R"({"name":"BENCH","subjects":["bench.queue"],"storage":"file",)"
                   R"("retention":"workqueue","num_replicas":1})");
    connection.ask("$JS.API.CONSUMER.DURABLE.CREATE.BENCH.WORKER",
                   R"({"stream_name":"BENCH","config":{"durable_name":"WORKER",)"
                   R"("ack_policy":"explicit","max_ack_pending":65536}})");
}

void delete_queue(Connection& connection) { connection.ask("$JS.API.STREAM.DELETE.BENCH", ""); }

std::uint64_t produce(Connection& connection, const Work& work, const Sending& sending) {
    const std::string inbox = "_INBOX.producer";
    connection.subscribe(inbox);
    const auto publication = Connection::publication(kSubject, inbox, work.message);
    std::uint64_t sent = 0;
    std::uint64_t confirmed = 0;
    bool is_over = false;
    while (!is_over || confirmed < sent) {
        for (; !is_over && sent - confirmed < work.outstanding; ++sent)
            connection.queue(publication);
        const auto confirmation = connection.receive();
        REQUIRE(confirmation.body.starts_with(R"({"stream":)"));
        ++confirmed;
        is_over = is_over || sending.is_over();
    }
    return sent;
}

/// Two pull requests for half of the prefetch each: while one batch is processed, the server
/// already has the request for the next.
class Pull {
  public:
    Pull(Connection& connection, std::uint64_t prefetch)
        : connection_(connection), batch_(std::max<std::uint64_t>(prefetch / 2, 1)) {
        connection_.subscribe(kInbox);
        ask();
        ask();
    }

    void took_one() {
        if (++taken_ == batch_) {
            taken_ = 0;
            ask();
        }
    }

  private:
    void ask() {
        connection_.publish("$JS.API.CONSUMER.MSG.NEXT.BENCH.WORKER",
                            kInbox,
                            R"({"batch":)" + std::to_string(batch_) + "}");
    }

    static constexpr std::string_view kInbox = "_INBOX.consumer";
    Connection& connection_;
    std::uint64_t batch_;
    std::uint64_t taken_ = 0;
};

void consume(Connection& connection, const Work& work, Tally& tally) {
    Pull pull{connection, work.outstanding};
    while (!tally.is_complete()) {
        if (!connection.is_readable_within(100)) continue;
        const auto delivery = connection.receive();
        REQUIRE(!delivery.is_status && delivery.body.size() == work.message.size());
        connection.publish(delivery.reply_to, "", "+ACK");
        pull.took_one();
        tally.acknowledged(1);
    }
    connection.synchronise();
}

}  // namespace
}  // namespace parlance::bench

int main(int argc, char** argv) {
    using namespace parlance::bench;
    const auto work = read_work(argc, argv, "nats_client: the common work on NATS JetStream");
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
