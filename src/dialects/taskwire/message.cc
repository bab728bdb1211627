// Decodes a taskwire message: one walk over the message, one over its metadata and one over its
// payload, and no copy but the envelope's.
#include <algorithm>
#include <array>
#include <limits>

#include "base/check.h"
#include "base/hash.h"
#include "base/iso_time.h"
#include "base/json_write.h"
#include "dialects/meaning.h"
#include "dialects/splice.h"
#include "dialects/taskwire/forms.h"
#include "dialects/taskwire/tables.h"
#include "dialects/taskwire/taskwire.h"

namespace parlance::dialects::taskwire {

namespace {

/// The members of a payload that any Place names.
enum PayloadField : std::size_t {
    TaskId,
    RequestId,
    Accepted,
    Deadline,
    Constraints,
    Context,
    Status,
    Urgency,
    ResponseType,
    ResourceUsage,
    TokenUsage,
    UsedTokens,
    kPayloadFields
};

constexpr std::array<FieldRule, kPayloadFields> kPayload{{
    {.name = "task_id"},
    {.name = "request_id"},
    {.name = "accepted"},
    {.name = "deadline"},
    {.name = "constraints"},
    {.name = "context"},
    {.name = "status"},
    {.name = "urgency"},
    {.name = "response_type"},
    {.name = kResourceUsageField.name},
    {.name = kAlsoTokenUsage.name},
    {.name = kAlsoTokensUsed.name},
}};

constexpr Places kBasePlaces = places_of(kBase);
constexpr Places kMetadataPlaces = places_of(kMetadata);
constexpr Places kPayloadPlaces = places_of(kPayload);

constexpr std::size_t payload_field(std::string_view name) {
    std::size_t at = 0;
    while (kPayload[at].name != name) ++at;  // Unknown: no constant expression, see below.
    return at;
}

constexpr bool is_collected(Place place) {
    return place.member.empty() || payload_field(place.member) < kPayload.size();
}
constexpr bool all_places_are_collected() {
    bool all = true;
    for (const Place place : kDeadlines) all = all && is_collected(place);
    for (const TypeRow& type : kTypes) {
        for (const Place place : type.task) all = all && is_collected(place);
        all = all && is_collected(type.answers) && is_collected(type.reply_mark);
    }
    return all;
}
static_assert(all_places_are_collected());

/// The fields of a message. An empty value: the field is absent.
struct Parts {
    std::array<json::Value, kBaseFields> base{};
    std::array<json::Value, kMetadataFields> metadata{};
    std::array<json::Value, kPayloadFields> payload{};
};

Parts take_apart(json::Value message) {
    Parts parts;
    collect(message, kBase, kBasePlaces, parts.base);
    if (parts.base[Metadata].is_object()) {
        collect(parts.base[Metadata], kMetadata, kMetadataPlaces, parts.metadata);
    }
    if (parts.base[Payload].is_object()) {
        collect(parts.base[Payload], kPayload, kPayloadPlaces, parts.payload);
    }
    return parts;
}

json::Value value_at(const Parts& parts, Place place) {
    if (place.member.empty()) return {};
    const json::Value outer = parts.payload[payload_field(place.member)];
    if (place.inner.empty()) return outer;
    if (!outer.is_object()) return {};
    return json::find(outer, place.inner).value_or(json::Value{});
}

/// Reads strings of the message. Unescaped copies are kept until the envelope is made.
class TextReader {
  public:
    std::string_view operator()(json::Value value) {
        CHECK(used_ < spares_.size());
        return short_text(value, spares_[used_++]);
    }

