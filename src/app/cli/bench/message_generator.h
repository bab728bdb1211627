// Makes messages for a load: a template with twelve variable digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parlance::cli::bench {

struct MessagePlan {
    std::string run{};  ///< Eight hexadecimal digits, unique to the run.
    std::uint16_t lane = 0;
    std::string from{};
    std::vector<std::string> to{};  ///< Taken in turn.
    std::string type{};
    std::string priority{};
    std::size_t size = 512;  ///< Exact size of a whole message.
};

class MessageGenerator {
  public:
    /// Fails if `size` is too small for a message.
    static Result<MessageGenerator> make(const MessagePlan& plan);

    std::size_t size() const { return templates_.front().size(); }
    /// Message number `index` without its number, which number() writes into a copy.
    std::string_view blank(std::uint64_t index) const {
        return templates_[index % templates_.size()];
    }
    static void number(char* message, std::uint64_t index);

    /// The number in an id made by a generator, or nothing.
    static std::optional<std::uint64_t> index_of_id(std::string_view id);
    /// The number of a message made by a generator, or nothing.
    static std::optional<std::uint64_t> index_of_message(std::string_view message);

  private:
    std::vector<std::string> templates_;  ///< One per recipient, all of one size.
};

}  // namespace parlance::cli::bench
