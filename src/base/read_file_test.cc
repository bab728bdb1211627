#include "base/read_file.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace parlance {

namespace {

TEST(ReadFile, ReturnsTheWholeFile) {
    const auto path = std::filesystem::path{::testing::TempDir()} / "read_file_test";
    const std::string text = std::string(200'000, 'x') + '\0' + "end";
    std::ofstream{path, std::ios::binary} << text;
    EXPECT_EQ(read_file(path), text);
    std::filesystem::remove(path);
}

TEST(ReadFile, NamesTheUnreadableFileAndTheReason) {
    const auto directory = read_file(".");
    ASSERT_FALSE(directory);
    EXPECT_EQ(directory.error().message, "cannot read '.': it is a directory");
    const auto missing = read_file("no/such");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().message, "cannot read 'no/such': there is no such file");
    EXPECT_EQ(missing.error().fault, Fault::NotFound);
}

}  // namespace

}  // namespace parlance
