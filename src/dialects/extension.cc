#include "dialects/extension.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "base/iso_time.h"
#include "base/json_sorted.h"
#include "base/json_write.h"
#include "dialects/same.h"

namespace parlance::dialects {

namespace {

std::string pointer_to(std::string_view parent, std::string_view key) {
    std::string pointer{parent};
    json::append_step(pointer, key);
    return pointer;
}

/// One step of a pointer as it is named in an object; nothing if its escapes are not in order.
std::optional<std::string> unescaped(std::string_view step) {
    if (step.find('~') == std::string_view::npos) return std::string{step};
    std::string name;
    name.reserve(step.size());
    for (std::size_t i = 0; i < step.size(); ++i) {
        if (step[i] != '~') {
            name += step[i];
            continue;
        }
        ++i;
        if (i == step.size() || (step[i] != '0' && step[i] != '1')) return {};
        name += step[i] == '0' ? '~' : '/';
    }
    return name;
}

/// Differences further in than this are kept with what is around them: each one repeats its
/// pointer, and a hostile message has long names with many differences behind them.
constexpr std::size_t kPointerBytesMax = 512;

void find_differences(json::Value made,
                      json::Value original,
                      std::string_view parent,
                      std::vector<Keep>& keeps) {
    const json::SortedMembers mades{made};
    const json::SortedMembers originals{original};
    auto one = mades.all().begin();
    auto other = originals.all().begin();
    while (one != mades.all().end() || other != originals.all().end()) {
        const bool has_both = one != mades.all().end() && other != originals.all().end();
        if (has_both && one->key == other->key) {
            const bool is_near = parent.size() + one->key.size() <= kPointerBytesMax;
            if (is_near && one->value.is_object() && other->value.is_object()) {
                if (one->value.raw != other->value.raw) {
                    find_differences(one->value, other->value, pointer_to(parent, one->key), keeps);
                }
            } else if (!is_same(one->value, other->value)) {
                keeps.push_back({pointer_to(parent, one->key), other->value, one->value});
            }
            ++one;
            ++other;
        } else if (other == originals.all().end() || (has_both && one->key < other->key)) {
            keeps.push_back({pointer_to(parent, one->key), {}, one->value});
            ++one;
        } else {
            keeps.push_back({pointer_to(parent, other->key), other->value, {}});
            ++other;
        }
    }
}

/// Keeps by the names of their pointers, so that an object is walked once, whatever its names are.
struct KeepTree {
    std::map<std::string, KeepTree, std::less<>> inside{};
    const Keep* keep = nullptr;
};

KeepTree tree_of(const std::vector<Keep>& keeps) {
    KeepTree tree;
    for (const Keep& keep : keeps) {
        KeepTree* place = &tree;
        std::string_view pointer = keep.at;
        while (!pointer.empty()) {
            pointer.remove_prefix(1);
            const std::string_view step = pointer.substr(0, pointer.find('/'));
            // Keeps come in order, so most of them are the last of their object.
            auto& inside = place->inside;
            place = &inside.try_emplace(inside.end(), unescaped(step).value())->second;
            pointer.remove_prefix(step.size());
        }
        place->keep = &keep;
    }
    return tree;
}

void append_restored(std::string& out, json::Value object, KeepTree& tree) {
    const std::size_t start = out.size();
    out += '{';
    const auto begin = [&](std::string_view key) {
        if (out.size() > start + 1) out += ',';
        json::append_quoted(out, key);
        out += ':';
    };
    for (json::Members members{object}; members.next();) {
        const auto found = tree.inside.find(members.key);
        if (found == tree.inside.end()) {
            begin(members.key);
            out += members.value.raw;
            continue;
        }
        KeepTree& place = found->second;
        if (const Keep* keep = std::exchange(place.keep, nullptr)) {
            const bool still_holds = !keep->was.raw.empty() && is_same(members.value, keep->was);
            const std::string_view value = still_holds ? keep->value.raw : members.value.raw;
            if (value.empty()) continue;
            begin(members.key);
            out += value;
        } else {
            begin(members.key);
            if (members.value.is_object()) {
                append_restored(out, members.value, place);
            } else {
                out += members.value.raw;
            }
        }
    }
    for (const auto& [name, place] : tree.inside) {
        // What was met above is no longer a keep; what stood there and is gone has been taken away.
        if (place.keep == nullptr || !place.keep->was.raw.empty()) continue;
        if (place.keep->value.raw.empty()) continue;
        begin(name);
        out += place.keep->value.raw;
    }
    out += '}';
}

/// Whether every step of it can name a member of a message.
bool is_pointer(std::string_view text) {
    if (!text.starts_with('/')) return false;
    std::size_t depth = 0;
    while (!text.empty()) {
        text.remove_prefix(1);
        const std::string_view step = text.substr(0, text.find('/'));
        if (++depth > json::kDepthMax || !unescaped(step)) return false;
        text.remove_prefix(step.size());
    }
    return true;
}

std::optional<Keep> read_keep(json::Value entry) {
    if (!entry.is_object()) return {};
    Keep keep;
    std::string spare;
    for (json::Members members{entry}; members.next();) {
        if (members.key == "at" && members.value.is_string()) keep.at = members.value.text(spare);
        if (members.key == "value") keep.value = members.value;
        if (members.key == "was") keep.was = members.value;
    }
    if (!is_pointer(keep.at)) return {};
    return keep;
}

/// Sixteen digits.
void append_hex(std::string& out, std::uint64_t number) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (unsigned shift = 64; shift > 0;) {
        shift -= 4;
        out += kDigits[number >> shift & 0xFU];
    }
}

std::string text_member(json::Value object, std::string_view name) {
    const auto value = json::find(object, name);
    std::string spare;
    return value ? std::string{short_text(*value, spare)} : std::string{};
}

}  // namespace

