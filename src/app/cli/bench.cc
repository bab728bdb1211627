// `parlance bench`: measures the hub from outside, as a client.
#include <algorithm>
#include <latch>
#include <limits>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <sys/resource.h>

#include "app/cli/bench/lane.h"
#include "app/cli/cli.h"
#include "app/cli/draft.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress.h"
#include "base/json_write.h"

namespace parlance::cli {

namespace {

using bench::Clock;
using bench::LanePlan;
using bench::LaneResult;

/// The longest frame a hub can be configured to take.
constexpr std::uint64_t kSizeMax = std::uint64_t{8} << 20;

struct BenchOptions {
    std::string what{};
    std::size_t size = 512;
    std::string priority = "high";
    std::uint64_t connections = 1;
    std::uint64_t outstanding = 256;
    double seconds = 5;
    std::uint64_t messages = 0;
    std::uint64_t agents = 1;
    std::string window = "settled";
    bool is_http = false;
};

using RunLane = Result<LaneResult> (*)(const LanePlan&, bench::Scoreboard&, bench::Start&);

RunLane lane_of(const BenchOptions& options) {
    if (options.what == "deliver") return bench::run_deliver;
    if (options.what == "request") return bench::run_request;
    return options.is_http ? bench::run_publish_http : bench::run_publish;
}

/// Equal numbers of recipients per lane: at least one each, and at least --agents in total.
std::vector<LanePlan> plans_of(const BenchOptions& options, const sdk::HubAddress& hub) {
    const std::string run = fresh_id().substr(0, 8);
    const std::uint64_t each = (options.agents + options.connections - 1) / options.connections;
    std::vector<LanePlan> plans;
    for (std::uint64_t lane = 0; lane < options.connections; ++lane) {
        LanePlan plan{
            .hub = hub,
            .generator = {.run = run,
                          .lane = static_cast<std::uint16_t>(lane),
                          .from = fmt::format("bench-{}-from-{}", run, lane),
                          .type = options.what == "request" ? "TASK_ASSIGNMENT" : "TASK_UPDATE",
                          .priority = options.priority,
                          .size = options.size},
            .outstanding = options.outstanding,
            .messages = options.messages / options.connections +
                        (lane < options.messages % options.connections ? 1 : 0),
            .time = std::chrono::milliseconds{static_cast<std::int64_t>(options.seconds * 1000)},
            .window =
                options.window == "settled" ? bench::Window::Settled : bench::Window::Accepted};
        for (std::uint64_t i = 0; i < each; ++i) {
            plan.generator.to.push_back(fmt::format("bench-{}-to-{}-{}", run, lane, i));
        }
        plans.push_back(std::move(plan));
    }
    return plans;
}

Result<void> for_each_agent(sdk::Client& client,
                            const std::vector<LanePlan>& plans,
                            std::string_view method,
                            std::string_view body) {
    for (const LanePlan& plan : plans) {
        auto names = plan.generator.to;
        names.push_back(plan.generator.from);
        for (const auto& name : names) {
            const auto response = TRY(client.call(method, "/v1/agents/" + name, body));
            if (response.status / 100 != 2) {
                return fail(
                    Fault::Malformed,
                    fmt::format(
                        "{} of {} answered {}: {}", method, name, response.status, response.body));
            }
        }
    }
    return {};
}

struct Measured {
    LaneResult sum{};
    double seconds = 0;
    double cpu_seconds = 0;  ///< Of this program, all threads.
};

double cpu_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void watch(const Context& context,
           const BenchOptions& options,
           bench::Scoreboard& board,
           const std::atomic<std::size_t>& running) {
    using namespace std::chrono_literals;
    Progress progress{context.err()};
    const auto begin = Clock::now();
    auto former = begin;
    std::uint64_t former_done = 0;
    while (running > 0) {
        if (!rest(100ms)) {
            board.is_over = true;
            std::this_thread::sleep_for(10ms);
        }
        const auto now = Clock::now();
        const std::uint64_t done = board.done;
        const double rate = static_cast<double>(done - former_done) /
                            std::chrono::duration<double>(now - former).count();
        const double share =
            options.messages != 0
                ? static_cast<double>(done) / static_cast<double>(options.messages)
                : std::chrono::duration<double>(now - begin).count() / options.seconds;
        progress.show(share,
                      fmt::format("{} messages  {}/s",
                                  count_text(done),
                                  count_text(static_cast<std::uint64_t>(rate))));
        former = now;
        former_done = done;
    }
}

Measured add_up(std::vector<LaneResult>& results, double cpu) {
    Measured measured{.cpu_seconds = cpu};
    auto begin = Clock::time_point::max();
    auto end = Clock::time_point::min();
    for (const LaneResult& result : results) {
        measured.sum.messages += result.messages;
        measured.sum.redeliveries += result.redeliveries;
        measured.sum.latency.add(result.latency);
        measured.sum.settled.add(result.settled);
        begin = std::min(begin, result.begin);
        end = std::max(end, result.end);
    }
    measured.seconds = std::chrono::duration<double>(end - begin).count();
    return measured;
}

Result<Measured> run_lanes(const Context& context,
                           const BenchOptions& options,
                           const std::vector<LanePlan>& plans) {
    bench::Scoreboard board;
    std::latch all_are_there{static_cast<std::ptrdiff_t>(plans.size())};
    std::vector<LaneResult> results(plans.size());
    std::vector<std::optional<Error>> errors(plans.size());
    std::atomic<std::size_t> running = plans.size();
    const double cpu_before = cpu_seconds();
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < plans.size(); ++i) {
            threads.emplace_back([&, i] {
                bench::Start start{all_are_there};
                auto result = lane_of(options)(plans[i], board, start);
                if (result) {
                    results[i] = *result;
                } else {
                    errors[i] = result.error();
                    board.is_over = true;
                }
                --running;
            });
        }
        watch(context, options, board, running);
    }
    for (const auto& error : errors) {
        if (error) return tl::unexpected(*error);
    }
    return add_up(results, cpu_seconds() - cpu_before);
}

double microseconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

std::string number(double value) { return fmt::format("{:.1f}", value); }

void print_json(const BenchOptions& options, const Measured& measured, std::size_t agents) {
    const Histogram& latency = measured.sum.latency;
    const auto count = static_cast<double>(measured.sum.messages);
    json::ObjectWriter writer;
    writer.text("what", options.is_http ? options.what + "-http" : options.what)
        .integer("messages", static_cast<std::int64_t>(measured.sum.messages))
        .raw("seconds", fmt::format("{:.3f}", measured.seconds))
        .raw("messages_per_s", number(count / measured.seconds))
        .raw("mb_per_s", number(count * static_cast<double>(options.size) / measured.seconds / 1e6))
        .raw("p50_us", number(microseconds(latency.percentile(0.50))))
        .raw("p90_us", number(microseconds(latency.percentile(0.90))))
        .raw("p99_us", number(microseconds(latency.percentile(0.99))))
        .raw("p999_us", number(microseconds(latency.percentile(0.999))))
        .raw("max_us", number(microseconds(latency.max())));
    if (measured.sum.settled.total() > 0) {
        writer.raw("settled_p50_us", number(microseconds(measured.sum.settled.percentile(0.50))))
            .raw("settled_p99_us", number(microseconds(measured.sum.settled.percentile(0.99))));
    }
    writer.integer("outstanding", static_cast<std::int64_t>(options.outstanding))
        .integer("size", static_cast<std::int64_t>(options.size))
        .integer("connections", static_cast<std::int64_t>(options.connections))
        .integer("agents", static_cast<std::int64_t>(agents))
        .text("priority", options.priority)
        .integer("redeliveries", static_cast<std::int64_t>(measured.sum.redeliveries))
        .raw("client_cpu_us",
             fmt::format("{:.2f}", measured.cpu_seconds * 1e6 / std::max(count, 1.0)));
    fmt::print("{}\n", writer.done());
}

std::string percentiles_text(const Histogram& histogram) {
    const auto at = [&](double quantile) {
        return duration_text(static_cast<double>(histogram.percentile(quantile)));
    };
    return fmt::format("p50 {}  p90 {}  p99 {}  p99.9 {}  max {}",
                       at(0.50),
                       at(0.90),
                       at(0.99),
                       at(0.999),
                       duration_text(static_cast<double>(histogram.max())));
}

void print_report(const Context& context, const BenchOptions& options, const Measured& measured) {
    const Screen screen = context.out();
    const double rate = static_cast<double>(measured.sum.messages) / measured.seconds;
    fmt::print("{}  {} messages of {} bytes in {:.2f} s\n{}\n",
               paint(screen,
                     Tone::Bold,
                     fmt::format("{} messages/s", count_text(static_cast<std::uint64_t>(rate)))),
               count_text(measured.sum.messages),
               options.size,
               measured.seconds,
               paint(screen,
                     Tone::Dim,
                     fmt::format("{:.1f} MB/s, client {:.2f} µs a message",
                                 rate * static_cast<double>(options.size) / 1e6,
                                 measured.cpu_seconds * 1e6 /
                                     static_cast<double>(
                                         std::max<std::uint64_t>(measured.sum.messages, 1)))));
    const std::string_view until = options.what == "publish"   ? "durable"
                                   : options.what == "request" ? "answered"
                                                               : "delivered";
    fmt::print("\n{:<10} {}\n", until, percentiles_text(measured.sum.latency));
    if (measured.sum.settled.total() > 0) {
        fmt::print("{:<10} {}\n", "settled", percentiles_text(measured.sum.settled));
    }
    if (measured.sum.redeliveries > 0) {
        fmt::print(
            "{}\n",
            paint(screen, Tone::Yellow, fmt::format("{} redeliveries", measured.sum.redeliveries)));
    }
    if (screen.is_terminal) fmt::print("\n{}", render(measured.sum.latency, screen));
}

