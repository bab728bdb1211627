// Notifies people of human tasks by e-mail and by Slack, with retries for a while. Each channel has
// its own bounded queue and thread, so that a hanging mail server delays only mails.
//
// The loop never waits for a channel: a failed notice is logged and counted, and the human task
// waits all the same. `NotifierOptions::told` confirms each sent notice, so that the next process
// sends the unconfirmed notices. No address, password or text of a task is logged.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/effect.h"

namespace parlance::gateway {

/// Where the people of a role are notified.
struct Contact {
    std::vector<std::string> email{};
    std::string slack_webhook{};
};

struct MailServer {
    std::string server{};  ///< smtp://HOST:PORT, or smtps://; empty: no mail is sent.
    std::string from{};
    std::string user{};
    std::string password{};
};

struct NotifierOptions {
    std::map<std::string, Contact, std::less<>> roles{};
    MailServer mail{};
    std::vector<std::string> hosts_allowed{};  ///< Hosts of webhooks at private addresses.
    std::string hub{};                         ///< The hub's address, for the link to answer.
    std::vector<Duration> pauses{std::chrono::seconds{1},
                                 std::chrono::seconds{5},
                                 std::chrono::seconds{30},
                                 std::chrono::minutes{5}};  ///< Before each retry.
    std::function<void(const std::string&)> log{};
    /// All channels are done with the notice and at least one sent it. Called on any thread.
    std::function<void(Ticket id, Sequence news)> told{};
    std::size_t queue_max = 10'000;  ///< Notices a channel holds; further notices fail.
};

struct ChannelCounts {
    std::uint64_t sent = 0;
    std::uint64_t failed = 0;  ///< Given up, or refused by a full queue.
    std::uint64_t queued = 0;  ///< Waiting for the first or next try.
};

struct NotifierCounts {
    ChannelCounts mail{};
    ChannelCounts slack{};
};

/// A notice as text, for a mail or for Slack.
std::string notice_text(const NotifyPeople& notice, std::string_view hub);
/// A whole mail with its header. Nothing in the notice can add a line to the header.
std::string notice_mail(const NotifyPeople& notice,
                        const Contact& contact,
                        const NotifierOptions& options);

class Notifier {
  public:
    explicit Notifier(NotifierOptions options);
    /// Stops running tries, within about a second. Notices that were not sent stay unconfirmed, so
    /// the next process sends them.
    ~Notifier();
    Notifier(const Notifier&) = delete;
    Notifier& operator=(const Notifier&) = delete;

    /// From the loop's thread; returns at once.
    void post(NotifyPeople notice);
    NotifierCounts counts() const;

  private:
    using Clock = std::chrono::steady_clock;
    enum class Way : std::uint8_t { Mail, Slack };
    /// Shared by the channels of a notice; each channel concludes its part once.
    struct Telling {
        std::atomic<std::uint32_t> ways_left{0};
        std::atomic<bool> has_reached{false};  ///< At least one channel sent the notice.
    };
    struct QueuedNotice {
        NotifyPeople notice;
        std::shared_ptr<Telling> telling{};
        std::size_t tries = 0;
    };
    /// A way to reach people: the notices that wait, ordered by time, and the thread that tries.
    struct Channel {
        Way way = Way::Mail;
        std::atomic<std::uint64_t> sent{0};
        std::atomic<std::uint64_t> failed{0};
        mutable std::mutex mutex{};
        std::condition_variable wake{};
        std::multimap<Clock::time_point, QueuedNotice> queue{};
        std::uint64_t refused = 0;  ///< By the full queue; guarded by the mutex.
        std::thread thread{};
    };

    Channel& channel(Way way) { return channels_[static_cast<std::size_t>(way)]; }
    ChannelCounts counts_of(Way way) const;
    void run(Channel& channel);
    void take(Channel& channel, QueuedNotice queued_notice);
    std::string attempt(Way way, const QueuedNotice& queued_notice);
    std::string mail(const QueuedNotice& queued_notice, const Contact& contact);
    std::string slack(const QueuedNotice& queued_notice, const Contact& contact);
    void put(Channel& channel, QueuedNotice queued_notice);
    std::uint64_t refuse_if_full(Channel& channel) const;
    static void put_again(Channel& channel, QueuedNotice queued_notice, Clock::time_point at);
    void conclude(const QueuedNotice& queued_notice, bool has_reached) const;

    NotifierOptions options_;
    std::atomic<bool> stops_{false};
    std::array<Channel, 2> channels_{};  ///< In the order of Way.
};

}  // namespace parlance::gateway
