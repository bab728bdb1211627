#include "app/serve.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <filesystem>
#include <functional>
#include <iterator>
#include <mutex>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "app/health_watch.h"
#include "app/version.h"
#include "app/watched_disk.h"
#include "base/address.h"
#include "base/heap.h"
#include "base/iso_time.h"
#include "base/machine_memory.h"
#include "base/tls_names.h"
#include "engine/engine.h"
#include "gateway/gateway.h"
#include "gateway/message_writer.h"
#include "gateway/notifier.h"
#include "gateway/personal.h"
#include "identity/authority.h"
#include "identity/folder.h"
#include "journal/posix_disk.h"
#include "model/hub_bytes.h"
#include "transport/descriptors.h"
#include "transport/listening_socket.h"
#include "views/bookkeeper.h"
#include "views/checkpoint.h"
#include "views/feed.h"
#include "views/scrubber.h"

namespace parlance::app {

namespace {

/// Runs the journal's background work beside the loop. Three kinds of work, the spare segment, the
/// snapshot and the high-water mark, each at most once at a time: with three threads no kind waits
/// for the next, and the mark is written every second however long a snapshot takes.
class Worker {
  public:
    Worker() {
        for (auto& thread : threads_) thread = std::thread{[this] { run(); }};
    }
    ~Worker() { stop(); }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void post(std::function<void()> job) {
        {
            const std::lock_guard lock{mutex_};
            jobs_.push_back(std::move(job));
        }
        wake_.notify_one();
    }

    /// Finishes posted work.
    void stop() {
        {
            const std::lock_guard lock{mutex_};
            if (stops_) return;
            stops_ = true;
        }
        wake_.notify_all();
        for (auto& thread : threads_) thread.join();
    }

