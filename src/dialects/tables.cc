#include "dialects/tables.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/iso_time.h"
#include "base/json_write.h"
#include "base/uuid.h"
#include "dialects/extension.h"
#include "dialects/id_forms.h"
#include "dialects/read_claim.h"
#include "dialects/same.h"
#include "dialects/splice.h"
#include "model/advice.h"
#include "model/handing.h"

namespace parlance::dialects {

namespace {

/// Fields that a reply takes from its request.
struct Settled {
    std::string_view id{};
    std::string_view from{};
    std::string_view to{};
    std::string_view correlation{};
    std::string_view task{};
    std::string child_session{};  ///< The session of the work.
};

Meaning known_to_hub(const Reception& reception, const Settled* settled, Texts& texts) {
    Meaning known;
    const auto say = [&](Slot slot, std::string_view text) {
        if (!text.empty()) known[slot] = quoted(text, texts);
    };
    say(Slot::Id, reception.fresh_id);
    say(Slot::From, settled != nullptr ? settled->from : reception.caller);
    say(Slot::Sent, print_iso_time(reception.now));
    if (settled == nullptr) return known;
    say(Slot::To, settled->to);
    say(Slot::Answers, settled->id);
    say(Slot::Correlation, settled->correlation);
    say(Slot::ChildSession, settled->child_session);
    return known;
}

/// Fills in missing members that the hub, the request or the document determines.
class Completion {
  public:
    Completion(const DialectRow& row,
               const Form& form,
               const Reception& reception,
               const Settled* settled,
               Texts& texts)
        : row_{row}, form_{form}, reception_{reception}, settled_{settled}, texts_{texts} {}

    /// `whole` becomes the completed message, with every other byte unchanged; empty if no member
    /// is missing. Outlined if the message is.
    void of(std::string_view text,
            json::Value message,
            const Found& found,
            std::string& whole,
            json::Outline& outline) {
        Splice splice{text};
        message_ = message;
        found_ = &found;
        complete(*form_.shape, message, found, splice);
        if (!splice.is_empty()) splice.done(whole, outline);
    }

  private:
    void complete(const Shape& shape, json::Value object, const Found& found, Splice& splice) {
        std::vector<NewMember> members;
        for (std::size_t i = 0; i < shape.fields.size(); ++i) {
            const FieldRule& rule = shape.fields[i];
            if (found[i].raw.empty()) {
                const std::string_view value = missing(rule);
                if (value.empty()) continue;
                if (members.empty()) members.reserve(shape.fields.size());
                members.push_back({rule.name, std::string{value}});
            } else if (rule.shape != nullptr && found[i].is_object()) {
                complete(*rule.shape, found[i], fields_in(found[i], *rule.shape), splice);
            }
        }
        if (!members.empty()) splice.set(object, members);
    }

    /// The value for a missing field; empty if the field stays missing.
    std::string_view missing(const FieldRule& rule) {
        if (rule.is_echo) return {};
        if (rule.slot == Slot::ErrorSource && rule.need != Need::Optional) return sender();
        if (rule.slot == Slot::ChildSession && settled_ == nullptr) {
            const bool begins_one = row_.threads_sessions && form_.intent == Intent::Request;
            return begins_one ? new_session() : std::string_view{};
        }
        // These slots come from the request alone.
        const bool is_threaded =
            settled_ != nullptr && (rule.slot == Slot::Correlation || rule.slot == Slot::Answers ||
                                    rule.slot == Slot::ChildSession);
        if (rule.need == Need::Optional && !is_threaded) return rule.preset;
        if (rule.slot != Slot::None) {
            const json::Value value = worded(rule, known(), reception_.now, texts_);
            if (!value.raw.empty()) return value.raw;
        }
        if (rule.kind == Kind::Object && rule.shape != nullptr) {
            const std::string_view object = missing_object(*rule.shape);
            if (!object.empty()) return object;
        }
        return rule.preset;
    }

    std::string_view missing_object(const Shape& shape) {
        std::string object;
        for (const FieldRule& rule : shape.fields) {
            const std::string_view value = missing(rule);
            if (value.empty()) continue;
            object += object.empty() ? "{\"" : ",\"";  // No name in a table needs escapes.
            object.append(rule.name).append("\":").append(value);
        }
        if (!object.empty()) object += '}';
        return texts_.keep(object);
    }

