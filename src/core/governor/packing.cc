// Delegations and roots as bytes, and back: packed in the cold store, and in a snapshot.
#include <charconv>

#include "core/governor/lineage.h"
#include "core/sparse.h"

namespace parlance::core::governor {

namespace {

/// Larger delegations and roots stay loaded: every look at a packed one reads all of it.
constexpr std::size_t kErrandsSmall = 32;
constexpr std::size_t kToolsSmall = 32;

AgentHandle take_agent(ByteReader& in) {
    return static_cast<AgentHandle>(take_number(in, UINT32_MAX));
}

std::uint32_t take_small(ByteReader& in) {
    return static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
}

/// As written before form 7: "3 7 9f86d0…".
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

GivenErrand take_errand(ByteReader& in, Packing packing) {
    if (packing == Packing::Plain) return parse_errand(in);
    GivenErrand errand;
    errand.origin = take_agent(in);
    errand.target = take_agent(in);
    errand.objective_hash = take_short(in);
    return errand;
}

void take_errands(ByteReader& in, Root& root, Packing packing) {
    const auto errands = take_count(in);
    for (std::uint64_t i = 0; i < errands && in.ok(); ++i) {
        root.errands.insert(root.errands.end(), take_errand(in, packing));
    }
}

/// The fields that repeat for all requests of a plan or an agent: kept once as a common head.
void put_errand(std::string& out, const Delegation& each) {
    append_short(out, each.objective_hash);
    put(out, each.origin);
    put(out, each.target);
    put(out, each.depth);
    put(out, each.depth_max);
    put(out, each.tokens);
    put(out, each.cost);
    put(out, each.tools.size() << 1U | std::uint64_t{each.limits_tools});
    for (const auto& tool : each.tools) append_short(out, tool);
}

void take_errand(ByteReader& in, Delegation& each) {
    each.objective_hash = take_short(in);
    each.origin = take_agent(in);
    each.target = take_agent(in);
    each.depth = take_small(in);
    each.depth_max = take_small(in);
    each.tokens = in.varint();
    each.cost = in.varint();
    const auto tools = in.varint();
    each.limits_tools = (tools & 1U) != 0;
    expect(in, tools >> 1U <= in.left());  // Each tool takes at least a byte.
    for (auto left = tools >> 1U; left > 0 && in.ok(); --left) each.tools.push_back(take_short(in));
}

/// The other fields of a delegation, except when it was admitted.
template <class Fields, class SomeDelegation>
void fields_of(Fields& fields, SomeDelegation& each) {
    fields.near(each.root, each.request, each.request);
    fields.near(each.parent, each.request);
    fields.near(each.deadline, each.admitted_at);
    fields.text(each.user);
    fields.text(each.session);
    fields.number(each.open_children);
    fields.number(each.children);
    fields.number(each.below.reserved);
    fields.number(each.below.spent);
    fields.flag(each.is_granted);
    fields.flag(each.is_open);
    fields.text(each.words_hash);
    fields.flag(each.is_planned);
    fields.flag(each.is_kept);
    fields.flag(each.is_tainted);
}

/// The fields of a root without its delegation keys; returns whether it has any.
template <class Fields, class SomeRoot>
bool has_errands(Fields& fields, SomeRoot& root) {
    fields.text(root.session);
    fields.number(root.origin);
    fields.text(root.user);
    fields.flag(root.is_by_session);
    fields.number(root.count);
    fields.number(root.open_children);
    fields.near(root.ends_at, Time{});
    fields.number(root.tokens);
    fields.number(root.cost);
    fields.number(root.purse.reserved);
    fields.number(root.purse.spent);
    fields.number(root.cost_purse.reserved);
    fields.number(root.cost_purse.spent);
    const bool has_errands = fields.other(!root.errands.empty());
    fields.number(root.open);
    return has_errands;
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

// Codecs are called as objects, even without state of their own.
// NOLINTBEGIN(readability-convert-member-functions-to-static)
std::size_t DelegationCodec::pack(std::string& out, const Delegation& each) const {
    const auto begin = out.size();
    put_errand(out, each);
    const auto head_bytes = out.size() - begin;
    put(out, each.admitted_at);
    SparseWriter fields{out};
    fields_of(fields, each);
    return head_bytes;
}

Delegation DelegationCodec::unpack(Ticket request, ByteReader& in) const {
    Delegation each{.request = request};
    take_errand(in, each);
    each.admitted_at = take_any_time(in);
    SparseReader fields{in};
    fields_of(fields, each);
    return each;
}

Delegation DelegationCodec::unpack(ByteReader& in, Packing packing) const {
    if (packing == Packing::Sparse) return unpack(Ticket{in.varint()}, in);
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
    each.user = take_text(in, packing);
    each.session = take_text(in, packing);
    each.objective_hash = take_text(in, packing);
    const auto tools = take_count(in);
    for (std::uint64_t i = 0; i < tools; ++i) each.tools.push_back(take_text(in, packing));
    each.limits_tools = in.varint() != 0;
    each.is_open = in.varint() != 0;
    each.open_children = take_small(in);
    each.tokens = in.varint();
    each.cost = in.varint();
    each.below = take_purse(in);
    if (packing == Packing::Plain) return each;
    each.children = take_small(in);
    each.is_granted = take_number(in, 1) != 0;
    return each;
}

bool DelegationCodec::is_small(const Delegation& each) const {
    return each.tools.size() <= kToolsSmall;
}

std::size_t RootCodec::pack(std::string& out, const Root& root) const {
    SparseWriter fields{out};
    if (!has_errands(fields, root)) return 0;
    put(out, root.errands.size());
    for (const auto& errand : root.errands) {
        put(out, errand.origin);
        put(out, errand.target);
        append_short(out, errand.objective_hash);
    }
    return 0;
}

Root RootCodec::unpack(Ticket number, ByteReader& in) const {
    Root root{.number = number};
    SparseReader fields{in};
    if (has_errands(fields, root)) take_errands(in, root, Packing::Sparse);
    return root;
}

Root RootCodec::unpack(ByteReader& in, Packing packing) const {
    if (packing == Packing::Sparse) return unpack(Ticket{in.varint()}, in);
    Root root;
    root.number.value = in.varint();
    root.session = take_text(in, packing);
    root.origin = take_agent(in);
    root.user = take_text(in, packing);
    root.is_by_session = in.varint() != 0;
    root.count = take_small(in);
    root.open_children = take_small(in);
    root.ends_at = take_any_time(in);
    root.tokens = in.varint();
    root.cost = in.varint();
    root.purse = take_purse(in);
    root.cost_purse = take_purse(in);
    take_errands(in, root, packing);
    return root;
}

bool RootCodec::is_small(const Root& root) const { return root.errands.size() <= kErrandsSmall; }
// NOLINTEND(readability-convert-member-functions-to-static)

}  // namespace parlance::core::governor