  private:
    void run() {
        std::unique_lock lock{mutex_};
        for (;;) {
            wake_.wait(lock, [this] { return stops_ || !jobs_.empty(); });
            if (jobs_.empty()) return;
            const auto job = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            job();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> jobs_;
    bool stops_ = false;
    std::array<std::thread, 3> threads_;
};

Time wall_clock() {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

Duration steady_clock() {
    return std::chrono::duration_cast<Duration>(
        std::chrono::steady_clock::now().time_since_epoch());
}

std::function<std::uint64_t()> fresh_entropy() {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return [engine = std::mt19937_64{seed}]() mutable { return engine(); };
}

/// A hub that was just killed holds its lock until its last write is through; an immediate restart
/// should not fail because of the lock.
Result<std::unique_ptr<journal::Journal>> open_journal(journal::Disk& disk,
                                                       const journal::Options& options) {
    constexpr int kTries = 20;
    constexpr std::chrono::milliseconds kPause{100};
    for (int i = 1;; ++i) {
        auto journal = journal::Journal::open(disk, options);
        const bool is_held = !journal && journal.error().fault == Fault::Unavailable;
        if (!is_held || i == kTries) return journal;
        std::this_thread::sleep_for(kPause);
    }
}

/// The missing end of the journal, if the cause of the failure to open.
std::optional<journal::LostTail> lost_tail_of(journal::Disk& disk, journal::Options options) {
    options.is_read_only = true;
    const auto opened = journal::Journal::open(disk, options);
    return opened ? (*opened)->recovery().lost : std::nullopt;
}

void log_recovery(const journal::Recovery& recovery) {
    if (recovery.bytes_cut > 0) {
        spdlog::warn("cut {} bytes of a batch that was never acknowledged, at {}",
                     recovery.bytes_cut,
                     recovery.cut_from);
    }
    if (!recovery.mark_note.empty()) spdlog::warn("{}; it is made anew", recovery.mark_note);
    for (const auto& gap : recovery.gaps) {
        spdlog::warn("records {} to {} are lost, and an operator accepted that at {}",
                     gap.first.value,
                     gap.last.value,
                     print_iso_time(gap.accepted_at));
    }
}

std::shared_ptr<identity::Guard> make_guard(const std::string& data) {
    return std::make_shared<identity::Guard>(
        data, [](const std::string& line) { spdlog::error("{}", line); });
}

/// Key for placeholders: constant as long as messages live.
Result<std::string> open_personal_key(const std::string& data) {
    const identity::Folder folder{data};
    const auto lock = TRY(folder.lock());
    return folder.secret("personal.key");
}

/// "127.0.0.1:7420"; an IPv6 address is in brackets.
std::string place_of(const std::string& host, std::uint16_t port) {
    const bool is_six = host.find(':') != std::string::npos;
    return fmt::format(fmt::runtime(is_six ? "[{}]:{}" : "{}:{}"), host, port);
}

std::string counted(std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// "2 records, 0 agents, 0 messages waiting".
std::string contents_of(const HubListing& hub) {
    return fmt::format("{}, {}, {} waiting",
                       counted(hub.sequence.value, "record"),
                       counted(hub.agents, "agent"),
                       counted(hub.waiting, "message"));
}

/// "5.9 GiB"; below one, "512 MiB"; below one MiB, "100 bytes".
std::string size_text(std::uint64_t bytes) {
    constexpr double kMebibyte = 1 << 20;
    constexpr double kGibibyte = 1 << 30;
    const auto size = static_cast<double>(bytes);
    if (size < kMebibyte) return fmt::format("{} bytes", bytes);
    if (size < kGibibyte) return fmt::format("{:.0f} MiB", size / kMebibyte);
    return fmt::format("{:.1f} GiB", size / kGibibyte);
}

/// "5.9 GiB of messages (limits.hub_bytes_max; from this machine's memory)".
std::string room_of(const ServeOptions& options) {
    return fmt::format("{} of messages (limits.hub_bytes_max; {})",
                       size_text(options.limits.hub_bytes_max),
                       options.has_hub_bytes_max ? "as configured" : "from this machine's memory");
}

/// Reserves descriptors for the journal and the views; connections share the rest.
void fit_to_descriptors(ServeOptions& options) {
    const auto limit = transport::raise_descriptor_limit();
    const auto wanted = options.doors.connections_max;
    // Descriptors open at the start of the process are not shared out.
    const auto open = transport::open_descriptors(limit);
    const auto shares = transport::share_descriptors(limit - std::min(open, limit), wanted);
    options.doors.probe_paths = {"/healthz", "/readyz"};
    options.doors.connections_max = shares.connections_max;
    options.outgoing_max = shares.outgoing_max;
    if (options.is_quiet) return;
    spdlog::info("file descriptors: at most {}, of them {} for connections and {} for calls",
                 limit,
                 shares.connections_max,
                 shares.outgoing_max);
    if (shares.connections_max == wanted) return;
    spdlog::warn(
        "doors.connections_max is {}, and {} file descriptors are enough for {}: raise the hard "
        "limit (ulimit -Hn, LimitNOFILE) or lower doors.connections_max",
        wanted,
        limit,
        shares.connections_max);
}

/// Null if no role has a notification channel.
std::shared_ptr<gateway::Notifier> make_notifier(const ServeOptions& options,
                                                 bool is_secure,
                                                 std::function<void(Ticket, Sequence)> told) {
    if (options.notifier.roles.empty()) return nullptr;
    auto notifier = options.notifier;
    notifier.hub =
        fmt::format("{}://{}", is_secure ? "https" : "http", place_of(options.host, options.port));
    notifier.log = [](const std::string& line) { spdlog::warn("{}", line); };
    notifier.told = std::move(told);
    return std::make_shared<gateway::Notifier>(std::move(notifier));
}

/// By the table of exit codes in docs/reference/exit-codes.md.
int exit_of(Fault fault) {
    switch (fault) {
        case Fault::Malformed:
        case Fault::NotFound:
            return 2;
        case Fault::Corrupt:
        case Fault::Unsupported:
            return 5;
        case Fault::Unavailable:
        case Fault::Exhausted:
            return 1;
    }
    return 1;
}

/// An unusable data directory is a mistake in the command line, and reported as such.
Result<void> check_data(const std::string& data) {
    std::error_code error;
    const auto status = std::filesystem::status(data, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_directory(status)) {
        return fail(Fault::Malformed,
                    fmt::format("--data '{}' is a file, and a directory is needed", data));
    }
    const auto absolute = std::filesystem::absolute(data).lexically_normal();
    const auto path = absolute.has_filename() ? absolute : absolute.parent_path();
    const auto is_barred = [](const std::filesystem::path& at, int mode) {
        return ::access(at.c_str(), mode) != 0 && (errno == EACCES || errno == EROFS);
    };
    // A missing directory is created in its parent; creation reports a missing parent.
    const auto written_in = std::filesystem::exists(status) ? path : path.parent_path();
    if (is_barred(written_in, W_OK | X_OK) || is_barred(path / "lock", R_OK | W_OK)) {
        return fail(
            Fault::Malformed,
            fmt::format("the hub may not write in --data '{}': {}", data, std::strerror(errno)));
    }
    return {};
}

using TlsStamps = std::array<identity::Stamp, 3>;
TlsStamps stamps_of(const TlsFiles& files) {
    return {identity::stamp_of(files.certificate),
            identity::stamp_of(files.key),
            identity::stamp_of(files.authority)};
}

int fail_start(const Error& error) {
    fmt::print(stderr, "parlance: {}\n", error.message);
    return exit_of(error.fault);
}

/// The hub never accepts the loss of acknowledged records: an operator decides.
int ask_about(const journal::LostTail& lost, const std::string& data) {
    constexpr int kLostTail = 6;  // By the same table.
    fmt::print(stderr,
               "parlance: {0}\n"
               "Restore the missing segments, and start again: parlance journal repair --from "
               "COPY --data {2}. If there is no copy, accept the loss: parlance journal "
               "accept-loss {1} --data {2}\n",
               describe(lost),
               lost.last.value,
               data);
    return kLostTail;
}

/// The hub's certificate: as configured, else from `parlance cert init`. Nothing for a hub without
/// TLS.
Result<std::optional<TlsFiles>> tls_of(const ServeOptions& options) {
    auto files = options.tls;
    if (options.is_dev) {
        if (files == TlsFiles{}) return std::nullopt;
        return fail(Fault::Malformed, "--dev has no TLS; leave it out, or leave the TLS files out");
    }
    if (files.certificate.empty() != files.key.empty()) {
        return fail(Fault::Malformed, "the certificate of TLS and its key belong together");
    }
    const identity::Folder folder{options.data};
    const auto is_there = [&](std::string_view name) {
        return folder.stamp(name) != identity::Stamp{};
    };
    if (files.certificate.empty() && is_there(identity::kHubFile)) {
        files.certificate = folder.path_of(identity::kHubFile);
        files.key = folder.path_of(identity::kHubKeyFile);
    }
    if (files.certificate.empty() && !files.authority.empty()) {
        return fail(Fault::Malformed, "agents show certificates over TLS only, and it has none");
    }
    if (files.certificate.empty()) return std::nullopt;
    if (files.authority.empty() && is_there(identity::kAuthorityFile)) {
        files.authority = folder.path_of(identity::kAuthorityFile);
    }
    return files;
}

/// The command line's default address of the hub.
constexpr std::string_view kDefaultPlace = "127.0.0.1:7420";

/// Prints the hub's address and the next steps.
void greet(const ServeOptions& options,
           std::string_view scheme,
           std::uint16_t port,
           const engine::Engine& engine) {
    if (options.is_quiet) return;
    const auto place = place_of(options.host, port);
    const auto address = fmt::format("{}://{}", scheme, place);
    const auto elsewhere = place == kDefaultPlace ? std::string{} : " --hub " + place;
    const auto contents = contents_of(engine.hub());
    if (!options.is_dev) {
        fmt::print(
            "Parlance {} serves at {}\n"
            "  data     {} ({})\n"
            "  room     {}\n"
            "  callers  prove who they are: parlance token mint --help\n"
            "  stop     Ctrl-C\n",
            kVersion,
            address,
            options.data,
            contents,
            room_of(options));
        std::fflush(stdout);
        return;
    }
    fmt::print(
        "Parlance {} serves at {}\n"
        "  data     {} ({})\n"
        "  room     {}\n"
        "  look     {}/        {}/v1/events?from=1\n"
        "  try      parlance listen{} --as bob --register     and, elsewhere,\n"
        "           parlance send{} --as alice --to bob '{{\"hello\":\"world\"}}'\n"
        "  stop     Ctrl-C\n",
        kVersion,
        address,
        options.data,
        contents,
        room_of(options),
        address,
        address,
        elsewhere,
        elsewhere);
    std::fflush(stdout);
}

/// One hub: the rooms in the order of their dependencies.
class Hub {
  public:
    explicit Hub(const ServeOptions& options) : options_(options) {}

    /// Why open() failed, if the end of the journal is missing.
    const std::optional<journal::LostTail>& lost_tail() const { return lost_tail_; }

    Result<void> open() {
        TRY(check_data(options_.data));
        tls_ = TRY(tls_of(options_));
        if (!tls_ && !is_loopback_host(options_.host)) {
            return fail(Fault::Malformed,
                        fmt::format("'{}' is not loopback, and without TLS the hub listens nowhere "
                                    "else: tokens would travel in the clear. Make a certificate "
                                    "with `parlance cert init --host NAME --data {}`, or listen on "
                                    "127.0.0.1",
                                    options_.host,
                                    options_.data));
        }
        disk_ = watched(TRY(journal::open_posix_disk(options_.data, true)), health_watch_);
        auto journal = TRY(open_checked_journal());
        const auto personal_key = TRY(open_personal_key(options_.data));
        const gateway::Options gateway_options{
            .is_dev = options_.is_dev,
            .version = std::string{kVersion},
            .message_bytes_max = options_.doors.body_bytes_max,
            .frame_bytes_max = options_.doors.frame_bytes_max,
            .heartbeat_timeout = options_.limits.heartbeat_timeout,
            .guard = options_.is_dev ? nullptr : make_guard(options_.data),
            .personal = options_.personal,
            .personal_key = personal_key,
            .notifier = make_notifier(options_, tls_.has_value(), note_told()),
            .hosts_allowed = options_.notifier.hosts_allowed,
            .names = names_of_hub(),
            .log = [](const std::string& line) { spdlog::error("{}", line); }};
        feed_ = std::make_unique<views::Feed>(*disk_, gateway::Gateway::edit_of(gateway_options));
        gateway_ = std::make_unique<gateway::Gateway>(
            loop_, *feed_, gateway_options, wall_clock, fresh_entropy());
        message_writer_.keep_back(gateway_options.personal, gateway_options.personal_key);
        engine_ = TRY(engine::Engine::open(
            std::move(journal),
            {.limits = options_.limits,
             .message_writer = &message_writer_,
             .version = std::string{kVersion},
             .snapshot_records_min = options_.snapshot_records_min},
            {.wall_clock = wall_clock,
             .steady_clock = steady_clock,
             .entropy = fresh_entropy(),
             .outbox = [this](Effects&& effects) { gateway_->take(std::move(effects)); },
             .background = [this](std::function<void()> job) { worker_.post(std::move(job)); },
             .log =
                 [gateway_options](const std::string& line) {
                     spdlog::warn("{}", gateway::redacted_words(gateway_options, line, "log"));
                 }}));
        gateway_->attach(*engine_);
        bookkeeper_ = std::make_unique<views::Bookkeeper>(
            *disk_,
            views::BookkeeperOptions{
                .path = options_.data + "/views.db",
                .harmless =
                    [gateway_options](std::string_view words, std::string_view workflow) {
                        return gateway::redacted_words(gateway_options, words, workflow);
                    },
                .log = [](const std::string& line) { spdlog::warn("{}", line); }});
        gateway_->attach(*bookkeeper_);
        begin_scrub();
        loop_.limit_outgoing(options_.outgoing_max);
        server_ = TRY(transport::Server::listen(
            loop_, options_.host, options_.port, options_.doors, gateway_->doors(), tls_));
        gateway_->attach(*server_);
        health_watch_ = TRY(HealthWatch::start(
            {.listener = transport::listening_socket(*server_),
             .version = std::string{kVersion},
             .tls = tls_,
             .idle_sockets = [this] { return transport::serve_idle_sockets(*server_); }}));
        if (tls_) shown_ = stamps_of(*tls_);
        return {};
    }

    void run() {
        greet(options_, tls_ ? "https" : "http", server_->port(), *engine_);
        // SIGHUP means "reload files" and never stops the hub, even without files to reload.
        loop_.on_signal([this](int number) {
            if (number != SIGHUP) return stop();
            if (tls_) renew();
        });
        wake_when_due();
        review_callers();
        loop_.run([this] { take_turns(); });
        close();
    }

  private:
    Result<std::unique_ptr<journal::Journal>> open_checked_journal() {
        auto options = options_.journal;
        options.viewed = views::folded_into(options_.data + "/views.db");
        auto journal = open_journal(*disk_, options);
        if (journal) log_recovery((*journal)->recovery());
        const bool is_damaged = !journal && journal.error().fault == Fault::Corrupt;
        if (is_damaged) lost_tail_ = lost_tail_of(*disk_, options);
        return journal;
    }

    /// Records that people were notified, so that the next process does not notify them again.
    std::function<void(Ticket, Sequence)> note_told() {
        return [this](Ticket id, Sequence news) {
            loop_.post([this, id, news] {
                engine_->submit({.command = NotePeopleTold{id, news}});
            });
        };
    }

    /// Reads old records again and again, so that damage is found while a copy still exists.
    void begin_scrub() {
        if (options_.scrub_bytes_per_second == 0) return;
        scrubber_ = std::make_unique<views::Scrubber>(
            *disk_,
            views::ScrubberOptions{
                .bytes_per_second = options_.scrub_bytes_per_second,
                .round_pause = options_.scrub_pause,
                .clock = wall_clock,
                .log = [](const std::string& line) { spdlog::error("{}", line); }});
        gateway_->attach(*scrubber_);
    }

    /// The listening host, the configured names, and the names in the certificate.
    std::vector<std::string> names_of_hub() const {
        auto names = options_.hosts;
        names.push_back(options_.host);
        if (!tls_) return names;
        std::ranges::move(hosts_named_in(tls_->certificate), std::back_inserter(names));
        return names;
    }

    void take_turns() {
        if (!engine_->has_work() && !is_due_) return;
        is_due_ = false;
        // One turn, then I/O again: input arriving meanwhile is the next turn's batch.
        health_watch_->begin_turn();
        const bool has_more = engine_->turn();
        health_watch_->end_turn();
        if (has_more) loop_.post([this] { is_due_ = true; });
        gateway_->after_turn();
    }

    /// Deadlines are in the state; the loop only needs to look often enough.
    void wake_when_due() {
        loop_.after(kHeartbeat, [this] {
            is_due_ = true;
            wake_when_due();
        });
    }

    /// Applies revocations made by the command line, and drops connections without a hello.
    void review_callers() {
        loop_.after(kReview, [this] {
            gateway_->review();
            if (tls_ && stamps_of(*tls_) != shown_) renew();
            report_refused_accepts();
            review_callers();
        });
    }

    /// Once a minute at most: a client that uses up the descriptors could otherwise fill the log,
    /// too.
    void report_refused_accepts() {
        const auto failed = server_->counts().accepts_failed;
        const auto now = std::chrono::steady_clock::now();
        if (failed == accepts_reported_ || now < accepts_report_due_) return;
        spdlog::warn(
            "new connections wait: the system refused a file descriptor or memory for them {} "
            "times "
            "(lower doors.connections_max, or raise LimitNOFILE)",
            failed - accepts_reported_);
        accepts_reported_ = failed;
        accepts_report_due_ = now + kAcceptsReport;
    }

    /// Reloads a changed certificate. The old certificate stays in use until the new key is there.
    void renew() {
        shown_ = stamps_of(*tls_);
        if (const auto renewed = server_->renew(*tls_); !renewed) {
            return spdlog::warn("the certificate of before stays: {}", renewed.error().message);
        }
        if (const auto renewed = health_watch_->renew(*tls_); !renewed) {
            spdlog::warn("while the disk hangs, the certificate of before is shown: {}",
                         renewed.error().message);
        }
        gateway_->be_called(names_of_hub());
        spdlog::info("from now on the certificate in {} is shown", tls_->certificate);
    }

    void stop() {
        if (is_stopping_) return loop_.stop();  // The second Ctrl-C does not wait.
        is_stopping_ = true;
        health_watch_->stop();
        server_->stop_accepting();
        gateway_->stop();
        server_->close_all(1001, "the hub stops");
        loop_.after(kGrace, [this] { loop_.stop(); });
    }

    void close() {
        for (int i = 0; i < 100 && engine_->turn(); ++i) {
        }
        engine_->snapshot_now();
        worker_.stop();
        engine_->write_high_water_now();
        if (!options_.is_quiet) {
            fmt::print("Parlance stopped; everything acknowledged is on disk.\n");
        }
    }

    static constexpr Duration kHeartbeat{10};
    static constexpr Duration kGrace{100};
    static constexpr Duration kReview{100};

    const ServeOptions& options_;
    std::optional<TlsFiles> tls_;
    static constexpr std::chrono::minutes kAcceptsReport{1};
    std::uint64_t accepts_reported_ = 0;  ///< Of DoorCounts::accepts_failed.
    std::chrono::steady_clock::time_point accepts_report_due_{};
    TlsStamps shown_{};  ///< Of the files as last read.
    transport::Loop loop_;
    std::unique_ptr<HealthWatch> health_watch_;  ///< The disk reports every wait to the watch.
    std::unique_ptr<journal::Disk> disk_;
    std::optional<journal::LostTail> lost_tail_;
    Worker worker_;
    std::unique_ptr<views::Feed> feed_;
    std::unique_ptr<views::Bookkeeper> bookkeeper_;
    std::unique_ptr<views::Scrubber> scrubber_;
    gateway::DialectMessageWriter message_writer_;
    std::unique_ptr<gateway::Gateway> gateway_;
    std::unique_ptr<engine::Engine> engine_;
    std::unique_ptr<transport::Server> server_;
    bool is_due_ = true;
    bool is_stopping_ = false;
};

}  // namespace

int serve(ServeOptions options) {
    if (!options.has_hub_bytes_max) {
        options.limits.hub_bytes_max = hub_bytes_for(machine_memory_bytes());
    }
    give_back_large_blocks();
    spdlog::set_default_logger(spdlog::stderr_color_mt("parlance"));
    fit_to_descriptors(options);
    if (options.is_dev && !is_loopback_host(options.host)) {
        return fail_start({Fault::Malformed,
                           fmt::format("--dev listens on loopback only, and '{}' is not: it trusts "
                                       "every caller. Use 127.0.0.1",
                                       options.host)});
    }
    Hub hub{options};
    if (const auto opened = hub.open(); !opened) {
        return hub.lost_tail() ? ask_about(*hub.lost_tail(), options.data)
                               : fail_start(opened.error());
    }
    hub.run();
    return 0;
}

}  // namespace parlance::app
