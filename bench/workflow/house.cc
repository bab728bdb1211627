#include "bench/workflow/house.h"

#include <filesystem>

#include "base/match.h"
#include "base/uuid.h"
#include "bench/measure.h"
#include "dialects/dialects.h"
#include "journal/posix_disk.h"

namespace parlance::bench {

namespace {

/// The answer of a kessel agent whose work is done.
constexpr std::string_view kAnswer =
    R"({"status":"SUCCESS","result_json":{"score":7},"confidence_level":"HIGH"})";

Time wall_clock() {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

Duration steady_clock() {
    return std::chrono::duration_cast<Duration>(
        std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

House::House(Options options) : options_(std::move(options)), now_(wall_clock()) {
    std::filesystem::create_directories(options_.folder);
    disk_ = std::move(journal::open_posix_disk(options_.folder, true).value());
    auto journal = journal::Journal::open(*disk_, {});
    REQUIRE(journal.has_value());
    Limits limits;
    limits.instance_credit_max = 1'000'000;
    auto engine = engine::Engine::open(
        *std::move(journal),
        {.limits = limits,
         .message_writer = &message_writer_,
         .version = "bench",
         .snapshot_records_min = std::uint64_t{1} << 62U},
        {.wall_clock = [this] { return now_; },
         .steady_clock =
             [this] { return options_.has_own_clock ? now_.time_since_epoch() : steady_clock(); },
         .entropy = [this] { return ++entropy_ * 0x9E37'79B9'7F4A'7C15U; },
         .outbox = [this](Effects&& effects) { take(std::move(effects)); },
         .background = [this](std::function<void()> job) { jobs_.emplace_back(std::move(job)); },
         .log = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); }});
    REQUIRE(engine.has_value());
    engine_ = *std::move(engine);
    for (std::size_t i = 0; i < options_.agents; ++i) {
        const auto name = "agent-" + std::to_string(i);
        submit(RegisterAgent{{name}, {.dialect = Dialect::Kessel}});
        submit(JoinInstance{{name}, "one", InstanceKind::Socket, limits.instance_credit_max});
    }
    settle();
}

House::~House() {
    jobs_.clear();
    engine_.reset();
    disk_.reset();
    std::filesystem::remove_all(options_.folder);
}

std::string House::id_of(std::uint64_t number) {
    return uuid_v4(number * 0x9E37'79B9'7F4A'7C15U, number * 0xD1B5'4A32'D192'ED03U);
}

void House::order(Command command) {
    static const auto kOperator = std::make_shared<const Caller>(
        Caller{.agent = {"olga"}, .is_operator = true, .role = OperatorRole::Admin});
    REQUIRE(engine_->submit({.command = std::move(command), .caller = kOperator}) == Refusal::None);
}

void House::submit(Command command) {
    REQUIRE(engine_->submit({.command = std::move(command)}) == Refusal::None);
}

void House::start(const std::string& plan, const std::string& input) {
    submit(StartWorkflow{.id = id_of(++started_), .plan = plan, .input = input});
}

void House::send(const std::string& text) {
    auto message = dialects::read_message(text, {.dialect = Dialect::Taskwire});
    REQUIRE(message.has_value());
    submit(*std::move(message));
}

void House::settle() {
    while (engine_->turn() || engine_->has_work()) {
    }
}

void House::pass(std::chrono::milliseconds time) { now_ += time; }

void House::answer(const Held& held) {
    const auto fresh_id = id_of(++entropy_);
    auto reply = dialects::read_reply(
        kAnswer,
        *held.asked,
        {.dialect = Dialect::Kessel, .caller = held.asked->to(), .fresh_id = fresh_id});
    REQUIRE(reply.has_value());
    submit(ReplyToDelivery{.delivery = held.delivery, .envelope = reply->envelope});
}

void House::take(Effects&& effects) {
    for (auto& effect : effects) {
        match(
            effect,
            [&](Deliver& deliver) {
                held_.push_back({deliver.delivery,
                                 std::move(deliver.envelope),
                                 std::chrono::steady_clock::now()});
            },
            [&](TellEnded& ended) {
                ++ended_;
                last_report_ = std::move(ended.report);
            },
            [](const TellRefused& refused) {
                std::fprintf(stderr, "refused: %s\n", refused.detail.c_str());
            },
            [](const auto&) {});
    }
    effects.clear();
}

}  // namespace parlance::bench
