#include "sim/window.h"

#include <utility>

#include "base/match.h"
#include "gateway/gateway.h"
#include "gateway/personal.h"
#include "gateway/routes.h"
#include "journal/event_codec.h"
#include "views/ledger.h"

namespace parlance::sim {

namespace {

constexpr std::size_t kDeadLettersMax = 20;
constexpr const char* kInMemory = ":memory:";

gateway::Options options_of(const PersonalPolicy& policy) {
    return {.is_dev = true, .version = "sim", .personal = policy, .personal_key = "a key"};
}

/// An operator's GET of a page.
class Look final : public transport::Exchange {
  public:
    explicit Look(std::string path)
        : request_{.method = "GET",
                   .path = std::move(path),
                   .headers = {{"Parlance-Operator", "operator"}}} {}

    const transport::Request& request() const override { return request_; }
    void respond(transport::Response response) override { seen = std::move(response.body); }
    void begin_stream(transport::Response /*head*/) override {}
    void write(std::string chunk) override { seen += chunk; }
    std::size_t backlog_bytes() const override { return 0; }
    void end_stream() override {}
    void on_gone(std::function<void()> /*gone*/) override {}

    std::string seen;

  private:
    transport::Request request_;
};

}  // namespace

struct Window::Desk {
    Desk(journal::Disk& disk,
         gateway::Options its_options,
         std::function<Time()> wall_clock,
         Persons& persons)
        : options(std::move(its_options)),
          feed(disk),
          desk{.loop = loop,
               .feed = feed,
               .options = options,
               .wall_clock = std::move(wall_clock),
               .entropy = [&persons] { return persons.bits(); }} {}

    gateway::Options options;
    transport::Loop loop;
    views::Feed feed;
    gateway::Desk desk;
};

Window::Window(Persons& persons,
               History& history,
               journal::Disk& disk,
               std::function<Time()> wall_clock)
    : persons_(persons),
      history_(history),
      disk_(disk),
      desk_(std::make_unique<Desk>(
          disk, options_of(persons.policy()), std::move(wall_clock), persons)) {}

Window::~Window() = default;

void Window::open(engine::Engine* engine) { desk_->desk.engine = engine; }

void Window::note(Exit exit, std::string bytes) {
    history_.left.push_back({.exit = exit, .bytes = std::move(bytes)});
}

Command Window::receive(Command command, const std::string& caller) {
    auto& desk = desk_->desk;
    if (auto* const send = std::get_if<SendMessage>(&command)) {
        const bool is_own = send->envelope->from() == caller;
        if (!is_own) return command;  // The core refuses a foreign sender.
        if (auto unfit = gateway::unfit_as_sent(desk, *send)) {
            return gateway::record_of(desk, *unfit, {});
        }
    }
    if (auto* const reply = std::get_if<ReplyToDelivery>(&command)) {
        const auto held = desk.engine->delivery(reply->delivery);
        if (!held || !held->is_current || held->holder.value != caller) return command;
        reply->envelope = gateway::restored_answer(desk, *held->envelope, reply->envelope);
    }
    return command;
}

void Window::show(std::size_t index) {
    if (desk_->desk.engine == nullptr) return;
    match(
        history_.shown[index].effect,
        [&](const Deliver& deliver) {
            const auto* const engine = desk_->desk.engine;
            const auto held = engine->delivery(deliver.delivery);
            if (!held) return;
            std::string bytes;
            gateway::append_delivery(
                desk_->desk,
                bytes,
                deliver,
                {held->holder, gateway::dialect_of(desk_->desk, held->holder)});
            persons_.note_read(held->holder.value, *deliver.envelope, bytes);
            history_.left.push_back({.exit = Exit::Delivery,
                                     .reader = held->holder.value,
                                     .shown = index,
                                     .bytes = std::move(bytes)});
        },
        [&](const TellAnswer& told) { tell_answer(index, told); },
        [&](const TellProgress& told) {
            history_.left.push_back({.exit = Exit::Part,
                                     .reader = told.requester.value,
                                     .shown = index,
                                     .bytes = gateway::restored_for_asker(
                                         desk_->desk, *told.asked, told.asked->to(), told.note)});
        },
        [](const auto&) {});
}

/// Renders the answer for the waiting requester, in the dialect of its request. A failure is not
/// rendered: rendering needs the request, and the request is closed by now.
void Window::tell_answer(std::size_t index, const TellAnswer& told) {
    if (!told.reply) return;
    history_.left.push_back(
        {.exit = Exit::Delivery,
         .reader = std::string{told.reply->to()},
         .shown = index,
         .bytes = gateway::shown(desk_->desk, told.reply, told.failure, std::nullopt)});
}

void Window::log(const std::string& line) {
    note(Exit::Line, gateway::redacted_words(desk_->options, line, "log"));
}

void Window::tell_records(Sequence last) {
    const auto edit = gateway::Gateway::edit_of(desk_->options);
    auto reader = journal::Reader::open(disk_, {1});
    journal::Record record;
    while (reader) {
        const auto more = reader->next(record, last);
        if (!more || !*more) return;
        const auto event = journal::decode(record);
        if (!event) return;
        std::string json;
        journal::append_json(json, record.sequence, record.at, *event);
        auto edited = edit(json);
        note(Exit::Record, edited ? *std::move(edited) : std::move(json));
    }
}

void Window::tell_rows(Sequence last) {
    auto ledger =
        views::Ledger::open(kInMemory, [this](std::string_view words, std::string_view workflow) {
            return gateway::redacted_words(desk_->options, words, workflow);
        });
    auto reader = journal::Reader::open(disk_, {1});
    journal::Record record;
    while (ledger && reader) {
        const auto more = reader->next(record, last);
        if (!more || !*more || !ledger->fold(record)) break;
    }
    const bool is_kept = ledger && ledger->commit(true);
    if (!is_kept) {
        history_.findings.push_back({"A4", "the rows of the audit log cannot be written", {}});
        return;
    }
    if (auto rows = ledger->delegations({.count_max = 1'000'000})) {
        note(Exit::Row, *std::move(rows));
    }
}

void Window::tell_page(const std::string& path) {
    const auto look = std::make_shared<Look>(path);
    gateway::route(desk_->desk, look);
    note(Exit::Page, look->seen);
}

void Window::close(Sequence last) {
    tell_records(last);
    tell_rows(last);
    for (const char* const path : {"/metrics", "/v1/dead-letters", "/v1/human", "/v1/hub"}) {
        tell_page(path);
    }
    for (const auto& letter : desk_->desk.engine->dead_letters({.count_max = kDeadLettersMax})) {
        tell_page("/v1/dead-letters/" + std::to_string(letter.ticket.value));
    }
}

}  // namespace parlance::sim
