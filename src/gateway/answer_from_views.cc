#include "gateway/answer_from_views.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "gateway/problem.h"

namespace parlance::gateway {

namespace {

constexpr std::uint64_t kRowsMax = 1000;
/// How long a caller waits for the views to catch up.
constexpr Duration kWaitMax{std::chrono::seconds{10}};

/// A caller's query of the views: answered by the page, or by the end of the wait if that comes
/// first.
struct ViewQuery {
    ExchangePtr exchange{};
    std::shared_ptr<void> patience{};
    std::atomic<bool> is_over{false};  ///< Read by the thread of the views, too.
};

void answer(ViewQuery& query, transport::Response response) {
    query.is_over = true;
    query.patience.reset();
    if (const auto exchange = std::exchange(query.exchange, nullptr)) {
        exchange->respond(std::move(response));
    }
}

/// Runs on the thread of the views. A query whose caller has left is not looked up.
Result<transport::Response> looked(const ViewQuery& query,
                                   const Read& read,
                                   const Result<views::ViewSources>& sources) {
    if (query.is_over) return transport::Response{};
    if (!sources) return tl::unexpected(sources.error());
    return read(*sources);
}

void put(Desk& desk,
         const std::string& who,
         const std::shared_ptr<ViewQuery>& query,
         Sequence current_at,
         const Read& read) {
    auto& loop = desk.loop;
    desk.bookkeeper->ask(
        current_at, [&desk, &loop, who, query, read](const Result<views::ViewSources>& sources) {
            // An error here is an error of the views, which are soon reopened or rebuilt; `read`
            // answers unreadable records of the journal itself (unreadable.h).
            loop.post([&desk, who, query, response = looked(*query, read, sources)] {
                desk.questions.done(who);
                answer(*query,
                       response ? *response
                                : problem(Refusal::HubOverloaded, response.error().message));
            });
        });
}

}  // namespace

void answer_from_views(Desk& desk, Call& call, Sequence current_at, Read read) {
    if (desk.bookkeeper == nullptr) {
        return call.exchange->respond(problem(Refusal::RouteNotFound, "this hub keeps no views"));
    }
    call.exchange->release_body();
    const auto query = std::make_shared<ViewQuery>();
    query->exchange = call.exchange;
    query->patience = desk.loop.alarm(kWaitMax, [&desk, query] {
        const auto views = desk.bookkeeper->status();
        answer(*query,
               problem(Refusal::HubOverloaded,
                       "the views have record " + std::to_string(views.folded.value) + " of " +
                           std::to_string(desk.engine->durable().value)));
    });
    const auto who = line_of(*call.caller);
    const bool is_taken = desk.questions.push(who, [=, &desk, read = std::move(read)] {
        if (query->is_over) return false;
        put(desk, who, query, current_at, read);
        return true;
    });
    if (is_taken) return;
    answer(*query,
           problem(Refusal::HubOverloaded,
                   std::to_string(FairLines::kWaitingMax) +
                       " queries of this caller wait for the views, and no more may"));
}

std::string with_missing(std::string object,
                         const views::ViewSources& sources,
                         Sequence first,
                         Sequence last) {
    const auto missing = sources.ledger.missing().list(first, last);
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