    /// S10: an error without a source is its sender's own.
    std::string_view sender() {
        const Meaning said = understand(form_, message_, reception_.now, texts_);
        return said.says(Slot::From) ? said[Slot::From].raw : known()[Slot::From].raw;
    }

    /// X3: a session for the target to work in, derived from the request's id: a retry of the
    /// request gets the same session.
    std::string_view new_session() {
        std::string spare;
        std::string_view id = reception_.fresh_id;
        for (std::size_t i = 0; i < form_.shape->fields.size(); ++i) {
            const bool says_id = form_.shape->fields[i].slot == Slot::Id;
            if (says_id && (*found_)[i].is_string()) id = (*found_)[i].text(spare);
        }
        constexpr std::string_view kSessionOf = "session of ";
        std::string text;
        text.reserve(kSessionOf.size() + id.size());
        text.append(kSessionOf).append(id);
        return quoted(derived_uuid(text), texts_).raw;
    }

    /// Computed on first use, as missing fields are rare.
    const Meaning& known() {
        if (!known_) known_ = known_to_hub(reception_, settled_, texts_);
        return *known_;
    }

    const DialectRow& row_;
    const Form& form_;
    const Reception& reception_;
    const Settled* settled_;
    Texts& texts_;
    json::Value message_{};
    const Found* found_ = nullptr;  ///< Fields of the message.
    std::optional<Meaning> known_{};
};

/// Hash of the message without its id and sending time: a retry has the same hash.
std::uint64_t fingerprint_of(const Form& form, json::Value message) {
    // Written to the journal, so these constants never change.
    SipKey key{0x7061726c616e6365U, 0x6469616c65637473U};
    key.low = siphash_short(key, form.name);
    std::array<std::string_view, kFieldsMax> varying;
    std::size_t count = 0;
    for (const FieldRule& rule : form.shape->fields) {
        if (rule.slot == Slot::Id || rule.slot == Slot::Sent) varying[count++] = rule.name;
    }
    const auto varies = [&](std::string_view said) {
        return std::ranges::any_of(std::span{varying}.first(count),
                                   [&](std::string_view each) { return is_named(said, each); });
    };
    std::size_t hashed = 0;
    for (json::Members members{message}; members.next();) {
        if (!varies(members.key)) continue;
        const auto at = static_cast<std::size_t>(members.value.raw.data() - message.raw.data());
        key.low = siphash_short(key, message.raw.substr(hashed, at - hashed));
        hashed = at + members.value.raw.size();
    }
    return siphash_short(key, message.raw.substr(hashed));
}

/// Header texts. Unescaped copies are kept in `texts` until the envelope is made.
class HeaderTexts {
  public:
    HeaderTexts(const Meaning& meaning, Texts& texts) : meaning_{meaning}, texts_{texts} {}
    std::string_view operator()(Slot slot) {
        std::string spare;
        const std::string_view text = short_text(meaning_[slot], spare);
        return text.data() == spare.data() ? texts_.keep(text) : text;
    }

