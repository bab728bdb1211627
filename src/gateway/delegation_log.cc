// GET /v1/delegations: the log of all delegations, read from the views (X16).
#include "base/iso_time.h"
#include "gateway/answer_from_views.h"
#include "gateway/handlers.h"
#include "gateway/problem.h"

namespace parlance::gateway {

namespace {

struct Asked {
    views::DelegationQuery query;
    Sequence current_at{};
};

/// The query, or an Error with the flaw of the parameters.
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
    if (*after > durable.value) {
        return fail(Fault::Malformed,
                    "after is " + std::to_string(*after) + ", and the last record is " +
                        std::to_string(durable.value));
    }
    Asked asked{.query = {.user = std::string{request.parameter("user")},
                          .agent = std::string{request.parameter("agent")},
                          .after = {*after},
                          .count_max = page_of(*most)},
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
    answer_from_views(
        desk,
        call,
        asked->current_at,
        [query = std::move(asked->query)](
            const views::ViewSources& sources) -> Result<transport::Response> {
            const auto rows = TRY(sources.ledger.delegations(query));
            auto page = "{\"delegations\":[" + rows +
                        "],\"sequence\":" + std::to_string(sources.folded.value) + "}";
            const Sequence first{query.after.value + 1};
            return transport::Response{
                .headers = {},
                .body = with_missing(std::move(page), sources, first, sources.folded)};
        });
}

}  // namespace parlance::gateway
