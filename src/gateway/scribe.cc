#include "gateway/scribe.h"

#include <cmath>

#include <fmt/format.h>

#include "dialects/scribe.h"
#include "model/plan.h"

namespace parlance::gateway {

std::string DialectScribe::flaw(const Assignment& assignment) const {
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

EnvelopePtr DialectScribe::write(const Assignment& assignment) const {
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
                                    .now = assignment.now});
}

Outcome DialectScribe::read(const Envelope& answer) const {
    auto said = dialects::read_said(answer);
    Outcome outcome{.is_done = said.is_done,
                    .is_partial = said.is_partial,
                    .output = said.content,
                    .made = std::move(said.made),
                    .code = std::move(said.code),
                    .detail = std::move(said.text),
                    .is_retryable = said.is_retryable,
                    .strategy = std::move(said.fallback)};
    if (said.confidence) {
        outcome.confidence =
            static_cast<std::uint32_t>(std::lround(std::clamp(*said.confidence, 0.0, 1.0) * 1000));
    }
    return outcome;
}

}  // namespace parlance::gateway