  private:
    std::array<std::string, 10> spares_;
    std::size_t used_ = 0;
};

/// True if the message has all members that a sender may leave out and a reader always sees (T1).
bool has_every_default(const Parts& parts) {
    return !parts.base[Timestamp].raw.empty() && !parts.metadata[PriorityWord].raw.empty() &&
           !parts.metadata[RetryCount].raw.empty() && !parts.metadata[MaxRetries].raw.empty();
}

const TypeRow& type_named(std::string_view name) {
    const auto row = std::ranges::find(kTypes, name, &TypeRow::name);
    CHECK(row != kTypes.end());  // The rule of /type has refused all others.
    return *row;
}

Intent intent_of(const TypeRow& type, const Parts& parts) {
    return value_at(parts, type.reply_mark).is_bool() ? Intent::Reply : type.intent;
}

/// True for a failure by type, a negative reply, or a status other than complete success.
bool falls_short(const TypeRow& type, const Parts& parts) {
    constexpr const TypeRow* kFailure = &type_row("TASK_FAILED");
    if (&type == kFailure || value_at(parts, type.reply_mark).raw == "false") return true;
    const json::Value status = value_at(parts, {"status"});
    std::string spare;
    constexpr const TypeRow* kHelp = &type_row("HELP_RESPONSE");
    if (&type == kHelp && parts.payload[ResponseType].raw == "\"UNABLE_TO_HELP\"") return true;
    return status.is_string() && status.text(spare) != kStatusWords.front();
}

Priority priority_of(const TypeRow& type, std::string_view word, json::Value urgency) {
    // Requests for help have high priority; critical urgency makes them critical.
    constexpr const TypeRow* kHelp = &type_row("HELP_REQUEST");
    const bool is_critical = &type == kHelp && urgency.raw == "\"critical\"";
    if (word.empty()) return is_critical ? Priority::Critical : type.priority;
    const auto place = std::ranges::find(kPriorityWords, word) - kPriorityWords.begin();
    return static_cast<Priority>(place);
}

std::string_view task_of(const TypeRow& type, const Parts& parts, TextReader& text) {
    for (const Place place : type.task) {
        const std::string_view task = text(value_at(parts, place));
        if (!task.empty()) return task;
    }
    return {};
}

std::optional<Duration> duration_of(json::Value value) {
    if (value.raw.empty()) return {};
    return Duration{value.integer().value()};
}

/// The remaining time until the payload's deadline, if the deadline is a date.
std::optional<Duration> time_left(const Parts& parts, Time now) {
    std::string spare;
    for (const Place place : kDeadlines) {
        const std::string_view written = short_text(value_at(parts, place), spare);
        if (written.empty()) continue;
        const auto deadline = parse_iso_time(written);
        if (deadline) return std::max(*deadline - now, Duration{1});
    }
    return {};
}

std::optional<Duration> timeout_of(const Parts& parts, Time now) {
    if (const auto stated = duration_of(parts.metadata[TimeoutMs])) return stated;
    return time_left(parts, now);
}

std::optional<std::uint32_t> retries_of(json::Value value) {
    if (value.raw.empty()) return {};
    constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min(value.integer().value(), kMost));
}

/// The tokens used according to the answer. Of several fields the last in the tables counts, so the
/// search goes backwards.
std::uint64_t tokens_used_in(const Parts& parts) {
    const auto stated = [](std::string_view member, json::Value object) {
        return object.is_object() ? json::find(object, member).value_or(json::Value{})
                                  : json::Value{};
    };
    constexpr std::string_view kTotal = kUsageInAllFields.front().name;
    for (const json::Value said : {parts.metadata[TokensUsed],
                                   parts.payload[UsedTokens],
                                   stated(kTotal, parts.payload[TokenUsage]),
                                   stated(kAlsoTokensUsed.name, parts.payload[ResourceUsage])}) {
        if (const std::uint64_t tokens = tokens_in(said); tokens > 0) return tokens;
    }
    return 0;
}

/// Hash of the content, without sending time and retry count: a retry has the same hash.
std::uint64_t fingerprint_of(const Header& header, json::Value payload) {
    // Written to the journal, so these constants never change.
    SipKey key{0x7061726c616e6365U, 0x7461736b77697265U};
    key.low = siphash_short(key, header.type);
    key.low = siphash_short(key, header.to);
    return siphash_short(key, payload.raw);
}

SendMessage compose(std::string_view body,
                    const Parts& parts,
                    const Reception& reception,
                    std::string_view request_id) {
    TextReader text;
    const auto or_stand_in = [&](BaseField field, std::string_view stand_in) {
        return parts.base[field].raw.empty() ? stand_in : text(parts.base[field]);
    };
    Header header{.id = or_stand_in(Id, reception.fresh_id),
                  .from = or_stand_in(From, reception.caller),
                  .to = text(parts.base[To]),
                  .type = text(parts.base[Type]),
                  .correlation = text(parts.metadata[CorrelationId]),
                  .dialect = Dialect::Taskwire};
    const TypeRow& type = type_named(header.type);
    header.intent = intent_of(type, parts);
    if (!request_id.empty() && header.type == kProgressType) header.intent = Intent::Progress;
    header.task = task_of(type, parts, text);
    if (header.task.empty()) header.task = header.correlation;
    const bool is_request = header.intent == Intent::Request;
    if (is_request && header.correlation.empty()) header.correlation = header.id;
    if (header.intent == Intent::Reply || header.intent == Intent::Progress) {
        header.answers = request_id.empty() ? text(value_at(parts, type.answers)) : request_id;
    }
    header.is_whole = has_every_default(parts);

    SendMessage send;
    send.envelope = Envelope::make(header, body);
    send.priority = priority_of(type, text(parts.metadata[PriorityWord]), parts.payload[Urgency]);
    send.ttl = duration_of(parts.metadata[TtlMs]);
    if (is_request) send.timeout = timeout_of(parts, reception.now);
    send.retry_count_max = retries_of(parts.metadata[MaxRetries]);
    send.fingerprint = fingerprint_of(header, parts.base[Payload]);
    if (header.intent == Intent::Reply) {
        send.falls_short = falls_short(type, parts);
        send.tokens_used = tokens_used_in(parts);
    }
    return send;
}

/// The message with the id and the sender that it left to the hub, for its recipient to see. Empty
/// if neither is missing.
std::string completed(std::string_view text, const Parts& parts, const Reception& reception) {
    std::vector<NewMember> members;
    const auto fill = [&](BaseField field, std::string_view stand_in) {
        if (!parts.base[field].raw.empty()) return;
        members.push_back({kBase[field].name, {}});
        json::append_quoted(members.back().json, stand_in);
    };
    fill(Id, reception.fresh_id);
    fill(From, reception.caller);
    if (members.empty()) return {};
    Splice splice{text};
    splice.set(json::root(text), members);
    return splice.done();
}

NewMember quoted_member(std::string_view name, std::string_view text) {
    NewMember member{name, {}};
    json::append_quoted(member.json, text);
    return member;
}

/// Members that the document's metadata always has and the message lacks (T1).
std::vector<NewMember> missing_metadata(const Parts& parts, const TypeRow& type) {
    std::vector<NewMember> members;
    if (parts.metadata[PriorityWord].raw.empty()) {
        const Priority priority = priority_of(type, {}, parts.payload[Urgency]);
        members.push_back({kMetadata[PriorityWord].name, {}});
        json::append_quoted(members.back().json,
                            kPriorityWords[static_cast<std::size_t>(priority)]);
    }
    for (const MetadataField field : {RetryCount, MaxRetries}) {
        if (!parts.metadata[field].raw.empty()) continue;
        members.push_back({kMetadata[field].name, std::string{kMetadata[field].preset}});
    }
    return members;
}

std::string object_of(const std::vector<NewMember>& members) {
    json::ObjectWriter writer;
    for (const NewMember& member : members) writer.raw(member.key, member.json);
    return writer.done();
}

/// The mandatory shape of each type's payload, and of its reply's; null: anything.
struct Bodies {
    const Shape* asked = nullptr;
    const Shape* replied = nullptr;
};
using BodyTable = std::array<Bodies, kTypes.size()>;

BodyTable make_body_table() {
    BodyTable bodies{};
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
        for (const Form& form : kFormRows) {
            if (form.word != kTypes[i].name || form.body == nullptr || form.body->is_soft) continue;
            (form.body_mark.empty() ? bodies[i].asked : bodies[i].replied) = form.body;
        }
    }
    return bodies;
}

