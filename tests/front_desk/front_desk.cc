#include "tests/front_desk/front_desk.h"

#include <gtest/gtest.h>

namespace parlance::front_desk {

namespace {

/// "/path?a=1&b=2"; nothing here needs decoding.
transport::Request request_of(std::string method, std::string target) {
    transport::Request request{.method = std::move(method)};
    const auto mark = target.find('?');
    request.path = target.substr(0, mark);
    std::string_view query =
        mark == std::string::npos ? "" : std::string_view{target}.substr(mark + 1);
    while (!query.empty()) {
        const auto end = std::min(query.find('&'), query.size());
        const auto pair = query.substr(0, end);
        const auto equals = pair.find('=');
        request.query.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
        query.remove_prefix(std::min(end + 1, query.size()));
    }
    return request;
}

}  // namespace

FrontDesk::FrontDesk(engine::Options options, gateway::Options door)
    : gateway_{loop_, feed_, door, [this] { return clock; }, [this] { return ++entropy_; }} {
    options.version = "test";
    options.message_writer = &message_writer_;
    message_writer_.keep_back(std::move(door.personal), std::move(door.personal_key));
    engine_ = engine::Engine::open(
                  journal::Journal::open(disk_, {.segment_bytes = 1 << 20}).value(),
                  std::move(options),
                  {.wall_clock = [this] { return clock; },
                   .steady_clock = [this] { return clock.time_since_epoch(); },
                   .entropy = [this] { return ++entropy_; },
                   .outbox = [this](Effects&& effects) { gateway_.take(std::move(effects)); },
                   .background = [](const std::function<void()>&) {},
                   .log = [](const std::string&) {}})
                  .value();
    gateway_.attach(*engine_);
    doors_ = gateway_.doors();
}

/// Closes every connection before the gateway goes, as the listeners do.
FrontDesk::~FrontDesk() {
    for (const auto& weak : sockets_) {
        if (const auto socket = weak.lock()) socket->vanish();
    }
    for (const auto& weak : exchanges_) {
        if (const auto exchange = weak.lock()) exchange->vanish();
    }
}

ExchangePtr FrontDesk::ask(std::string method,
                           std::string path,
                           std::string body,
                           Headers headers) {
    auto request = request_of(std::move(method), std::move(path));
    request.body = std::move(body);
    request.headers = std::move(headers);
    request.certificate = certificate;
    auto exchange = std::make_shared<ScriptedExchange>(std::move(request));
    exchanges_.push_back(exchange);
    doors_.on_request(exchange);
    return exchange;
}

std::string FrontDesk::now(std::string method, std::string path, std::string body) {
    const auto exchange = ask(std::move(method), std::move(path), std::move(body));
    turn();
    return exchange->body();
}

std::optional<transport::Response> FrontDesk::refusal_of(Headers headers) {
    auto request = request_of("GET", "/v1/connect");
    request.headers = std::move(headers);
    request.certificate = certificate;
    return doors_.on_upgrade(request);
}

SocketPtr FrontDesk::open(Headers headers) {
    if (refusal_of(headers)) return nullptr;
    auto request = request_of("GET", "/v1/connect");
    request.headers = std::move(headers);
    request.certificate = certificate;
    auto socket = std::make_shared<ScriptedSocket>(std::move(request));
    sockets_.push_back(socket);
    doors_.on_socket(socket);
    return socket;
}

SocketPtr FrontDesk::connect(const std::string& agent, int credit) {
    const auto socket = open();
    socket->say(R"({"hello":{"agent":")" + agent + R"(","credit":)" + std::to_string(credit) +
                R"(,"register":{"dialect":"taskwire"}}})");
    turn();
    EXPECT_EQ(socket->frames.size(), 1U) << "one frame welcomes " << agent;
    socket->frames.clear();
    return socket;
}

void FrontDesk::turn() {
    while (engine_->turn()) {
    }
    gateway_.after_turn();
}

void FrontDesk::fill_disk() {
    std::uint64_t used = 0;
    for (const auto& [name, bytes] : disk_.contents()) used += bytes.size();
    disk_.set_capacity(used);
}

void FrontDesk::run_until(const std::function<bool()>& is_so) {
    // The timer may fire in a later run.
    const auto has_given_up = std::make_shared<bool>(false);
    loop_.after(std::chrono::seconds{10}, [has_given_up] { *has_given_up = true; });
    loop_.run([&] {
        turn();
        if (is_so() || *has_given_up) loop_.stop();
    });
    EXPECT_TRUE(is_so()) << "it did not come about in 10 s";
}

}  // namespace parlance::front_desk
