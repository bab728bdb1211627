#include "gateway/endpoint.h"

#include <algorithm>
#include <iterator>

#include "base/address.h"
#include "base/json.h"
#include "gateway/grant.h"

namespace parlance::gateway {

namespace {

/// A final refusal by the receiver; any other failure may pass.
bool is_final(int status) {
    return status >= 400 && status < 500 && status != 408 && status != 425 && status != 429;
}

/// Whether no answer came; even an unreadable answer is a sign of life.
bool is_silence(Fault fault) { return fault == Fault::NotFound || fault == Fault::Unavailable; }

/// Whether the hub posts to this host even at a private address.
bool is_allowed_host(const Desk& desk, const std::string& host) {
    const auto& allowed = desk.options.hosts_allowed;
    return desk.options.is_dev || std::ranges::find(allowed, host) != allowed.end();
}

}  // namespace

// Host names are not resolved here: each call checks the resolved address, which may have changed
// by then.
std::string flaw_of_endpoint(const Desk& desk, const std::string& url) {
    const auto host = transport::check_url(url);
    if (url.empty() || !host || is_allowed_host(desk, *host) || !is_private_host(*host)) return {};
    return "must not be on a loopback, link-local or private address, unless its host is among "
           "people.hosts_allowed of the hub's configuration";
}

std::string plain_address(std::string_view url) {
    url = url.substr(0, url.find_first_of("?#"));
    const auto scheme = url.find("://");
    const auto begin = scheme == std::string_view::npos ? 0 : scheme + 3;
    const auto at = url.substr(0, url.find('/', begin)).rfind('@');
    std::string plain{url.substr(0, begin)};
    return plain.append(url.substr(at == std::string_view::npos || at < begin ? begin : at + 1));
}

Endpoint::Endpoint(Desk& desk, AgentId agent, std::string url, ReplyTarget reply_target)
    : desk_(desk),
      caller_(std::make_shared<Caller>(Caller{std::move(agent)})),
      url_(std::move(url)),
      reply_target_(reply_target) {}

void Endpoint::join(std::uint32_t credit) {
    submit(desk_,
           JoinInstance{caller_->agent, "endpoint", InstanceKind::Push, credit},
           caller_,
           reply_target_);
}

void Endpoint::joined(InstanceNumber instance) { instance_ = instance; }

void Endpoint::leave() {
    if (instance_ == InstanceNumber{}) return;
    submit(desk_, LeaveInstance{instance_, "the endpoint was changed"}, caller_, {});
}

void Endpoint::deliver(const Deliver& deliver) {
    const auto host = transport::check_url(url_);
    transport::Outgoing outgoing{
        .url = url_,
        .only_public = !host || !is_allowed_host(desk_, *host),
        .headers = {{"Content-Type", "application/json"},
                    {"Parlance-Delivery", delivery_id(deliver.delivery)},
                    {"Parlance-Attempt", std::to_string(deliver.delivery.attempt)},
                    {"Parlance-Agent", caller_->agent.value}},
        .body = delivered(desk_, deliver, {caller_->agent, dialect_of(desk_, caller_->agent)}),
        .timeout = desk_.options.endpoint_timeout,
        .body_bytes_max = desk_.options.message_bytes_max};
    if (deliver.grant) {
        std::ranges::move(grant_headers(*deliver.envelope, *deliver.grant),
                          std::back_inserter(outgoing.headers));
    }
    transport::post(
        desk_.loop,
        std::move(outgoing),
        [self = shared_from_this(), deliver](const Result<transport::Response>& answer) {
            self->take_answer(deliver, answer);
        });
}

void Endpoint::settle(Command command) { submit(desk_, std::move(command), caller_, {}); }

void Endpoint::take_answer(const Deliver& deliver, const Result<transport::Response>& answer) {
    if (!answer) {
        std::string_view why = answer.error().message;
        // The reason names the address once, without its secrets.
        const auto named = "POST " + url_ + ": ";
        if (why.starts_with(named)) why.remove_prefix(named.size());
        return settle(
            NackDelivery{.delivery = deliver.delivery,
                         .reason = "endpoint " + plain_address(url_) + ": " + std::string{why},
                         .is_unheard = answer.error().fault == Fault::NotFound,
                         .is_unanswered = is_silence(answer.error().fault)});
    }
    if (answer->status < 200 || answer->status >= 300) {
        return settle(NackDelivery{.delivery = deliver.delivery,
                                   .reason = "endpoint " + plain_address(url_) + " answered " +
                                             std::to_string(answer->status),
                                   .is_final = is_final(answer->status)});
    }
    const bool is_question =
        deliver.failure.refusal == Refusal::None && deliver.envelope->intent() == Intent::Request;
    if (is_question && !answer->body.empty()) return take_reply(deliver, answer->body);
    settle(AckDelivery{deliver.delivery});
}

void Endpoint::take_reply(const Deliver& deliver, const std::string& body) {
    if (const auto checked = json::check(body); !checked) {
        return reject(
            deliver.delivery,
            {.refusal = Refusal::OutputValidationFailed,
             .problems = {{.rule = "must be an answer, but " + checked.error().message}}});
    }
    auto reply = read_answer(desk_, {deliver.delivery, *deliver.envelope, caller_->agent}, body);
    if (!reply) return reject(deliver.delivery, std::move(reply).error());
    settle(*std::move(reply));
}

/// Tells only the record and the requester of the refusal, as the agent's HTTP exchange is over.
void Endpoint::reject(const DeliveryToken& delivery, dialects::Rejection rejection) {
    const bool is_anothers = rejection.refusal == Refusal::IdentityMismatch;
    settle(record_of(desk_, rejection, delivery));
    if (is_anothers) settle(NackDelivery{.delivery = delivery, .reason = rejection.summary()});
}

void open_endpoint(Desk& desk, const OpenEndpoint& order) {
    const auto known = desk.endpoints.find(order.agent.value);
    if (known != desk.endpoints.end()) {
        if (known->second->url() == order.endpoint) return;
        known->second->leave();
        desk.endpoint_by_instance.erase(known->second->instance().value);
        desk.endpoints.erase(known);
    }
    if (order.endpoint.empty()) return;
    const ReplyTarget reply_target{kEndpointReplyTargets + ++desk.reply_target_last};
    const auto endpoint =
        std::make_shared<Endpoint>(desk, order.agent, order.endpoint, reply_target);
    desk.endpoints.emplace(order.agent.value, endpoint);
    desk.endpoint_by_reply_target.emplace(reply_target.value, endpoint);
    endpoint->join(std::max(order.credit, 1U));
}

}  // namespace parlance::gateway