  private:
    const Meaning& meaning_;
    Texts& texts_;
};

std::string_view first_of(std::initializer_list<std::string_view> texts) {
    const auto* const text =
        std::ranges::find_if(texts, [](std::string_view each) { return !each.empty(); });
    return text == texts.end() ? std::string_view{} : *text;
}

Intent intent_of(const Form& form, const Meaning& meaning) {
    const bool is_pending = meaning.number(Slot::Status) == kPending;
    return form.intent == Intent::Reply && is_pending ? Intent::Progress : form.intent;
}

Header header_of(const DialectRow& row,
                 const Form& form,
                 const Meaning& meaning,
                 const Reception& reception,
                 const Settled* settled,
                 Texts& texts) {
    HeaderTexts text{meaning, texts};
    Header header{.id = text(Slot::Id),
                  .from = first_of({text(Slot::From), reception.caller}),
                  .to = text(Slot::To),
                  .type = form.name,
                  .task = text(Slot::Task),
                  // Without a correlation, the session identifies the workflow.
                  .correlation = first_of({text(Slot::Correlation), text(Slot::Session)}),
                  .dialect = row.dialect,
                  .intent = intent_of(form, meaning)};
    if (form.intent == Intent::Reply) header.answers = text(Slot::Answers);
    if (settled != nullptr) {
        header.from = first_of({settled->from, header.from});
        header.to = first_of({settled->to, header.to});
        header.correlation = first_of({settled->correlation, header.correlation});
        header.task = first_of({header.task, settled->task});
        header.answers = settled->id;
    }
    return header;
}

/// An answer's facts, each as JSON.
std::vector<std::string> facts_of(const Meaning& meaning) {
    std::vector<std::string> facts;
    if (!meaning[Slot::Facts].is_array()) return facts;
    for (json::Elements elements{meaning[Slot::Facts]}; elements.next();) {
        facts.emplace_back(elements.value.raw);
    }
    return facts;
}

SendMessage compose(const DialectRow& row,
                    const Form& form,
                    Header header,
                    const Meaning& meaning,
                    std::string_view body,
                    json::Value message,
                    json::Value said) {
    // A message without an id gets an id derived from its content: a repeat is a duplicate.
    const std::string derived = header.id.empty() ? derived_uuid(digest_of(said)) : std::string{};
    if (header.id.empty()) header.id = derived;
    const bool is_request = header.intent == Intent::Request;
    if (is_request && header.correlation.empty()) header.correlation = header.id;
    if (header.task.empty()) header.task = header.correlation;

    SendMessage send;
    send.envelope = Envelope::make(header, body);
    send.priority = priority_of(form, meaning);
    if (const auto timeout = meaning.number(Slot::Timeout); timeout && is_request) {
        send.timeout = Duration{*timeout};
    }
    send.fingerprint = fingerprint_of(form, message);
    if (is_request && row.threads_sessions) send.claim = read_claim(row, form, meaning, message);
    if (form.intent == Intent::Reply) send.falls_short = falls_short(form, meaning);
    if (form.intent == Intent::Reply) {
        send.facts = facts_of(meaning);
        if (!send.facts.empty()) send.owners = owners_of(meaning);
        send.tokens_used = tokens_in(meaning[Slot::TokensUsed]);
    }
    return send;
}

Rejection rejected(const Form& form, std::string_view text, Refusal refusal, Problems problems) {
    Texts texts;
    const Meaning meaning = understand(form, json::root(text), {}, texts);
    HeaderTexts header{meaning, texts};
    return {.refusal = refusal,
            .id = std::string{header(Slot::Id)},
            .from = std::string{header(Slot::From)},
            .correlation = std::string{header(Slot::Correlation)},
            .problems = std::move(problems)};
}

/// The header of a refused answer, by which the waiting requester can be notified.
EnvelopePtr refused_answer(const Form& form, std::string_view text, const Reception& reception) {
    if (form.intent != Intent::Reply) return {};
    Texts texts;
    const Meaning meaning = understand(form, json::root(text), {}, texts);
    HeaderTexts header{meaning, texts};
    const std::string_view answered = header(Slot::Answers);
    if (answered.empty()) return {};
    return Envelope::make({.from = first_of({header(Slot::From), reception.caller}),
                           .to = header(Slot::To),
                           .answers = answered,
                           .intent = Intent::Reply},
                          {});
}

/// No form fits: the type is missing or unknown. Problems are listed by the first form's shape.
Rejection formless(const DialectRow& row, std::string_view text, const Reception& reception) {
    const Form& any = row.forms->all.front();
    Problems problems;
    hold_to_shape(*any.shape, json::root(text), "", {.reception = &reception}, problems);
    return rejected(any, text, Refusal::InputValidationFailed, std::move(problems));
}

/// True if a member that the form must keep is missing or an empty text.
bool has_lost(const Form& form, const Problems& problems) {
    return std::ranges::any_of(problems, [&](const Problem& problem) {
        const bool is_gone = problem.value.empty() || is_empty_text({problem.value});
        if (!problem.pointer.starts_with('/') || !is_gone) return false;
        const auto name = std::string_view{problem.pointer}.substr(1);
        return std::ranges::find(form.keeps, name) != form.keeps.end();
    });
}

/// `message` is the text as a value.
Reading<SendMessage> read(const DialectRow& row,
                          std::string_view text,
                          json::Value message,
                          const Reception& reception,
                          const Settled* settled) {
    const Form* form = form_of(*row.forms, message);
    if (form == nullptr) return tl::unexpected(formless(row, text, reception));
    Problems problems;
    Found found = fields_in(message, *form->shape);
    hold_to_shape(
        *form->shape, message, found, {.reception = &reception, .body = form->body}, problems);
    if (!problems.empty()) {
        const Refusal refusal = has_lost(*form, problems) ? Refusal::HandoffContextIncomplete
                                                          : Refusal::InputValidationFailed;
        auto rejection = rejected(*form, text, refusal, std::move(problems));
        rejection.reply = refused_answer(*form, text, reception);
        return tl::unexpected(std::move(rejection));
    }
    Texts texts;
    std::string whole;
    json::Outline outline;
    Completion{row, *form, reception, settled, texts}.of(text, message, found, whole, outline);
    if (!stays_json(message, whole)) {
        // Completion adds little depth, but the hub's own messages may be deeper than a client's.
        if (auto problem = outgrown(text, whole, outline, json::kDepthMadeMax)) {
            return tl::unexpected(*std::move(problem));
        }
    }
    const std::string_view body = whole.empty() ? text : std::string_view{whole};
    const json::Value said = message;
    if (!whole.empty()) {
        message = json::root(whole, outline);
        found = fields_in(message, *form->shape);
    }
    const Meaning meaning = understand(*form, found, reception.now, texts, Trust::KeepsItsRules);
    if (row.forbid != nullptr) {
        const Refusal refusal = row.forbid(*form, meaning, reception, problems);
        if (refusal != Refusal::None) {
            return tl::unexpected(rejected(*form, body, refusal, std::move(problems)));
        }
    }
    const Header header = header_of(row, *form, meaning, reception, settled, texts);
    return compose(row, *form, header, meaning, body, message, said);
}

Settled settled_by(const Envelope& request, const Reception& reception) {
    const bool was_for_a_topic = request.to().starts_with("topic:");
    const auto session = child_session_of(request);
    return {.id = request.id(),
            .from = was_for_a_topic ? reception.caller : request.to(),
            .to = request.from(),
            .correlation = request.correlation(),
            .task = request.task(),
            .child_session = session};
}

bool answers(const Form& form) { return form.intent == Intent::Reply; }

/// Fields in which the answer contradicts its request.
struct Contradictions {
    Problems problems{};
    bool is_as_another = false;  ///< The answer names another sender.
};

void find_contradictions(const Shape& shape,
                         json::Value object,
                         std::string_view parent,
                         const Meaning& known,
                         const Reception& reception,
                         Contradictions& found) {
    const Time now = reception.now;
    Texts texts;
    for (json::Members members{object}; members.next();) {
        const FieldRule* const rule = find_rule(shape, members.key);
        if (rule == nullptr) continue;
        const std::string pointer = fmt::format("{}/{}", parent, rule->name);
        if (rule->shape != nullptr && members.value.is_object()) {
            find_contradictions(*rule->shape, members.value, pointer, known, reception, found);
        }
        const bool is_settled = rule->slot == Slot::From || rule->slot == Slot::To ||
                                rule->slot == Slot::Answers || rule->slot == Slot::Correlation;
        if (!is_settled || !members.value.is_string() || !known.says(rule->slot)) continue;
        std::string spare_settled;
        const json::Value settled = worded(*rule, known, now, texts);
        // Allowed: the value as this dialect saw it, or as the requester knows it.
        if (settled.raw.empty() || is_same(members.value, settled)) continue;
        if (is_same(members.value, known[rule->slot])) continue;
        const std::string_view expected = settled.text(spare_settled);
        std::string spare;
        const bool is_workflow = rule->kind == Kind::CorrelationId;
        if (is_workflow && workflow_of(members.value.text(spare)) == workflow_of(expected)) {
            continue;
        }
        found.is_as_another =
            found.is_as_another ||
            (rule->slot == Slot::From && members.value.text(spare) != reception.caller);
        found.problems.push_back(
            {.pointer = pointer,
             .value = shortened(members.value.raw),
             .rule = fmt::format("must be what the request settled, {}", expected),
             .section = std::string{shape.section}});
    }
}

Problem not_an_answer(const DialectRow& row, const Form& form) {
    return {.pointer = row.forms->type_field.empty() ? std::string{}
                                                     : fmt::format("/{}", row.forms->type_field),
            .value = std::string{form.name},
            .rule = "must be a message that answers",
            .section = std::string{form.shape->section}};
}

/// The result as the content of an answer.
std::string wrapped(const DialectRow& row, std::string_view result, Meaning known, Time now) {
    known[Slot::Content] = json::root(result);
    known[Slot::Status] = {"0"};
    return express(form_for(*row.forms, Act::Reply), known, now);
}

Meaning meaning_of(const HubWord& word, Texts& texts) {
    const RefusalRow& row = refusal_row(word.refusal);
    const bool is_timeout = word.refusal == Refusal::RequestTimedOut;
    Meaning meaning;
    const auto say = [&](Slot slot, std::string_view text) {
        if (!text.empty()) meaning[slot] = quoted(text, texts);
    };
    say(Slot::Id, derived_uuid(fmt::format("{} {} {}", word.about, row.code, word.to)));
    say(Slot::From, word.from);
    say(Slot::To, word.to);
    say(Slot::Correlation, word.correlation);
    say(Slot::Answers, word.about);
    say(Slot::Task, word.task);
    say(Slot::ChildSession, word.child_session);
    say(Slot::Sent, print_iso_time(word.now));
    say(Slot::ErrorCode, row.code);
    say(Slot::ErrorText, word.detail.empty() ? row.advice : word.detail);
    say(Slot::ErrorSource, kHubName);
    say(Slot::Summary, row.advice);
    meaning[Slot::Status] = numbered(is_timeout ? kTimedOut : kFailed, texts);
    meaning[Slot::Severity] = {"2"};
    meaning[Slot::Retryable] = {row.retryable ? "true" : "false"};
    return meaning;
}

bool has_place_for(const Form& form, Slot slot) {
    const auto has_row = [&](const Shape& shape) {
        return std::ranges::find(shape.fields, slot, &FieldRule::slot) != shape.fields.end();
    };
    return has_row(*form.shape) || (form.body != nullptr && has_row(*form.body));
}

}  // namespace

std::string with_ids_by_tables(const Envelope& envelope, Time now) {
    const DialectRow* const row = row_of(envelope.dialect());
    if (row == nullptr || envelope.answers().empty()) return {};
    const json::Value message = json::root(envelope.body());
    const Form* const form = message.is_object() ? form_of(*row->forms, message) : nullptr;
    if (form == nullptr) return {};
    Texts texts;
    Meaning known;
    known[Slot::Answers] = quoted(envelope.answers(), texts);
    if (!envelope.correlation().empty()) {
        known[Slot::Correlation] = quoted(envelope.correlation(), texts);
    }
    const Found found = fields_in(message, *form->shape);
    std::vector<NewMember> members;
    for (std::size_t i = 0; i < form->shape->fields.size(); ++i) {
        const FieldRule& rule = form->shape->fields[i];
        const bool is_id = rule.slot == Slot::Answers || rule.slot == Slot::Correlation;
        if (!is_id || !found[i].raw.empty()) continue;
        const json::Value value = worded(rule, known, now, texts);
        if (!value.raw.empty()) members.push_back({rule.name, std::string{value.raw}});
    }
    if (members.empty()) return {};
    Splice splice{envelope.body()};
    splice.set(message, members);
    return splice.done();
}

std::string child_session_of(const Envelope& request) {
    const DialectRow* const row = row_of(request.dialect());
    const bool threads = row != nullptr && row->threads_sessions;
    const json::Value message = threads ? json::root(request.body()) : json::Value{};
    const Form* const form = message.is_object() ? form_of(*row->forms, message) : nullptr;
    if (form == nullptr) return {};
    const auto rule = std::ranges::find(form->shape->fields, Slot::ChildSession, &FieldRule::slot);
    if (rule == form->shape->fields.end()) return {};
    const auto value = json::find(message, rule->name);
    std::string spare;
    return value && value->is_string() ? std::string{value->text(spare)} : std::string{};
}

bool stays_json(json::Value message, std::string_view made) {
    constexpr std::size_t kDepthEasy = json::kDepthMax / 2;
    return message.outline != nullptr && message.outline->depth <= kDepthEasy &&
           made.size() <= kMessageBytesMax;
}

std::optional<Rejection> outgrown(std::string_view text,
                                  std::string_view made,
                                  json::Outline& outline,
                                  std::size_t depth_max) {
    const auto because = [&](Refusal refusal, std::string rule) {
        return Rejection{.refusal = refusal,
                         .problems = {{.value = shortened(text), .rule = std::move(rule)}}};
    };
    if (made.size() > kMessageBytesMax) {
        return because(Refusal::MessageTooLarge,
                       fmt::format("must be at most {} bytes long with what the hub fills in",
                                   kMessageBytesMax));
    }
    const auto still_json = made.empty() ? Result<void>{} : json::check(made, outline, depth_max);
    if (still_json) return {};
    return because(Refusal::MessageMalformed,
                   "must be JSON with what the hub fills in, but: " + still_json.error().message);
}

Reading<SendMessage> read_by_tables(const DialectRow& row,
                                    std::string_view text,
                                    const Reception& reception) {
    return read(row, text, value_of(text, reception), reception, nullptr);
}

Reading<SendMessage> read_reply_by_tables(const DialectRow& row,
                                          std::string_view text,
                                          const Envelope& request,
                                          const Reception& reception) {
    const json::Value answer = value_of(text, reception);
    json::Outline outline;
    const Settled settled = settled_by(request, reception);
    Texts texts;
    const Meaning known = known_to_hub(reception, &settled, texts);
    const Form* form = form_of(*row.forms, answer);
    const bool is_message = std::ranges::any_of(
        row.marks, [&](std::string_view mark) { return json::find(answer, mark).has_value(); });
    if (!is_message && (form == nullptr || !answers(*form))) {
        const std::string made = wrapped(row, text, known, reception.now);
        if (auto problem = outgrown(text, made, outline)) {
            return tl::unexpected(*std::move(problem));
        }
        return read(row, made, json::root(made, outline), reception, &settled);
    }
    Contradictions otherwise;
    auto& problems = otherwise.problems;
    if (form != nullptr) {
        find_contradictions(*form->shape, answer, "", known, reception, otherwise);
        if (!answers(*form)) problems.push_back(not_an_answer(row, *form));
    }
    std::string made;
    if (form != nullptr) {
        const Found found = fields_in(answer, *form->shape);
        Completion{row, *form, reception, &settled, texts}.of(text, answer, found, made, outline);
    }
    if (auto problem = outgrown(text, made, outline)) return tl::unexpected(*std::move(problem));
    auto reading = made.empty() ? read(row, text, answer, reception, &settled)
                                : read(row, made, json::root(made, outline), reception, &settled);
    if (problems.empty()) return reading;
    // An answer in another agent's name is refused as such, whatever its other problems.
    const auto refusal =
        otherwise.is_as_another ? Refusal::IdentityMismatch : Refusal::InputValidationFailed;
    if (reading) return tl::unexpected(rejected(*form, text, refusal, std::move(problems)));
    auto& rejection = reading.error();
    if (otherwise.is_as_another) rejection.refusal = refusal;
    std::ranges::move(problems, std::back_inserter(rejection.problems));
    return reading;
}

std::string write_failure_by_tables(const DialectRow& row,
                                    const Envelope& /*request*/,
                                    const HubWord& word) {
    Texts texts;
    return express(form_for(*row.forms, Act::Failure), meaning_of(word, texts), word.now);
}

std::string write_refusal_by_tables(const DialectRow& row, const HubWord& word) {
    const Form& form = form_for(*row.forms, Act::Report);
    Texts texts;
    Meaning meaning = meaning_of(word, texts);
    // Without a summary field the advice goes into the error text, which may be all that the sender
    // sees.
    if (!has_place_for(form, Slot::Summary)) {
        meaning[Slot::ErrorText] = quoted(sentence(word.refusal, word.detail), texts);
    }
    std::string refusal = express(form, meaning, word.now);
    if (!word.about.empty()) return refusal;
    // A refusal of a message without an id must not show a made-up id.
    for (const FieldRule& rule : form.shape->fields) {
        if (rule.slot != Slot::Answers) continue;
        refusal = without_member(json::root(refusal), rule.name);
    }
    return refusal;
}

}  // namespace parlance::dialects
