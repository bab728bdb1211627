// The speed limit of the HTTP listener: a Beast server on one thread that reads each request and
// sends a constant answer, shaped like the hub's answer to POST /v1/messages: no dialect, no hub,
// no disk.
#include <memory>
#include <optional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "bench/measure.h"

namespace parlance::bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

/// The plain executor, not the type-erased one: nothing here needs to swap executors.
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;

constexpr std::string_view kAnswer =
    R"({"message_id":"5f0c9a52-6a1d-4f0e-9b7e-3d2c1b0a9f88",)"
    R"("correlation_id":"0b8e4c1a-92d7-4e55-8a36-7c1f0d9e2b44","sequence":123456})";
constexpr std::uint64_t kBodyBytesMax = std::uint64_t{1} << 20U;

/// A keep-alive connection; pending handlers own the session.
class Session : public std::enable_shared_from_this<Session> {
  public:
    explicit Session(Socket socket) : socket_(std::move(socket)) {}

    void read() {
        parser_.emplace();
        parser_->body_limit(kBodyBytesMax);
        http::async_read(socket_,
                         buffer_,
                         *parser_,
                         [self = shared_from_this()](beast::error_code error, std::size_t) {
                             if (!error) self->answer();
                         });
    }

  private:
    void answer() {
        const bool keep_alive = parser_->get().keep_alive();
        response_ = {http::status::accepted, parser_->get().version()};
        response_.set(http::field::content_type, "application/json");
        response_.keep_alive(keep_alive);
        response_.body() = kAnswer;
        response_.prepare_payload();
        http::async_write(
            socket_,
            response_,
            [self = shared_from_this(), keep_alive](beast::error_code error, std::size_t) {
                if (!error && keep_alive) self->read();
            });
    }

    Socket socket_;
    beast::flat_buffer buffer_;
    std::optional<http::request_parser<http::string_body>> parser_;
    http::response<http::string_body> response_;
};

void accept_forever(Acceptor& acceptor) {
    acceptor.async_accept([&acceptor](beast::error_code error, Socket socket) {
        if (!error) {
            socket.set_option(tcp::no_delay(true));
            std::make_shared<Session>(std::move(socket))->read();
        }
        accept_forever(acceptor);
    });
}

}  // namespace
}  // namespace parlance::bench

int main(int argc, char** argv) {
    using namespace parlance::bench;
    const Flags flags{argc,
                      argv,
                      "parlance_bare_http: fixed answers to any HTTP request on 127.0.0.1",
                      {{"--port", "18080", "port to listen on"}}};
    const auto port = flags.number("--port");
    REQUIRE(port <= 65535);
    asio::io_context loop{1};
    Acceptor acceptor{
        loop,
        tcp::endpoint{asio::ip::address_v4::loopback(), static_cast<asio::ip::port_type>(port)}};
    accept_forever(acceptor);
    loop.run();
}
