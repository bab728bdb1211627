#include "base/json_merge.h"

#include <algorithm>
#include <vector>

#include "base/json_sorted.h"

namespace parlance::json {

namespace {

/// The members common to two objects. Only the smaller object is sorted: a small patch of a large
/// object, and a large patch of a small object, cost no more than walking the larger.
class Overlap {
  public:
    Overlap(Value target, Value patch)
        : sorts_patch_{patch.raw.size() <= target.raw.size()},
          sorted_{sorts_patch_ ? patch : target},
          others_(sorted_.all().size()) {
        for (Members members{sorts_patch_ ? target : patch}; members.next();) {
            const std::size_t place = place_of(members.key);
            if (place < others_.size()) others_[place] = members.value;
        }
    }

    /// The patch's value for a member of the target; empty if the patch has none.
    Value change_of(std::string_view key) const {
        const std::size_t place = place_of(key);
        if (place == others_.size()) return {};
        return sorts_patch_ ? sorted_.all()[place].value : others_[place];
    }

    /// Whether the target has this member of the patch.
    bool is_in_target(std::string_view key) const {
        const std::size_t place = place_of(key);
        return place < others_.size() && (!sorts_patch_ || !others_[place].raw.empty());
    }

  private:
    std::size_t place_of(std::string_view key) const {
        const auto& all = sorted_.all();
        const auto found = std::ranges::lower_bound(all, key, {}, &SortedMembers::Member::key);
        const bool is_there = found != all.end() && found->key == key;
        return is_there ? static_cast<std::size_t>(found - all.begin()) : all.size();
    }

    bool sorts_patch_;
    SortedMembers sorted_;
    std::vector<Value> others_;  ///< The same members in the other object; empty where absent.
};

void append_merged(std::string& out, const Value* target, Value patch);

/// Writes the members of an object one after the other.
class Writing {
  public:
    explicit Writing(std::string& out) : out_{out} { out_ += '{'; }
    std::string& begin(std::string_view key) {
        if (!is_first_) out_ += ',';
        is_first_ = false;
        append_quoted(out_, key);
        out_ += ':';
        return out_;
    }

  private:
    std::string& out_;
    bool is_first_ = true;
};

/// Appends every patch member as new, for a target without any of the patch's members.
void append_new(Writing& writing, Value patch) {
    for (Members members{patch}; members.next();) {
        if (members.value.is_null()) continue;
        append_merged(writing.begin(members.key), nullptr, members.value);
    }
}

void append_changed(Writing& writing, Value target, Value patch) {
    const Overlap overlap{target, patch};
    for (Members members{target}; members.next();) {
        const Value change = overlap.change_of(members.key);
        if (change.raw.empty()) {
            writing.begin(members.key) += members.value.raw;
        } else if (!change.is_null()) {
            append_merged(writing.begin(members.key), &members.value, change);
        }
    }
    for (Members members{patch}; members.next();) {
        if (members.value.is_null() || overlap.is_in_target(members.key)) continue;
        append_merged(writing.begin(members.key), nullptr, members.value);
    }
}

void append_merged(std::string& out, const Value* target, Value patch) {
    if (!patch.is_object()) {
        out += patch.raw;
        return;
    }
    Writing writing{out};
    if (target != nullptr && target->is_object()) {
        append_changed(writing, *target, patch);
    } else {
        append_new(writing, patch);
    }
    out += '}';
}

}  // namespace

std::string merged(std::optional<Value> target, Value patch) {
    std::string out;
    out.reserve(patch.raw.size() + (target ? target->raw.size() : 0));
    append_merged(out, target ? &*target : nullptr, patch);
    return out;
}

}  // namespace parlance::json
