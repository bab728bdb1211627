#include "dialects/extension.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <utility>

#include "base/iso_time.h"
#include "base/json_sorted.h"
#include "base/json_write.h"
#include "dialects/same.h"

namespace parlance::dialects {

namespace {

/// A pointer's step as the member's name; nothing if its escapes are invalid.
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

/// Differences behind longer pointers are kept with their containers: each keep repeats its
/// pointer, and a hostile message has many differences behind long names.
constexpr std::size_t kPointerBytesMax = 512;

/// The members of a small object, in their order.
struct FewMembers {
    static constexpr std::size_t kMax = 24;
    std::array<json::SortedMembers::Member, kMax> all;
    std::size_t count = 0;

    /// False for a larger object, or a name with escapes, which would need storage.
    bool read(json::Value object) {
        for (json::Members members{object}; members.next();) {
            if (count == kMax || !json::stands_in(object, members.key)) return false;
            all[count++] = {members.key, members.value};
        }
        return true;
    }
};

bool has_few(json::Value object) {
    std::size_t count = 0;
    json::Members members{object};
    while (count <= FewMembers::kMax && members.next()) ++count;
    return count <= FewMembers::kMax;
}

/// Compares objects, member by member.
class Comparison {
  public:
    Comparison(Texts& texts, std::size_t pointer_bytes_max)
        : texts_{texts}, pointer_bytes_max_{pointer_bytes_max} {}

    void objects(json::Value made, json::Value original) {
        FewMembers few;
        if (has_few(original) && few.read(made)) {
            each_in(few, original);
        } else {
            in_order(made, original);
        }
    }

    std::vector<Keep> keeps;

  private:
    /// Searching a few members is faster than sorting them all: only the differences are sorted.
    void each_in(const FewMembers& mades, json::Value original) {
        static_assert(FewMembers::kMax <= 32);
        const std::size_t first = keeps.size();
        Begins begins;
        std::uint32_t met = 0;
        std::size_t next = 0;
        for (json::Members others{original}; others.next();) {
            begins.add(keeps.size());
            std::size_t tried = 0;
            while (tried < mades.count && !is_named(others.key, mades.all[next].key)) {
                ++tried;
                next = next + 1 < mades.count ? next + 1 : 0;
            }
            if (tried == mades.count) {
                keep(others.key, others.value, {});
            } else {
                values(others.key, mades.all[next].value, others.value);
                met |= 1U << next;
            }
        }
        for (std::size_t i = 0; i < mades.count; ++i) {
            begins.add(keeps.size());
            if ((met >> i & 1U) == 0) keep(mades.all[i].key, {}, mades.all[i].value);
        }
        begins.add(keeps.size());
        sort(first, begins);
    }

    /// Where the keeps of each member begin, without duplicates.
    struct Begins {
        static constexpr std::size_t kMax = 2 * FewMembers::kMax + 1;
        std::array<std::size_t, kMax> all{};
        std::size_t count = 0;
        void add(std::size_t place) {
            if (count == 0 || all[count - 1] != place) all[count++] = place;
        }
    };

    /// Sorts the keeps of one object, those from `first` on: each member's keeps stay together.
    void sort(std::size_t first, const Begins& begins) {
        const auto is_first = [&](std::size_t one, std::size_t other) {
            const std::size_t here = pointer_.size();
            return is_before(keeps[one].at.substr(here), keeps[other].at.substr(here));
        };
        const auto groups = std::span{begins.all}.first(begins.count - 1);
        if (std::ranges::is_sorted(groups, is_first)) return;
        std::array<std::size_t, Begins::kMax> order{};
        const auto places = std::span{order}.first(groups.size());
        std::iota(places.begin(), places.end(), std::size_t{0});
        std::ranges::sort(places, [&](std::size_t one, std::size_t other) {
            return is_first(groups[one], groups[other]);
        });
        std::vector<Keep> sorted;
        sorted.reserve(keeps.size() - first);
        for (const std::size_t place : places) {
            const auto at = keeps.begin();
            sorted.insert(sorted.end(),
                          at + static_cast<std::ptrdiff_t>(begins.all[place]),
                          at + static_cast<std::ptrdiff_t>(begins.all[place + 1]));
        }
        std::ranges::copy(sorted, keeps.begin() + static_cast<std::ptrdiff_t>(first));
    }

