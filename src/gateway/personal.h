// Which personal data of a message each reader sees: delegates and operators see placeholders, and
// the requester sees the values that the requester wrote.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/desk.h"
#include "model/message_writer.h"

namespace parlance::gateway {

/// A delivery for this reader; the same envelope if nothing is redacted.
EnvelopePtr redacted_for(const Desk& desk, const EnvelopePtr& envelope, const AgentId& reader);

/// A request's text for a reader, quoted in a message of the hub. The request's own dialect says
/// what to redact, even if the quoting message's dialect is not covered.
std::string quoted_for(const Options& options, const Envelope& request, const Taker& reader);

/// Text about a request, for its requester: placeholders are replaced by the values that the
/// requester wrote. `agent` is the agent that answers.
std::string restored_for_asker(const Desk& desk,
                               const Envelope& question,
                               std::string_view agent,
                               std::string_view json);

/// The answer with the requester's values; the same envelope if no placeholder was replaced.
EnvelopePtr restored_answer(const Desk& desk, const Envelope& question, const EnvelopePtr& answer);

/// The same for the facts about a user in an answer, each JSON.
void restore_facts(const Desk& desk,
                   const Envelope& question,
                   std::string_view agent,
                   std::vector<std::string>& facts);

/// The flaws of a message, in the sender's words. From then on an answer to an open request has the
/// requester's values in place of placeholders.
std::optional<dialects::Rejection> unfit_as_sent(Desk& desk, SendMessage& message);

// For operators.
/// `workflow`, unless empty, replaces the envelope's own workflow.
std::string redacted_body(const Options& options,
                          const Envelope& envelope,
                          std::string_view workflow = {});
/// An answer to a request, or a note on its progress, in the request's dialect.
std::string redacted_answer(const Options& options,
                            const Envelope& question,
                            std::string_view answer);
std::string redacted_note(const Options& options, const Envelope& question, std::string_view note);
std::string redacted_words(const Options& options, std::string_view words, std::string_view scope);
/// A document of the hub with text of others in it. The hub's own ids and names stay.
std::string redacted_document(const Options& options,
                              std::string_view json,
                              std::string_view scope);
/// The workflow that scopes the placeholders of a human task.
std::string workflow_of(const Desk& desk, const core::people::HumanTask& human_task);
/// An event as the feed prints events; nothing if the event has no personal data.
std::optional<std::string> redacted_event(const Options& options, std::string_view json);

bool sees_placeholders(const Caller& caller);
/// A stored document as this caller may see the document.
std::string shown_to(const Options& options,
                     const Caller& caller,
                     std::string json,
                     std::string_view scope);

}  // namespace parlance::gateway
