#include "dialects/splice.h"

#include <algorithm>

#include "base/check.h"

namespace parlance::dialects {

void Splice::set(json::Value object, const std::vector<NewMember>& members) {
    std::string added;
    for (const NewMember& member : members) {
        if (const auto old = json::find(object, member.key)) {
            CHECK(old->is_null());  // What somebody wrote is never overwritten.
            edits_.push_back({offset_of(old->raw), old->raw.size(), member.json});
            continue;
        }
        if (!added.empty()) added.push_back(',');
        json::append_quoted(added, member.key);
        added += ':' + member.json;
    }
    if (added.empty()) return;
    if (json::Members{object}.next()) added.push_back(',');
    edits_.push_back({offset_of(object.raw) + 1, 0, std::move(added)});
}

std::string Splice::done() {
    std::ranges::sort(edits_, {}, &Edit::at);
    std::string out;
    std::size_t copied = 0;
    for (const Edit& edit : edits_) {
        out.append(text_.substr(copied, edit.at - copied)).append(edit.inserted);
        copied = edit.at + edit.removed;
    }
    return out.append(text_.substr(copied));
}

}  // namespace parlance::dialects
