#include "views/trace_store.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/bytes.h"
#include "journal/event_codec.h"
#include "journal/event_tables.h"
#include "model/names.h"

namespace parlance::views {

namespace {

constexpr std::string_view kTopicPrefix = "topic:";
/// A ticket is derived from its record's sequence (docs/decisions/0006). An answer returned
/// directly to a waiting requester has no ticket; its span gets the ticket that its record would
/// give.
constexpr std::uint64_t kTicketsPerRecord = 1024;
constexpr Sequence kLatest{std::numeric_limits<std::uint64_t>::max()};
/// Records between two landmarks.
constexpr std::uint64_t kLandmarkRecords = 2048;

constexpr std::string_view kColumns =
    "ticket, sequence, correlation, root, parent, message_id, sender, recipient, type, dialect, "
    "kind, accepted_ms, steps, user";

constexpr std::string_view kPut = R"(
INSERT INTO messages VALUES
  (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)
ON CONFLICT (ticket) DO UPDATE SET correlation = ?3, root = ?4, parent = ?5, leased_ms = ?13, ended_ms = ?14,
  outcome = ?15, attempts = ?16, queue_ms = ?17, run_ms = ?18, human_ms = ?19,
  steps = ?20, user = ?21)";

constexpr std::string_view kOlder = R"(
SELECT 1 FROM messages WHERE correlation = ?1 AND ticket < ?2
UNION ALL SELECT 1 FROM messages WHERE root = ?1 AND ticket < ?2)";

std::string select(std::string_view rest) {
    return "SELECT " + std::string{kColumns} + " FROM messages " + std::string{rest};
}
std::string select_of_conversation() {
    // A message for a user is visible to the agent that was asked and answered; the requester needs
    // a grant for the user.
    constexpr std::string_view kWanted = R"(
 AND ticket > ?2 AND (?3 = '' OR ((sender = ?3 OR recipient = ?3) AND (
  user IS NULL OR ?5 = '["*"]'
  OR (kind IN ('answer', 'failure') AND recipient <> ?3)
  OR (kind NOT IN ('answer', 'failure') AND sender <> ?3)
  OR user IN (SELECT value FROM json_each(?5))))))";
    return select("WHERE correlation = ?1" + std::string{kWanted}) + " UNION ALL " +
           select("WHERE root = ?1" + std::string{kWanted}) + " ORDER BY ticket LIMIT ?4";
}

std::int64_t signed_of(std::uint64_t number) { return static_cast<std::int64_t>(number); }
std::uint64_t unsigned_of(std::int64_t number) { return static_cast<std::uint64_t>(number); }
std::int64_t ms_of(Time time) { return time.time_since_epoch().count(); }

/// Empty text becomes NULL.
std::optional<std::string_view> text_or_null(std::string_view text) {
    return text.empty() ? std::nullopt : std::optional{text};
}
std::optional<std::int64_t> number_if(bool is_there, std::int64_t number) {
    return is_there ? std::optional{number} : std::nullopt;
}

std::optional<Dialect> dialect_named(std::string_view name) {
    for (const auto& row : kEnumNames<Dialect>) {
        if (row.name == name) return row.value;
    }
    return std::nullopt;
}

Result<Span> span_in(const Statement& row) {
    Span span{.ticket = {unsigned_of(row.number(0))},
              .sequence = {unsigned_of(row.number(1))},
              .accepted_at = Time{Duration{row.number(11)}},
              .correlation = row.text(2),
              .root = row.text(3),
              .id = row.text(5),
              .from = row.text(6),
              .to = row.text(7),
              .type = row.text(8),
              .parent = {unsigned_of(row.number(4))},
              .steps = row.text(12),
              .user = row.text(13)};
    const auto dialect = dialect_named(row.text(9));
    const auto* const part = std::ranges::find(kPartNames, row.text(10));
    const auto steps = steps_of(span);
    if (!dialect || part == kPartNames.end() || !steps) {
        return fail(Fault::Corrupt, "message " + row.text(0) + " makes no sense");
    }
    span.dialect = *dialect;
    span.part = static_cast<Part>(part - kPartNames.begin());
    span.course = course_at_start(span);
    for (const auto& each : *steps) take(span.course, each);
    return span;
}

