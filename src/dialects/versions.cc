#include "dialects/versions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json_sorted.h"
#include "base/json_write.h"
#include "dialects/fields.h"
#include "dialects/meaning.h"
#include "dialects/tables.h"

namespace parlance::dialects {

namespace {

/// An object's members, to be moved and renamed. The texts stay in the original, which may have a
/// hundred thousand members; new texts are stored in `texts`.
class Draft {
  public:
    Draft(json::Value object, Texts& texts) : texts_{texts} {
        for (json::Members members{object}; members.next();) {
            const bool stands_there = json::stands_in(object, members.key);
            members_.push_back(
                {stands_there ? members.key : texts.keep(members.key), members.value.raw});
        }
    }

    bool has(std::string_view name) { return find(name) != nullptr; }

    /// Empty if there is no such member.
    std::string_view take(std::string_view name) {
        Member* const member = find(name);
        return member == nullptr ? std::string_view{} : std::exchange(member->json, {});
    }

    /// An existing member stays: a sender of both names means the newer.
    void add(std::string_view name, std::string_view json) {
        if (!has(name)) members_.push_back({name, texts_.keep(json)});
    }

    void set(std::string_view name, std::string_view json) {
        take(name);
        members_.push_back({name, texts_.keep(json)});
    }

    std::string done() const {
        json::ObjectWriter writer;
        for (const Member& member : members_) {
            if (!member.json.empty()) writer.raw(member.name, member.json);
        }
        return writer.done();
    }

  private:
    struct Member {
        std::string_view name;
        std::string_view json;  ///< Empty once taken.
    };

    Member* find(std::string_view name) {
        const auto found = std::ranges::find_if(members_, [&](const Member& member) {
            return is_named(member.name, name) && !member.json.empty();
        });
        return found == members_.end() ? nullptr : &*found;
    }

    std::vector<Member> members_;
    Texts& texts_;
};

/// Adds a member to the object of this name. A value of another kind is left for its rule to
/// refuse.
void add_inside(Draft& message, const Change& change, std::string_view json, Texts& texts) {
    std::string_view around = message.take(change.object);
    if (around.empty()) around = "{}";
    if (!json::root(around).is_object()) return message.set(change.object, around);
    Draft inside{json::root(around), texts};
    inside.add(change.is, json);
    message.set(change.object, inside.done());
}

void apply(const Change& change, Draft& message, Texts& texts) {
    if (!change.mark.empty() && !message.has(change.mark)) return;
    const std::string_view value = change.was.empty() ? change.value : message.take(change.was);
    if (value.empty()) return;
    if (change.object.empty()) return message.add(change.is, value);
    add_inside(message, change, value, texts);
}

Rejection unsupported(const Versions& versions, json::Value said) {
    std::vector<std::string_view> read;
    for (const VersionRow& row : versions.rows) read.push_back(row.version);
    return {.refusal = Refusal::ProtocolVersionUnsupported,
            .problems = {{.pointer = fmt::format("/{}", versions.field),
                          .value = shortened(said.raw),
                          .rule = fmt::format("must be a version that is read: {}", listed(read)),
                          .section = std::string{versions.section}}}};
}

}  // namespace

Reading<std::string> made_current(const Versions& versions,
                                  std::string_view text,
                                  json::Value value) {
    const auto said = json::find(value, versions.field);
    if (!said || said->is_null()) return std::string{};
    std::string spare;
    const std::string_view version = short_text(*said, spare);
    const auto row = std::ranges::find(versions.rows, version, &VersionRow::version);
    if (row == versions.rows.end()) return tl::unexpected(unsupported(versions, *said));
    if (row == versions.rows.begin()) return std::string{};
    Texts texts;
    Draft message{value, texts};
    for (auto older = row;; --older) {
        for (const Change& change : older->changes) apply(change, message, texts);
        if (older == versions.rows.begin()) break;
    }
    message.set(versions.field, fmt::format("\"{}\"", versions.rows.front().version));
    std::string made = message.done();
    json::Outline outline;
    if (auto problem = outgrown(text, made, outline)) return tl::unexpected(*std::move(problem));
    return made;
}

}  // namespace parlance::dialects
