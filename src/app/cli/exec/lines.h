// Splits bytes into whole lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parlance::cli::exec {

class Lines {
  public:
    static constexpr std::size_t kBytesMax = std::size_t{8} << 20;

    void add(std::string_view bytes);
    /// The next whole line without its newline.
    std::optional<std::string> next();
    /// The bytes after the last newline: a program that dies may leave an incomplete line.
    std::string_view rest() const { return std::string_view{pending_}.substr(begin_); }
    /// True if the incomplete line exceeds the bound.
    bool is_too_long() const { return pending_.size() - begin_ > kBytesMax; }

  private:
    std::string pending_{};
    std::size_t begin_ = 0;     ///< Bytes before this offset were returned.
    std::size_t searched_ = 0;  ///< No newline before this offset.
};

}  // namespace parlance::cli::exec
