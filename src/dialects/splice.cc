#include "dialects/splice.h"

#include <algorithm>

#include "base/check.h"
#include "base/json_outline_writer.h"
#include "dialects/fields.h"

namespace parlance::dialects {

void Splice::set(json::Value object, const std::vector<NewMember>& members) {
    outline_ = object.outline;
    is_outlined_ = is_outlined_ && outline_ != nullptr &&
                   outline_->rows[object.row].is_closed == 0 && outline_->begin == text_.data();
    Edit added{.at = offset_of(object.raw) + 1, .row = object.row};
    added.members.reserve(members.size());
    added.inserted.reserve(kUsualBytes);
    std::uint64_t looks = 0;
    for (const NewMember& member : members) looks |= look_of(member.key);
    bool is_bare = true;
    std::vector<std::string_view> replaced;
    for (json::Members olds{object}; olds.next(); is_bare = false) {
        if ((looks & look_of(olds.key)) == 0) continue;
        const auto member = std::ranges::find(members, olds.key, &NewMember::key);
        if (member == members.end()) continue;
        CHECK(olds.value.is_null());  // Values in a message are never overwritten.
        edits_.push_back({.at = offset_of(olds.value.raw),
                          .removed = olds.value.raw.size(),
                          .inserted = member->json,
                          .row = olds.value.row});
        replaced.push_back(member->key);
    }
    for (const NewMember& member : members) {
        if (std::ranges::find(replaced, member.key) != replaced.end()) continue;
        if (!added.inserted.empty()) added.inserted.push_back(',');
        added.members.push_back({.key = added.inserted.size() + 1, .key_size = member.key.size()});
        json::append_quoted(added.inserted, member.key);
        added.inserted.push_back(':');
        added.members.back().value = added.inserted.size();
        added.inserted.append(member.json);
        added.members.back().value_end = added.inserted.size();
    }
    if (added.inserted.empty()) return;
    if (!is_bare) added.inserted.push_back(',');
    edits_.push_back(std::move(added));
}

std::string Splice::done() {
    std::ranges::sort(edits_, {}, &Edit::at);
    std::size_t size = text_.size();
    for (const Edit& edit : edits_) size += edit.inserted.size();
    std::string out;
    out.reserve(size);
    std::size_t copied = 0;
    for (const Edit& edit : edits_) {
        out.append(text_.substr(copied, edit.at - copied)).append(edit.inserted);
        copied = edit.at + edit.removed;
    }
    out.append(text_.substr(copied));
    return out;
}

void Splice::done(std::string& out, json::Outline& outline) {
    out = done();
    outline.count = 0;
    if (edits_.empty() || !is_outlined_) return;
    // New rows follow their object's row, so all later rows move by their number.
    const auto place_now = [&](std::uint32_t place) {
        std::size_t now = place;
        for (const Edit& edit : edits_) {
            if (edit.at < place) now += edit.inserted.size() - edit.removed;
        }
        return static_cast<std::uint32_t>(now);
    };
    const auto row_now = [&](std::uint32_t row) {
        std::size_t now = row;
        for (const Edit& edit : edits_) {
            if (edit.row < row) now += edit.members.size();
        }
        return static_cast<std::uint32_t>(now);
    };
    outline.begin = out.data();
    outline.depth = outline_->depth;
    outline.room = row_now(static_cast<std::uint32_t>(outline_->count));
    outline.rows = std::make_unique_for_overwrite<json::Outline::Row[]>(outline.room);
    for (std::uint32_t i = 0; i < outline_->count; ++i) {
        json::Outline::Row& row = outline.rows[outline.count++];
        row = outline_->rows[i];
        row.begin = place_now(row.begin);
        row.end = place_now(row.end);
        row.key = place_now(row.key);
        row.next = row_now(row.next);
        for (const Edit& edit : edits_) {
            if (edit.row == i) outline_edit(edit, row, outline);
        }
    }
}

void Splice::outline_edit(const Edit& edit, json::Outline::Row& row, json::Outline& outline) {
    if (edit.removed != 0) {
        const json::Outline::Row put = json::closed_row(edit.inserted);
        row.has_escapes = put.has_escapes;
        row.is_closed = put.is_closed;
        return;
    }
    const std::size_t begin = row.begin + 1;  // Right behind the bracket.
    for (const Edit::Member& member : edit.members) {
        const std::string_view value =
            std::string_view{edit.inserted}.substr(member.value, member.value_end - member.value);
        json::Outline::Row added = json::closed_row(value);
        added.begin = static_cast<std::uint32_t>(begin + member.value);
        added.end = static_cast<std::uint32_t>(begin + member.value_end);
        added.next = static_cast<std::uint32_t>(outline.count + 1);
        added.key = static_cast<std::uint32_t>(begin + member.key);
        added.key_size = member.key_size & 0x1FFF'FFFFU;
        outline.rows[outline.count++] = added;
    }
}

}  // namespace parlance::dialects
