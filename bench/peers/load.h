// The common work for every peer: one producer and one consumer at the same time, each on a
// separate connection; a message counts once accepted, delivered and acknowledged.
//
// The producer sends for the given seconds and the clock runs until the last acknowledgement, so
// that a backlog counts in full.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>

#include "bench/measure.h"

namespace parlance::bench {

struct Work {
    int port;
    std::uint64_t outstanding;
    std::string message;
    std::chrono::seconds duration;
};

inline Work read_work(int argc, char** argv, std::string_view purpose) {
    const Flags flags{argc,
                      argv,
                      purpose,
                      {{"--port", "1", "the server's, on 127.0.0.1"},
                       {"--outstanding", "256", "publisher's window and consumer's prefetch"},
                       {"--size", "512", "bytes of one message"},
                       {"--seconds", "5", "how long the producer sends"}}};
    return {.port = static_cast<int>(flags.number("--port")),
            .outstanding = flags.number("--outstanding"),
            .message = message_of(flags.number("--size")),
            .duration = std::chrono::seconds{flags.number("--seconds")}};
}

/// Tells the producer when to stop.
class Sending {
  public:
    explicit Sending(const Work& work) : end_(Clock::now() + work.duration) {}
    bool is_over() const { return Clock::now() >= end_; }

  private:
    Clock::time_point end_;
};

/// Counts acknowledgements of the consumer; the producer sets the total at the end.
class Tally {
  public:
    void acknowledged(std::uint64_t count) {
        acknowledged_ += count;
        last_ = Clock::now();
    }
    void expect(std::uint64_t total) { total_ = total; }
    bool is_complete() const { return acknowledged_ >= total_; }
    std::uint64_t count() const { return acknowledged_; }
    Clock::time_point last() const { return last_; }

  private:
    /// Used by the consumer's thread alone until the thread has ended.
    std::uint64_t acknowledged_ = 0;
    Clock::time_point last_{};
    std::atomic<std::uint64_t> total_{std::numeric_limits<std::uint64_t>::max()};
};

/// Runs both sides and prints the rate. `consume` must check the tally regularly even without
/// deliveries; `produce` returns the number of messages sent, all confirmed.
template <class Produce, class Consume>
void measure(const Work& work, Produce produce, Consume consume) {
    Tally tally;
    std::jthread consumer{[&] { consume(tally); }};
    const auto begin = Clock::now();
    const std::uint64_t total = produce(Sending{work});
    const auto sent_s = seconds_between(begin, Clock::now());
    tally.expect(total);
    consumer.join();
    const auto elapsed_s = seconds_between(begin, tally.last());
    const auto count = static_cast<double>(total);
    REQUIRE(tally.count() == total);
    print_figures({{"messages_per_s", count / elapsed_s},
                   {"accepted_per_s", count / sent_s},
                   {"messages", count}},
                  true);
}

}  // namespace parlance::bench
