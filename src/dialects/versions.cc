#include "dialects/versions.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/json_write.h"
#include "dialects/fields.h"
#include "dialects/tables.h"

namespace parlance::dialects {

namespace {

/// The members of an object, to be moved and renamed.
class Draft {
  public:
    explicit Draft(json::Value object) {
        for (json::Members members{object}; members.next();) {
            members_.push_back({std::string{members.key}, std::string{members.value.raw}});
        }
    }

    bool has(std::string_view name) const {
        return std::ranges::find(members_, name, &Member::name) != members_.end();
    }

    std::optional<std::string> take(std::string_view name) {
        const auto found = std::ranges::find(members_, name, &Member::name);
        if (found == members_.end()) return {};
        std::string value = std::move(found->json);
        members_.erase(found);
        return value;
    }

    /// What is there already stays: whoever wrote both names meant the newer one.
    void add(std::string_view name, std::string_view json) {
        if (!has(name)) members_.push_back({std::string{name}, std::string{json}});
    }

    void set(std::string_view name, std::string_view json) {
        take(name);
        members_.push_back({std::string{name}, std::string{json}});
    }

    std::string done() const {
        json::ObjectWriter writer;
        for (const Member& member : members_) writer.raw(member.name, member.json);
        return writer.done();
    }

  private:
    struct Member {
        std::string name;
        std::string json;
    };
    std::vector<Member> members_;
};

/// The object of this name with one more member. What is no object is left for its rule to refuse.
void add_inside(Draft& message, const Change& change, std::string_view json) {
    const std::string around = message.take(change.object).value_or("{}");
    if (!json::root(around).is_object()) return message.set(change.object, around);
    Draft inside{json::root(around)};
    inside.add(change.is, json);
    message.set(change.object, inside.done());
}

void apply(const Change& change, Draft& message) {
    if (!change.mark.empty() && !message.has(change.mark)) return;
    std::optional<std::string> value;
    if (change.was.empty()) {
        value = std::string{change.value};
    } else {
        value = message.take(change.was);
    }
    if (!value) return;
    if (change.object.empty()) return message.add(change.is, *value);
    add_inside(message, change, *value);
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
    Draft message{value};
    for (auto older = row;; --older) {
        for (const Change& change : older->changes) apply(change, message);
        if (older == versions.rows.begin()) break;
    }
    message.set(versions.field, fmt::format("\"{}\"", versions.rows.front().version));
    std::string made = message.done();
    json::Outline outline;
    if (auto problem = outgrown(text, made, outline)) return tl::unexpected(*std::move(problem));
    return made;
}

}  // namespace parlance::dialects
