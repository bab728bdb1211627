#include "gateway/scribe.h"

#include <cmath>

#include "dialects/scribe.h"
#include "model/plan.h"

namespace parlance::gateway {

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
