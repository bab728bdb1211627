#include "dialects/mapping.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace parlance::dialects {
namespace {

TEST(Mapping, P1_MatchesTheDocument) {
    const std::string path = PARLANCE_SOURCE_DIR "/docs/generated/dialects.md";
    if (std::getenv("UPDATE") != nullptr) std::ofstream{path} << describe_mapping();
    std::ifstream file{path};
    std::ostringstream written;
    written << file.rdbuf();
    EXPECT_TRUE(written.str() == describe_mapping())
        << "docs/generated/dialects.md is not what the tables say: run this test with UPDATE=1 and "
           "review the diff";
}

}  // namespace
}  // namespace parlance::dialects
