#include "gateway/books.h"

#include <algorithm>
#include <utility>

#include "gateway/problem.h"

namespace parlance::gateway {

namespace {

constexpr std::uint64_t kRowsMax = 1000;
/// How long a caller waits for the views to catch up.
constexpr Duration kWaitMax{std::chrono::seconds{10}};

Result<transport::Response> looked(const Read& read, const Result<views::Books>& books) {
    if (!books) return tl::unexpected(books.error());
    return read(*books);
}

}  // namespace

void answer_from_books(Desk& desk, Call& call, Sequence current_at, Read read) {
    if (desk.bookkeeper == nullptr) {
        return call.exchange->respond(problem(Refusal::RouteNotFound, "this hub keeps no views"));
    }
    // Whichever comes first: the page, or the end of the wait.
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
        current_at, [&loop, answer, read = std::move(read)](const Result<views::Books>& books) {
            // An error here is an error of the views, which are soon reopened or rebuilt; `read`
            // answers unreadable records of the journal itself (unreadable.h).
            loop.post([answer, response = looked(read, books)] {
                answer(response ? *response
                                : problem(Refusal::HubOverloaded, response.error().message));
            });
        });
}

std::string with_missing(std::string object,
                         const views::Books& books,
                         Sequence first,
                         Sequence last) {
    const auto missing = books.ledger.missing().list(first, last);
    if (missing.empty()) return object;
    object.pop_back();
    return object + ",\"missing_records\":" + missing + "}";
}

std::optional<std::uint64_t> number_in(const transport::Request& request, std::string_view name) {
    const auto text = request.parameter(name);
    return text.empty() ? 0 : parse_number(text);
}

std::int64_t page_of(std::uint64_t wanted, std::int64_t usual) {
    return wanted == 0 ? usual : static_cast<std::int64_t>(std::min(wanted, kRowsMax));
}

}  // namespace parlance::gateway