Span span_of(const Envelope& envelope, const journal::Record& record) {
    const auto correlation = envelope.correlation();
    return {.sequence = record.sequence,
            .accepted_at = record.at,
            .correlation = std::string{correlation.empty() ? envelope.id() : correlation},
            .id = std::string{envelope.id()},
            .from = std::string{envelope.from()},
            .to = std::string{envelope.to()},
            .type = std::string{envelope.type()},
            .dialect = envelope.dialect(),
            .part = envelope.intent() == Intent::Request ? Part::Request : Part::OneWay};
}

Ticket ticket_of(Ticket given, const journal::Record& record) {
    return given != Ticket{} ? given : Ticket{record.sequence.value * kTicketsPerRecord};
}

/// The span of the answer, from the hub or an agent, to this request.
Span answer_to(const Span& request, Ticket given, const journal::Record& record) {
    return {.ticket = ticket_of(given, record),
            .sequence = record.sequence,
            .accepted_at = record.at,
            .correlation = request.correlation,
            .root = request.root,
            .id = request.id,
            .to = request.from,
            .dialect = request.dialect,
            .parent = request.ticket,
            .user = request.user};
}

Standing standing_of(WorkflowEnd end) {
    if (end == WorkflowEnd::Completed) return Standing::Answered;
    return end == WorkflowEnd::Partial ? Standing::FellShort : Standing::Failed;
}

/// The events that begin or continue a span; all others are skipped unread.
constexpr auto kIsOfInterest = [] {
    std::array<bool, journal::kKindNumberLast + 1> is_of_interest{};
    const auto mark = [&]<class... Events>() {
        ((is_of_interest[journal::kKind<Events>.number] = true), ...);
    };
    mark.template operator()<MessageAccepted,
                             LeaseGranted,
                             DeliveryAcknowledged,
                             DeliveryReturned,
                             MessageDropped,
                             MessageExpired,
                             MessageDeadLettered,
                             DeadLetterRedelivered,
                             DeadLetterDiscarded,
                             RequestAnswered,
                             RequestFailed,
                             DelegationAdmitted,
                             WorkflowStarted,
                             WorkflowEnded,
                             StepAsked,
                             HumanAsked,
                             HumanAnswered,
                             HumanLapsed,
                             HumanWithdrawn,
                             RequestReleased,
                             Subscribed,
                             Unsubscribed,
                             AgentRemoved>();
    return is_of_interest;
}();

}  // namespace

Result<TraceStore> TraceStore::open(Database& database, Harmless harmless) {
    // Separate statements: an early return within an initialiser would leak the members made
    // before.
    auto put = TRY(database.prepare(kPut));
    auto find = TRY(database.prepare(select("WHERE ticket = ?1")));
    auto list = TRY(database.prepare(select_of_conversation()));
    auto older = TRY(database.prepare(kOlder));
    auto ended = TRY(database.prepare(select("WHERE ended_ms IS NOT NULL ORDER BY ticket DESC")));
    auto subscribe = TRY(database.prepare("INSERT OR REPLACE INTO subscriptions VALUES (?1, ?2)"));
    auto unsubscribe =
        TRY(database.prepare("DELETE FROM subscriptions WHERE topic = ?1 AND agent = ?2"));
    auto mark = TRY(database.prepare("INSERT OR REPLACE INTO landmarks VALUES (?1, ?2, ?3)"));
    auto marked = TRY(database.prepare(
        "SELECT first, segment, place FROM landmarks WHERE first <= ?1 ORDER BY first DESC"));
    TraceStore book{Statements{.put = std::move(put),
                               .find = std::move(find),
                               .list = std::move(list),
                               .older = std::move(older),
                               .ended = std::move(ended),
                               .subscribe = std::move(subscribe),
                               .unsubscribe = std::move(unsubscribe),
                               .mark = std::move(mark),
                               .marked = std::move(marked)},
                    std::move(harmless)};
    TRY(book.read_subscriptions(database));
    TRY(book.read_open(database));
    const auto last = TRY(book.landmark_before({std::numeric_limits<std::int64_t>::max()}));
    if (last) book.landmark_last_ = last->first;
    return book;
}

