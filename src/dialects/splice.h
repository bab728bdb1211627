// Sets members in JSON text and keeps every other byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace parlance::dialects {

/// A member to set: its name, and its value as JSON.
struct NewMember {
    std::string_view key;
    std::string json;
};

class Splice {
  public:
    explicit Splice(std::string_view text) : text_{text} {}

    /// For members that `object`, a part of the text, lacks or has as null. Once per object.
    void set(json::Value object, const std::vector<NewMember>& members);
    bool is_empty() const { return edits_.empty(); }
    /// The text with all members set.
    std::string done();
    /// The same, with an outline if the text has one. The new values are closed in the outline.
    void done(std::string& out, json::Outline& outline);

  private:
    static constexpr std::size_t kUsualBytes = 128;

    struct Edit {
        /// Position of a new member within `inserted`.
        struct Member {
            std::size_t key;
            std::size_t key_size;
            std::size_t value = 0;
            std::size_t value_end = 0;
        };
        std::size_t at;
        std::size_t removed = 0;
        std::string inserted{};
        std::uint32_t row;  ///< Of the replaced value, or of the extended object.
        std::vector<Member> members{};
    };

    static void outline_edit(const Edit& edit, json::Outline::Row& row, json::Outline& outline);

    std::size_t offset_of(std::string_view part) const {
        return static_cast<std::size_t>(part.data() - text_.data());
    }

    std::string_view text_;
    std::vector<Edit> edits_;
    const json::Outline* outline_ = nullptr;
    bool is_outlined_ = true;  ///< Every extended object has an outline.
};

}  // namespace parlance::dialects
