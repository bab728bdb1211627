// Sets members in JSON text and leaves every other byte as it came.
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
    /// The text with everything set.
    std::string done();

  private:
    struct Edit {
        std::size_t at;
        std::size_t removed;
        std::string inserted;
    };

    std::size_t offset_of(std::string_view part) const {
        return static_cast<std::size_t>(part.data() - text_.data());
    }

    std::string_view text_;
    std::vector<Edit> edits_;
};

}  // namespace parlance::dialects