Result<void> TraceStore::read_subscriptions(Database& database) {
    auto rows = TRY(database.prepare("SELECT topic, agent FROM subscriptions"));
    while (TRY(rows.step())) subscribers_[rows.text(0)].insert(rows.text(1));
    return {};
}

/// Spans that were open when the file was last written are open now, and their conversations are
/// active.
Result<void> TraceStore::read_open(Database& database) {
    auto rows =
        TRY(database.prepare(select("WHERE ended_ms IS NULL ORDER BY ticket DESC LIMIT ?1")));
    bind_all(rows, signed_of(held_max_));
    auto spans = TRY(read_rows(rows));
    for (auto& span : spans) {
        for (const auto* correlation : {&span.correlation, &span.root}) {
            if (!correlation->empty()) active_.try_emplace(*correlation);
        }
        const auto ticket = span.ticket.value;
        spans_.emplace(ticket, Held{std::move(span)});
    }
    away_ =
        unsigned_of(TRY(database.number("SELECT count(*) FROM messages WHERE ended_ms IS NULL"))) -
        spans_.size();
    for (auto& [correlation, active] : active_) {
        active.sum = TRY(read_whole({.correlation = correlation}));
        active.is_whole = true;
    }
    return {};
}

/// One line per event of interest.
struct TraceStore::Taker {
    TraceStore& book;
    const journal::Record& record;

    Result<void> operator()(const LeaseGranted& each) {
        return book.step(each.ticket, Standing::AtWork, record);
    }
    Result<void> operator()(const DeliveryReturned& each) {
        return book.step(each.ticket, Standing::Waiting, record);
    }
    Result<void> operator()(const DeliveryAcknowledged& each) {
        return book.end(each.ticket, Standing::Acknowledged, record);
    }
    Result<void> operator()(const MessageDropped& each) {
        return book.end(each.ticket, Standing::Dropped, record);
    }
    Result<void> operator()(const MessageExpired& each) {
        return book.end(each.ticket, Standing::Expired, record);
    }
    Result<void> operator()(const MessageDeadLettered& each) {
        return book.end(each.ticket, Standing::DeadLettered, record);
    }
    Result<void> operator()(const DeadLetterRedelivered& each) {
        return book.step_again(each.ticket, Standing::Waiting, record);
    }
    Result<void> operator()(const DeadLetterDiscarded& each) {
        return book.step_again(each.ticket, Standing::Discarded, record);
    }
    Result<void> operator()(const RequestAnswered& each) { return book.answered(each, record); }
    Result<void> operator()(const RequestFailed& each) { return book.failed(each, record); }
    Result<void> operator()(const DelegationAdmitted& each) { return book.admitted(each); }
    Result<void> operator()(const WorkflowEnded& each) {
        return book.end(each.run, standing_of(each.end), record);
    }
    Result<void> operator()(const HumanAsked& each) { return book.asked(each, record); }
    Result<void> operator()(const StepAsked& each) { return book.asked(each); }
    Result<void> operator()(const HumanAnswered& each) {
        if (each.awaits_another) return {};
        return book.end(each.id, Standing::Answered, record);
    }
    Result<void> operator()(const HumanLapsed& each) {
        return book.end(each.id, Standing::Expired, record);
    }
    Result<void> operator()(const HumanWithdrawn& each) {
        return book.end(each.id, Standing::Dropped, record);
    }
    Result<void> operator()(const RequestReleased& each) {
        return book.step(each.request, Standing::Waiting, record);
    }
    Result<void> operator()(const auto& each) {
        take(each);
        return {};
    }

