// Messages for the benchmarks of the core: 512 bytes, as received from the wire.
#pragma once

#include <string>
#include <string_view>

#include "model/envelope.h"

namespace parlance::bench {

inline constexpr std::size_t kBodyBytes = 512;

/// Writes the header fields into the body, at the usual positions of a real message.
class LetterMaker {
  public:
    EnvelopePtr make(std::uint64_t number, std::string_view to, bool has_task) {
        body_.clear();
        const auto id = put("id", "message-" + std::to_string(number));
        const auto from = put("from", "sender");
        const auto recipient = put("to", to);
        const auto task = put("task", "task-" + std::to_string(number));
        body_.resize(kBodyBytes, 'x');
        const auto view = [&](Place place) {
            return std::string_view{body_}.substr(place.at, place.size);
        };
        return Envelope::make({.id = view(id),
                               .from = view(from),
                               .to = view(recipient),
                               .task = has_task ? view(task) : std::string_view{}},
                              body_);
    }

  private:
    struct Place {
        std::size_t at;
        std::size_t size;
    };
    Place put(std::string_view key, std::string_view value) {
        body_.append("\"").append(key).append("\":\"").append(value).append("\",");
        return {body_.size() - value.size() - 2, value.size()};
    }
    std::string body_;
};

}  // namespace parlance::bench
