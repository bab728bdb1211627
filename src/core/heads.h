// What many blocks begin with, kept once for all of them: a plan's hash, the errand of a step.
//
// Only so many are kept, whoever comes first; a head that no block has any more makes room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace parlance::core {

class Heads {
  public:
    /// One more block begins so. Its number; 0: it is not kept here, and the block has it itself.
    std::uint32_t keep(std::string_view head);
    /// A block that begins so is gone.
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
    std::vector<std::uint32_t> spare_;  ///< Numbers that nobody has.
};

}  // namespace parlance::core
