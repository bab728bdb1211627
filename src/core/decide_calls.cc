// Calls: requests put to several agents. Either one agent is chosen by its proposal and gets the
// request, or each agent gets a share and the answers are joined.
//
// A call is decided from the state whenever it is attended to, so a restarted hub goes on from its
// last record. The ids of messages to candidates follow from the call's id, so asking again is a
// duplicate.
#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json_write.h"
#include "base/uuid.h"
#include "core/admission.h"
#include "core/draft.h"
#include "core/inspect.h"
#include "core/tree_position.h"
#include "model/names.h"
#include "model/plan.h"

namespace parlance::core {

namespace {

using handing::Call;
using handing::Candidate;
using handing::Stage;

/// Most agents asked for one request.
constexpr std::size_t kCandidatesMax = 16;
/// The recipient of requests that the hub itself handles.
constexpr std::string_view kHubsOwn = kCallPrefix;

/// A recipient like "call:cheapest:REVIEW" or "all:ann/bob", taken apart.
struct Invitation {
    CallKind kind = CallKind::All;
    std::string_view whom{};
};

std::optional<Invitation> read_invitation(std::string_view recipient) {
    if (recipient.starts_with(kAllPrefix)) {
        return Invitation{CallKind::All, recipient.substr(kAllPrefix.size())};
    }
    recipient.remove_prefix(kCallPrefix.size());
    const auto end = recipient.find(':');
    if (end == std::string_view::npos) return std::nullopt;
    const auto kind = enum_named<CallKind>(recipient.substr(0, end));
    if (!kind || *kind == CallKind::All) return std::nullopt;
    return Invitation{*kind, recipient.substr(end + 1)};
}

/// The user named by the request, else the user of the tree joined by it.
std::string user_of(const State& state, const SendMessage& send) {
    const auto claim = send.claim ? *send.claim : Claim{};
    if (!claim.user.empty()) return claim.user;
    const StatedRequest stated_request{
        .by = registry::find_agent(state.registry, send.envelope->from()),
        .envelope = *send.envelope,
        .claim = claim};
    const auto at = send.below ? position_below(state, *send.below, stated_request)
                               : find_position(state, stated_request);
    return at.root != nullptr ? at.root->user : std::string{};
}

/// How many agents may be asked at a time for one request of this sender.
std::size_t fanout_of(const State& state, const SendMessage& send, std::string_view whom) {
    const auto& envelope = *send.envelope;
    const bool is_capability = state.registry.by_capability.contains(whom);
    const auto named = send.claim ? std::string_view{send.claim->capability} : std::string_view{};
    const auto user = user_of(state, send);
    return static_cast<std::size_t>(limit_of(state.governor.policy,
                                             Rule::FanoutMax,
                                             {.platform = enum_name(envelope.dialect()),
                                              .agent = envelope.from(),
                                              .capability = is_capability ? whom : named,
                                              .user = user}));
}

/// Agents of `all` that can be asked, except `but`. If they are more than `most`, present agents
/// come first, then the least busy.
std::vector<std::string> able_to(const State& state,
                                 const std::set<AgentHandle>& all,
                                 std::string_view but,
                                 std::size_t most) {
    std::vector<AgentHandle> able;
    std::ranges::copy_if(all, std::back_inserter(able), [&](AgentHandle agent) {
        return state.registry.agents[agent].id.value != but && !is_left_alone(state, agent);
    });
    const auto rank = [&](AgentHandle agent) {
        const auto& mailbox = broker::mailbox_of(state.broker, agent);
        return std::pair{!is_there(state, agent), mailbox.waiting + mailbox.in_flight};
    };
    if (able.size() > most) std::ranges::stable_sort(able, {}, rank);
    std::vector<std::string> agents;
    agents.reserve(able.size());
    for (const auto agent : able) agents.push_back(state.registry.agents[agent].id.value);
    return agents;
}

/// Agents with the capability, or, if no agent has a capability of this name, the agents named.
std::vector<std::string> invited(const State& state,
                                 std::string_view whom,
                                 std::string_view but,
                                 std::size_t most) {
    std::vector<std::string> agents;
    const auto found = state.registry.by_capability.find(whom);
    if (found != state.registry.by_capability.end()) {
        agents = able_to(state, found->second, but, most);
    } else {
        while (!whom.empty()) {
            const auto end = std::min(whom.find('/'), whom.size());
            std::string name{whom.substr(0, end)};
            const bool is_new = std::ranges::find(agents, name) == agents.end();
            if (!name.empty() && name != but && is_new) agents.push_back(std::move(name));
            whom.remove_prefix(std::min(end + 1, whom.size()));
        }
    }
    if (agents.size() > kCandidatesMax) agents.resize(kCandidatesMax);
    return agents;
}

/// Why these agents cannot be asked for this request.
Failure cannot_call(const State& state,
                    const Invitation& invitation,
                    const std::vector<std::string>& agents,
                    std::size_t most) {
    if (agents.empty()) {
        return {Refusal::CapabilityNotRegistered,
                fmt::format("nobody who could be asked has registered '{}'", invitation.whom)};
    }
    for (const auto& agent : agents) {
        if (find_profile(state, agent) != nullptr) continue;
        return {Refusal::AgentNotRegistered,
                fmt::format("'{}' is neither a registered agent nor a capability", agent)};
    }
    // For proposals by capability the hub asks as many agents as it may; a caller who names agents
    // must choose.
    const bool may_be_fewer =
        invitation.kind != CallKind::All && state.registry.by_capability.contains(invitation.whom);
    if (!may_be_fewer && agents.size() > most) {
        return {Refusal::DelegationFanoutExceeded,
                fmt::format("Too many concurrent delegates ({}/{}). Choose top {} most relevant "
                            "employees.",
                            agents.size(),
                            most,
                            most)};
    }
    return {};
}

/// Removes agents that cannot take the request as it stands. Returns the first removed agent's
/// reason if no agent is left, or if each agent was to get a share.
Unfit keep_the_fit(const Draft& draft,
                   const Envelope& request,
                   const Invitation& invitation,
                   std::vector<std::string>& agents) {
    const auto& state = draft.state;
    const bool is_capability = state.registry.by_capability.contains(invitation.whom);
    Unfit first;
    std::erase_if(agents, [&](const std::string& agent) {
        auto unfit = unfit_for(state,
                               {.request = request,
                                .agent = agent,
                                .capability = is_capability ? invitation.whom : std::string_view{},
                                .now = draft.now()});
        const bool is_unfit = unfit.refusal != Refusal::None;
        if (is_unfit && first.refusal == Refusal::None) first = std::move(unfit);
        return is_unfit;
    });
    return agents.empty() || invitation.kind == CallKind::All ? first : Unfit{};
}

/// The id of a message to a candidate, or of the candidate's session.
std::string id_for(const Envelope& asked, std::string_view agent, std::string_view what) {
    return derived_uuid(fmt::format("{} {} {} {}", asked.from(), asked.id(), agent, what));
}

Assignment assignment_for(const State& state,
                          const Call& call,
                          const Envelope& asked,
                          std::string_view agent) {
    return {.to = agent,
            .dialect = find_profile(state, agent)->dialect,
            .capability = call.capability,
            .context = "{}",
            .correlation = asked.correlation()};
}

Taker reader_of(const State& state, const Candidate& candidate) {
    const auto& profile = *find_profile(state, candidate.agent);
    return {
        .agent = candidate.agent, .dialect = profile.dialect, .capabilities = profile.capabilities};
}

// --- asking ----------------------------------------------------------------------------------

constexpr std::string_view kInvitation =
    "Say whether you would take this task, at what cost, how soon and how "
    "sure you are. Do not begin: whoever is chosen gets it.";

/// In a tree, a proposal is requested below the request that it is for: recorded in the same tree,
/// under the same limits, and paid from the request's reservation. Each candidate and the chosen
/// agent have an equal part.
void put_on_record(const State& state, const Call& call, Ticket request, SendMessage& send) {
    const auto record = governor::find_delegation(state.governor.lineage, request);
    if (record == nullptr) return;
    // At least one token each: a claim of none would get the usual number.
    const auto part = std::max(record->tokens / (call.candidates.size() + 1),
                               std::min(record->tokens, std::uint64_t{1}));
    send.below = request;
    send.by = call.by;
    send.claim =
        std::make_shared<const Claim>(Claim{.capability = call.capability,
                                            .objective = std::string{kInvitation},
                                            .objective_hash = record->objective_hash,
                                            .words_hash = record->words_hash,
                                            .tokens_max = std::min(part, governor::kTokensUsual)});
}

/// The invitation to one candidate: whether and how it would do the task.
SendMessage invitation_to(const Draft& draft,
                          const Call& call,
                          const broker::OpenRequest& request,
                          const Candidate& candidate) {
    const auto& state = draft.state;
    const auto& asked = *request.asked;
    const auto id = id_for(asked, candidate.agent, "proposal");
    const auto inputs =
        json::ObjectWriter{}
            .text("call", enum_name(call.kind))
            .text("capability", call.capability)
            .text("request_id", asked.id())
            .raw("task", state.message_writer->quote(asked, reader_of(state, candidate)))
            .done();
    auto assignment = assignment_for(state, call, asked, candidate.agent);
    assignment.id = id;
    assignment.objective = kInvitation;
    assignment.inputs = inputs;
    assignment.timeout = std::max(call.until - draft.now(), Duration{1});
    assignment.now = draft.now();
    assignment.priority = request.priority;
    SendMessage send{.envelope = state.message_writer->write(assignment),
                     .priority = request.priority,
                     .timeout = assignment.timeout,
                     .waits = true};
    put_on_record(state, call, request.ticket, send);
    return send;
}

/// One agent's share of the request, with a session of its own (X3).
SendMessage share_for(const MessageWriter& message_writer,
                      const Envelope& asked,
                      std::string_view agent) {
    const auto id = id_for(asked, agent, "share");
    const auto session = id_for(asked, agent, "session");
    SendMessage send{.envelope = message_writer.readdress(
                         asked, {.to = agent, .id = id, .child_session = session})};
    send.claim = message_writer.claim(*send.envelope);
    return send;
}

/// The share as sent: under the parent and the authority that the call was opened with.
SendMessage share_of(const Draft& draft,
                     const Call& call,
                     const broker::OpenRequest& request,
                     const Candidate& candidate) {
    const auto deadline = broker::deadline_of(draft.state.requests, request);
    auto send = share_for(*draft.state.message_writer, *request.asked, candidate.agent);
    send.priority = request.priority;
    // Shares end before the call, so that they are joined while the requester still waits.
    send.timeout = std::max((deadline - draft.now()) * 9 / 10, Duration{1});
    send.waits = true;
    send.by = call.by;
    if (call.is_placed) send.below = call.parent;
    return send;
}

void ask(Draft& draft, Ticket number, const Call& call, std::uint32_t place) {
    const auto& state = draft.state;
    const auto& request = *broker::find_request(state.requests, number);
    const auto& candidate = call.candidates[place];
    CallAsked asked{.call = number, .place = place, .request = {}, .code = {}, .detail = {}};
    const auto cannot = [&](Refusal refusal, std::string detail) {
        asked.code = refusal_row(refusal).code;
        asked.detail = std::move(detail);
        draft.add(std::move(asked));
    };
    if (find_profile(state, candidate.agent) == nullptr) {
        return cannot(Refusal::AgentNotRegistered, "it is not registered any more");
    }
    auto send = call.kind == CallKind::All ? share_of(draft, call, request, candidate)
                                           : invitation_to(draft, call, request, candidate);
    if (!send.envelope)
        return cannot(Refusal::MessageTooLarge, "what it would be asked is too much");
    send.fingerprint = body_key(state.key, send.envelope->body());
    auto sent = decide_send(draft, send);
    if (sent.refusal != Refusal::None) return cannot(sent.refusal, std::move(sent.detail));
    if (sent.accepted == Ticket{})
        return cannot(Refusal::RequestUndeliverable, "it was asked before");
    asked.request = sent.accepted;
    draft.add(std::move(asked));
}

// --- choosing --------------------------------------------------------------------------------

/// The offer by the call's criterion: less is better, and a missing value is worst.
std::uint64_t price_of(CallKind kind, const Proposal& proposal) {
    constexpr auto kWorst = std::numeric_limits<std::uint64_t>::max();
    switch (kind) {
        case CallKind::Earliest:
            return proposal.time ? static_cast<std::uint64_t>(proposal.time->count()) : kWorst;
        case CallKind::Cheapest:
            return proposal.cost.value_or(kWorst);
        case CallKind::Ablest:
            return proposal.confidence ? 1000 - std::min(*proposal.confidence, 1000U) : kWorst;
        case CallKind::All:
            break;
    }
    return kWorst;
}

/// Each candidate's reason for making no offer.
std::string why_not(const MessageWriter& message_writer, const Call& call) {
    std::vector<std::string> words;
    for (const auto& each : call.candidates) {
        const auto detail = each.reply ? message_writer.read(*each.reply).detail : each.detail;
        words.push_back(fmt::format("'{}': {}",
                                    each.agent,
                                    each.reply && detail.empty() ? "it does not want it"
                                    : detail.empty()             ? "no word in time"
                                                                 : detail));
    }
    return fmt::format("{}", fmt::join(words, "; "));
}

/// The request ends with the hub's own answer, and its copy with it.
void give_up(Draft& draft, Ticket number, const std::string& detail) {
    draft.add(CallEnded{.call = number, .chosen = {}, .detail = detail});
    if (draft.find_copy(number) != nullptr) {
        draft.add(MessageDropped{number, DeliveryFailure::Rejected, detail});
    }
    fail_request(draft, number, Refusal::RequestRejected, detail);
}

void tell_not_taken(Draft& draft, const Call& call, const Envelope& asked, const Candidate& to) {
    const auto& state = draft.state;
    if (find_profile(state, to.agent) == nullptr) return;
    const auto id = id_for(asked, to.agent, "not taken");
    const auto inputs = json::ObjectWriter{}
                            .text("call", enum_name(call.kind))
                            .text("request_id", asked.id())
                            .boolean("taken", false)
                            .done();
    auto news = assignment_for(state, call, asked, to.agent);
    news.id = id;
    news.objective = "Your proposal was not taken: another one was better.";
    news.inputs = inputs;
    news.now = draft.now();
    SendMessage send{.envelope = state.message_writer->tell(news), .priority = Priority::High};
    if (!send.envelope) return;
    send.fingerprint = body_key(state.key, send.envelope->body());
    decide_send(draft, send);
}

struct Offer {
    const Candidate* candidate;
    std::uint64_t price;
};

/// Proposals that were made, best first; equal ones in the order of the candidates.
std::vector<Offer> offers_in(const State& state, const Call& call) {
    std::vector<Offer> offers;
    for (const auto& each : call.candidates) {
        if (!each.reply || find_profile(state, each.agent) == nullptr) continue;
        const auto proposal = state.message_writer->propose(*each.reply);
        if (proposal.is_made) offers.push_back({&each, price_of(call.kind, proposal)});
    }
    std::ranges::stable_sort(offers, {}, &Offer::price);
    return offers;
}

void choose(Draft& draft, Ticket number, const Call& call) {
    const auto& state = draft.state;
    const auto& request = *broker::find_request(state.requests, number);
    const auto offers = offers_in(state, call);
    if (offers.empty()) {
        return give_up(
            draft, number, "nobody made a proposal: " + why_not(*state.message_writer, call));
    }
    // The guards are asked again now: their verdict at the invitation may be outdated.
    std::vector<std::string> refused;
    Move move;
    const auto best = std::ranges::find_if(offers, [&](const Offer& offer) {
        move = check_move(state, number, offer.candidate->agent, draft.now());
        if (move.refusal == Refusal::None) return true;
        refused.push_back(fmt::format("'{}': {}", offer.candidate->agent, move.detail));
        return false;
    });
    if (best == offers.end()) {
        return give_up(
            draft,
            number,
            fmt::format("nobody who made a proposal may have it: {}", fmt::join(refused, "; ")));
    }
    const auto& chosen = *best->candidate;
    draft.add(CallEnded{
        .call = number,
        .chosen = chosen.agent,
        .detail = fmt::format("{} of {} proposals", enum_name(call.kind), offers.size())});
    draft.add(MessageMoved{.ticket = number,
                           .envelope = readdressed(state, *request.asked, chosen.agent),
                           .priority = request.priority,
                           .is_priced = move.is_priced,
                           .cost = move.cost});
    // In the order of the candidates.
    for (const auto& each : call.candidates) {
        const bool is_made = std::ranges::find(offers, &each, &Offer::candidate) != offers.end();
        if (is_made && &each != &chosen) tell_not_taken(draft, call, *request.asked, each);
    }
}

// --- joining ---------------------------------------------------------------------------------

/// The answers of all candidates in their order, and the missing parts.
struct Joined {
    std::string result{};
    std::string lack{};             ///< Agents whose part is missing, in words; empty: none.
    std::uint64_t tokens_used = 0;  ///< By all candidates, done or not.
};

Joined joined(const MessageWriter& message_writer, const Call& call) {
    std::string parts;
    std::string missing;
    std::vector<std::string> lacking;
    std::uint64_t tokens_used = 0;
    for (const auto& each : call.candidates) {
        const auto result = each.reply ? message_writer.read(*each.reply) : Outcome{};
        tokens_used += result.tokens_used;
        auto& list = result.is_done ? parts : missing;
        if (!list.empty()) list.push_back(',');
        json::ObjectWriter part;
        part.text("agent", each.agent);
        if (result.is_done) {
            const auto output = result.made.empty() ? result.output : std::string_view{result.made};
            part.raw("result", output.empty() ? "null" : output);
        } else {
            lacking.push_back(fmt::format("'{}'", each.agent));
            part.text("code", each.reply ? result.code : each.code);
            part.text("detail", each.reply ? result.detail : each.detail);
        }
        list += part.done();
    }
    return {.result = fmt::format(R"({{"parts":[{}],"missing":[{}]}})", parts, missing),
            .lack = lacking.empty() ? std::string{}
                                    : fmt::format("missing: {}", fmt::join(lacking, ", ")),
            .tokens_used = tokens_used};
}

void join(Draft& draft, Ticket number, const Call& call) {
    const auto& state = draft.state;
    const auto& request = *broker::find_request(state.requests, number);
    const bool has_any = std::ranges::any_of(call.candidates, [&](const Candidate& each) {
        return each.reply && state.message_writer->read(*each.reply).is_done;
    });
    const auto all = joined(*state.message_writer, call);
    // The requester may reuse the request's id once the hub has forgotten the id, while this answer
    // still waits: the number of the call keeps the two answers apart (D4).
    const auto id = id_for(*request.asked, std::to_string(number.value), "joined");
    const auto reply = has_any ? state.message_writer->join({.asked = *request.asked,
                                                             .id = id,
                                                             .result = all.result,
                                                             .now = draft.now(),
                                                             .tokens_used = all.tokens_used,
                                                             .lack = all.lack})
                               : nullptr;
    if (!reply) {
        return give_up(
            draft, number, "none of them did it: " + why_not(*state.message_writer, call));
    }
    draft.add(
        CallEnded{.call = number, .chosen = {}, .detail = all.lack.empty() ? "all" : "not all"});
    draft.add(RequestAnswered{.request = number,
                              .envelope = reply,
                              .ticket = request.waits ? Ticket{} : ticket_at(draft.next_sequence()),
                              .tokens_used = all.tokens_used,
                              .falls_short = !all.lack.empty()});
    end_handoff(draft, number, false);
    cancel_shares(draft, number, "the parts were joined without it");
}

// --- opening ---------------------------------------------------------------------------------

/// The guards' verdict on a request to several agents.
struct Opening {
    Admission no{};     ///< Why the call cannot be opened.
    Admission first{};  ///< Of the first allowed agent: recorded until an agent is chosen.
    Time deadline_max = Time::max();
};

/// Each share is a message of the call's sender, and so is the call: this minute has room for all
/// of them, or none is sent.
Finding too_many_shares(const Draft& draft, const Envelope& envelope, std::size_t shares) {
    if (!counts_as_sent(envelope.from())) return {"messages"};
    const Subject sender{.platform = enum_name(envelope.dialect()), .agent = envelope.from()};
    return check_messages(draft.state, sender, draft.now(), 1 + shares, draft.findings != nullptr);
}

/// Notes one candidate's verdict, if the caller wants an explanation.
void note_candidate(Draft& draft, std::string detail, std::vector<Finding> findings = {}) {
    if (draft.findings == nullptr) return;
    draft.findings->push_back({.guard = "recipient", .detail = std::move(detail)});
    std::ranges::move(findings, std::back_inserter(*draft.findings));
}

/// The request in the form for this agent.
SendMessage as_asked_of(const State& state,
                        const SendMessage& send,
                        CallKind kind,
                        std::string_view agent) {
    if (kind == CallKind::All) return share_for(*state.message_writer, *send.envelope, agent);
    auto probe = send;
    probe.envelope = readdressed(state, *send.envelope, agent);
    return probe;
}

/// Runs the guards as if the present caller asked each agent. Removes agents that the guards
/// refuse, and agents beyond the first `most`. Where each agent is to get a share, none may be
/// removed.
Opening hold_to_guards(Draft& draft,
                       const SendMessage& send,
                       CallKind kind,
                       std::vector<std::string>& agents,
                       std::size_t most) {
    const bool is_for_all = kind == CallKind::All;
    Opening opening;
    std::vector<Finding> why_not;
    std::vector<std::string> kept;
    Beside beside;  // Earlier shares. Of a call for proposals, only one agent gets the request.
    for (const auto& agent : agents) {
        if (kept.size() == most) break;
        std::vector<Finding> findings;
        // The call and its invitations so far, or all the shares.
        beside.rated = is_for_all ? agents.size() : 2 + kept.size();
        auto result = admission(draft.state,
                                draft.cause,
                                as_asked_of(draft.state, send, kind, agent),
                                draft.next_sequence(),
                                draft.findings != nullptr ? &findings : nullptr,
                                nullptr,
                                beside);
        if (is_for_all && result.admitted) {
            ++beside.count;
            beside.tokens += result.admitted->tokens;
            beside.cost += result.admitted->cost;
        }
        // A share can wait for people; a request that no agent has yet cannot.
        const bool is_held = is_for_all && result.approvals_needed > 0;
        if (result.refusal == Refusal::None || is_held) {
            note_candidate(draft, fmt::format("'{}' would be asked", agent), std::move(findings));
            opening.deadline_max = std::min(opening.deadline_max, result.deadline_max);
            if (kept.empty()) opening.first = std::move(result);
            kept.push_back(agent);
            continue;
        }
        note_candidate(draft, fmt::format("'{}' cannot be asked: {}", agent, result.detail));
        if (opening.no.refusal != Refusal::None) continue;
        if (is_for_all)
            result.detail = fmt::format("'{}' cannot be asked: {}", agent, result.detail);
        opening.no = std::move(result);
        why_not = std::move(findings);
        if (is_for_all) break;
    }
    if (!is_for_all && !kept.empty()) opening.no = {};
    if (opening.no.refusal != Refusal::None && draft.findings != nullptr) {
        std::ranges::move(why_not, std::back_inserter(*draft.findings));
    }
    agents = std::move(kept);
    return opening;
}

}  // namespace

SendOutcome send_to_several(Draft& draft, const SendMessage& send) {
    const auto& state = draft.state;
    const auto& envelope = *send.envelope;
    const auto refuse = [&](Refusal refusal, std::string detail, std::uint64_t retry_after_ms = 0) {
        return refuse_send(draft, send, refusal, std::move(detail), retry_after_ms);
    };
    const auto invitation = read_invitation(envelope.to());
    if (!invitation || envelope.intent() != Intent::Request || state.message_writer == nullptr) {
        return refuse(Refusal::RouteNotPermitted,
                      "several are asked with a request to call:earliest:WHOM, call:cheapest:WHOM, "
                      "call:ablest:WHOM or all:WHOM");
    }
    const auto most = fanout_of(state, send, invitation->whom);
    auto agents = invited(state, invitation->whom, envelope.from(), most);
    if (auto no = cannot_call(state, *invitation, agents, most); no.refusal != Refusal::None) {
        return refuse(no.refusal, std::move(no.detail));
    }
    if (auto no = keep_the_fit(draft, envelope, *invitation, agents); no.refusal != Refusal::None) {
        return refuse(no.refusal, std::move(no.detail));
    }
    if (invitation->kind == CallKind::All) {
        auto no = too_many_shares(draft, envelope, agents.size());
        if (no.refusal != Refusal::None) {
            if (draft.findings != nullptr) draft.findings->push_back(no);
            return refuse(no.refusal, std::move(no.detail), no.retry_after_ms);
        }
    }
    auto opening = hold_to_guards(draft, send, invitation->kind, agents, most);
    if (auto& no = opening.no; no.refusal != Refusal::None) {
        return refuse(no.refusal, std::move(no.detail), no.retry_after_ms);
    }
    auto& admitted = opening.first;
    if (invitation->kind == CallKind::All) {
        // Each share is recorded when it is sent.
        admitted.founded.reset();
        admitted.admitted.reset();
    }
    auto kept = send;
    auto header = envelope.header();
    header.to = kHubsOwn;
    kept.envelope = Envelope::make(header, envelope.body());
    if (admitted.founded) draft.add(*std::move(admitted.founded));
    auto outcome = accept_for_hub(draft, kept, opening.deadline_max);
    if (outcome.refusal != Refusal::None) return outcome;
    const auto left = outcome.deadline - draft.now();
    if (admitted.admitted) draft.add(*std::move(admitted.admitted));
    const bool is_capability = state.registry.by_capability.contains(invitation->whom);
    draft.add(
        CallOpened{.request = outcome.accepted,
                   .kind = invitation->kind,
                   .agents = agents,
                   .capability = is_capability ? std::string{invitation->whom} : std::string{},
                   // The chosen agent needs time as well.
                   .until = draft.now() + (invitation->kind == CallKind::All ? left : left / 2),
                   .by = draft.asker().empty() ? send.by : std::string{draft.asker()},
                   .parent = admitted.parent,
                   .is_placed = true});
    outcome.is_held = true;
    return outcome;
}

void cancel_shares(Draft& draft, Ticket number, const std::string& reason) {
    const auto& handing = draft.state.handing;
    const auto* call = handing::find_call(handing, number);
    if (call == nullptr || call->kind != CallKind::All) return;
    const auto shares = handing::asked_by(handing, number);
    cancel_trees(draft, {shares.begin(), shares.end()}, reason);
}

void conclude_call(Draft& draft, Ticket number) {
    const auto& call = *handing::find_call(draft.state.handing, number);
    if (call.kind == CallKind::All) return join(draft, number, call);
    choose(draft, number, call);
}

bool advance_calls(Draft& draft) {
    const auto& restless = draft.state.handing.restless;
    if (restless.empty() || draft.state.message_writer == nullptr) return false;
    const auto number = *restless.begin();
    const auto& call = *handing::find_call(draft.state.handing, number);
    for (std::uint32_t place = 0; place < call.candidates.size(); ++place) {
        if (call.candidates[place].stage != Stage::Waiting) continue;
        ask(draft, number, call, place);
        return true;
    }
    conclude_call(draft, number);
    return true;
}

bool end_joined_calls(Draft& draft) {
    if (draft.state.message_writer == nullptr) return false;
    for (const auto number : draft.state.handing.restless) {
        const auto& call = *handing::find_call(draft.state.handing, number);
        if (call.kind != CallKind::All) continue;
        if (std::ranges::count(call.candidates, Stage::Waiting, &handing::Candidate::stage) > 0) {
            continue;
        }
        conclude_call(draft, number);
        return true;
    }
    return false;
}

}  // namespace parlance::core
