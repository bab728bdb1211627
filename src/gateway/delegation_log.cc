// GET /v1/delegations: the log of all delegations, read from the views (X16).
#include <algorithm>

#include "base/iso_time.h"
#include "gateway/handlers.h"
#include "gateway/problem.h"

namespace parlance::gateway {

namespace {

constexpr std::uint64_t kRowsMax = 1000;
/// Whoever wants to read what the views do not have yet waits so long for them.
constexpr Duration kWaitMax{std::chrono::seconds{10}};

struct Asked {
    views::DelegationQuery query;
    Sequence current_at{};
};

/// Absent is zero; nothing if it is no whole number.
std::optional<std::uint64_t> number_in(const transport::Request& request, std::string_view name) {
    const auto text = request.parameter(name);
    return text.empty() ? 0 : parse_number(text);
}

/// Why it makes no sense is the error's message.
Result<Asked> read_asked(const transport::Request& request, Sequence durable) {
    const auto after = number_in(request, "after");
    const auto most = number_in(request, "max");
    const auto current_at = number_in(request, "after_sequence");
    if (!after || !most || !current_at) {
        return fail(Fault::Malformed, "after, max and after_sequence must be whole numbers");
    }
    if (*current_at > durable.value) {
        return fail(Fault::Malformed,
                    "after_sequence is " + std::to_string(*current_at) +
                        ", and the last record is " + std::to_string(durable.value));
    }
    Asked asked{.query = {.user = std::string{request.parameter("user")},
                          .agent = std::string{request.parameter("agent")},
                          .after = {*after},
                          .count_max = static_cast<std::int64_t>(
                              *most == 0 ? 100 : std::min(*most, kRowsMax))},
                .current_at = {*current_at}};
    if (const auto since = request.parameter("since"); !since.empty()) {
        const auto time = parse_iso_time(since);
        if (!time) return fail(Fault::Malformed, "since: " + time.error().message);
        asked.query.since = print_iso_time(*time);
    }
    return asked;
}

}  // namespace

void get_delegations(Desk& desk, Call& call) {
    auto asked = read_asked(call.request(), desk.engine->durable());
    if (!asked) {
        return call.exchange->respond(
            problem(Refusal::InputValidationFailed, asked.error().message));
    }
    if (desk.bookkeeper == nullptr) {
        return call.exchange->respond(problem(Refusal::RouteNotFound, "this hub keeps no views"));
    }
    // Whichever comes first: the page, or the end of patience.
    const auto waiting = std::make_shared<ExchangePtr>(call.exchange);
    const auto answer = [waiting](transport::Response response) {
        if (const auto exchange = std::exchange(*waiting, nullptr)) {
            exchange->respond(std::move(response));
        }
    };
    desk.loop.after(kWaitMax, [&desk, answer] {
        const auto views = desk.bookkeeper->status();
        answer(problem(Refusal::HubOverloaded,
                       "the views have record " + std::to_string(views.folded.value) + " of " +
                           std::to_string(desk.engine->durable().value)));
    });
    auto& loop = desk.loop;
    desk.bookkeeper->ask(
        std::move(asked->query),
        asked->current_at,
        [&loop, answer](Result<views::DelegationPage> page) {
            loop.post([answer, page = std::move(page)] {
                if (!page) return answer(problem(Refusal::HubOverloaded, page.error().message));
                answer({.headers = {},
                        .body = "{\"delegations\":[" + page->rows +
                                "],\"sequence\":" + std::to_string(page->folded.value) + "}"});
            });
        });
}

}  // namespace parlance::gateway