/// Removes the leftovers of a failed load, as far as possible.
void clear_away(const std::vector<LanePlan>& plans, sdk::Client& client) {
    constexpr auto kAll = std::numeric_limits<std::uint64_t>::max();
    for (const LanePlan& plan : plans) {
        auto names = plan.generator.to;
        names.push_back(plan.generator.from);
        for (const auto& name : names) {
            const auto removed = client.call("DELETE", "/v1/agents/" + name);
            if (!removed) return;  // No hub, nothing to clear.
            if (removed->status != 409) continue;
            if (bench::drain(plan.hub, {name}, kAll)) client.call("DELETE", "/v1/agents/" + name);
        }
    }
}

/// Removes the load's agents and messages, so that only records remain.
Result<void> clean_up(const BenchOptions& options,
                      const std::vector<LanePlan>& plans,
                      sdk::Client& client,
                      std::uint64_t sent) {
    if (options.what == "publish") {
        std::vector<std::string> recipients;
        for (const LanePlan& plan : plans)
            recipients.insert(recipients.end(), plan.generator.to.begin(), plan.generator.to.end());
        TRY(bench::drain(plans.front().hub, recipients, sent));
    }
    return for_each_agent(client, plans, "DELETE", {});
}

int run_bench(const Context& context, BenchOptions options) {
    const auto hub = hub_of(context);
    if (!hub) return complain(context, Misused, hub.error().message);
    // Idle lanes are dropped, and HTTP has one message under way at a time.
    if (options.messages != 0)
        options.connections = std::min(options.connections, options.messages);
    if (options.is_http) options.outstanding = 1;
    const auto plans = plans_of(options, *hub);
    for (const LanePlan& plan : plans) {
        const auto generator = bench::MessageGenerator::make(plan.generator);
        if (!generator) return complain(context, Misused, generator.error().message);
    }
    interrupt_descriptor();
    sdk::Client client{*hub, operator_identity(context)};
    const auto registered =
        for_each_agent(client, plans, "PUT", R"({"dialect":"taskwire","role":"bench"})");
    if (!registered) {
        clear_away(plans, client);
        return complain(context, registered.error());
    }
    const auto measured = run_lanes(context, options, plans);
    if (!measured) {
        clear_away(plans, client);
        return complain(context, measured.error());
    }
    if (context.is_json) {
        print_json(options, *measured, plans.size() * plans.front().generator.to.size());
    } else {
        print_report(context, options, *measured);
    }
    const auto cleaned = clean_up(options, plans, client, measured->sum.messages);
    if (!cleaned) return complain(context, cleaned.error());
    return is_interrupted() ? Interrupted : Done;
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
    auto options = std::make_shared<BenchOptions>();
    CLI::App* const verb = add_verb(app,
                                    {"bench",
                                     "Measure a running hub: publish, deliver or request",
                                     "  parlance bench publish --outstanding 256 --seconds 10\n"
                                     "  parlance bench deliver --connections 2 --agents 8\n"
                                     "  parlance bench request --outstanding 1 --json"});
    verb->add_option("what",
                     options->what,
                     "publish: until durable; deliver: until delivered, acknowledged and that on "
                     "disk; request: until answered")
        ->required()
        ->check(CLI::IsMember(std::vector<std::string>{"publish", "deliver", "request"}));
    verb->add_option("--size", options->size, "Bytes of a whole message")
        ->check(whole_number(1, kSizeMax))
        ->capture_default_str();
    verb->add_option("--priority", options->priority, "Their priority")
        ->check(CLI::IsMember(std::vector<std::string>{"critical", "high", "normal", "low"}))
        ->capture_default_str();
    verb->add_option("--connections", options->connections, "Senders, each in a thread of its own")
        ->check(whole_number(1, 1024))
        ->capture_default_str();
    verb->add_option("--outstanding", options->outstanding, "Messages under way per sender")
        ->check(whole_number(1, 4096))
        ->capture_default_str();
    auto* const seconds = verb->add_option("--seconds", options->seconds, "How long it sends")
                              ->check(number_between(0.001, 86'400))
                              ->capture_default_str();
    verb->add_option("--messages", options->messages, "How many it sends, instead")
        ->check(whole_number(1, 1'000'000'000'000))
        ->excludes(seconds);
    verb->add_option("--agents", options->agents, "Recipients that share the messages")
        ->check(whole_number(1, 100'000))
        ->capture_default_str();
    verb->add_option("--window",
                     options->window,
                     "deliver: a message is under way until it is settled, or only until accepted")
        ->check(CLI::IsMember(std::vector<std::string>{"settled", "accepted"}))
        ->capture_default_str();
    verb->add_flag("--http", options->is_http, "publish: POST each, one under way per connection");
    verb->callback(leave(context, [options, &context] {
        if (options->is_http && options->what != "publish") {
            return complain(context, Misused, "--http goes with publish only");
        }
        return run_bench(context, *options);
    }));
}

}  // namespace parlance::cli