/// In the order of kTypes. Made on first use: with sanitizers, GCC accepts no comparison of a
/// table's address as constant.
const BodyTable& body_table() {
    static const BodyTable table = make_body_table();
    return table;
}

/// Checks the payload's members. Missing members are no problem, as a payload may be anything.
void hold_payload_to_rules(const Parts& parts, Problems& problems) {
    const json::Value payload = parts.base[Payload];
    if (!payload.is_object()) return;
    std::string spare;
    const auto type =
        std::ranges::find(kTypes, short_text(parts.base[Type], spare), &TypeRow::name);
    if (type == kTypes.end()) return;
    const Bodies& bodies = body_table()[static_cast<std::size_t>(type - kTypes.begin())];
    if (bodies.asked == nullptr) return;
    const bool is_reply = bodies.replied != nullptr && intent_of(*type, parts) == Intent::Reply;
    const Shape& body = is_reply ? *bodies.replied : *bodies.asked;
    hold_to_shape(body, payload, "/payload", {.is_whole = false}, problems);
}

/// Task ids order messages, and request ids match answers: an id that is too long is refused, not
/// ignored.
void hold_ids_to_their_size(const Parts& parts, Problems& problems) {
    constexpr std::size_t kShortMax = kIdBytesMax + 2;  // With its quotes, and without escapes.
    const bool may_be_long = parts.payload[TaskId].raw.size() > kShortMax ||
                             parts.payload[RequestId].raw.size() > kShortMax ||
                             parts.payload[Context].raw.size() > kShortMax;
    if (!may_be_long) return;
    std::string spare;
    const auto type =
        std::ranges::find(kTypes, short_text(parts.base[Type], spare), &TypeRow::name);
    if (type == kTypes.end()) return;
    for (const Place place : {type->task[0], type->task[1], type->answers}) {
        const json::Value id = value_at(parts, place);
        if (!id.is_string() || id.text(spare).size() <= kIdBytesMax) continue;
        std::string pointer = "/payload";
        json::append_step(pointer, place.member);
        if (!place.inner.empty()) json::append_step(pointer, place.inner);
        problems.push_back({.pointer = std::move(pointer),
                            .value = shortened(id.raw),
                            .rule = "must have at most " + std::to_string(kIdBytesMax) + " bytes",
                            .section = std::string{kExtension}});
    }
}

