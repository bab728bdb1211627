// Delegations and roots as bytes, and back: as they rest, and as they stand in a snapshot.
#include <charconv>

#include "core/governor/lineage.h"

namespace parlance::core::governor {

namespace {

/// What is larger would be read as a whole each time that it is looked at.
constexpr std::size_t kErrandsSmall = 32;
constexpr std::size_t kToolsSmall = 32;

AgentHandle take_agent(ByteReader& in) {
    return static_cast<AgentHandle>(take_number(in, UINT32_MAX));
}

std::uint32_t take_small(ByteReader& in) {
    return static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
}

/// As it was written before form 7: "3 7 9f86d0…".
GivenErrand parse_errand(ByteReader& in) {
    const auto text = take_text(in);
    GivenErrand errand;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (auto* agent : {&errand.origin, &errand.target}) {
        const auto read = std::from_chars(at, end, *agent);
        const bool is_sound = read.ec == std::errc{} && read.ptr != end && *read.ptr == ' ';
        expect(in, is_sound);
        if (!is_sound) return {};
        at = read.ptr + 1;
    }
    errand.objective_hash.assign(at, end);
    return errand;
}

GivenErrand take_errand(ByteReader& in, Texts texts) {
    if (texts == Texts::Plain) return parse_errand(in);
    GivenErrand errand;
    errand.origin = take_agent(in);
    errand.target = take_agent(in);
    errand.objective_hash = take_short(in);
    return errand;
}

}  // namespace

void put_purse(std::string& out, const Purse& purse) {
    append_varint(out, purse.reserved);
    append_varint(out, purse.spent);
}

Purse take_purse(ByteReader& in) {
    const auto reserved = in.varint();
    return {.reserved = reserved, .spent = in.varint()};
}

// A codec is called as one, also where it needs nothing of its own.
// NOLINTBEGIN(readability-convert-member-functions-to-static)
void DelegationCodec::pack(std::string& out, const Delegation& each) const {
    put(out, each.request.value);
    put(out, each.parent.value);
    put(out, each.root.value);
    put(out, each.origin);
    put(out, each.target);
    put(out, each.depth);
    put(out, each.depth_max);
    put(out, each.admitted_at);
    put(out, each.deadline);
    append_short(out, each.user);
    append_short(out, each.session);
    append_short(out, each.objective_hash);
    put(out, each.tools.size());
    for (const auto& tool : each.tools) append_short(out, tool);
    put(out, std::uint64_t{each.limits_tools});
    put(out, std::uint64_t{each.is_open});
    put(out, each.open_children);
    put(out, each.tokens);
    put(out, each.cost);
    put_purse(out, each.below);
    put(out, each.children);
    put(out, std::uint64_t{each.is_granted});
}

Delegation DelegationCodec::unpack(ByteReader& in, Texts texts) const {
    Delegation each;
    each.request.value = in.varint();
    each.parent.value = in.varint();
    each.root.value = in.varint();
    each.origin = take_agent(in);
    each.target = take_agent(in);
    each.depth = take_small(in);
    each.depth_max = take_small(in);
    each.admitted_at = take_any_time(in);
    each.deadline = take_any_time(in);
    each.user = take_text(in, texts);
    each.session = take_text(in, texts);
    each.objective_hash = take_text(in, texts);
    const auto tools = take_count(in);
    for (std::uint64_t i = 0; i < tools; ++i) each.tools.push_back(take_text(in, texts));
    each.limits_tools = in.varint() != 0;
    each.is_open = in.varint() != 0;
    each.open_children = take_small(in);
    each.tokens = in.varint();
    each.cost = in.varint();
    each.below = take_purse(in);
    if (texts == Texts::Plain) return each;
    each.children = take_small(in);
    each.is_granted = take_number(in, 1) != 0;
    return each;
}

bool DelegationCodec::is_small(const Delegation& each) const {
    return each.tools.size() <= kToolsSmall;
}

void RootCodec::pack(std::string& out, const Root& root) const {
    put(out, root.number.value);
    append_short(out, root.session);
    put(out, root.origin);
    append_short(out, root.user);
    put(out, std::uint64_t{root.is_by_session});
    put(out, root.count);
    put(out, root.open_children);
    put(out, root.ends_at);
    put(out, root.tokens);
    put(out, root.cost);
    put_purse(out, root.purse);
    put_purse(out, root.cost_purse);
    put(out, root.errands.size());
    for (const auto& errand : root.errands) {
        put(out, errand.origin);
        put(out, errand.target);
        append_short(out, errand.objective_hash);
    }
}

Root RootCodec::unpack(ByteReader& in, Texts texts) const {
    Root root;
    root.number.value = in.varint();
    root.session = take_text(in, texts);
    root.origin = take_agent(in);
    root.user = take_text(in, texts);
    root.is_by_session = in.varint() != 0;
    root.count = take_small(in);
    root.open_children = take_small(in);
    root.ends_at = take_any_time(in);
    root.tokens = in.varint();
    root.cost = in.varint();
    root.purse = take_purse(in);
    root.cost_purse = take_purse(in);
    const auto errands = take_count(in);
    for (std::uint64_t i = 0; i < errands && in.ok(); ++i) {
        root.errands.insert(root.errands.end(), take_errand(in, texts));
    }
    return root;
}

bool RootCodec::is_small(const Root& root) const { return root.errands.size() <= kErrandsSmall; }
// NOLINTEND(readability-convert-member-functions-to-static)

}  // namespace parlance::core::governor
