#include "gateway/intake.h"

#include <algorithm>
#include <utility>

#include "dialects/claim.h"
#include "dialects/passing.h"
#include "gateway/desk.h"
#include "gateway/personal.h"

namespace parlance::gateway {

namespace {

bool answers(const Envelope& envelope) {
    return envelope.intent() == Intent::Reply || envelope.intent() == Intent::Progress;
}

/// Whether the answer names its question and who asked, as who asked does.
bool names_exactly(const Envelope& answer, const Envelope& question) {
    return answer.to() == question.from() && answer.answers() == question.id() &&
           answer.correlation() == question.correlation();
}

/// A message that answers an open request, with what that request settles and the answer leaves
/// out; any other message as it is.
dialects::Reading<SendMessage> match_question(Desk& desk,
                                              SendMessage message,
                                              const dialects::Reception& reception) {
    const Envelope& said = *message.envelope;
    if (!answers(said)) return message;
    const auto question = desk.engine->question(said);
    if (!question) return message;
    const bool is_special = !dialects::answer_type(*question, said.dialect()).empty();
    if (names_exactly(said, *question) && !is_special) return message;
    const auto reply = dialects::read_reply(said.body(),
                                            *question,
                                            {.dialect = said.dialect(),
                                             .caller = said.from(),
                                             .fresh_id = reception.fresh_id,
                                             .now = reception.now,
                                             .role_of = &desk.role_of});
    if (!reply) {
        auto rejection = reply.error();
        rejection.reply = message.envelope;
        return tl::unexpected(std::move(rejection));
    }
    // Its bytes stay as they came: the same again is a repeat. Who reads it is shown what its
    // header knows beside them.
    Header header = reply->envelope->header();
    header.id = said.id();
    // One that names no question means the next, if an answer to this one is under way already.
    if (said.answers().empty()) {
        const bool is_taken = std::ranges::find(desk.answering, question) != desk.answering.end();
        if (is_taken) header.answers = {};
        desk.answering.push_back(question);
    }
    message.envelope = Envelope::make(header, said.body());
    return message;
}

/// Adds the claim of a request whose sender works for others or whose policy limits spending, and
/// of a message that speaks of a user and is no answer.
void add_claim(const Desk& desk, SendMessage& message) {
    const auto& envelope = *message.envelope;
    if (answers(envelope) || message.claim) return;
    const bool is_request = envelope.intent() == Intent::Request;
    const bool is_weighed =
        is_request && (desk.engine->is_at_work(envelope.from()) || desk.engine->limits_spending());
    const bool may_claim =
        dialects::may_name_user(envelope) || (is_request && dialects::may_say_budget(envelope));
    if (!is_weighed && !may_claim) return;
    auto claim = dialects::claim_of(envelope);
    // For a user it is that user's; with a budget of its own it is held to that (X8).
    const bool claims = claim && (!claim->user.empty() || (is_request && claim->tokens_max > 0));
    if (is_weighed || claims) message.claim = std::move(claim);
}

/// Adds the next recipient after a refusal, and takes the sender's state out of the message: the
/// hub keeps that state, and the recipient does not see it.
void add_passing(SendMessage& message) {
    if (message.envelope->intent() != Intent::Request) return;
    message.passing = dialects::passing_of(*message.envelope);
    dialects::take_state(message);
}

}  // namespace

dialects::Reading<SendMessage> read_incoming(Desk& desk, const Incoming& incoming) {
    const dialects::Reception reception{.message = incoming.outlined,
                                        .dialect = incoming.dialect,
                                        .caller = incoming.sender,
                                        .fresh_id = incoming.fresh_id,
                                        .now = desk.clock(),
                                        .role_of = &desk.role_of};
    auto message = dialects::read_message(incoming.text, reception);
    if (!message) return message;
    return match_question(desk, *std::move(message), reception);
}

std::optional<dialects::Rejection> complete(Desk& desk, SendMessage& message) {
    if (auto unfit = unfit_as_sent(desk, message)) return unfit;
    add_claim(desk, message);
    add_question(message);
    add_passing(message);
    return std::nullopt;
}

dialects::Reading<SendMessage> take_in(Desk& desk, const Incoming& incoming) {
    auto message = read_incoming(desk, incoming);
    if (!message) return message;
    if (auto unfit = complete(desk, *message)) return tl::unexpected(*std::move(unfit));
    return message;
}

}  // namespace parlance::gateway
