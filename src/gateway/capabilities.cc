#include "gateway/capabilities.h"

#include <algorithm>
#include <array>

#include "dialects/extension.h"
#include "dialects/matter.h"
#include "gateway/desk.h"

namespace parlance::gateway {

namespace {

using Problems = std::vector<dialects::Problem>;

constexpr std::string_view kSection = "PUT /v1/agents/{id}";
constexpr std::size_t kCapabilitiesMax = 200;
constexpr std::size_t kSetsKept = 4096;

// --- checked at registration ---------------------------------------------------------------

/// A member of a capability, with its position.
struct Place {
    std::string pointer;
    json::Value value;
};

void add(Problems& problems, const Place& place, std::string rule) {
    problems.push_back({.pointer = place.pointer,
                        .value = json::shortened(place.value.raw),
                        .rule = std::move(rule),
                        .section = std::string{kSection}});
}

/// A registration under check.
struct Registration {
    Problems& problems;
    schema::PatternAllowance patterns{};  ///< Left for all schemas of the registration.
    bool is_cut = false;                  ///< There are more flaws than are listed.

    /// Whether a further problem is listed, of a kind that can occur many times.
    bool has_room() {
        is_cut = is_cut || problems.size() >= dialects::kProblemsMax;
        return !is_cut;
    }
};

bool is_text(json::Value value) {
    constexpr std::size_t kTextMax = 4096;
    return value.is_string() && value.raw.size() <= kTextMax;
}

void check_text(Registration& all, const Place& place) {
    if (!is_text(place.value)) add(all.problems, place, "must be a string of at most 4096 bytes");
}

void check_code(Registration& all, const Place& place) {
    const bool is_code = place.value.is_string() && place.value.raw.size() > 2 &&
                         place.value.raw.size() <= kIdBytesMax + 2;
    if (!is_code) add(all.problems, place, "must be a string of 1 to 128 bytes");
}

void check_examples(Registration& all, const Place& place) {
    if (!place.value.is_array()) return add(all.problems, place, "must be a list of phrases");
    std::size_t number = 0;
    for (json::Elements elements{place.value}; elements.next(); ++number) {
        if (is_text(elements.value)) continue;
        if (!all.has_room()) return;
        check_text(all, {place.pointer + "/" + std::to_string(number), elements.value});
    }
}

void check_schema(Registration& all, const Place& place) {
    if (all.patterns.is_spent) return;  // Already reported, and no further schema is compiled.
    const auto compiled = schema::compile(place.value.raw, &all.patterns);
    if (compiled) return;
    for (const auto& flaw : compiled.error()) {
        if (!all.has_room()) return;
        all.problems.push_back({.pointer = place.pointer + flaw.pointer,
                                .value = flaw.value,
                                .rule = flaw.reason,
                                .section = "JSON Schema 2020-12"});
    }
}

struct Member {
    std::string_view name;
    void (*check)(Registration& all, const Place& place);
};
constexpr std::array kMembers{
    Member{"code", check_code},
    Member{"description", check_text},
    Member{"examples", check_examples},
    Member{"input_schema", check_schema},
    Member{"output_schema", check_schema},
    Member{"version", check_text},
    Member{"narration", check_text},
    Member{"intent", check_text},
};

std::string code_of(json::Value capability) {
    const auto code = capability.is_object() ? json::find(capability, "code") : std::nullopt;
    std::string spare;
    return code && code->is_string() ? std::string{code->text(spare)} : std::string{};
}

void check_capability(Registration& all, const Place& place) {
    if (!place.value.is_object()) {
        return add(all.problems, place, "must be an object with a \"code\"");
    }
    const bool was_spent = all.patterns.is_spent;
    bool has_code = false;
    for (json::Members members{place.value}; members.next();) {
        const auto known = std::ranges::find(kMembers, members.key, &Member::name);
        if (known == kMembers.end()) continue;
        has_code = has_code || known->name == "code";
        known->check(all, {place.pointer + "/" + std::string{known->name}, members.value});
    }
    if (!has_code) add(all.problems, {place.pointer + "/code", {}}, "is missing; must be a string");
    if (all.patterns.is_spent && !was_spent) {
        add(all.problems,
            {place.pointer, json::find(place.value, "code").value_or(json::Value{})},
            "must leave out patterns: this agent's schemas have too many, or too large ones");
    }
}

void check_each(Registration& all, const Place& place) {
    std::vector<std::string> codes;
    std::size_t number = 0;
    for (json::Elements elements{place.value}; elements.next(); ++number) {
        if (number == kCapabilitiesMax) {
            return add(all.problems, place, "must have at most 200 items");
        }
        const Place each{place.pointer + "/" + std::to_string(number), elements.value};
        check_capability(all, each);
        if (auto code = code_of(elements.value); !code.empty()) codes.push_back(std::move(code));
    }
    std::ranges::sort(codes);
    if (std::ranges::adjacent_find(codes) != codes.end()) {
        add(all.problems, place, "must have a different \"code\" in each");
    }
}

// --- compiled schemas ----------------------------------------------------------------------

std::optional<schema::Schema> compiled(json::Value capability, std::string_view name) {
    const auto value = json::find(capability, name);
    if (!value) return {};
    auto schema = schema::compile(value->raw);
    // A schema that an earlier release accepted and this release cannot compile blocks no message.
    if (!schema) return {};
    return *std::move(schema);
}

std::vector<Capability> read_set(std::string_view text) {
    std::vector<Capability> all;
    const auto list = json::root(text);
    if (!list.is_array()) return all;
    for (json::Elements elements{list}; elements.next();) {
        auto code = code_of(elements.value);
        if (!code.empty()) all.push_back({.code = std::move(code)});
    }
    return all;
}

void compile_in(const CapabilitySet& set, Capability& capability) {
    capability.is_compiled = true;
    for (json::Elements elements{json::root(set.text)}; elements.next();) {
        if (code_of(elements.value) != capability.code) continue;
        capability.input = compiled(elements.value, "input_schema");
        capability.output = compiled(elements.value, "output_schema");
        return;
    }
}

constexpr std::string_view kNone = "[]";

bool has_none(const Profile& profile) { return profile.capabilities == kNone; }

Problems violations(const schema::Schema& schema,
                    const dialects::Matter& matter,
                    std::string_view parent,
                    const std::string& section) {
    const auto content = matter.content.empty() ? std::string_view{"null"} : matter.content;
    Problems problems;
    for (auto& violation : schema::check(schema, json::root(content))) {
        problems.push_back({.pointer = std::string{parent} + violation.pointer,
                            .value = std::move(violation.value),
                            .rule = std::move(violation.rule),
                            .section = section + violation.keyword});
    }
    return problems;
}

dialects::Rejection rejection_of(const Envelope& envelope, Refusal refusal, Problems problems) {
    return {.refusal = refusal,
            .dialect = envelope.dialect(),
            .id = std::string{envelope.id()},
            .from = std::string{envelope.from()},
            .correlation = std::string{envelope.correlation()},
            .problems = std::move(problems)};
}

/// Pointer to the content in the agent's text; empty for a bare result, which is the content.
std::string_view content_place(const dialects::Matter& matter, std::string_view said) {
    const auto first =
        std::string_view{matter.content_pointer}.substr(0, matter.content_pointer.find('/', 1));
    const auto root = json::root(said);
    const bool is_message =
        first.size() > 1 && root.is_object() && json::find(root, first.substr(1)).has_value();
    return is_message ? std::string_view{matter.content_pointer} : std::string_view{};
}

}  // namespace

const Capability* find_capability(CapabilityShelf& shelf,
                                  std::string_view agent,
                                  std::string_view capabilities,
                                  std::string_view code) {
    if (code.empty() || capabilities.empty() || capabilities == kNone) return nullptr;
    if (shelf.size() > kSetsKept) shelf.clear();
    auto& set = shelf[std::string{agent}];
    if (set.text != capabilities) {
        set = {.text = std::string{capabilities}, .all = read_set(capabilities)};
    }
    const auto found = std::ranges::find(set.all, code, &Capability::code);
    if (found == set.all.end()) return nullptr;
    if (!found->is_compiled) compile_in(set, *found);
    return &*found;
}

void check_capabilities(json::Value list, Problems& problems) {
    const Place place{"/capabilities", list};
    if (!list.is_array()) return add(problems, place, "must be a list of capabilities");
    Registration all{.problems = problems};
    check_each(all, place);
    if (all.is_cut) {
        add(problems, {place.pointer, {}}, "has more flaws, which are not listed here");
    }
}

namespace {

std::string quoted(std::string_view text) {
    std::string out;
    json::append_quoted(out, text);
    return out;
}

/// Why the request in its present dialect must not reach the taker.
std::optional<dialects::Rejection> unfit_as_written(CapabilityShelf& shelf,
                                                    const Envelope& request,
                                                    const Taker& taker) {
    const auto matter = dialects::matter_of(request);
    const auto* capability = find_capability(shelf, taker.agent, taker.capabilities, matter.action);
    // An agent chosen by capability is asked for the capability, whatever the request's action is
    // called.
    if (capability == nullptr && !matter.names_capability) {
        capability = find_capability(shelf, taker.agent, taker.capabilities, taker.capability);
    }
    const std::string agent{taker.agent};
    if (capability == nullptr) {
        if (!matter.names_capability) return {};
        return rejection_of(request,
                            Refusal::CapabilityNotRegistered,
                            {{.pointer = matter.action_pointer,
                              .value = json::shortened(quoted(matter.action)),
                              .rule = "must be a capability that '" + agent + "' has registered",
                              .section = "registered capabilities"}});
    }
    if (!capability->input) return {};
    auto problems = violations(*capability->input,
                               matter,
                               matter.content_pointer,
                               "input_schema of " + capability->code + " ");
    if (problems.empty()) return {};
    return rejection_of(request, Refusal::InputValidationFailed, std::move(problems));
}

/// The request as its recipient will read the request, if an extension can change the request in
/// translation; else null.
EnvelopePtr as_read(const Envelope& request, Dialect reader, Time now) {
    const bool says_more =
        reader != request.dialect() &&
        json::find(json::root(request.body()), dialects::kExtensionMember).has_value();
    if (!says_more) return nullptr;
    const std::string text = translated(request, reader, now);
    const auto message = dialects::read_message(
        text, {.dialect = reader, .caller = request.from(), .fresh_id = request.id(), .now = now});
    return message ? message->envelope : nullptr;
}

}  // namespace

std::optional<dialects::Rejection> unfit_for(CapabilityShelf& shelf,
                                             const Envelope& request,
                                             const Taker& taker,
                                             Time now) {
    // An agent without capabilities takes any request, unless both dialects require a request to
    // name a capability.
    const bool must_name = dialects::names_capabilities(request.dialect()) &&
                           dialects::names_capabilities(taker.dialect);
    if (taker.capabilities == kNone && !must_name) return {};
    if (auto unfit = unfit_as_written(shelf, request, taker)) return unfit;
    const auto read = as_read(request, taker.dialect, now);
    return read ? unfit_as_written(shelf, *read, taker) : std::nullopt;
}

std::optional<dialects::Rejection> unfit_request(Desk& desk, const Envelope& request) {
    if (request.intent() != Intent::Request) return {};
    const auto* profile = desk.engine->profile(request.to());
    if (profile == nullptr) return {};  // Refused by the core.
    if (has_none(*profile) && !dialects::names_capabilities(request.dialect())) return {};
    if (desk.engine->remembers(request)) return {};  // A repeat gets the first outcome.
    return unfit_for(
        desk.capabilities,
        request,
        {.agent = request.to(), .dialect = profile->dialect, .capabilities = profile->capabilities},
        desk.clock());
}

std::optional<dialects::Rejection> unfit_answer(Desk& desk, const GivenAnswer& answer) {
    const auto* profile = desk.engine->profile(answer.agent.value);
    if (profile == nullptr || has_none(*profile)) return {};
    const auto asked = dialects::matter_of(answer.request);
    const auto* capability =
        find_capability(desk.capabilities, answer.agent.value, profile->capabilities, asked.action);
    if (capability == nullptr || !capability->output) return {};
    auto matter = dialects::matter_of(answer.reply);
    if (!matter.is_success) return {};
    const auto place = content_place(matter, answer.said);
    // For a bare result, only the agent's own text is checked, without the hub's additions.
    if (place.empty()) matter.content = json::root(answer.said).raw;
    auto problems = violations(
        *capability->output, matter, place, "output_schema of " + capability->code + " ");
    if (problems.empty()) return {};
    return rejection_of(answer.reply, Refusal::OutputValidationFailed, std::move(problems));
}

std::optional<dialects::Rejection> unfit_message(Desk& desk, const Envelope& message) {
    if (message.intent() == Intent::Request) return unfit_request(desk, message);
    if (message.intent() != Intent::Reply) return {};
    const auto* profile = desk.engine->profile(message.from());
    if (profile == nullptr || has_none(*profile)) return {};
    const auto asked = desk.engine->question(message);
    if (asked == nullptr) return {};
    const AgentId agent{std::string{message.from()}};
    auto unfit = unfit_answer(
        desk, {.request = *asked, .agent = agent, .reply = message, .said = message.body()});
    if (unfit) unfit->reply = &message;
    return unfit;
}

}  // namespace parlance::gateway