    void take(const MessageAccepted& each) { book.accepted(each, record); }
    void take(const WorkflowStarted& each) { book.started(each, record); }
    void take(const Subscribed& each) { book.change({each.topic.value, each.agent.value, true}); }
    void take(const Unsubscribed& each) {
        book.change({each.topic.value, each.agent.value, false});
    }
    void take(const AgentRemoved& each) { book.removed(each); }
    void take(const auto&) {}
};

Result<void> TraceStore::fold(const journal::Record& record) {
    const auto number = journal::number_of(record.payload);
    if (number >= kIsOfInterest.size() || !kIsOfInterest[number]) return {};
    const auto event = journal::decode(record);
    // An unreadable event is no damage of the file.
    if (!event) return fail(Fault::Unavailable, event.error().message);
    return std::visit(Taker{*this, record}, *event);
}

/// A message to a topic becomes a copy for each subscriber, with consecutive tickets in the order
/// of the subscribers' names.
void TraceStore::accepted(const MessageAccepted& event, const journal::Record& record) {
    auto span = span_of(*event.envelope, record);
    span.ticket = event.ticket;
    if (!span.to.starts_with(kTopicPrefix)) {
        begin_span(std::move(span));
        return;
    }
    const auto& subscribers = subscribers_[span.to.substr(kTopicPrefix.size())];
    for (const auto& subscriber : subscribers) {
        auto copy = span;
        copy.to = subscriber;
        begin_span(std::move(copy));
        ++span.ticket.value;
    }
    if (!subscribers.empty()) return;
    begin_span(std::move(span));
    go(spans_.at(event.ticket.value), Standing::Told, record);  // The topic has no subscribers.
}

Result<void> TraceStore::admitted(const DelegationAdmitted& event) {
    const auto held = spans_.find(event.request.value);
    if (held == spans_.end()) return {};
    held->second.span.user = event.user;
    touch(held->second);
    if (event.parent == Ticket{}) return {};
    const auto parent = TRY(find(event.parent));
    if (!parent) return {};
    auto& span = held->second.span;
    span.parent = event.parent;
    touch(held->second);
    const auto& root = parent->root.empty() ? parent->correlation : parent->root;
    if (root == span.correlation) return {};
    span.root = root;
    join(root, span);
    return {};
}

/// Keeps the conversation active from the workflow's start to its end, also while no message is
/// open.
void TraceStore::started(const WorkflowStarted& event, const journal::Record& record) {
    const auto ticket = ticket_of({}, record);
    begin_span({.ticket = ticket,
                .sequence = record.sequence,
                .accepted_at = record.at,
                .correlation = event.correlation.empty() ? event.id : event.correlation,
                .id = event.id,
                .from = event.by,
                .part = Part::Workflow,
                .user = event.user});
    go(spans_.at(ticket.value), Standing::AtWork, record);
}

/// A human task belongs to a message, or else to a workflow, whose conversation the next record
/// names. Role and step are the requester's own words.
Result<void> TraceStore::asked(const HumanAsked& event, const journal::Record& record) {
    if (event.request != Ticket{}) return step(event.request, Standing::WaitingForHuman, record);
    if (event.workflow.empty()) return {};
    std::string people{kHumanName};
    if (!event.role.empty())
        people = std::string{kHumanPrefix} + harmless_(event.role, event.workflow);
    begin_span({.ticket = event.id,
                .sequence = record.sequence,
                .accepted_at = record.at,
                .correlation = event.workflow,
                .id = std::to_string(event.id.value),
                .from = event.asked_by,
                .to = std::move(people),
                .type = harmless_(event.step, event.workflow),
                .part = Part::HumanTask,
                .user = event.user});
    go(spans_.at(event.id.value), Standing::WaitingForHuman, record);
    return {};
}

