// Does a real hub survive any frames of two agents, in any order, with a state that still replays?
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "core/snapshot.h"
#include "engine/engine.h"
#include "gateway/gateway.h"
#include "journal/testing/memory_disk.h"
#include "views/feed.h"

namespace parlance {
namespace {

class FakeSocket final : public transport::Socket {
  public:
    const transport::Request& request() const override { return request_; }
    void send(std::string text) override {
        CHECK(json::check(text, json::kDepthMadeMax).has_value());
    }
    void close(std::uint16_t, std::string) override { is_closed = true; }
    std::size_t backlog_bytes() const override { return 0; }
    void on_frame(std::function<void(std::string_view)> hear) override { frame = std::move(hear); }
    void on_gone(std::function<void()> leave) override { gone = std::move(leave); }

    std::function<void(std::string_view)> frame;
    std::function<void()> gone;
    bool is_closed = false;

  private:
    transport::Request request_;
};

/// Frames are separated by newlines; a frame that begins with a tab is the second agent's.
void live_through(std::string_view script) {
    journal::testing::MemoryDisk disk;
    transport::Loop loop;
    views::Feed feed{disk};
    std::uint64_t entropy = 0;
    Time now{Duration{1'700'000'000'000}};
    gateway::Gateway gateway{loop,
                             feed,
                             {.is_dev = true, .version = "fuzz"},
                             [&] { return now; },
                             [&] { return ++entropy; }};
    auto engine = engine::Engine::open(
                      journal::Journal::open(disk, {.segment_bytes = 1 << 20}).value(),
                      {.limits = {}, .version = "fuzz"},
                      {.wall_clock = [&] { return now; },
                       .steady_clock = [&] { return now.time_since_epoch(); },
                       .entropy = [&] { return ++entropy; },
                       .outbox = [&](Effects&& effects) { gateway.take(std::move(effects)); },
                       .background = [](const std::function<void()>&) {},
                       .log = [](const std::string&) {}})
                      .value();
    gateway.attach(*engine);
    const auto doors = gateway.doors();
    const std::vector sockets{std::make_shared<FakeSocket>(), std::make_shared<FakeSocket>()};
    for (const auto& socket : sockets) doors.on_socket(socket);

    while (!script.empty()) {
        const auto end = std::min(script.find('\n'), script.size());
        auto line = script.substr(0, end);
        script.remove_prefix(std::min(end + 1, script.size()));
        const bool is_second = line.starts_with('\t');
        if (is_second) line.remove_prefix(1);
        const auto& socket = *sockets[is_second ? 1 : 0];
        if (!socket.is_closed) socket.frame(line);
        for (int i = 0; i < 10 && engine->turn(); ++i) {
        }
        now += Duration{1'000};
    }
    const auto lived = core::encode_state(engine->state());
    CHECK(core::encode_state(core::decode_state(lived, {}).value()) == lived);
    for (const auto& socket : sockets) {
        // As in the transport: the handler of a closed socket is called once, and dropped.
        socket->frame = nullptr;
        std::exchange(socket->gone, nullptr)();
    }
}

}  // namespace
}  // namespace parlance

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    parlance::live_through({reinterpret_cast<const char*>(data), size});
    return 0;
}