    void in_order(json::Value made, json::Value original) {
        const json::SortedMembers mades{made};
        const json::SortedMembers originals{original};
        auto one = mades.all().begin();
        auto other = originals.all().begin();
        while (one != mades.all().end() && other != originals.all().end()) {
            const auto order = one->key <=> other->key;
            if (order == 0) {
                values(one->key, one->value, other->value);
            } else if (order < 0) {
                keep(one->key, {}, one->value);
            } else {
                keep(other->key, other->value, {});
            }
            if (order <= 0) ++one;
            if (order >= 0) ++other;
        }
        for (; one != mades.all().end(); ++one) keep(one->key, {}, one->value);
        for (; other != originals.all().end(); ++other) keep(other->key, other->value, {});
    }

    void values(std::string_view key, json::Value made, json::Value original) {
        if (made.raw == original.raw) return;
        const bool is_near = pointer_.size() + key.size() <= pointer_bytes_max_;
        if (is_near && made.is_object() && original.is_object()) {
            const std::size_t size = pointer_.size();
            json::append_step(pointer_, key);
            objects(made, original);
            pointer_.resize(size);
        } else if (!is_same(made, original)) {
            keep(key, original, made);
        }
    }

    void keep(std::string_view key, json::Value value, json::Value was) {
        const std::size_t size = pointer_.size();
        json::append_step(pointer_, key);
        keeps.push_back({texts_.keep(pointer_), value, was});
        pointer_.resize(size);
    }

