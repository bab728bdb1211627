#include "dialects/extension.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/iso_time.h"
#include "base/json_write.h"
#include "dialects/same.h"

namespace parlance::dialects {

namespace {

std::string pointer_to(std::string_view parent, std::string_view key) {
    std::string pointer{parent};
    pointer += '/';
    for (const char c : key) {
        if (c == '~' || c == '/') {
            pointer += c == '~' ? "~0" : "~1";
        } else {
            pointer += c;
        }
    }
    return pointer;
}

/// The last name of a pointer.
std::string name_in(std::string_view pointer) {
    const std::string_view escaped = pointer.substr(pointer.rfind('/') + 1);
    std::string name;
    for (std::size_t i = 0; i < escaped.size(); ++i) {
        const bool is_escape = escaped[i] == '~' && i + 1 < escaped.size();
        if (is_escape) ++i;
        name += is_escape ? (escaped[i] == '0' ? '~' : '/') : escaped[i];
    }
    return name;
}

void find_differences(json::Value made,
                      json::Value original,
                      std::string_view parent,
                      std::vector<Keep>& keeps) {
    const SortedMembers mades{made};
    const SortedMembers originals{original};
    auto one = mades.all().begin();
    auto other = originals.all().begin();
    while (one != mades.all().end() || other != originals.all().end()) {
        const bool has_both = one != mades.all().end() && other != originals.all().end();
        if (has_both && one->key == other->key) {
            if (one->value.is_object() && other->value.is_object()) {
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

class Restoring {
  public:
    explicit Restoring(std::vector<Keep> keeps) : keeps_{std::move(keeps)} {
        std::ranges::sort(keeps_, {}, &Keep::at);
        is_done_.resize(keeps_.size());
    }

    std::string object(json::Value object, const std::string& pointer) {
        std::string out = "{";
        const auto write = [&](std::string_view key, std::string_view value) {
            if (out.size() > 1) out += ',';
            json::append_quoted(out, key);
            out += ':';
            out += value;
        };
        const std::string below = pointer + '/';
        const auto first = std::ranges::lower_bound(keeps_, below, {}, &Keep::at);
        for (json::Members members{object}; members.next();) {
            const std::string at = pointer_to(pointer, members.key);
            const auto keep = std::ranges::lower_bound(keeps_, at, {}, &Keep::at);
            if (keep != keeps_.end() && keep->at == at) {
                is_done_[static_cast<std::size_t>(keep - keeps_.begin())] = true;
                const bool still_holds =
                    !keep->was.raw.empty() && is_same(members.value, keep->was);
                const std::string_view value = still_holds ? keep->value.raw : members.value.raw;
                if (!value.empty()) write(members.key, value);
            } else if (members.value.is_object() && has_keeps_below(at)) {
                write(members.key, this->object(members.value, at));
            } else {
                write(members.key, members.value.raw);
            }
        }
        for (auto keep = first; keep != keeps_.end() && keep->at.starts_with(below); ++keep) {
            const bool is_own = keep->at.find('/', below.size()) == std::string::npos;
            const bool is_done = is_done_[static_cast<std::size_t>(keep - keeps_.begin())];
            if (!is_own || is_done || !keep->was.raw.empty() || keep->value.raw.empty()) continue;
            is_done_[static_cast<std::size_t>(keep - keeps_.begin())] = true;
            write(name_in(keep->at), keep->value.raw);
        }
        return out + '}';
    }

  private:
    bool has_keeps_below(const std::string& at) const {
        const auto keep = std::ranges::lower_bound(keeps_, at + '/', {}, &Keep::at);
        return keep != keeps_.end() && keep->at.starts_with(at + '/');
    }

    std::vector<Keep> keeps_;
    std::vector<bool> is_done_;
};

std::optional<Keep> read_keep(json::Value entry) {
    if (!entry.is_object()) return {};
    Keep keep;
    std::string spare;
    for (json::Members members{entry}; members.next();) {
        if (members.key == "at" && members.value.is_string()) keep.at = members.value.text(spare);
        if (members.key == "value") keep.value = members.value;
        if (members.key == "was") keep.was = members.value;
    }
    if (!keep.at.starts_with('/')) return {};
    return keep;
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
    for (json::Elements elements{*keeps}; elements.next();) {
        auto keep = read_keep(elements.value);
        if (!keep) return {};
        extension.keeps.push_back(*std::move(keep));
    }
    return extension;
}

std::string write_extension(const Extension& extension, const DialectRow& origin) {
    std::string keeps = "[";
    for (const Keep& keep : extension.keeps) {
        if (keeps.size() > 1) keeps += ',';
        json::ObjectWriter entry;
        entry.text("at", keep.at);
        if (!keep.value.raw.empty()) entry.raw("value", keep.value.raw);
        if (!keep.was.raw.empty()) entry.raw("was", keep.was.raw);
        keeps += entry.done();
    }
    return json::ObjectWriter{}
        .text("dialect", origin.name)
        .text("form", extension.form->name)
        .text("at", print_iso_time(extension.at))
        .text("digest", fmt::format("{:016x}", extension.digest))
        .raw("keeps", keeps + ']')
        .done();
}

std::vector<Keep> differences(json::Value made, json::Value original) {
    std::vector<Keep> keeps;
    if (made.raw != original.raw) find_differences(made, original, "", keeps);
    return keeps;
}

std::string with_differences(json::Value made, std::vector<Keep> keeps) {
    return Restoring{std::move(keeps)}.object(made, "");
}

std::string without_member(json::Value object, std::string_view name) {
    json::ObjectWriter writer;
    for (json::Members members{object}; members.next();) {
        if (members.key != name) writer.raw(members.key, members.value.raw);
    }
    return writer.done();
}

}  // namespace parlance::dialects
