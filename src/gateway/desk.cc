#include "gateway/desk.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/uuid.h"
#include "dialects/translate.h"
#include "gateway/capabilities.h"
#include "gateway/grant.h"
#include "gateway/personal.h"
#include "gateway/problem.h"

namespace parlance::gateway {

Refusal submit(Desk& desk, Command command, CallerPtr caller, ReplyTarget reply_target) {
    return desk.engine->submit(
        {.command = std::move(command), .caller = std::move(caller), .reply_target = reply_target});
}

void bring(Desk& desk, Command command, Pending pending, CallerPtr caller) {
    const ReplyTarget reply_target{++desk.reply_target_last};
    const auto refusal = submit(desk, std::move(command), std::move(caller), reply_target);
    if (refusal != Refusal::None) {
        return pending.exchange->respond(problem(refusal, desk.engine->health().reason));
    }
    desk.pending.emplace(reply_target.value, std::move(pending));
}

void bring_done(Desk& desk, Call& call, Command command) {
    auto caller = call.caller;
    bring(desk, std::move(command), {.exchange = std::move(call.exchange)}, std::move(caller));
}

void bring_shown(Desk& desk,
                 Call& call,
                 Command command,
                 std::function<transport::Response()> show) {
    auto caller = call.caller;
    bring(desk,
          std::move(command),
          {.exchange = std::move(call.exchange), .show = std::move(show)},
          std::move(caller));
}

namespace {

/// A refusal's text for the record. A shortened value could be part of any personal data, so the
/// record keeps none of the value.
std::string words_on_record(const Desk& desk, dialects::Rejection rejection) {
    for (dialects::Problem& problem : rejection.problems) {
        if (problem.value.ends_with("…")) problem.value = "…";
    }
    return redacted_words(desk.options, rejection.summary(), rejection.id);
}

}  // namespace

Command record_of(const Desk& desk, dialects::Rejection& rejection, const DeliveryToken& delivery) {
    // A sender with a false name has not answered: the request goes on waiting for its answer.
    const bool is_reply = rejection.refusal != Refusal::IdentityMismatch &&
                          (delivery != DeliveryToken{} || rejection.reply != nullptr);
    // A body that came with a delivery was meant as the answer, even if the body is no message.
    const bool is_no_answer =
        rejection.refusal == Refusal::InputValidationFailed ||
        (delivery != DeliveryToken{} && rejection.refusal == Refusal::MessageMalformed);
    if (is_reply && is_no_answer) {
        rejection.refusal = Refusal::OutputValidationFailed;
    }
    auto detail = words_on_record(desk, rejection);
    if (!is_reply) {
        return RecordRefusal{.id = rejection.id,
                             .refusal = static_cast<std::uint8_t>(rejection.refusal),
                             .detail = std::move(detail),
                             .to = rejection.to,
                             .user = rejection.user,
                             .objective = rejection.objective};
    }
    return RefuseReply{.delivery = delivery,
                       .reply = delivery == DeliveryToken{} ? rejection.reply : nullptr,
                       .id = rejection.id,
                       .refusal = rejection.refusal,
                       .detail = std::move(detail)};
}

std::string fresh_uuid(Desk& desk) {
    const auto high = desk.entropy();
    return uuid_v4(high, desk.entropy());
}

namespace {

/// Three numbers of at most 20, 10 and 10 digits, and the dots between them.
constexpr std::size_t kDeliveryIdBytesMax = 42;

/// "5120.1.2890755431": copy, attempt and epoch. Clients treat the id as opaque.
std::string_view print_delivery_id(const DeliveryToken& delivery,
                                   std::array<char, kDeliveryIdBytesMax>& out) {
    auto* const end = out.data() + out.size();
    auto* at = std::to_chars(out.data(), end, delivery.ticket.value).ptr;
    *at++ = '.';
    at = std::to_chars(at, end, delivery.attempt).ptr;
    *at++ = '.';
    at = std::to_chars(at, end, delivery.epoch.value).ptr;
    return {out.data(), at};
}

}  // namespace

std::string delivery_id(const DeliveryToken& delivery) {
    std::array<char, kDeliveryIdBytesMax> text;
    return std::string{print_delivery_id(delivery, text)};
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// Attempts are counted across restarts of the hub, in 16 bits of its state.
constexpr std::uint64_t kAttemptMax = 0xFFFF;

std::optional<DeliveryToken> parse_delivery_id(std::string_view text) {
    const auto first = text.find('.');
    if (first == std::string_view::npos) return std::nullopt;
    const auto second = text.find('.', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    const auto ticket = parse_number(text.substr(0, first));
    const auto attempt = parse_number(text.substr(first + 1, second - first - 1));
    const auto epoch = parse_number(text.substr(second + 1));
    if (!ticket || !attempt || *attempt == 0 || *attempt > kAttemptMax) return std::nullopt;
    if (!epoch || *epoch > UINT32_MAX) return std::nullopt;
    return DeliveryToken{
        {*ticket}, static_cast<std::uint32_t>(*attempt), {static_cast<std::uint32_t>(*epoch)}};
}

std::string_view flaw_of_nack(json::Value nack) {
    const auto final = json::find(nack, "final");
    if (final && final->raw != "true" && final->raw != "false")
        return "final must be true or false";
    const auto reason = json::find(nack, "reason");
    if (reason && !reason->is_string()) return "reason must be a string";
    return {};
}

Result<Written> read_written(std::string_view body, json::Outline& outline) {
    Written written;
    if (!dialects::is_text_form(body)) {
        TRY(json::check(body, outline));
        return written;
    }
    const auto no_block = [](const Error& why) {
        return fail(Fault::Malformed, "is no block that can be read: " + why.message);
    };
    auto read = dialects::from_text_form(body);
    if (!read) return no_block(read.error());
    written = {.dialect = read->dialect, .made = std::move(read->json)};
    // The outline points into the text, and a short string would move its text along.
    written.made.reserve(sizeof(std::string));
    if (const auto checked = json::check(written.made, outline); !checked) {
        return no_block(checked.error());
    }
    return written;
}

std::optional<Dialect> dialect_of(const Desk& desk, const AgentId& agent) {
    const auto* profile = desk.engine->profile(agent.value);
    if (profile == nullptr) return {};
    return profile->dialect;
}

namespace {

bool answers(const Envelope& envelope) {
    return envelope.intent() == Intent::Reply || envelope.intent() == Intent::Progress;
}

/// Only correlation's ids tell when a workflow began (C1).
Time beginning_of(const Desk& desk, const Envelope& envelope, Dialect reader) {
    if (reader != Dialect::Correlation) return {};
    const auto workflow = envelope.correlation();
    return desk.workflow_start_times->of(workflow.empty() ? envelope.id() : workflow, desk.clock());
}

}  // namespace

std::string translated(
    const Envelope& envelope, Dialect reader, Time now, Time began, Duration patience) {
    const bool is_reply = answers(envelope);
    // A correlation agent names the workflow in its answer, so the agent is told the hub's name for
    // the workflow.
    const bool is_told_workflow = is_reply || reader == Dialect::Correlation;
    auto told = dialects::translate(envelope.body(),
                                    envelope.dialect(),
                                    reader,
                                    {.now = now,
                                     .from = envelope.from(),
                                     .to = envelope.to(),
                                     .id = envelope.id(),
                                     .answers = is_reply ? envelope.answers() : "",
                                     .correlation = is_told_workflow ? envelope.correlation() : "",
                                     .began = began,
                                     .patience = patience,
                                     .type = is_reply ? envelope.type() : ""});
    if (told) return *std::move(told);
    // An agent never reads a foreign dialect: a message that no longer has a form in the reader's
    // dialect is replaced by a refusal.
    return dialects::write_refusal(
        reader, envelope.id(), envelope.to(), told.error().refusal, told.error().summary(), now);
}

dialects::Reading<ReplyToDelivery> read_answer(Desk& desk,
                                               const AnsweredRequest& question,
                                               std::string_view said) {
    const auto fresh_id = fresh_uuid(desk);
    auto reply = dialects::read_reply(said,
                                      question.asked,
                                      {.dialect = dialect_of(desk, question.holder),
                                       .caller = question.holder.value,
                                       .fresh_id = fresh_id,
                                       .now = desk.clock(),
                                       .role_of = &desk.role_of});
    // The requester finds the answer by the request, so the answer need not name its sender.
    const auto refused = [&](dialects::Rejection rejection) {
        rejection.from = question.holder.value;
        rejection.correlation = question.asked.correlation();
        rejection.answers = question.asked.id();
        return tl::unexpected(std::move(rejection));
    };
    if (!reply) return refused(std::move(reply).error());
    auto unfit = unfit_answer(desk,
                              {.request = question.asked,
                               .agent = question.holder,
                               .reply = *reply->envelope,
                               .said = said});
    auto told = restored_answer(desk, question.asked, reply->envelope);
    // A placeholder may break a rule that the value behind the placeholder keeps.
    if (unfit && told != reply->envelope) {
        const bool is_fit = !unfit_answer(desk,
                                          {.request = question.asked,
                                           .agent = question.holder,
                                           .reply = *told,
                                           .said = told->body()});
        if (is_fit) unfit.reset();
    }
    if (unfit) return refused(*std::move(unfit));
    restore_facts(desk, question.asked, question.holder.value, reply->facts);
    const auto holder = dialect_of(desk, question.holder);
    const bool acknowledges = question.asked.intent() != Intent::Request && holder &&
                              dialects::is_shown_as_request(question.asked, *holder);
    return ReplyToDelivery{.delivery = question.delivery,
                           .envelope = std::move(told),
                           .tokens_used = reply->tokens_used,
                           .falls_short = reply->falls_short,
                           .kind = reply->kind,
                           .facts = std::move(reply->facts),
                           .owners = std::move(reply->owners),
                           .acknowledges = acknowledges};
}

namespace {

/// Appends every byte of the message, with the dialect's defaults for members that the sender left
/// out (T1). The journal stores no defaults: a message takes no more room than its sender gave.
void append_as_it_came(const Desk& desk, std::string& out, const Envelope& envelope) {
    const auto whole = dialects::with_defaults(envelope, desk.clock());
    out += whole.empty() ? envelope.body() : std::string_view{whole};
}

std::string as_it_came(const Desk& desk, const Envelope& envelope) {
    std::string out;
    append_as_it_came(desk, out, envelope);
    return out;
}

}  // namespace

std::string shown(const Desk& desk,
                  const EnvelopePtr& envelope,
                  const Failure& failure,
                  std::optional<Dialect> reader) {
    if (failure.refusal != Refusal::None) {
        const auto said = dialects::write_failure(
            *envelope, failure.refusal, failure.detail, desk.clock(), reader);
        return restored_for_asker(desk, *envelope, envelope->to(), said);
    }
    if (!reader || *reader == envelope->dialect()) return as_it_came(desk, *envelope);
    const bool is_request = envelope->intent() == Intent::Request;
    return translated(*envelope,
                      *reader,
                      desk.clock(),
                      beginning_of(desk, *envelope, *reader),
                      is_request ? desk.engine->state().limits.request_timeout : Duration{});
}

std::string delivered(const Desk& desk, const Deliver& deliver, const Reader& reader) {
    const bool is_failure = deliver.failure.refusal != Refusal::None;
    const auto envelope =
        is_failure ? deliver.envelope : redacted_for(desk, deliver.envelope, reader.agent);
    return shown(desk, envelope, deliver.failure, reader.dialect);
}

void append_delivery(const Desk& desk,
                     std::string& out,
                     const Deliver& deliver,
                     const Reader& reader) {
    if (!out.empty() && out.back() != '[') out.push_back(',');
    out += R"({"delivery_id":")";
    std::array<char, kDeliveryIdBytesMax> id;
    out += print_delivery_id(deliver.delivery, id);
    out += R"(","attempt":)";
    out += std::to_string(deliver.delivery.attempt);
    out += ",\"message\":";
    const bool is_failure = deliver.failure.refusal != Refusal::None;
    const bool is_translated = reader.dialect && *reader.dialect != deliver.envelope->dialect();
    if (is_failure || is_translated) {
        out += delivered(desk, deliver, reader);
    } else {
        append_as_it_came(desk, out, *redacted_for(desk, deliver.envelope, reader.agent));
    }
    if (!deliver.state.empty()) out += ",\"state\":" + deliver.state;
    if (deliver.grant) out += ",\"grant\":" + grant_json(*deliver.grant);
    out.push_back('}');
}

}  // namespace parlance::gateway
