#include "base/json_merge.h"

#include <map>

namespace parlance::json {

namespace {

void append_member(std::string& out, std::string_view key, std::string_view value) {
    if (out.size() > 1) out.push_back(',');
    append_quoted(out, key);
    out.push_back(':');
    out.append(value);
}

}  // namespace

std::string merged(std::optional<Value> target, Value patch) {
    if (!patch.is_object()) return std::string{patch.raw};
    std::map<std::string, Value, std::less<>> changes;
    for (Members members{patch}; members.next();) changes.emplace(members.key, members.value);
    std::string out = "{";
    if (target && target->is_object()) {
        for (Members members{*target}; members.next();) {
            const auto change = changes.find(members.key);
            if (change == changes.end()) {
                append_member(out, members.key, members.value.raw);
                continue;
            }
            if (!change->second.is_null()) {
                append_member(out, members.key, merged(members.value, change->second));
            }
            changes.erase(change);
        }
    }
    for (Members members{patch}; members.next();) {
        if (members.value.is_null() || !changes.contains(members.key)) continue;
        append_member(out, members.key, merged(std::nullopt, members.value));
    }
    return out + "}";
}

}  // namespace parlance::json
