// Tells people that something waits for them: by e-mail and by Slack, each tried again for a while
// when it fails. Each channel has its own bounded queue and its own thread, so that a mail server
// that accepts and then hangs delays mails only.
//
// Off the loop's thread, and never waited for: what cannot be told is in the log and in the
// figures, and the question waits all the same. What was told is said to whoever made it, so that
// what was not is told by the next process. No address, password or text of a question is in the
// log.
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

/// Where the people of one role hear of things.
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
    std::vector<std::string> hosts_allowed{};  ///< Of webhooks, though their address is private.
    std::string hub{};                         ///< Where people answer, for the link.
    std::vector<Duration> pauses{std::chrono::seconds{1},
                                 std::chrono::seconds{5},
                                 std::chrono::seconds{30},
                                 std::chrono::minutes{5}};  ///< Before each further try.
    std::function<void(const std::string&)> log{};
    /// People were told of this, in every way that could be. Called on any thread.
    std::function<void(Ticket id, Sequence news)> told{};
    std::size_t queue_max = 10'000;  ///< Notices that one channel holds; a further one is failed.
};

struct ChannelCounts {
    std::uint64_t sent = 0;
    std::uint64_t failed = 0;  ///< Given up, or the queue was full.
    std::uint64_t queued = 0;  ///< Waiting for their first or next try.
};

struct NotifierCounts {
    ChannelCounts mail{};
    ChannelCounts slack{};
};

/// What one is told, as a mail or in Slack.
std::string notice_text(const NotifyPeople& notice, std::string_view hub);
/// A whole mail, its header included. Nothing in the notice can add a line to the header.
std::string notice_mail(const NotifyPeople& notice,
                        const Contact& contact,
                        const NotifierOptions& options);

class Notifier {
  public:
    explicit Notifier(NotifierOptions options);
    /// Ends the tries that run, within about a second. What was not told yet is not told any more
    /// by this process; nothing says that it was told, so the next process tells it.
    ~Notifier();
    Notifier(const Notifier&) = delete;
    Notifier& operator=(const Notifier&) = delete;

    /// From the loop's thread; returns at once.
    void post(NotifyPeople notice);
    NotifierCounts counts() const;

  private:
    using Clock = std::chrono::steady_clock;
    enum class Way : std::uint8_t { Mail, Slack };
    /// Shared by the channels that one notice goes through; each concludes its own once.
    struct Telling {
        std::atomic<std::uint32_t> ways_left{0};
        std::atomic<bool> has_reached{false};  ///< Somebody, in one way at least.
    };
    struct Errand {
        NotifyPeople notice;
        std::shared_ptr<Telling> telling{};
        std::size_t tries = 0;
    };
    /// One way to reach people: what waits for it, in order of time, and the thread that tries.
    struct Channel {
        Way way = Way::Mail;
        std::atomic<std::uint64_t> sent{0};
        std::atomic<std::uint64_t> failed{0};
        mutable std::mutex mutex{};
        std::condition_variable wake{};
        std::multimap<Clock::time_point, Errand> errands{};
        std::uint64_t refused = 0;  ///< Because the queue was full; guarded by the mutex.
        std::thread thread{};
    };

    Channel& channel(Way way) { return channels_[static_cast<std::size_t>(way)]; }
    ChannelCounts counts_of(Way way) const;
    void run(Channel& channel);
    void take(Channel& channel, Errand errand);
    std::string attempt(Way way, const Errand& errand);
    std::string mail(const Errand& errand, const Contact& contact);
    std::string slack(const Errand& errand, const Contact& contact);
    void put(Channel& channel, Errand errand);
    std::uint64_t refuse_if_full(Channel& channel) const;
    static void put_again(Channel& channel, Errand errand, Clock::time_point at);
    void conclude(const Errand& errand, bool has_reached) const;

    NotifierOptions options_;
    std::atomic<bool> stops_{false};
    std::array<Channel, 2> channels_{};  ///< In the order of Way.
};

}  // namespace parlance::gateway
