// Outgoing calls: a POST to an http:// address, bounded in time and size. Each call opens its own
// connection; calls are rare.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include "base/address.h"
#include "transport/loop_impl.h"
#include "transport/parser.h"

namespace parlance::transport {
namespace {

using Resolver = net::ip::basic_resolver<net::ip::tcp, Executor>;
using ErrorCode = boost::system::error_code;

constexpr std::size_t kReadBytes = std::size_t{16} * 1024;

struct Address {
    std::string host;  ///< Without brackets.
    std::string port;
    std::string authority;  ///< As in the URL, for the Host header.
    std::string target;
};

Result<Address> parse_url(const std::string& url) {
    constexpr std::string_view kScheme = "http://";
    if (!url.starts_with(kScheme)) {
        return fail(Fault::Unsupported, fmt::format("'{}' is not an http:// address", url));
    }
    const auto is_no_character = [](unsigned char c) { return c <= ' ' || c == 0x7F; };
    if (std::ranges::any_of(url, is_no_character)) {
        return fail(Fault::Malformed,
                    fmt::format("'{}' has a space or a control character in it", url));
    }
    const auto rest = url.substr(kScheme.size());
    const auto path = rest.find_first_of("/?#");
    const auto fragment = rest.find('#');
    Address address;
    address.authority = rest.substr(0, path);
    address.target = path == std::string::npos ? "/" : rest.substr(path, fragment - path);
    if (!address.target.starts_with('/')) address.target.insert(0, "/");

    const auto bracket = address.authority.rfind(']');
    const auto colon = address.authority.find(':', bracket == std::string::npos ? 0 : bracket);
    address.host = address.authority.substr(0, colon);
    address.port = colon == std::string::npos ? "80" : address.authority.substr(colon + 1);
    if (address.host.starts_with('[') && address.host.ends_with(']')) {
        address.host = address.host.substr(1, address.host.size() - 2);
    }
    if (address.authority.find('@') != std::string::npos) {
        return fail(Fault::Malformed, fmt::format("'{}' has a user in it", url));
    }
    constexpr std::string_view kNotInHosts = "\"#%/<>?@[\\]^`{|}";
    const bool is_host =
        !address.host.empty() && address.host.find_first_of(kNotInHosts) == std::string::npos;
    if (!is_host) return fail(Fault::Malformed, fmt::format("'{}' names no host", url));
    std::uint32_t port = 0;
    const auto* const port_end = address.port.data() + address.port.size();
    const auto read = std::from_chars(address.port.data(), port_end, port);
    if (read.ec != std::errc{} || read.ptr != port_end || port == 0 || port > 65535) {
        return fail(
            Fault::Malformed,
            fmt::format("'{}' is no port, which is a number from 1 to 65535", address.port));
    }
    return address;
}

std::string write_request(const Address& address, const Outgoing& outgoing) {
    std::string text = fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n",
                                   address.target,
                                   address.authority,
                                   outgoing.body.size());
    for (const auto& [name, value] : outgoing.headers) {
        // A line end in a header would begin a forged request.
        if ((name + value).find_first_of("\r\n") != std::string::npos) continue;
        text += fmt::format("{}: {}\r\n", name, value);
    }
    return text + "Connection: close\r\n\r\n" + outgoing.body;
}

class Call : public std::enable_shared_from_this<Call> {
  public:
    Call(Loop::Impl& loop, Outgoing outgoing, std::function<void(Result<Response>)> done)
        : loop_{loop},
          outgoing_{std::move(outgoing)},
          done_{std::move(done)},
          resolver_{loop.io.get_executor()},
          socket_{loop.io},
          timer_{loop.io},
          parser_{outgoing_.body_bytes_max} {}

