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

/// Whether the answer repeats the requester, id and correlation of the request.
bool names_exactly(const Envelope& answer, const Envelope& question) {
    return answer.to() == question.from() && answer.answers() == question.id() &&
           answer.correlation() == question.correlation();
}

/// Matches an answer with its open request and fills in missing members; leaves any other message
/// unchanged.
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
    // The answer's bytes stay unchanged, so that a repeat is recognised. Readers are shown the
    // members of the header beside the bytes.
    Header header = reply->envelope->header();
    header.id = said.id();
    // An answer without a request's name goes to the next open request if an undecided answer is
    // already matched with this request.
    if (said.answers().empty()) {
        const bool is_taken = std::ranges::find(desk.answering, question) != desk.answering.end();
        if (is_taken) header.answers = {};
        desk.answering.push_back(question);
    }
    message.envelope = Envelope::make(header, said.body());
    return message;
}

/// Adds the claim of a request if the sender is at work or the policy limits spending, and of any
/// message that names a user. Answers get no claim.
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
    // A claim counts if the message is for a user, or if a request brings its own budget (X8).
    const bool claims = claim && (!claim->user.empty() || (is_request && claim->tokens_max > 0));
    if (is_weighed || claims) message.claim = std::move(claim);
}

/// Adds the next recipient after a refusal, and takes the sender's state out of the message: the
/// hub keeps the state for the sender.
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
