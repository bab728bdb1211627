#include "base/schema/compile.h"

#include <fmt/format.h>

#include "base/schema/uri.h"

namespace parlance::schema {

namespace {

constexpr std::size_t kNodesMax = 10'000;
constexpr std::size_t kPatternsSizeMax = 20'000;
constexpr std::size_t kPatternsMax = 100;  ///< Each pattern keeps its own memory.
/// Charged for an invalid pattern: RE2 may have done much work before failing.
constexpr std::size_t kPatternSizeLost = 5'000;
constexpr std::size_t kPointerShown = 1024;

}  // namespace

std::string Program::pointer_of(NodeId node) const {
    std::vector<std::string_view> steps;
    for (; node != kNone; node = nodes[node].parent) steps.push_back(nodes[node].step);
    std::string pointer;
    for (; !steps.empty() && pointer.size() <= kPointerShown; steps.pop_back()) {
        pointer += steps.back().substr(0, kPointerShown + 1 - pointer.size());
    }
    return json::shortened(pointer, kPointerShown);
}

Compiler::Compiler(std::string_view text, PatternAllowance* allowance)
    : program_{std::make_unique<Program>()}, allowance_{allowance} {
    program_->text = text;
}

bool Compiler::afford(std::size_t size) {
    if (allowance_ == nullptr) return true;
    if (allowance_->count == 0 || allowance_->size < size) allowance_->is_spent = true;
    if (allowance_->is_spent) return false;
    --allowance_->count;
    allowance_->size -= size;
    return true;
}

void Compiler::flaw(const Said& said, std::string reason, std::string_view step) {
    if (is_over_) return;
    auto pointer = program_->pointer_of(said.node);
    if (!said.keyword.empty()) json::append_step(pointer, said.keyword);
    pointer += step;
    pointer = json::shortened(pointer, kPointerShown);
    const bool is_repeated = !flaws_.empty() && flaws_.back().pointer == pointer;
    repeated_count_ = is_repeated ? repeated_count_ + 1 : 0;
    if (repeated_count_ > kFlawsMax || (!is_repeated && flaws_.size() == kFlawsMax)) {
        is_over_ = true;
        flaws_.push_back({.reason = "has more flaws, which are not listed here"});
        return;
    }
    if (is_repeated) return;
    flaws_.push_back({.pointer = std::move(pointer),
                      .value = json::shortened(said.value.raw),
                      .reason = std::move(reason)});
}

void Compiler::give_up(const Said& said, std::string reason, std::string_view step) {
    flaw(said, std::move(reason), step);
    is_over_ = true;
}

tl::expected<Schema, std::vector<Flaw>> Compiler::run() {
    const auto no = [](std::string reason) {
        return tl::unexpected<std::vector<Flaw>>({Flaw{.reason = std::move(reason)}});
    };
    if (program_->text.size() > kSchemaBytesMax) {
        return no(fmt::format("is a schema of more than {} bytes", kSchemaBytesMax));
    }
    if (const auto checked = json::check(program_->text, outline_); !checked) {
        return no(checked.error().message);
    }
    program_->resources.emplace_back();
    const auto whole = json::root(program_->text, outline_);
    if (whole.is_object() || whole.is_bool()) {
        read(whole, {});
    } else {
        return no("must be a schema: an object, true or false");
    }
    resolve_all();
    find_circles();
    if (!flaws_.empty()) return tl::unexpected(std::move(flaws_));
    return Schema{std::shared_ptr<const Program>{std::move(program_)}};
}

NodeId Compiler::subschema(const Said& said, json::Value value) {
    std::string step;
    json::append_step(step, said.keyword);
    if (value.is_object() || value.is_bool()) {
        return read(value, {.parent = said.node, .step = std::move(step)});
    }
    flaw({said.node, said.keyword, value}, "must be a schema: an object, true or false");
    return kNone;
}

NodeId Compiler::subschema(const Said& said, json::Value value, std::string_view key) {
    std::string below;
    json::append_step(below, key);
    if (!value.is_object() && !value.is_bool()) {
        flaw({said.node, said.keyword, value}, "must be a schema: an object, true or false", below);
        return kNone;
    }
    std::string step;
    json::append_step(step, said.keyword);
    return read(value, {.parent = said.node, .step = step + below});
}

std::optional<Pattern> Compiler::pattern(const Said& said,
                                         std::string_view text,
                                         std::string_view step) {
    if (is_over_) return {};
    auto pattern = Pattern::compile(text);
    const bool can_afford = afford(pattern ? pattern->size() : kPatternSizeLost);
    if (!pattern) {
        flaw(said, std::move(pattern).error().message, step);
        is_over_ = is_over_ || !can_afford;
        return {};
    }
    if (!can_afford) {
        const PatternAllowance all;
        give_up(said,
                fmt::format("is too much, together with the patterns before it: in all schemas "
                            "there may be {} patterns with {} instructions",
                            all.count,
                            all.size),
                step);
        return {};
    }
    patterns_size_ += pattern->size();
    if (++pattern_count_ > kPatternsMax) {
        give_up(said, fmt::format("is more than {} patterns in one schema", kPatternsMax), step);
    } else if (patterns_size_ > kPatternsSizeMax) {
        give_up(said, "is too large, together with the other patterns of the schema", step);
    }
    return *std::move(pattern);
}

/// An $id makes a schema a resource; the subschemas below belong to that resource.
void Compiler::open_resource(NodeId id, json::Value schema) {
    const auto value = json::find(schema, "$id");
    if (!value) return;
    const Said said{id, "$id", *value};
    std::string spare;
    if (!value->is_string()) return flaw(said, "must be a URI reference");
    if (value->raw.size() > kUriBytesMax) return flaw(said, "must have at most 2048 bytes");
    const auto is = resolve(resource_of(id).uri, value->text(spare));
    if (is.uri.size() > kUriBytesMax) return flaw(said, "must lead to at most 2048 bytes");
    if (!is.fragment.empty()) return flaw(said, "must have no fragment; use $anchor");
    if (id != 0) {
        node(id).resource = static_cast<std::uint32_t>(program_->resources.size());
        program_->resources.emplace_back();
    }
    resource_of(id).uri = is.uri;
    if (!by_uri_.emplace(is.uri, node(id).resource).second) {
        flaw(said, "is the $id of another schema already");
    }
}

NodeId Compiler::read(json::Value value, Place place) {
    auto& nodes = program_->nodes;
    const auto id = static_cast<NodeId>(nodes.size());
    if (nodes.size() >= kNodesMax) {
        give_up({place.parent, {}, value},
                fmt::format("has more than {} schemas inside", kNodesMax),
                place.step);
    }
    if (is_over_) return kNone;
    if (place.parent != kNone) children_.emplace(std::pair{place.parent, place.step}, id);
    const auto resource = place.parent == kNone ? 0 : nodes[place.parent].resource;
    nodes.push_back({.parent = place.parent,
                     .step = std::move(place.step),
                     .resource = resource,
                     .is_never = value.raw == "false"});
    if (value.is_object()) open_resource(id, value);
    auto& own = resource_of(id);
    if (own.root == kNone) own.root = id;
    if (!value.is_object()) return id;

    if (auto names = names_in(value); !names.empty()) {
        node(id).object = std::make_unique<ObjectRules>();
        node(id).object->names = std::move(names);
    }
    for (json::Members members{value}; members.next() && !is_over_;) {
        read_keyword(*this, {id, members.key, members.value});
    }
    return id;
}

tl::expected<Schema, std::vector<Flaw>> compile(std::string_view text,
                                                PatternAllowance* allowance) {
    return Compiler{text, allowance}.run();
}

}  // namespace parlance::schema