std::optional<Extension> read_extension(json::Value message, const DialectRow& origin) {
    const auto member = json::find(message, kExtensionMember);
    if (!member || !member->is_object()) return {};
    if (text_member(*member, "dialect") != origin.name) return {};
    Extension extension{.form = form_named(*origin.forms, text_member(*member, "form"))};
    const auto at = parse_iso_time(text_member(*member, "at"));
    const auto keeps = json::find(*member, "keeps");
    if (extension.form == nullptr || !at || !keeps || !keeps->is_array()) return {};
    extension.at = *at;
    const std::string digest = text_member(*member, "digest");
    std::from_chars(digest.data(), digest.data() + digest.size(), extension.digest, 16);
    std::size_t count = 0;
    for (json::Elements elements{*keeps}; elements.next();) ++count;
    extension.keeps.reserve(count);
    for (json::Elements elements{*keeps}; elements.next();) {
        auto keep = read_keep(elements.value);
        if (!keep) return {};
        extension.keeps.push_back(*std::move(keep));
    }
    // Mostly they come as they were written, in order.
    if (!std::ranges::is_sorted(extension.keeps, {}, &Keep::at)) {
        std::ranges::sort(extension.keeps, {}, &Keep::at);
    }
    const auto twice = std::ranges::adjacent_find(extension.keeps, {}, &Keep::at);
    if (twice != extension.keeps.end()) return {};
    return extension;
}

void append_extension(std::string& out, const Extension& extension, const DialectRow& origin) {
    out += R"({"dialect":")";
    out.append(origin.name).append(R"(","form":)");
    json::append_quoted(out, extension.form->name);
    out.append(R"(,"at":")").append(print_iso_time(extension.at));
    out += R"(","digest":")";
    append_hex(out, extension.digest);
    out += R"(","keeps":[)";
    for (const Keep& keep : extension.keeps) {
        out += R"({"at":)";
        json::append_quoted(out, keep.at);
        if (!keep.value.raw.empty()) out.append(R"(,"value":)").append(keep.value.raw);
        if (!keep.was.raw.empty()) out.append(R"(,"was":)").append(keep.was.raw);
        out += "},";
    }
    if (out.back() == ',') out.pop_back();
    out += "]}";
}

std::vector<Keep> differences(json::Value made, json::Value original) {
    std::vector<Keep> keeps;
    if (made.raw != original.raw) find_differences(made, original, "", keeps);
    return keeps;
}

std::string with_differences(json::Value made, const std::vector<Keep>& keeps) {
    KeepTree tree = tree_of(keeps);
    std::string out;
    append_restored(out, made, tree);
    return out;
}

std::string without_member(json::Value object, std::string_view name) {
    json::ObjectWriter writer;
    for (json::Members members{object}; members.next();) {
        if (members.key != name) writer.raw(members.key, members.value.raw);
    }
    return writer.done();
}

}  // namespace parlance::dialects