    void start() {
        // Each call takes a descriptor: unbounded calls would take the journal's descriptors.
        if (loop_.outgoing_open >= loop_.outgoing_max) {
            return give_up(Fault::NotFound,
                           fmt::format("the hub has {} such calls open and makes no more at a time",
                                       loop_.outgoing_open));
        }
        ++loop_.outgoing_open;
        is_counted_ = true;
        auto address = parse_url(outgoing_.url);
        if (!address) return finish(tl::unexpected(address.error()));
        request_ = write_request(*address, outgoing_);
        timer_.expires_after(outgoing_.timeout);
        timer_.async_wait([self = shared_from_this()](ErrorCode error) {
            // A silent server that accepted the connection exists; otherwise no server was found.
            const auto fault = self->is_connected_ ? Fault::Unavailable : Fault::NotFound;
            if (!error) self->give_up(fault, "no answer in time");
        });
        resolver_.async_resolve(
            address->host,
            address->port,
            [self = shared_from_this()](ErrorCode error, const Resolver::results_type& found) {
                if (error) return self->give_up(Fault::NotFound, error.message());
                self->connect(found);
            });
    }

  private:
    /// Checks the addresses after the lookup, and connects to the checked addresses: a name cannot
    /// be made to point elsewhere in between.
    void connect(const Resolver::results_type& found) {
        if (!done_) return;
        std::vector<net::ip::tcp::endpoint> ends;
        for (const auto& entry : found) {
            const auto end = entry.endpoint();
            if (!outgoing_.only_public || !is_private_address(*end.data())) ends.push_back(end);
        }
        if (ends.empty()) {
            return give_up(Fault::Unavailable, "its address is private, and not to be called");
        }
        net::async_connect(
            socket_, ends, [self = shared_from_this()](ErrorCode error, const auto&) {
                if (error) return self->give_up(Fault::NotFound, error.message());
                self->is_connected_ = true;
                self->send();
            });
    }

    void send() {
        net::async_write(socket_,
                         net::buffer(request_),
                         [self = shared_from_this()](ErrorCode error, std::size_t) {
                             // A server may answer and close before reading the whole request.
                             if (error == net::error::operation_aborted) return;
                             self->receive();
                         });
    }

    void receive() {
        if (!done_) return;
        socket_.async_read_some(net::buffer(fresh_),
                                [self = shared_from_this()](ErrorCode error, std::size_t count) {
                                    self->on_received(error, count);
                                });
    }

    void on_received(ErrorCode error, std::size_t count) {
        if (!done_) return;
        if (error && error != net::error::eof) {
            return give_up(Fault::Unavailable, error.message());
        }
        const auto progress = error ? parser_.put_end() : parse(count);
        if (progress == Progress::Done) return finish(parser_.take());
        if (progress == Progress::Refused) {
            const bool too_large = parser_.refusal().status == 413;
            return give_up(too_large ? Fault::Exhausted : Fault::Malformed,
                           too_large ? "the answer is too large" : parser_.refusal().what);
        }
        receive();
    }

    Progress parse(std::size_t count) {
        waiting_.append(fresh_.data(), count);
        std::size_t used = 0;
        const auto progress = parser_.put(waiting_, used);
        waiting_.erase(0, used);
        return progress;
    }

    void give_up(Fault fault, const std::string& why) {
        finish(fail(fault, fmt::format("POST {}: {}", outgoing_.url, why)));
    }

    void finish(Result<Response> result) {
        const auto done = std::exchange(done_, nullptr);
        if (!done) return;
        if (std::exchange(is_counted_, false)) --loop_.outgoing_open;
        timer_.cancel();
        resolver_.cancel();
        ErrorCode ignored;
        socket_.close(ignored);
        done(std::move(result));
    }

    Loop::Impl& loop_;
    Outgoing outgoing_;
    std::function<void(Result<Response>)> done_;
    Resolver resolver_;
    TcpSocket socket_;
    net::steady_timer timer_;
    ResponseParser parser_;
    std::string request_;
    std::string waiting_;
    std::array<char, kReadBytes> fresh_{};
    bool is_connected_ = false;
    bool is_counted_ = false;  ///< In Loop::Impl::outgoing_open.
};

}  // namespace

Result<std::string> check_url(const std::string& url) { return TRY(parse_url(url)).host; }

void post(Loop& loop, Outgoing outgoing, std::function<void(Result<Response>)> done) {
    auto call = std::make_shared<Call>(loop.impl(), std::move(outgoing), std::move(done));
    net::post(loop.impl().io, [call] { call->start(); });
}

}  // namespace parlance::transport
