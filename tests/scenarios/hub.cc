#include "tests/scenarios/hub.h"

#include <future>
#include <stdexcept>

#include "gateway/problem.h"

namespace parlance::scenarios {

namespace {

template <class T>
T must(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return *std::move(result);
}

}  // namespace

Hub::Hub(app::ServeOptions options, std::function<Time()> clock)
    : options_(std::move(options)), clock_(std::move(clock)) {
    open();
    wake();
    thread_ = std::thread{[this] { loop_.run([this] { turn(); }); }};
}

Hub::~Hub() {
    loop_.stop();
    thread_.join();
}

void Hub::open() {
    disk_ = must(journal::open_posix_disk(options_.data, true));
    auto journal = must(journal::Journal::open(*disk_, options_.journal));
    // A second start on the same data needs another seed, or fresh ids would repeat.
    entropy_.seed(42 + journal->last_sequence().value);
    const auto entropy = [this] { return entropy_(); };
    const gateway::Options desk{.is_dev = options_.is_dev,
                                .version = "0.1.0",
                                .message_bytes_max = options_.doors.body_bytes_max,
                                .heartbeat_timeout = options_.limits.heartbeat_timeout,
                                .personal = options_.personal,
                                .personal_key = "a key for transcripts"};
    feed_ = std::make_unique<views::Feed>(*disk_, gateway::Gateway::edit_of(desk));
    gateway_ = std::make_unique<gateway::Gateway>(loop_, *feed_, desk, clock_, entropy);
    message_writer_.keep_back(desk.personal, desk.personal_key);
    engine_ = must(engine::Engine::open(
        std::move(journal),
        {.limits = options_.limits, .message_writer = &message_writer_, .version = "0.1.0"},
        {.wall_clock = clock_,
         .steady_clock = [this] { return clock_().time_since_epoch(); },
         .entropy = entropy,
         .outbox = [this](Effects&& effects) { gateway_->take(std::move(effects)); },
         .background = [](const std::function<void()>& job) { job(); },
         .log = [](const std::string&) {}}));
    gateway_->attach(*engine_);
    bookkeeper_ = std::make_unique<views::Bookkeeper>(
        *disk_, views::BookkeeperOptions{.path = options_.data + "/views.db"});
    gateway_->attach(*bookkeeper_);
    server_ =
        must(transport::Server::listen(loop_, options_.host, 0, options_.doors, gateway_->doors()));
    gateway_->attach(*server_);
}

void Hub::turn() {
    while (engine_->turn()) {
    }
    gateway_->after_turn();
    ++beats_;
}

/// Wakes the loop, so that due work is noticed soon after the clock moved.
void Hub::wake() {
    loop_.after(Duration{5}, [this] { wake(); });
}

void Hub::on_loop(const std::function<void()>& work) {
    std::promise<void> done;
    loop_.post([&] {
        work();
        done.set_value();
    });
    done.get_future().wait();
}

void Hub::settle() {
    std::uint64_t first = 0;
    std::uint64_t now = 0;
    on_loop([&] { first = beats_; });
    for (bool has_work = true; has_work || now < first + 2;) {
        on_loop([&] {
            now = beats_;
            has_work = engine_->has_work();
        });
    }
}

transport::DoorCounts Hub::counts() {
    transport::DoorCounts counts;
    on_loop([&] { counts = server_->counts(); });
    return counts;
}

void Hub::await(const std::function<bool(const transport::DoorCounts&)>& has_arrived) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{5};
    while (!has_arrived(counts()) && std::chrono::steady_clock::now() < end) {
    }
    settle();
}

void Hub::stop_cleanly() {
    settle();
    on_loop([&] {
        server_->stop_accepting();
        gateway_->stop();
        server_->close_all(1001, "the hub stops");
    });
    settle();
    on_loop([&] { engine_->snapshot_now(); });
}

Receiver::Receiver() {
    server_ = must(transport::Server::listen(
        loop_,
        "127.0.0.1",
        0,
        {},
        {.on_request = [this](const std::shared_ptr<transport::Exchange>& e) { take(e); },
         .on_upgrade = {},
         .on_socket = {},
         .on_refused = gateway::door_problem}));
    thread_ = std::thread{[this] { loop_.run([] {}); }};
}

Receiver::~Receiver() {
    loop_.stop();
    thread_.join();
}

void Receiver::will_answer(Reply reply) {
    const std::lock_guard lock{mutex_};
    script_.push_back(std::move(reply));
}

void Receiver::take(const std::shared_ptr<transport::Exchange>& exchange) {
    const auto& request = exchange->request();
    Reply reply;
    {
        const std::lock_guard lock{mutex_};
        Posted posted{.text = request.method + " " + request.path + " " + request.body};
        for (const auto& [name, value] : request.headers) posted.head += name + ": " + value + '\n';
        got_.push_back(std::move(posted));
        if (!script_.empty()) {
            reply = std::move(script_.front());
            script_.pop_front();
        }
    }
    exchange->respond({.status = reply.status, .headers = {}, .body = std::move(reply.body)});
    came_.notify_all();
}

Receiver::Posted Receiver::next() {
    std::unique_lock lock{mutex_};
    came_.wait_for(lock, std::chrono::seconds{5}, [this] { return !got_.empty(); });
    if (got_.empty()) return {};
    auto request = std::move(got_.front());
    got_.pop_front();
    return request;
}

}  // namespace parlance::scenarios
