#include "gateway/message_writer.h"

#include <cmath>

#include <fmt/format.h>

#include "base/iso_time.h"
#include "base/json_write.h"
#include "dialects/claim.h"
#include "dialects/dialects.h"
#include "dialects/message_writer.h"
#include "dialects/passing.h"
#include "gateway/personal.h"
#include "model/plan.h"

namespace parlance::gateway {

std::string DialectMessageWriter::flaw(const Assignment& assignment) const {
    const auto* capability =
        find_capability(shelf_, assignment.to, assignment.capabilities, assignment.capability);
    if (capability == nullptr || !capability->input) return {};
    std::string flaws;
    const auto inputs = assignment.inputs.empty() ? std::string_view{"{}"} : assignment.inputs;
    for (const auto& violation : schema::check(*capability->input, json::root(inputs))) {
        flaws += fmt::format("{}inputs{} {} (input_schema of {}, {})",
                             flaws.empty() ? "" : "; ",
                             violation.pointer,
                             violation.rule,
                             capability->code,
                             violation.keyword);
    }
    return flaws;
}

Unfit DialectMessageWriter::unfit(const Envelope& request, const Taker& taker, Time now) const {
    const auto rejection = unfit_for(shelf_, request, taker, now);
    if (!rejection) return {};
    return {rejection->refusal, rejection->summary()};
}

EnvelopePtr DialectMessageWriter::write(const Assignment& assignment) const {
    return dialects::write_request(assignment.dialect,
                                   {.id = assignment.id,
                                    .from = kOrchestrator,
                                    .to = assignment.to,
                                    .capability = assignment.capability,
                                    .objective = assignment.objective,
                                    .inputs = assignment.inputs,
                                    .context = assignment.context,
                                    .correlation = assignment.correlation,
                                    .user = assignment.user,
                                    .session = assignment.session,
                                    .timeout = assignment.timeout,
                                    .tokens_max = assignment.tokens_max,
                                    .now = assignment.now,
                                    .priority = assignment.priority});
}

Outcome DialectMessageWriter::read(const Envelope& answer) const {
    auto said = dialects::read_said(answer);
    Outcome outcome{.is_done = said.is_done,
                    .is_partial = said.is_partial,
                    .output = said.content,
                    .made = std::move(said.made),
                    .code = std::move(said.code),
                    .detail = std::move(said.text),
                    .is_retryable = said.is_retryable,
                    .strategy = std::move(said.fallback),
                    .tokens_used = said.tokens_used};
    if (said.confidence) {
        outcome.confidence =
            static_cast<std::uint32_t>(std::lround(std::clamp(*said.confidence, 0.0, 1.0) * 1000));
    }
    return outcome;
}

EnvelopePtr DialectMessageWriter::tell(const Assignment& news) const {
    // Any dialect will do, since the recipient reads the message in its own dialect.
    const auto payload =
        json::ObjectWriter{}.text("action", news.objective).raw("data", news.inputs).done();
    json::ObjectWriter metadata;
    metadata.text("correlation_id", news.correlation).text("priority", "high");
    const auto text = json::ObjectWriter{}
                          .text("id", news.id)
                          .text("timestamp", print_iso_time(news.now))
                          .text("from", kOrchestrator)
                          .text("to", news.to)
                          .text("type", "TASK_UPDATE")
                          .raw("payload", payload)
                          .raw("metadata", metadata.done())
                          .done();
    const auto message =
        dialects::read_message(text, {.dialect = Dialect::Taskwire, .now = news.now});
    return message ? message->envelope : nullptr;
}

EnvelopePtr DialectMessageWriter::readdress(const Envelope& message,
                                            const Redirection& redirection) const {
    return dialects::readdressed(message, redirection);
}

EnvelopePtr DialectMessageWriter::allot(const Envelope& request, std::uint64_t tokens) const {
    return dialects::allotted(request, tokens);
}

Proposal DialectMessageWriter::propose(const Envelope& answer) const {
    const auto said = dialects::read_said(answer);
    Proposal proposal{.is_made = said.is_done};
    const auto content = json::root(said.made.empty() ? said.content : said.made);
    const auto number = [&](std::string_view key) -> std::optional<double> {
        const auto value = content.is_object() ? json::find(content, key) : std::nullopt;
        const auto amount = value ? value->number() : std::nullopt;
        return amount && *amount >= 0 && *amount <= 1e12 ? amount : std::nullopt;
    };
    if (content.is_object()) {
        const auto wants = json::find(content, "propose");
        if (wants && wants->raw == "false") proposal.is_made = false;
    }
    if (const auto cost = number("cost")) {
        proposal.cost = static_cast<std::uint64_t>(std::llround(*cost * 1e6));
    }
    if (const auto time = number("duration_ms")) {
        proposal.time = Duration{std::llround(*time)};
    }
    auto confidence = number("confidence");
    if (!confidence) confidence = said.confidence;
    if (confidence) {
        proposal.confidence =
            static_cast<std::uint32_t>(std::lround(std::clamp(*confidence, 0.0, 1.0) * 1000));
    }
    return proposal;
}

EnvelopePtr DialectMessageWriter::join(const Joint& joint) const {
    auto header = joint.asked.header();
    const auto to = dialects::recipient_in(joint.asked);
    header.to = to;
    const auto asked = Envelope::make(header, joint.asked.body());
    const auto reply = dialects::read_reply(joint.result,
                                            *asked,
                                            {.dialect = asked->dialect(),
                                             .caller = asked->to(),
                                             .fresh_id = joint.id,
                                             .now = joint.now});
    if (!reply) return nullptr;
    auto answer = reply->envelope;
    if (!joint.lack.empty()) answer = dialects::made_partial(*answer, joint.lack);
    if (joint.tokens_used > 0) answer = dialects::charged(*answer, joint.tokens_used);
    return answer->body().size() > kMessageBytesMax ? nullptr : answer;
}

ClaimPtr DialectMessageWriter::claim(const Envelope& request) const {
    return dialects::claim_of(request);
}

void DialectMessageWriter::keep_back(PersonalPolicy personal, std::string key) {
    options_.personal = std::move(personal);
    options_.personal_key = std::move(key);
}

std::string DialectMessageWriter::quote(const Envelope& request, const Taker& reader) const {
    return quoted_for(options_, request, reader);
}

}  // namespace parlance::gateway
