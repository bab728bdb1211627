#include "gateway/notifier.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include <curl/curl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/address.h"
#include "base/iso_time.h"
#include "base/json_write.h"
#include "base/plain_text.h"
#include "gateway/marked_id.h"

namespace parlance::gateway {

namespace {

constexpr std::uint64_t kRefusedLogEvery = 1'000;
constexpr long kTimeoutMs = 10'000;
constexpr std::size_t kQuestionBytesMax = 2'000;

using Handle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using List = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

std::string_view words_for(NotifyPeople::Occasion occasion) {
    switch (occasion) {
        case NotifyPeople::Occasion::Asked:
            return "waits";
        case NotifyPeople::Occasion::Reminded:
            return "still waits";
        case NotifyPeople::Occasion::Escalated:
            return "now waits";
    }
    return {};
}

/// The text's start on one line, without control characters.
std::string in_one_line(std::string_view text) {
    std::string line{cut(text, kQuestionBytesMax)};
    std::ranges::replace_if(
        line, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
    return line;
}

void add(List& list, const std::string& item) {
    auto* const longer = curl_slist_append(list.get(), item.c_str());
    if (longer == nullptr) return;
    static_cast<void>(list.release());
    list.reset(longer);
}

// --- callbacks of libcurl --------------------------------------------------------------------

std::size_t ignore(const char*, std::size_t size, std::size_t count, void*) { return size * count; }

struct Unread {
    std::string_view text;
};

std::size_t give(char* to, std::size_t size, std::size_t count, void* from) {
    auto& unread = *static_cast<Unread*>(from);
    const auto taken = std::min(size * count, unread.text.size());
    std::memcpy(to, unread.text.data(), taken);
    unread.text.remove_prefix(taken);
    return taken;
}

int stop_if_told(void* stops, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<const std::atomic<bool>*>(stops)->load() ? 1 : 0;
}

/// Opens the socket for the address that curl is about to call, so that no name lookup after the
/// check can point to a private address.
curl_socket_t open_in_the_world(void* was_refused, curlsocktype, curl_sockaddr* address) {
    if (is_private_address(address->addr)) {
        *static_cast<bool*>(was_refused) = true;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

Handle prepared(const std::string& url, std::atomic<bool>& stops) {
    Handle handle{curl_easy_init(), &curl_easy_cleanup};
    auto* const curl = handle.get();
    if (curl == nullptr) return handle;
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, kTimeoutMs);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ignore);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, stop_if_told);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &stops);
    return handle;
}

std::string host_of(const std::string& url) {
    const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parts{curl_url(), &curl_url_cleanup};
    char* host = nullptr;
    if (!parts || curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK ||
        curl_url_get(parts.get(), CURLUPART_HOST, &host, 0) != CURLUE_OK) {
        return {};
    }
    std::string name{host};
    curl_free(host);
    return name;
}

}  // namespace

std::string notice_text(const NotifyPeople& notice, std::string_view hub) {
    const auto id = human_task_id(notice.id, notice.asked_at);
    return fmt::format(
        "Something {} for {}: {}\n"
        "Asked by {}, and needed by {}.\n"
        "To see all of it: parlance human show {}\n"
        "To answer: parlance human answer {} approve (or: reject --reason …, answer --content …)\n"
        "{}/v1/human/{}\n",
        words_for(notice.occasion),
        notice.role.empty() ? "any operator" : in_one_line(notice.role),
        in_one_line(notice.question),
        in_one_line(notice.asked_by),
        print_iso_time(notice.deadline),
        id,
        id,
        hub,
        id);
}

