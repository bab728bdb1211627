#include "gateway/desk.h"

#include <charconv>

#include "base/uuid.h"
#include "gateway/problem.h"

namespace parlance::gateway {

Refusal submit(Desk& desk, Command command, CallerPtr caller, Ask ask) {
    return desk.engine->submit(
        {.command = std::move(command), .caller = std::move(caller), .ask = ask});
}

void bring(Desk& desk, Command command, Pending pending, CallerPtr caller) {
    const Ask ask{++desk.ask_last};
    const auto refusal = submit(desk, std::move(command), std::move(caller), ask);
    if (refusal != Refusal::None) {
        return pending.exchange->respond(problem(refusal, desk.engine->health().reason));
    }
    desk.pending.emplace(ask.value, std::move(pending));
}

void bring_done(Desk& desk, Call& call, Command command) {
    auto caller = call.caller;
    bring(desk, std::move(command), {.exchange = std::move(call.exchange)}, std::move(caller));
}

std::string fresh_uuid(Desk& desk) {
    const auto high = desk.chance();
    return uuid_v4(high, desk.chance());
}

std::string delivery_id(const DeliveryToken& delivery) {
    return std::to_string(delivery.ticket.value) + "." + std::to_string(delivery.attempt);
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<DeliveryToken> parse_delivery_id(std::string_view text) {
    const auto dot = text.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const auto ticket = parse_number(text.substr(0, dot));
    const auto attempt = parse_number(text.substr(dot + 1));
    if (!ticket || !attempt || *attempt == 0 || *attempt > 1000) return std::nullopt;
    return DeliveryToken{{*ticket}, static_cast<std::uint32_t>(*attempt)};
}

std::string shown(const Desk& desk, const EnvelopePtr& envelope, const Failure& failure) {
    if (failure.refusal == Refusal::None) return std::string{envelope->body()};
    return dialects::write_failure(*envelope, failure.refusal, failure.detail, desk.clock());
}

void append_delivery(const Desk& desk, std::string& out, const Deliver& deliver) {
    if (!out.empty()) out.push_back(',');
    out += R"({"delivery_id":")";
    out += delivery_id(deliver.delivery);
    out += R"(","attempt":)";
    out += std::to_string(deliver.delivery.attempt);
    out += ",\"message\":";
    if (deliver.failure.refusal == Refusal::None) {
        out += deliver.envelope->body();
    } else {
        out += shown(desk, deliver.envelope, deliver.failure);
    }
    out.push_back('}');
}

}  // namespace parlance::gateway
