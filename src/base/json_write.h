// Writes JSON objects member by member, straight into text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace parlance::json {

/// Prints ["one","two"].
inline std::string quoted_list(const std::vector<std::string>& texts) {
    std::string out = "[";
    for (const auto& text : texts) {
        if (out.size() > 1) out.push_back(',');
        append_quoted(out, text);
    }
    return out + "]";
}

/// ObjectWriter{}.text("id", id).integer("count", 3).done()
class ObjectWriter {
  public:
    ObjectWriter() {
        out_.reserve(kUsualBytes);
        out_ = '{';
    }
    ObjectWriter& text(std::string_view key, std::string_view value) {
        append_quoted(next(key), value);
        return *this;
    }
    /// `value` is JSON already.
    ObjectWriter& raw(std::string_view key, std::string_view value) {
        next(key).append(value);
        return *this;
    }
    ObjectWriter& integer(std::string_view key, std::int64_t value) {
        return raw(key, std::to_string(value));
    }
    ObjectWriter& boolean(std::string_view key, bool value) {
        return raw(key, value ? "true" : "false");
    }
    /// Returns the whole object. The writer cannot be used again.
    std::string done() {
        out_.push_back('}');
        return std::move(out_);
    }

  private:
    std::string& next(std::string_view key) {
        if (out_.size() > 1) out_.push_back(',');
        append_quoted(out_, key);
        out_.push_back(':');
        return out_;
    }

    static constexpr std::size_t kUsualBytes = 240;
    std::string out_;
};

}  // namespace parlance::json
