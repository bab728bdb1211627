// Bytes in, whole lines out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parlance::cli::exec {

class Lines {
  public:
    static constexpr std::size_t kBytesMax = std::size_t{8} << 20;

    void add(std::string_view bytes);
    /// The next whole line without its end.
    std::optional<std::string> next();
    /// What came without a line's end: a program that dies may leave half a sentence.
    std::string_view rest() const { return std::string_view{pending_}.substr(begin_); }
    /// A line that never ends is not waited for.
    bool is_too_long() const { return pending_.size() - begin_ > kBytesMax; }

  private:
    std::string pending_{};
    std::size_t begin_ = 0;     ///< What stands before it was given out.
    std::size_t searched_ = 0;  ///< No line ends before it.
};

}  // namespace parlance::cli::exec