    Texts& texts_;
    std::size_t pointer_bytes_max_;
    std::string pointer_;  ///< Of the compared objects.
};

/// The keeps of one member of an object: the member's own, if there is one, precedes those inside.
struct Group {
    std::string_view step;  ///< The member's name, escaped as in pointers.
    std::span<const Keep> keeps;
    const Keep* own = nullptr;
};

/// The keeps of an object by member. `here` is the length of the object's own pointer.
std::vector<Group> groups_of(std::span<const Keep> keeps, std::size_t here) {
    const auto step_of = [here](const Keep& keep) {
        const std::string_view rest = keep.at.substr(here + 1);
        return rest.substr(0, rest.find('/'));
    };
    std::vector<Group> groups;
    for (std::size_t begin = 0; begin < keeps.size();) {
        const std::string_view step = step_of(keeps[begin]);
        std::size_t end = begin + 1;
        while (end < keeps.size() && step_of(keeps[end]) == step) ++end;
        const bool has_own = keeps[begin].at.size() == here + 1 + step.size();
        groups.push_back(
            {step, keeps.subspan(begin, end - begin), has_own ? &keeps[begin] : nullptr});
        begin = end;
    }
    return groups;
}

Group* group_of(std::vector<Group>& groups, std::string_view key) {
    std::string step;
    const bool has_escapes = std::ranges::any_of(key, [](char c) { return c == '~' || c == '/'; });
    if (has_escapes) {
        json::append_step(step, key);
        key = std::string_view{step}.substr(1);
    }
    const auto group = std::ranges::lower_bound(groups, key, {}, &Group::step);
    return group != groups.end() && group->step == key ? &*group : nullptr;
}

/// The kept list with the elements that an agent appended to the translated list; nothing if the
/// agent changed more.
std::optional<std::string> with_appended(json::Value made, const Keep& keep) {
    if (!made.is_array() || !keep.was.is_array() || !keep.value.is_array()) return {};
    json::Elements added{made};
    for (json::Elements before{keep.was}; before.next();) {
        if (!added.next() || !is_same(added.value, before.value)) return {};
    }
    std::string list = "[";
    const auto append = [&](json::Value element) {
        if (list.size() > 1) list += ',';
        list += element.raw;
    };
    for (json::Elements kept{keep.value}; kept.next();) append(kept.value);
    while (added.next()) append(added.value);
    return list += ']';
}

void append_restored(std::string& out,
                     json::Value object,
                     std::span<const Keep> keeps,
                     std::size_t here) {
    std::vector<Group> groups = groups_of(keeps, here);
    const std::size_t start = out.size();
    out += '{';
    const auto begin = [&](std::string_view key) {
        if (out.size() > start + 1) out += ',';
        json::append_quoted(out, key);
        out += ':';
    };
    for (json::Members members{object}; members.next();) {
        Group* const group = group_of(groups, members.key);
        if (group == nullptr) {
            begin(members.key);
            out += members.value.raw;
        } else if (const Keep* keep = std::exchange(group->own, nullptr)) {
            const bool still_holds = !keep->was.raw.empty() && is_same(members.value, keep->was);
            const auto longer = still_holds ? std::nullopt : with_appended(members.value, *keep);
            std::string_view value = longer ? std::string_view{*longer} : members.value.raw;
            if (still_holds) value = keep->value.raw;
            if (value.empty()) continue;
            begin(members.key);
            out += value;
        } else {
            begin(members.key);
            if (members.value.is_object()) {
                append_restored(out, members.value, group->keeps, here + 1 + group->step.size());
            } else {
                out += members.value.raw;
            }
        }
    }
    for (const Group& group : groups) {
        // Keeps applied above have lost `own`; a member in `was` that is now absent was removed by
        // an agent.
        const bool is_added = group.own != nullptr && group.own->was.raw.empty();
        if (!is_added || group.own->value.raw.empty()) continue;
        begin(unescaped(group.step).value());
        out += group.own->value.raw;
    }
    out += '}';
}

/// True if every step can name a member of a message.
bool is_pointer(std::string_view text) {
    if (!text.starts_with('/')) return false;
    if (std::ranges::count(text, '/') > static_cast<std::ptrdiff_t>(json::kDepthMax)) return false;
    // Each '~' belongs to "~0" or "~1".
    for (auto at = text.find('~'); at != std::string_view::npos; at = text.find('~', at + 1)) {
        const std::string_view escape = text.substr(at, 2);
        if (escape != "~0" && escape != "~1") return false;
    }
    return true;
}

/// The text of a string, located in the message or stored in `texts`.
std::string_view text_of(json::Value string, Texts& texts) {
    std::string spare;
    const std::string_view text = string.text(spare);
    return text.data() == spare.data() ? texts.keep(text) : text;
}

std::optional<Keep> read_keep(json::Value entry, Texts& texts) {
    if (!entry.is_object()) return {};
    Keep keep;
    for (json::Members members{entry}; members.next();) {
        if (members.key == "at" && members.value.is_string()) {
            keep.at = text_of(members.value, texts);
        }
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

bool is_before(std::string_view pointer, std::string_view other) {
    const auto [left, right] = std::ranges::mismatch(pointer, other);
    if (left == pointer.end() || right == other.end()) return right != other.end();
    if (*left == '/' || *right == '/') return *left == '/';
    return static_cast<unsigned char>(*left) < static_cast<unsigned char>(*right);
}

std::optional<Extension> read_extension(json::Value message,
                                        const DialectRow& origin,
                                        Texts& texts) {
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
        const auto keep = read_keep(elements.value, texts);
        if (!keep) return {};
        extension.keeps.push_back(*keep);
    }
    // The hub writes keeps sorted.
    if (!std::ranges::is_sorted(extension.keeps, is_before, &Keep::at)) {
        std::ranges::sort(extension.keeps, is_before, &Keep::at);
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

std::vector<Keep> differences(json::Value made, json::Value original, Texts& texts) {
    Comparison comparison{texts, kPointerBytesMax};
    if (made.raw != original.raw) comparison.objects(made, original);
    return std::move(comparison.keeps);
}

std::vector<Keep> coarse_differences(json::Value made, json::Value original, Texts& texts) {
    Comparison comparison{texts, 0};
    comparison.objects(made, original);
    return std::move(comparison.keeps);
}

std::string with_differences(json::Value made, std::span<const Keep> keeps) {
    std::string out;
    out.reserve(2 * made.raw.size());
    append_restored(out, made, keeps, 0);
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
