// The prefix dictionary: prefixes that many packed blocks share, such as a plan's hash, each kept
// once.
//
// The dictionary is bounded: the first prefixes get in, and an unused prefix makes room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace parlance::core {

class PrefixDictionary {
  public:
    /// Counts one more block with this prefix. Returns the prefix's number; 0: the prefix is not
    /// kept here, but in the block.
    std::uint32_t keep(std::string_view prefix);
    /// Uncounts a block with the prefix of this number.
    void drop(std::uint32_t number);
    std::string_view at(std::uint32_t number) const { return kept_[number - 1].bytes; }
    std::size_t size() const { return numbers_.size(); }

  private:
    struct Kept {
        std::string bytes{};
        std::uint64_t blocks = 0;
    };
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
    std::vector<Kept> kept_;            ///< By number, from 1 on.
    std::vector<std::uint32_t> spare_;  ///< Numbers not in use.
};

}  // namespace parlance::core
