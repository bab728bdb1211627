// What of a message's personal data each reader sees: a delegate placeholders, whoever asked its
// own values, and an operator placeholders wherever it looks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/desk.h"
#include "model/scribe.h"

namespace parlance::gateway {

/// A delivery as this agent should see it: the very envelope if nothing is kept from it.
EnvelopePtr redacted_for(const Desk& desk, const EnvelopePtr& envelope, const AgentId& reader);

/// A request's text where the hub quotes it to somebody in a message of its own. That message may
/// be of a dialect that is not covered; the request's own says what is kept back.
std::string quoted_for(const Options& options, const Envelope& request, const Taker& reader);

/// Words about a question, for who asked it: the values that it wrote itself in place of their
/// placeholders. `agent` is who answers.
std::string restored_for_asker(const Desk& desk,
                               const Envelope& question,
                               std::string_view agent,
                               std::string_view json);

/// The answer with the asker's values in it; the same envelope if it names none of them.
EnvelopePtr restored_answer(const Desk& desk, const Envelope& question, const EnvelopePtr& answer);

/// The same for what an answer says was learnt of the user, each of it JSON.
void restore_facts(const Desk& desk,
                   const Envelope& question,
                   std::string_view agent,
                   std::vector<std::string>& facts);

/// What is wrong with a message, said in the words that its sender used. One that answers an open
/// request has the asker's own values from then on.
std::optional<dialects::Rejection> unfit_as_sent(Desk& desk, SendMessage& message);

// For operators.
/// `workflow` is the envelope's own unless it says another.
std::string redacted_body(const Options& options,
                          const Envelope& envelope,
                          std::string_view workflow = {});
/// What comes of a question, in the question's dialect: the answer to it, and a note on the way.
std::string redacted_answer(const Options& options,
                            const Envelope& question,
                            std::string_view answer);
std::string redacted_note(const Options& options, const Envelope& question, std::string_view note);
std::string redacted_words(const Options& options, std::string_view words, std::string_view scope);
/// An object of the hub's, with whatever others put into it; its own ids and names stay.
std::string redacted_document(const Options& options,
                              std::string_view json,
                              std::string_view scope);
/// The workflow by which what is asked of people has its placeholders.
std::string workflow_of(const Desk& desk, const core::people::Appeal& appeal);
/// An event as the feed prints it; nothing if it has no personal data.
std::optional<std::string> redacted_event(const Options& options, std::string_view json);

bool sees_placeholders(const Caller& caller);
/// What is kept for a user or a workflow, as this caller may see it.
std::string shown_to(const Options& options,
                     const Caller& caller,
                     std::string json,
                     std::string_view scope);

}  // namespace parlance::gateway
