// The cost of a message for the views, in time and bytes of the file, and the memory for an active
// conversation of five agents and eight messages. The file goes into the given directory.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "journal/event_codec.h"
#include "views/ledger.h"

namespace {

using namespace parlance;

constexpr std::uint64_t kMessages = 300'000;
constexpr std::uint64_t kConversations = 20'000;
constexpr std::uint64_t kBatchRecords = 4096;  ///< As in the bookkeeper.
constexpr Time kNow{std::chrono::hours{480'000}};

std::uint64_t resident_bytes() {
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    std::ifstream{"/proc/self/statm"} >> size >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Folds events as if read from a journal, and commits as often as the bookkeeper does.
class Keeper {
  public:
    explicit Keeper(const std::string& path)
        : ledger_(views::Ledger::open(path, [](std::string_view text, std::string_view) {
                      return std::string{text};
                  }).value()) {}

    void take(const Event& event) {
        payload_.clear();
        journal::encode(event, payload_);
        ++sequence_;
        if (!ledger_.fold({{sequence_}, kNow, payload_})) std::abort();
        if (sequence_ % kBatchRecords == 0) commit();
    }
    void commit() {
        if (!ledger_.commit()) std::abort();
    }
    Ticket next_ticket() const { return {(sequence_ + 1) * 1024}; }
    views::TraceStore& traces() { return ledger_.traces(); }

  private:
    views::Ledger ledger_;
    std::string payload_;
    std::uint64_t sequence_ = 0;
};

Ticket send(Keeper& keeper,
            std::uint64_t number,
            std::uint64_t conversation,
            const std::string& to,
            Intent intent) {
    static const std::string body(512, 'x');
    const auto ticket = keeper.next_ticket();
    // The length of a UUID.
    const auto id = "00000000-0000-4000-8000-" + std::to_string(100'000'000'000 + number);
    const auto correlation =
        "session_" + std::to_string(conversation * 7919 % 1'000'003) + "_a7b2c9d4_1692633612";
    keeper.take(MessageAccepted{.ticket = ticket,
                                .envelope = Envelope::make({.id = id,
                                                            .from = "agent-0",
                                                            .to = to,
                                                            .type = "TASK_ASSIGNMENT",
                                                            .correlation = correlation,
                                                            .intent = intent},
                                                           body)});
    return ticket;
}

void measure_time(const std::string& path, std::uint64_t messages_each) {
    views::Ledger::remove(path);
    Keeper keeper{path};
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < kMessages; ++i) {
        const auto ticket = send(keeper, i, i / messages_each, "agent-1", Intent::OneWay);
        keeper.take(LeaseGranted{.ticket = ticket, .attempt = 1});
        keeper.take(DeliveryAcknowledged{.ticket = ticket, .attempt = 1});
    }
    keeper.commit();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    const auto bytes = std::filesystem::file_size(path);
    std::printf(
        "conversations of %llu: %.2f µs a message that is accepted, leased and "
        "acknowledged, %llu bytes of the file\n",
        static_cast<unsigned long long>(messages_each),
        took.count() / kMessages,
        static_cast<unsigned long long>(bytes / kMessages));
}

/// Four requests with three answers; the last answer is still to come.
void measure_memory(const std::string& path) {
    views::Ledger::remove(path);
    Keeper keeper{path};
    const auto before = resident_bytes();
    for (std::uint64_t i = 0; i < kConversations; ++i) {
        for (std::uint64_t step = 0; step < 4; ++step) {
            const auto to = "agent-" + std::to_string(step + 1);
            const auto ticket = send(keeper, i * 4 + step, i, to, Intent::Request);
            keeper.take(LeaseGranted{.ticket = ticket, .attempt = 1});
            if (step == 3) continue;
            keeper.take(RequestAnswered{
                .request = ticket, .envelope = Envelope::make({.intent = Intent::Reply}, "{}")});
        }
    }
    keeper.commit();
    if (keeper.traces().active_count() != kConversations) std::abort();
    std::printf("%llu active conversations of five agents: %llu bytes each\n",
                static_cast<unsigned long long>(kConversations),
                static_cast<unsigned long long>((resident_bytes() - before) / kConversations));
}

}  // namespace

int main(int argc, char** argv) {
    const auto directory = argc > 1 ? std::string{argv[1]} : std::string{"."};
    const auto path = directory + "/views_bench.db";
    measure_memory(path);
    measure_time(path, 1);
    measure_time(path, 8);
    views::Ledger::remove(path);
    return EXIT_SUCCESS;
}