Result<void> TraceStore::asked(const StepAsked& event) {
    auto* const held = TRY(hold(event.human_task));
    const auto workflow = TRY(find(event.run));
    if (held == nullptr || !workflow) return {};
    auto& span = held->span;
    if (workflow->correlation == span.correlation) return {};
    const auto supposed = active_.find(span.correlation);
    const bool is_alone = supposed != active_.end() && supposed->second.sum.first == span.sequence;
    if (is_alone) active_.erase(supposed);
    (is_alone ? span.correlation : span.root) = workflow->correlation;
    touch(*held);
    join(workflow->correlation, span);
    go_on(active_.at(workflow->correlation).sum,
          span,
          Standing::Waiting,
          {Standing::WaitingForHuman, span.sequence, span.accepted_at});
    return {};
}

Result<void> TraceStore::answered(const RequestAnswered& event, const journal::Record& record) {
    const auto* const held = TRY(hold(event.request));
    if (held == nullptr) return {};
    const auto& request = held->span;
    const auto& envelope = *event.envelope;
    auto told = answer_to(request, event.ticket, record);
    if (!envelope.id().empty()) told.id = envelope.id();
    told.from = envelope.from().empty() ? request.to : std::string{envelope.from()};
    told.type = envelope.type();
    told.dialect = envelope.dialect();
    told.part = Part::Answer;
    answer(std::move(told),
           event.ticket == Ticket{},
           event.falls_short ? Standing::FellShort : Standing::Answered,
           record);
    return {};
}

Result<void> TraceStore::failed(const RequestFailed& event, const journal::Record& record) {
    const auto* const held = TRY(hold(event.request));
    if (held == nullptr) return {};
    auto told = answer_to(held->span, event.ticket, record);
    told.type = refusal_row(event.refusal).code;
    told.part = Part::Failure;
    answer(std::move(told), event.ticket == Ticket{}, Standing::Failed, record);
    return {};
}

/// The answer begins before the request ends: otherwise no message would be open in between.
void TraceStore::answer(Span answer, bool is_told, Standing end, const journal::Record& record) {
    const auto ticket = answer.ticket;
    const auto request = answer.parent;
    begin_span(std::move(answer));
    go(spans_.at(request.value), end, record);
    if (is_told) go(spans_.at(ticket.value), Standing::Told, record);
}

void TraceStore::change(Change change) {
    auto& agents = subscribers_[change.topic];
    if (change.subscribes) {
        agents.insert(change.agent);
    } else {
        agents.erase(change.agent);
    }
    changes_.push_back(std::move(change));
}

void TraceStore::removed(const AgentRemoved& event) {
    for (const auto& [topic, agents] : subscribers_) {
        if (agents.contains(event.agent.value)) change({topic, event.agent.value, false});
    }
}

void TraceStore::begin_span(Span span) {
    span.course = course_at_start(span);
    auto& held = spans_[span.ticket.value];
    held.span = std::move(span);
    touch(held);
    join(held.span.correlation, held.span);
    if (!held.span.root.empty()) join(held.span.root, held.span);
}

void TraceStore::join(const std::string& correlation, const Span& span) {
    begin(active_[correlation].sum, span);
}

Result<TraceStore::Held*> TraceStore::hold(Ticket ticket) {
    const auto found = spans_.find(ticket.value);
    if (found != spans_.end()) return &found->second;
    if (away_ == 0) return nullptr;
    auto span = TRY(find(ticket));
    if (!span || !is_open(span->course.standing)) return nullptr;
    --away_;
    return &spans_.emplace(ticket.value, Held{*std::move(span)}).first->second;
}

Result<void> TraceStore::step(Ticket ticket, Standing to, const journal::Record& record) {
    auto* const held = TRY(hold(ticket));
    if (held != nullptr) go(*held, to, record);
    return {};
}

void TraceStore::go(Held& held, Standing to, const journal::Record& record) {
    auto& span = held.span;
    const auto before = span.course.standing;
    if (!is_open(before)) return;
    const Step step{to, record.sequence, record.at};
    take(span, step);
    touch(held);
    tell(span, before, step);
}

void TraceStore::tell(const Span& span, Standing before, const Step& step) {
    for (const auto* correlation : {&span.correlation, &span.root}) {
        const auto active = active_.find(*correlation);
        if (active == active_.end()) continue;
        go_on(active->second.sum, span, before, step);
        if (active->second.sum.open.empty()) active_.erase(active);
    }
}

