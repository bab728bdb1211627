// Tells people that something waits for them: by e-mail and by Slack, each tried again for a while
// when it fails.
//
// Off the loop's thread, and never waited for: what cannot be told is in the log and in the
// figures, and the question waits all the same. What was told is said to whoever made it, so that
// what was not is told by the next process. No address, password or text of a question is in the
// log.
#pragma once

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
    /// People were told of this, in every way that could be. On a thread of the notifier's own.
    std::function<void(Ticket id, Sequence news)> told{};
};

struct NotifierCounts {
    std::uint64_t sent = 0;
    std::uint64_t failed = 0;  ///< Given up, or there was no room.
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
    /// What was not told yet is not told any more.
    ~Notifier();
    Notifier(const Notifier&) = delete;
    Notifier& operator=(const Notifier&) = delete;

    /// From the loop's thread; returns at once.
    void post(NotifyPeople notice);
    NotifierCounts counts() const { return {sent_.load(), failed_.load()}; }

  private:
    using Clock = std::chrono::steady_clock;
    enum class Way : std::uint8_t { Mail, Slack };
    /// What is common to the ways in which one notice goes. Written by the thread alone once they
    /// are on their way.
    struct Telling {
        std::uint32_t ways_left = 0;
        bool has_reached = false;  ///< Somebody, in one way at least.
    };
    struct Errand {
        NotifyPeople notice;
        Way way = Way::Mail;
        std::shared_ptr<Telling> telling{};
        std::size_t tries = 0;
    };

    void run();
    void take(Errand errand, std::unique_lock<std::mutex>& lock);
    std::string attempt(const Errand& errand);
    std::string mail(const Errand& errand, const Contact& contact);
    std::string slack(const Errand& errand, const Contact& contact);
    void put(Errand errand, Clock::time_point at);
    void conclude(const Errand& errand, bool has_reached) const;

    NotifierOptions options_;
    std::atomic<std::uint64_t> sent_{0};
    std::atomic<std::uint64_t> failed_{0};
    std::atomic<bool> stops_{false};
    std::mutex mutex_;
    std::condition_variable wake_;
    std::multimap<Clock::time_point, Errand> errands_;
    std::thread thread_;
};

}  // namespace parlance::gateway
