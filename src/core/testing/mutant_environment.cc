// Plants the bug named by PARLANCE_MUTANT before the tests run; the tests must then fail.
#include <cstdlib>

#include <gtest/gtest.h>

#include "base/mutant.h"

namespace parlance {
namespace {

class MutantEnvironment : public testing::Environment {
  public:
    void SetUp() override {
        const char* name = std::getenv("PARLANCE_MUTANT");
        if (name == nullptr) return;
        ASSERT_TRUE(kHasMutants) << "this build has no planted bugs";
        for (const auto& row : kMutants) {
            if (row.name == name) return plant(row.mutant);
        }
        FAIL() << "there is no planted bug '" << name << "'";
    }
};

[[maybe_unused]] const auto* const environment =
    testing::AddGlobalTestEnvironment(new MutantEnvironment);  // NOLINT: GoogleTest owns it.

}  // namespace
}  // namespace parlance