Result<void> TraceStore::end(Ticket ticket, Standing to, const journal::Record& record) {
    auto* const held = TRY(hold(ticket));
    if (held != nullptr && held->span.part != Part::Request) go(*held, to, record);
    return {};
}

Result<void> TraceStore::step_again(Ticket ticket, Standing to, const journal::Record& record) {
    auto span = TRY(find(ticket));
    if (!span || span->part == Part::Request) return {};
    const auto before = span->course.standing;
    const Step step{to, record.sequence, record.at};
    take(*span, step);
    auto& held = spans_[ticket.value];
    held.span = *std::move(span);
    touch(held);
    // A conversation that was over returns to memory; its earlier part is read from the file when
    // needed.
    for (const auto* correlation : {&held.span.correlation, &held.span.root}) {
        if (correlation->empty()) continue;
        auto& active = active_[*correlation];
        active.is_whole = active.is_whole && active.sum.first <= held.span.sequence;
    }
    tell(held.span, before, step);
    return {};
}

void TraceStore::touch(Held& held) {
    if (std::exchange(held.is_dirty, true)) return;
    dirty_.push_back(held.span.ticket.value);
}

Result<std::optional<Span>> TraceStore::find(Ticket ticket) {
    const auto held = spans_.find(ticket.value);
    if (held != spans_.end()) return held->second.span;
    statements_.find.reset();
    statements_.find.bind(1, signed_of(ticket.value));
    auto found = TRY(read_rows(statements_.find));
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
}

Result<std::vector<Span>> TraceStore::open_requests(const Conversation& conversation,
                                                    std::optional<Sequence> at,
                                                    std::size_t count_max) {
    std::vector<Span> list;
    for (const auto& open : conversation.open) {
        if (open.part != Part::Request) continue;
        if (list.size() == count_max) break;
        auto span = TRY(find(open.ticket));
        if (span && at) span = as_of(*span, *at);
        if (span) list.push_back(*std::move(span));
    }
    return list;
}

void TraceStore::note(const journal::Place& landmark) {
    const bool is_far = landmark.first.value >= landmark_last_.value + kLandmarkRecords;
    if (is_far) landmark_ = landmark;
}

/// Evicts the oldest spans and conversations, which are all in the file: the longest waiting may
/// wait there.
void TraceStore::make_room() {
    const auto drop_oldest = [this](auto& held, auto age_of) {
        if (held.size() <= 2 * held_max_) return std::size_t{0};
        std::vector<std::uint64_t> ages;
        ages.reserve(held.size());
        for (const auto& each : held) ages.push_back(age_of(each));
        const auto limit = ages.end() - static_cast<std::ptrdiff_t>(held_max_);
        std::ranges::nth_element(ages, limit);
        const auto oldest = limit == ages.end() ? UINT64_MAX : *limit;
        return std::erase_if(held, [&](const auto& each) { return age_of(each) < oldest; });
    };
    away_ += drop_oldest(spans_, [](const auto& each) { return each.first; });
    drop_oldest(active_, [](const auto& each) { return each.second.sum.first.value; });
}

Result<void> TraceStore::put(const Span& span) {
    const auto& course = span.course;
    const bool has_ended = !is_open(course.standing);
    return execute(statements_.put,
                   signed_of(span.ticket.value),
                   signed_of(span.sequence.value),
                   span.correlation,
                   text_or_null(span.root),
                   number_if(span.parent != Ticket{}, signed_of(span.parent.value)),
                   span.id,
                   span.from,
                   span.to,
                   span.type,
                   enum_name(span.dialect),
                   kPartNames[static_cast<std::size_t>(span.part)],
                   ms_of(span.accepted_at),
                   number_if(course.attempts > 0, ms_of(course.leased_at)),
                   number_if(has_ended, ms_of(course.since)),
                   row_of(course.standing).name,
                   std::int64_t{course.attempts},
                   std::int64_t{course.queue.count()},
                   std::int64_t{course.run.count()},
                   number_if(course.waited_for_human, std::int64_t{course.human.count()}),
                   span.steps,
                   text_or_null(span.user));
}

