#include "core/inspect.h"

#include <algorithm>

#include "base/mutant.h"
#include "core/keys.h"
#include "core/tree_position.h"
#include "core/workflow/report.h"

namespace parlance::core {

namespace {

AgentListing listing(const State& state, AgentHandle handle) {
    const auto& agent = state.registry.agents[handle];
    const auto& mailbox = broker::mailbox_of(state.broker, handle);
    AgentListing row{.agent = agent.id,
                     .profile = agent.profile,
                     .is_registered = agent.is_registered,
                     .is_there = is_there(state, handle),
                     .instances = {},
                     .waiting = mailbox.waiting,
                     .in_flight = mailbox.in_flight,
                     .dead = mailbox.dead,
                     .topics = agent.topics};
    for (const Slot slot : agent.instances) {
        const auto& instance = state.registry.instances[slot];
        const auto* consumer = broker::find_consumer(state.broker, instance.number);
        row.instances.push_back({.number = instance.number,
                                 .name = instance.name,
                                 .kind = instance.kind,
                                 .credit = consumer->credit,
                                 .in_flight = consumer->in_flight,
                                 .last_seen = instance.last_seen});
    }
    return row;
}

DeadLetterListing listing(const State& state, Ticket ticket, const broker::DeadLetter& letter) {
    const auto& message = state.broker.messages[letter.slot];
    return {.ticket = ticket,
            .recipient = state.registry.agents[message.mailbox].id,
            .envelope = message.envelope,
            .priority = message.priority,
            .failure = letter.failure,
            .reason = letter.reason,
            .attempts = message.attempt,
            .died_at = letter.died_at};
}

}  // namespace

bool is_there(const State& state, AgentHandle agent) {
    const auto& mailbox = broker::mailbox_of(state.broker, agent);
    const bool is_idle = mailbox.waiting + mailbox.in_flight == 0;
    return std::ranges::any_of(state.registry.agents[agent].instances, [&](Slot slot) {
        return is_idle || !state.registry.instances[slot].is_away;
    });
}

HubListing list_hub(const State& state) {
    return {.hub_id = state.hub_id,
            .epoch = state.broker.epoch,
            .sequence = state.sequence,
            .agents = state.registry.registered_count,
            .instances = state.registry.instance_slots.size(),
            .waiting = state.broker.waiting,
            .in_flight = state.broker.in_flight,
            .dead = state.broker.dead.size(),
            .open_requests = state.requests.open.size(),
            .bytes = bytes_kept(state),
            .remembered_ids = state.dedup.newer.ids.size() + state.dedup.older.ids.size()};
}

std::vector<AgentListing> list_agents(const State& state) {
    std::vector<AgentListing> rows;
    for (AgentHandle handle = 0; handle < state.registry.agents.size(); ++handle) {
        if (state.registry.agents[handle].is_registered) rows.push_back(listing(state, handle));
    }
    std::ranges::sort(rows, {}, &AgentListing::agent);
    return rows;
}

std::optional<AgentListing> find_agent(const State& state, const AgentId& agent) {
    const auto handle = registry::find_agent(state.registry, agent.value);
    if (handle == kNoAgent || !state.registry.agents[handle].is_registered) return std::nullopt;
    return listing(state, handle);
}

const Profile* find_profile(const State& state, std::string_view agent) {
    const auto handle = registry::find_agent(state.registry, agent);
    if (handle == kNoAgent || !state.registry.agents[handle].is_registered) return nullptr;
    return &state.registry.agents[handle].profile;
}

std::vector<DeadLetterListing> list_dead_letters(const State& state, const DeadLetterQuery& query) {
    std::vector<DeadLetterListing> rows;
    for (auto at = state.broker.dead.upper_bound(query.after);
         at != state.broker.dead.end() && rows.size() < query.count_max;
         ++at) {
        auto row = listing(state, at->first, at->second);
        if (!query.recipient.value.empty() && row.recipient != query.recipient) continue;
        rows.push_back(std::move(row));
    }
    return rows;
}

std::optional<DeadLetterListing> find_dead_letter(const State& state, Ticket ticket) {
    const auto found = state.broker.dead.find(ticket);
    if (found == state.broker.dead.end()) return std::nullopt;
    return listing(state, ticket, found->second);
}

std::optional<HeldDelivery> find_delivery(const State& state, const DeliveryToken& delivery) {
    const auto* message = broker::find_message(state.broker, delivery.ticket);
    if (message == nullptr) return std::nullopt;
    return HeldDelivery{.envelope = message->envelope,
                        .holder = state.registry.agents[message->mailbox].id,
                        .is_current = message->stage == broker::Stage::Leased &&
                                      broker::token_of(state.broker, *message) == delivery};
}

Reading<workflow::Run> find_run(const State& state, std::string_view id) {
    const auto known = broker::find_id(state.dedup, message_key(state.key, kOrchestrator, id));
    if (!known) return {};
    auto run = workflow::find_run(state.workflows, known->ticket);
    return run != nullptr && run->id == id ? run : nullptr;
}

std::optional<WorkflowStanding> find_workflow(const State& state, std::string_view id) {
    if (const auto run = find_run(state, id)) {
        const auto is_held = [&](Ticket request) { return state.governor.held.contains(request); };
        return WorkflowStanding{.report = workflow::report(*run, names_of(state), is_held),
                                .by = run->by,
                                .user = run->user,
                                .started = sequence_of(run->number)};
    }
    const auto key = message_key(state.key, kOrchestrator, id);
    const auto known = broker::find_id(state.dedup, key);
    const auto ended = broker::find_answer(state.dedup, key);
    if (!known || ended == Sequence{}) return std::nullopt;
    return WorkflowStanding{.started = sequence_of(known->ticket), .ended = ended};
}

WorkflowPart part_in(const State& state, std::string_view workflow, std::string_view agent) {
    const auto run = find_run(state, workflow);
    if (run == nullptr) return {};
    WorkflowPart part{.is_known = true, .is_in_it = run->by == agent, .user = run->user};
    const auto handle = registry::find_agent(state.registry, agent);
    if (handle == kNoAgent) return part;
    for (const auto& step : run->steps) {
        part.is_in_it =
            part.is_in_it ||
            std::ranges::find(step.items, handle, &workflow::Item::agent) != step.items.end();
    }
    return part;
}

std::optional<StreamStanding> find_stream(const State& state, const StreamQuery& query) {
    const auto key = message_key(state.key, query.asker, query.id);
    const auto known = broker::find_id(state.dedup, key);
    if (!known) return std::nullopt;
    const bool is_open = broker::find_request(state.requests, known->ticket) != nullptr;
    StreamStanding standing{.request = known->ticket};
    if (!is_open) standing.answer = broker::find_answer(state.dedup, key);
    if (!is_open && standing.answer == Sequence{}) return std::nullopt;
    const auto* stream = broker::find_stream(state.streams, known->ticket);
    if (stream == nullptr) {
        standing.is_forgotten = !is_open && standing.answer <= state.streams.forgotten;
        return standing;
    }
    standing.parts_count = stream->parts.size();
    const auto first = std::min(query.after, standing.parts_count);
    const auto count = std::min<std::uint64_t>(query.count_max, standing.parts_count - first);
    const auto begin = stream->parts.begin() + static_cast<std::ptrdiff_t>(first);
    standing.parts.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    return standing;
}

std::vector<std::string> users_served(const State& state, std::string_view agent) {
    std::vector<std::string> users;
    const auto handle = registry::find_agent(state.registry, agent);
    if (handle == kNoAgent) return users;
    const auto& lineage = state.governor.lineage;
    auto at = lineage.at_work.lower_bound({.agent = handle});
    for (; at != lineage.at_work.end() && at->agent == handle; ++at) {
        if (!is_in_hand(state, at->request)) continue;
        auto user = lineage.delegations.at(at->request)->user;
        if (user.empty() || std::ranges::find(users, user) != users.end()) continue;
        users.push_back(std::move(user));
    }
    return users;
}

bool may_know_of(const State& state, const Caller& caller, std::string_view user) {
    if (user.empty() || caller.is_operator || caller.role != OperatorRole::None) return true;
    if (may_act_for_user(caller, user) || is_planted(Mutant::MixUsers)) return true;
    if (!caller.user.empty()) return false;
    const auto users = users_served(state, caller.agent.value);
    return std::ranges::find(users, user) != users.end();
}

bool may_know_of(const State& state,
                 const Caller& caller,
                 Ticket request,
                 std::string_view user_said) {
    const auto made = governor::find_delegation(state.governor.lineage, request);
    if (made == nullptr) return may_know_of(state, caller, user_said);
    return made->parent != Ticket{} || may_know_of(state, caller, made->user);
}

bool is_at_work(const State& state, std::string_view agent) {
    const auto handle = registry::find_agent(state.registry, agent);
    if (handle == kNoAgent) return false;
    const auto& broker = state.broker;
    if (broker::mailbox_of(broker, handle).in_flight > 0) return true;
    const auto returned = broker.returned.lower_bound({handle, {}});
    return (returned != broker.returned.end() && returned->first == handle) ||
           governor::is_at_work(state.governor.lineage, handle);
}

bool is_remembered(const State& state, const Envelope& envelope) {
    const auto key = message_key(state.key, envelope.from(), envelope.id());
    return broker::find_id(state.dedup, key).has_value();
}

std::string conversation_of_tree(const State& state, const Envelope& request) {
    const auto& lineage = state.governor.lineage;
    const auto key = message_key(state.key, request.from(), request.id());
    const auto known = broker::find_id(state.dedup, key);
    Reading<governor::Delegation> made;
    if (known) made = governor::find_delegation(lineage, known->ticket);
    // The request is over; the work behind it may go on, in the session that asked.
    if (made == nullptr) made = governor::find_session(lineage, request.correlation());
    if (made == nullptr) return {};
    const auto root = lineage.roots.at(made->root);
    // A workflow's steps are requested in the conversation of the workflow.
    if (const auto run = find_run(state, root->session)) return run->correlation;
    if (root->is_by_session) return root->session;
    const auto* first = broker::find_request(state.requests, root->number);
    if (first == nullptr) return {};
    const auto& asked = *first->asked;
    return std::string{asked.correlation().empty() ? asked.id() : asked.correlation()};
}

EnvelopePtr find_question(const State& state, const Envelope& reply) {
    const auto* request = broker::find_answered(state.requests, state.broker, state.key, reply);
    return request == nullptr ? nullptr : request->asked;
}

}  // namespace parlance::core
