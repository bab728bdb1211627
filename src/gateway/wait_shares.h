// Counts the requests of each caller that hold a connection while they wait: all callers share the
// connections.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace parlance::gateway {

class WaitShares {
  public:
    /// Counts one more request until the result is destroyed; null if the caller has `most`
    /// already.
    [[nodiscard]] std::shared_ptr<void> take(const std::string& caller, std::size_t most) {
        auto& count = (*counts_)[caller];
        if (count >= most) return nullptr;
        ++count;
        // The result may outlive the desk, so it keeps the counts alive.
        return {static_cast<void*>(&count), [counts = counts_, caller](void*) {
                    const auto at = counts->find(caller);
                    if (--at->second == 0) counts->erase(at);
                }};
    }

  private:
    std::shared_ptr<std::map<std::string, std::size_t>> counts_ =
        std::make_shared<std::map<std::string, std::size_t>>();
};

}  // namespace parlance::gateway
