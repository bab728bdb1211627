// A data directory for one test, removed at its end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/check.h"
#include "base/time.h"

namespace parlance::identity::testing {

class Scratch {
  public:
    Scratch() {
        auto name = (std::filesystem::temp_directory_path() / "parlance-identity-XXXXXX").string();
        CHECK(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~Scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

inline constexpr Time kNoon{Duration{1'700'000'000'000}};
inline constexpr auto kDay = std::chrono::hours{24};

}  // namespace parlance::identity::testing