/// The text of a field that keeps its rule, else nothing: for a rejection's own header.
std::string as_far_as_readable(const Parts& parts, BaseField field) {
    const json::Value value = parts.base[field];
    std::string spare;
    if (value.raw.empty() || !fits(kBase[field], value)) return {};
    return std::string{value.text(spare)};
}

/// The header of a refused answer, by which the waiting requester can be notified.
EnvelopePtr refused_answer(const Parts& parts, const Reception& reception) {
    std::string spare;
    const auto type =
        std::ranges::find(kTypes, short_text(parts.base[Type], spare), &TypeRow::name);
    if (type == kTypes.end() || intent_of(*type, parts) != Intent::Reply) return {};
    const auto answered = short_text(value_at(parts, type->answers), spare);
    if (answered.empty()) return {};
    const auto from = as_far_as_readable(parts, From);
    const auto to = as_far_as_readable(parts, To);
    return Envelope::make({.from = from.empty() ? reception.caller : std::string_view{from},
                           .to = to,
                           .answers = answered,
                           .intent = Intent::Reply},
                          {});
}

}  // namespace

std::string with_defaults(const Envelope& envelope, Time now) {
    const std::string_view text = envelope.body();
    const json::Value message = json::root(text);
    if (!message.is_object()) return {};
    Parts parts;
    collect(message, kBase, kBasePlaces, parts.base);
    const json::Value metadata = parts.base[Metadata];
    if (metadata.is_object()) collect(metadata, kMetadata, kMetadataPlaces, parts.metadata);
    const bool is_answer = !envelope.answers().empty();
    if (has_every_default(parts) && !is_answer) return {};
    std::string spare;
    const auto type =
        std::ranges::find(kTypes, short_text(parts.base[Type], spare), &TypeRow::name);
    if (type == kTypes.end()) return {};
    if (parts.base[Payload].is_object()) {
        collect(parts.base[Payload], kPayload, kPayloadPlaces, parts.payload);
    }

    std::vector<NewMember> members;
    if (parts.base[Timestamp].raw.empty()) {
        members.push_back({kBase[Timestamp].name, {}});
        json::append_quoted(members.back().json, print_iso_time(now));
    }
    Splice splice{text};
    auto inside = missing_metadata(parts, *type);
    if (is_answer && parts.metadata[CorrelationId].raw.empty() && !envelope.correlation().empty()) {
        inside.push_back(quoted_member(kMetadata[CorrelationId].name, envelope.correlation()));
    }
    if (is_answer && parts.base[Payload].is_object() && parts.payload[RequestId].raw.empty()) {
        splice.set(parts.base[Payload],
                   {quoted_member(kPayload[RequestId].name, envelope.answers())});
    }
    if (metadata.is_object()) {
        if (!inside.empty()) splice.set(metadata, inside);
    } else {
        members.push_back({kBase[Metadata].name, object_of(inside)});
    }
    splice.set(message, members);
    return splice.is_empty() ? std::string{} : splice.done();
}

Reading<SendMessage> read_answer(std::string_view text,
                                 const Reception& reception,
                                 std::string_view request_id) {
    const Parts parts = take_apart(value_of(text, reception));
    Problems problems;
    hold_to_rules(kBase, parts.base, "", reception, problems);
    hold_to_rules(kMetadata, parts.metadata, "/metadata", reception, problems);
    hold_payload_to_rules(parts, problems);
    hold_ids_to_their_size(parts, problems);
    if (problems.empty()) {
        const std::string whole = completed(text, parts, reception);
        if (whole.empty()) return compose(text, parts, reception, request_id);
        return compose(whole, take_apart(json::root(whole)), reception, request_id);
    }
    return tl::unexpected(Rejection{.refusal = Refusal::InputValidationFailed,
                                    .id = as_far_as_readable(parts, Id),
                                    .from = as_far_as_readable(parts, From),
                                    .reply = refused_answer(parts, reception),
                                    .problems = std::move(problems)});
}

Reading<SendMessage> read_message(const DialectRow& /*row*/,
                                  std::string_view text,
                                  const Reception& reception) {
    return read_answer(text, reception, {});
}

constinit const DialectRow kRow{
    .dialect = Dialect::Taskwire,
    .name = "taskwire",
    .document = kDocument,
    .marks = kMarks,
    .forms = &kForms,
    .objects = kObjects,
    .is_body_whole = false,
    .read_message = read_message,
    .read_reply = read_reply,
    .write_failure = write_failure,
    .write_refusal = write_refusal,
    .with_defaults = with_defaults,
};

}  // namespace parlance::dialects::taskwire
