// Bytes in, whole lines out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parlance::cli::exec {

class Lines {
  public:
    static constexpr std::size_t kBytesMax = std::size_t{8} << 20;

    void add(std::string_view bytes) { pending_.append(bytes); }
    /// The next whole line without its end.
    std::optional<std::string> next();
    /// What came without a line's end: a program that dies may leave half a sentence.
    const std::string& rest() const { return pending_; }
    /// A line that never ends is not waited for.
    bool is_too_long() const { return pending_.size() > kBytesMax; }

  private:
    std::string pending_{};
};

}  // namespace parlance::cli::exec
