// A message writer without a dialect, for tests and the simulator: a request is {"inputs",
// "context"}, an answer {"output", "confidence", "error", "retryable", "strategy"}. A capability
// may declare the member that it "needs": a request without the member is unfit. A request may name
// a "capability", or claim with "delegation" to be a delegation.
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "base/json.h"
#include "base/json_merge.h"
#include "base/json_write.h"
#include "model/message_writer.h"
#include "model/plan.h"

namespace parlance::core {

class PlainMessageWriter : public MessageWriter {
  public:
    EnvelopePtr write(const Assignment& assignment) const override {
        const auto body = json::ObjectWriter{}
                              .text("capability", assignment.capability)
                              .raw("inputs", assignment.inputs)
                              .raw("context", assignment.context)
                              .done();
        return Envelope::make({.id = assignment.id,
                               .from = kOrchestrator,
                               .to = assignment.to,
                               .type = "STEP",
                               .correlation = assignment.correlation,
                               .intent = Intent::Request},
                              body);
    }

    Unfit unfit(const Envelope& request, const Taker& taker, Time /*now*/) const override {
        const auto text = [](json::Value object, std::string_view key) {
            const auto value = json::find(object, key);
            std::string spare;
            return value ? std::string{value->text(spare)} : std::string{};
        };
        for (json::Elements each{json::root(taker.capabilities)}; each.next();) {
            const auto needs = text(each.value, "needs");
            if (needs.empty() || text(each.value, "code") != taker.capability) continue;
            if (json::find(json::root(request.body()), needs)) continue;
            return {Refusal::InputValidationFailed, "there is no '" + needs + "' in it"};
        }
        return {};
    }

    Outcome read(const Envelope& answer) const override {
        Outcome outcome;
        const auto body = json::root(answer.body());
        const auto text = [&](std::string_view key) {
            const auto value = json::find(body, key);
            std::string spare;
            return value ? std::string{value->text(spare)} : std::string{};
        };
        outcome.code = text("error");
        outcome.detail = outcome.code.empty() ? "" : "the agent says so";
        outcome.is_done = outcome.code.empty();
        outcome.strategy = text("strategy");
        if (const auto output = json::find(body, "output")) outcome.output = output->raw;
        if (const auto confidence = json::find(body, "confidence")) {
            outcome.confidence = static_cast<std::uint32_t>(*confidence->number() * 1000);
        }
        if (const auto tokens = json::find(body, "tokens")) {
            outcome.tokens_used = static_cast<std::uint64_t>(tokens->integer().value_or(0));
        }
        if (const auto retryable = json::find(body, "retryable")) {
            outcome.is_retryable = retryable->raw == "true";
        }
        return outcome;
    }

    EnvelopePtr tell(const Assignment& news) const override {
        return Envelope::make({.id = news.id,
                               .from = kOrchestrator,
                               .to = news.to,
                               .type = "NEWS",
                               .correlation = news.correlation},
                              news.inputs);
    }

    EnvelopePtr readdress(const Envelope& message, const Redirection& redirection) const override {
        auto header = message.header();
        header.to = redirection.to;
        if (!redirection.id.empty()) header.id = redirection.id;
        if (redirection.child_session.empty() || !delegation_in(message)) {
            return Envelope::make(header, message.body());
        }
        const auto own =
            json::ObjectWriter{}.text("child_session", redirection.child_session).done();
        const auto body = json::ObjectWriter{}.raw("delegation", own).done();
        return Envelope::make(header, json::merged(json::root(message.body()), json::root(body)));
    }

    EnvelopePtr allot(const Envelope& request, std::uint64_t tokens) const override {
        const auto given =
            json::ObjectWriter{}.integer("tokens_max", static_cast<std::int64_t>(tokens)).done();
        return Envelope::make(request.header(),
                              json::merged(json::root(request.body()), json::root(given)));
    }

    Proposal propose(const Envelope& answer) const override {
        const auto body = json::root(answer.body());
        const auto number = [&](std::string_view key) -> std::optional<std::int64_t> {
            const auto value = json::find(body, key);
            return value ? value->integer() : std::nullopt;
        };
        Proposal proposal{.is_made = read(answer).is_done};
        if (const auto cost = number("cost")) proposal.cost = static_cast<std::uint64_t>(*cost);
        if (const auto time = number("time")) proposal.time = Duration{*time};
        proposal.confidence = read(answer).confidence;
        return proposal;
    }

    EnvelopePtr join(const Joint& joint) const override {
        return Envelope::make({.id = joint.id,
                               .from = joint.asked.to(),
                               .to = joint.asked.from(),
                               .type = "JOINED",
                               .correlation = joint.asked.correlation(),
                               .answers = joint.asked.id(),
                               .intent = Intent::Reply},
                              joint.result);
    }

    ClaimPtr claim(const Envelope& request) const override {
        if (const auto delegation = delegation_in(request)) return claimed(*delegation);
        if (!json::check(request.body())) return {};
        const auto body = json::root(request.body());
        const auto code = body.is_object() ? json::find(body, "capability") : std::nullopt;
        if (!code) return {};
        std::string spare;
        Claim claim;
        claim.words.emplace_back(code->text(spare));
        // Inputs with "measured" are estimated: a token for each byte of the message.
        const auto inputs = json::find(body, "inputs");
        if (inputs && inputs->is_object() && json::find(*inputs, "measured")) {
            claim.tokens_estimated = request.body().size();
        }
        return std::make_shared<const Claim>(std::move(claim));
    }

  private:
    static std::optional<json::Value> delegation_in(const Envelope& request) {
        if (!json::check(request.body())) return {};
        const auto body = json::root(request.body());
        const auto found = body.is_object() ? json::find(body, "delegation") : std::nullopt;
        return found && found->is_object() ? found : std::nullopt;
    }

    static ClaimPtr claimed(json::Value delegation) {
        const auto text = [&](std::string_view key) {
            const auto value = json::find(delegation, key);
            std::string spare;
            return value ? std::string{value->text(spare)} : std::string{};
        };
        const auto number = [&](std::string_view key) {
            const auto value = json::find(delegation, key);
            return static_cast<std::uint64_t>(value ? value->integer().value_or(0) : 0);
        };
        Claim claim{.user = text("user"),
                    .session = text("session"),
                    .child_session = text("child_session"),
                    .objective = text("objective"),
                    .objective_hash = text("objective"),
                    .depth_max = static_cast<std::uint32_t>(number("depth_max")),
                    .tokens_max = number("tokens_max")};
        claim.has_session = !claim.session.empty();
        if (auto tool = text("tool"); !tool.empty()) claim.tools.push_back(std::move(tool));
        return std::make_shared<const Claim>(std::move(claim));
    }
};

}  // namespace parlance::core