std::string notice_mail(const NotifyPeople& notice,
                        const Contact& contact,
                        const NotifierOptions& options) {
    auto mail = fmt::format(
        "From: {}\nTo: {}\nSubject: Parlance: {} {} for {}\nMessage-ID: <{}.{}.{}@parlance>\n"
        "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
        "Content-Transfer-Encoding: 8bit\nAuto-Submitted: auto-generated\n\n{}",
        options.mail.from,
        fmt::join(contact.email, ", "),
        human_task_id(notice.id, notice.asked_at),
        words_for(notice.occasion),
        in_one_line(notice.role),
        notice.id.value,
        static_cast<int>(notice.occasion),
        notice.deadline.time_since_epoch().count(),
        notice_text(notice, options.hub));
    for (auto at = mail.find('\n'); at != std::string::npos; at = mail.find('\n', at + 2)) {
        mail.insert(at, 1, '\r');
    }
    return mail;
}

Notifier::Notifier(NotifierOptions options) : options_(std::move(options)) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    channel(Way::Slack).way = Way::Slack;
    for (auto& each : channels_) {
        each.thread = std::thread{[this, &each] { run(each); }};
    }
}

Notifier::~Notifier() {
    for (auto& each : channels_) {
        const std::lock_guard lock{each.mutex};
        stops_ = true;
    }
    for (auto& each : channels_) each.wake.notify_one();
    for (auto& each : channels_) each.thread.join();
}

ChannelCounts Notifier::counts_of(Way way) const {
    const auto& channel = channels_[static_cast<std::size_t>(way)];
    const std::lock_guard lock{channel.mutex};
    return {channel.sent.load(), channel.failed.load(), channel.queue.size()};
}

NotifierCounts Notifier::counts() const {
    return {.mail = counts_of(Way::Mail), .slack = counts_of(Way::Slack)};
}

void Notifier::post(NotifyPeople notice) {
    const auto found = options_.roles.find(notice.role);
    if (found == options_.roles.end()) return;
    const auto& contact = found->second;
    const bool mails = !contact.email.empty() && !options_.mail.server.empty();
    const bool slacks = !contact.slack_webhook.empty();
    const auto telling = std::make_shared<Telling>();
    telling->ways_left = mails && slacks ? 2 : 1;
    if (mails) put(channel(Way::Mail), {.notice = notice, .telling = telling});
    if (slacks) put(channel(Way::Slack), {.notice = std::move(notice), .telling = telling});
}

/// A channel is done with the notice. If no channel sent the notice, the next process tries again.
void Notifier::conclude(const QueuedNotice& queued_notice, bool has_reached) const {
    auto& telling = *queued_notice.telling;
    if (has_reached) telling.has_reached = true;
    if (--telling.ways_left > 0 || !telling.has_reached || !options_.told) return;
    options_.told(queued_notice.notice.id, queued_notice.notice.news);
}

/// A full queue refuses the newest notice, since older notices were promised first.
void Notifier::put(Channel& channel, QueuedNotice queued_notice) {
    const auto refused = refuse_if_full(channel);
    if (refused == 0) {
        put_again(channel, std::move(queued_notice), Clock::now());
        return channel.wake.notify_one();
    }
    ++channel.failed;
    if (refused % kRefusedLogEvery == 1) {
        options_.log(fmt::format("{} notices wait for {} and no more are taken: {} refused so far",
                                 options_.queue_max,
                                 channel.way == Way::Mail ? "the mail server" : "Slack",
                                 refused));
    }
    conclude(queued_notice, false);
}

/// 0 if the queue has room; else how many notices the queue has refused, this refusal included.
std::uint64_t Notifier::refuse_if_full(Channel& channel) const {
    const std::lock_guard lock{channel.mutex};
    return channel.queue.size() < options_.queue_max ? 0 : ++channel.refused;
}

/// A notice that was taken once keeps its place even in a full queue.
void Notifier::put_again(Channel& channel, QueuedNotice queued_notice, Clock::time_point at) {
    const std::lock_guard lock{channel.mutex};
    channel.queue.emplace(at, std::move(queued_notice));
}

