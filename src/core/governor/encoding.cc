// Delegations and roots as bytes, and back: packed in the cold store, and in a snapshot.
#include <charconv>

#include "core/cold/sparse_record.h"
#include "core/governor/lineage.h"

namespace parlance::core::governor {

namespace {

/// Larger delegations and roots stay loaded: every look at a packed one reads all of it.
constexpr std::size_t kDelegationKeysSmall = 32;
constexpr std::size_t kToolsSmall = 32;

AgentHandle take_agent(ByteReader& in) {
    return static_cast<AgentHandle>(take_number(in, UINT32_MAX));
}

std::uint32_t take_small(ByteReader& in) {
    return static_cast<std::uint32_t>(take_number(in, UINT32_MAX));
}

/// As written before form 7: "3 7 9f86d0…".
DelegationKey parse_key(ByteReader& in) {
    const auto text = take_text(in);
    DelegationKey key;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (auto* agent : {&key.origin, &key.target}) {
        const auto read = std::from_chars(at, end, *agent);
        const bool is_sound = read.ec == std::errc{} && read.ptr != end && *read.ptr == ' ';
        expect(in, is_sound);
        if (!is_sound) return {};
        at = read.ptr + 1;
    }
    key.objective_hash.assign(at, end);
    return key;
}

DelegationKey take_key(ByteReader& in, RecordEncoding encoding) {
    if (encoding == RecordEncoding::Plain) return parse_key(in);
    DelegationKey key;
    key.origin = take_agent(in);
    key.target = take_agent(in);
    key.objective_hash = take_short(in);
    return key;
}

void take_keys(ByteReader& in, Root& root, RecordEncoding encoding) {
    const auto delegation_keys = take_count(in);
    for (std::uint64_t i = 0; i < delegation_keys && in.ok(); ++i) {
        root.delegation_keys.insert(root.delegation_keys.end(), take_key(in, encoding));
    }
}

/// The fields that repeat for all requests of a plan or an agent: kept once as a common prefix.
void put_prefix(std::string& out, const Delegation& each) {
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

void take_prefix(ByteReader& in, Delegation& each) {
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
bool has_delegation_keys(Fields& fields, SomeRoot& root) {
    fields.text(root.session);
    fields.number(root.origin);
    fields.text(root.user);
    fields.flag(root.is_by_session);
    fields.number(root.count);
    fields.number(root.open_children);
    fields.near(root.ends_at, Time{});
    fields.number(root.tokens);
    fields.number(root.cost);
    fields.number(root.budget.reserved);
    fields.number(root.budget.spent);
    fields.number(root.cost_budget.reserved);
    fields.number(root.cost_budget.spent);
    const bool has_delegation_keys = fields.other(!root.delegation_keys.empty());
    fields.number(root.open);
    return has_delegation_keys;
}

}  // namespace

void put_budget(std::string& out, const Budget& budget) {
    append_varint(out, budget.reserved);
    append_varint(out, budget.spent);
}

Budget take_budget(ByteReader& in) {
    const auto reserved = in.varint();
    return {.reserved = reserved, .spent = in.varint()};
}

// Codecs are called as objects, even without state of their own.
// NOLINTBEGIN(readability-convert-member-functions-to-static)
std::size_t DelegationCodec::pack(std::string& out, const Delegation& each) const {
    const auto begin = out.size();
    put_prefix(out, each);
    const auto prefix_bytes = out.size() - begin;
    put(out, each.admitted_at);
    SparseRecordWriter fields{out};
    fields_of(fields, each);
    return prefix_bytes;
}

Delegation DelegationCodec::unpack(Ticket request, ByteReader& in) const {
    Delegation each{.request = request};
    take_prefix(in, each);
    each.admitted_at = take_any_time(in);
    SparseRecordReader fields{in};
    fields_of(fields, each);
    return each;
}

Delegation DelegationCodec::unpack(ByteReader& in, RecordEncoding encoding) const {
    if (encoding == RecordEncoding::Sparse) return unpack(Ticket{in.varint()}, in);
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
    each.user = take_text(in, encoding);
    each.session = take_text(in, encoding);
    each.objective_hash = take_text(in, encoding);
    const auto tools = take_count(in);
    for (std::uint64_t i = 0; i < tools; ++i) each.tools.push_back(take_text(in, encoding));
    each.limits_tools = in.varint() != 0;
    each.is_open = in.varint() != 0;
    each.open_children = take_small(in);
    each.tokens = in.varint();
    each.cost = in.varint();
    each.below = take_budget(in);
    if (encoding == RecordEncoding::Plain) return each;
    each.children = take_small(in);
    each.is_granted = take_number(in, 1) != 0;
    return each;
}

bool DelegationCodec::is_small(const Delegation& each) const {
    return each.tools.size() <= kToolsSmall;
}

std::size_t RootCodec::pack(std::string& out, const Root& root) const {
    SparseRecordWriter fields{out};
    if (!has_delegation_keys(fields, root)) return 0;
    put(out, root.delegation_keys.size());
    for (const auto& key : root.delegation_keys) {
        put(out, key.origin);
        put(out, key.target);
        append_short(out, key.objective_hash);
    }
    return 0;
}

Root RootCodec::unpack(Ticket number, ByteReader& in) const {
    Root root{.number = number};
    SparseRecordReader fields{in};
    if (has_delegation_keys(fields, root)) take_keys(in, root, RecordEncoding::Sparse);
    return root;
}

Root RootCodec::unpack(ByteReader& in, RecordEncoding encoding) const {
    if (encoding == RecordEncoding::Sparse) return unpack(Ticket{in.varint()}, in);
    Root root;
    root.number.value = in.varint();
    root.session = take_text(in, encoding);
    root.origin = take_agent(in);
    root.user = take_text(in, encoding);
    root.is_by_session = in.varint() != 0;
    root.count = take_small(in);
    root.open_children = take_small(in);
    root.ends_at = take_any_time(in);
    root.tokens = in.varint();
    root.cost = in.varint();
    root.budget = take_budget(in);
    root.cost_budget = take_budget(in);
    take_keys(in, root, encoding);
    return root;
}

bool RootCodec::is_small(const Root& root) const {
    return root.delegation_keys.size() <= kDelegationKeysSmall;
}
// NOLINTEND(readability-convert-member-functions-to-static)

}  // namespace parlance::core::governor