Result<void> TraceStore::write() {
    for (const auto ticket : dirty_) {
        const auto held = spans_.find(ticket);
        TRY(put(held->second.span));
        held->second.is_dirty = false;
        if (!is_open(held->second.span.course.standing)) spans_.erase(held);
    }
    dirty_.clear();
    make_room();
    for (const auto& change : changes_) {
        auto& statement = change.subscribes ? statements_.subscribe : statements_.unsubscribe;
        TRY(execute(statement, change.topic, change.agent));
    }
    changes_.clear();
    if (landmark_) {
        TRY(execute(statements_.mark,
                    signed_of(landmark_->first.value),
                    signed_of(landmark_->segment.value),
                    signed_of(landmark_->offset)));
        landmark_last_ = landmark_->first;
        landmark_.reset();
    }
    return {};
}

Result<std::vector<Span>> TraceStore::read_rows(Statement& rows) {
    std::vector<Span> spans;
    while (TRY(rows.step())) spans.push_back(TRY(span_in(rows)));
    rows.reset();
    return spans;
}

Result<std::vector<Span>> TraceStore::spans(const SpanQuery& query) {
    bind_all(statements_.list,
             query.correlation,
             signed_of(query.after.value),
             query.agent,
             query.count_max,
             query.users);
    auto spans = TRY(read_rows(statements_.list));
    if (!query.at) return spans;
    std::vector<Span> past;
    for (const auto& span : spans) {
        if (auto then = as_of(span, *query.at)) past.push_back(*std::move(then));
    }
    return past;
}

Result<bool> TraceStore::has_older(const std::string& correlation, Sequence first) {
    bind_all(statements_.older, correlation, signed_of(first.value * kTicketsPerRecord));
    auto found = statements_.older.step();
    statements_.older.reset();
    return found;
}

/// Reads row by row: only the sum is in memory.
Result<Conversation> TraceStore::read_whole(const SpanQuery& query) {
    bind_all(statements_.list,
             query.correlation,
             std::int64_t{0},
             query.agent,
             std::int64_t{-1},
             query.users);
    Conversation sum;
    while (TRY(statements_.list.step())) {
        add(sum, TRY(span_in(statements_.list)), query.at.value_or(kLatest));
    }
    statements_.list.reset();
    return sum;
}

Result<std::optional<Conversation>> TraceStore::conversation(const SpanQuery& query) {
    const auto found = active_.find(query.correlation);
    const bool is_read = found == active_.end() || query.at || !query.agent.empty();
    if (is_read) {
        auto sum = TRY(read_whole(query));
        if (sum.first == Sequence{}) return std::nullopt;
        return sum;
    }
    auto& active = found->second;
    if (!active.is_whole) {
        const bool is_missing =
            active.sum.first == Sequence{} || TRY(has_older(query.correlation, active.sum.first));
        if (is_missing) active.sum = TRY(read_whole(query));
        active.is_whole = true;
    }
    return active.sum;
}

Result<std::vector<Span>> TraceStore::ended_since(Time since, std::int64_t count_max) {
    std::vector<Span> spans;
    auto& rows = statements_.ended;
    rows.reset();
    while (std::ssize(spans) < count_max && TRY(rows.step())) {
        auto span = TRY(span_in(rows));
        if (span.accepted_at < since) break;
        spans.push_back(std::move(span));
    }
    rows.reset();
    return spans;
}

Result<std::optional<journal::Place>> TraceStore::landmark_before(Sequence sequence) {
    auto& rows = statements_.marked;
    bind_all(rows, signed_of(sequence.value));
    std::optional<journal::Place> landmark;
    if (TRY(rows.step())) {
        landmark = journal::Place{.segment = {unsigned_of(rows.number(1))},
                                  .offset = unsigned_of(rows.number(2)),
                                  .first = {unsigned_of(rows.number(0))}};
    }
    rows.reset();
    return landmark;
}

}  // namespace parlance::views