void Notifier::run(Channel& channel) {
    std::unique_lock lock{channel.mutex};
    while (!stops_) {
        if (channel.queue.empty()) {
            channel.wake.wait(lock);
            continue;
        }
        const auto first = channel.queue.begin();
        if (first->first > Clock::now()) {
            channel.wake.wait_until(lock, first->first);
            continue;
        }
        auto queued_notice = std::move(first->second);
        channel.queue.erase(first);
        lock.unlock();
        take(channel, std::move(queued_notice));
        lock.lock();
    }
}

/// One try, without the lock.
void Notifier::take(Channel& channel, QueuedNotice queued_notice) {
    const auto problem = attempt(channel.way, queued_notice);
    if (problem.empty()) {
        ++channel.sent;
        return conclude(queued_notice, true);
    }
    if (stops_) return;
    const bool is_last = queued_notice.tries >= options_.pauses.size();
    options_.log(fmt::format("{} to {} about {}: {}{}",
                             channel.way == Way::Mail ? "a mail" : "a word in Slack",
                             in_one_line(queued_notice.notice.role),
                             human_task_id(queued_notice.notice.id, queued_notice.notice.asked_at),
                             problem,
                             is_last ? "; given up" : ""));
    if (is_last) {
        ++channel.failed;
        return conclude(queued_notice, false);
    }
    const auto pause = options_.pauses[queued_notice.tries++];
    put_again(channel, std::move(queued_notice), Clock::now() + pause);
}

std::string Notifier::attempt(Way way, const QueuedNotice& queued_notice) {
    const auto& contact = options_.roles.find(queued_notice.notice.role)->second;
    return way == Way::Mail ? mail(queued_notice, contact) : slack(queued_notice, contact);
}

/// Empty on success; else the error, without names.
std::string Notifier::mail(const QueuedNotice& queued_notice, const Contact& contact) {
    const auto handle = prepared(options_.mail.server, stops_);
    auto* const curl = handle.get();
    if (curl == nullptr) return "no memory";
    const auto text = notice_mail(queued_notice.notice, contact, options_);
    Unread unread{text};
    List recipients{nullptr, &curl_slist_free_all};
    for (const auto& address : contact.email) add(recipients, "<" + address + ">");
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    curl_easy_setopt(curl, CURLOPT_MAIL_FROM, ("<" + options_.mail.from + ">").c_str());
    curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, recipients.get());
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, give);
    curl_easy_setopt(curl, CURLOPT_READDATA, &unread);
    curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    if (!options_.mail.user.empty()) {
        // A password is never sent unencrypted.
        curl_easy_setopt(curl, CURLOPT_USE_SSL, static_cast<long>(CURLUSESSL_ALL));
        curl_easy_setopt(curl, CURLOPT_USERNAME, options_.mail.user.c_str());
        curl_easy_setopt(curl, CURLOPT_PASSWORD, options_.mail.password.c_str());
    } else {
        curl_easy_setopt(curl, CURLOPT_USE_SSL, static_cast<long>(CURLUSESSL_TRY));
    }
    const auto code = curl_easy_perform(curl);
    return code == CURLE_OK ? std::string{} : curl_easy_strerror(code);
}

std::string Notifier::slack(const QueuedNotice& queued_notice, const Contact& contact) {
    const auto handle = prepared(contact.slack_webhook, stops_);
    auto* const curl = handle.get();
    if (curl == nullptr) return "no memory";
    const auto body =
        json::ObjectWriter{}.text("text", notice_text(queued_notice.notice, options_.hub)).done();
    List headers{nullptr, &curl_slist_free_all};
    add(headers, "Content-Type: application/json");
    bool was_refused = false;
    const auto& allowed = options_.hosts_allowed;
    if (std::ranges::find(allowed, host_of(contact.slack_webhook)) == allowed.end()) {
        curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_in_the_world);
        curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, &was_refused);
    }
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    const auto code = curl_easy_perform(curl);
    if (was_refused) return "its address is private and not among people.hosts_allowed";
    if (code != CURLE_OK) return curl_easy_strerror(code);
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return status / 100 == 2 ? std::string{} : fmt::format("it says {}", status);
}

}  // namespace parlance::gateway
