#include "identity/folder.h"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "identity/testing/scratch.h"

namespace parlance::identity {
namespace {

unsigned mode_of(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777U;
}

struct Place : testing::Scratch {
    Folder folder{path() + "/data"};
};

TEST(Folder, IsReadableByItsOwnerAlone) {
    Place place;
    const auto lock = place.folder.lock();
    ASSERT_TRUE(lock) << lock.error().message;
    ASSERT_TRUE(place.folder.write("secret", "x"));
    EXPECT_EQ(mode_of(place.path() + "/data/identity"), 0700U);
    EXPECT_EQ(mode_of(place.folder.path_of("secret")), 0600U);
}

TEST(Folder, FilesAreWholeOrAbsent) {
    Place place;
    const auto lock = place.folder.lock();
    EXPECT_EQ(place.folder.read("book").value(), std::nullopt);
    ASSERT_TRUE(place.folder.write("book", "one"));
    // Left by a program that died while writing.
    std::ofstream{place.folder.path_of("book.tmp")} << "ha";
    EXPECT_EQ(place.folder.read("book").value(), "one");
    ASSERT_TRUE(place.folder.write("book", "two"));
    EXPECT_EQ(place.folder.read("book").value(), "two");
}

TEST(Folder, StampChangesEvenForAReplacementOfTheSameSize) {
    Place place;
    const auto lock = place.folder.lock();
    EXPECT_EQ(place.folder.stamp("book"), Stamp{});
    ASSERT_TRUE(place.folder.write("book", "one"));
    const auto before = place.folder.stamp("book");
    EXPECT_EQ(place.folder.stamp("book"), before);
    ASSERT_TRUE(place.folder.write("book", "two"));
    EXPECT_NE(place.folder.stamp("book"), before);
}

TEST(Folder, RefusesASecretThatOthersMayRead) {
    Place place;
    const auto lock = place.folder.lock();
    ASSERT_TRUE(place.folder.write("key", "k"));
    EXPECT_EQ(place.folder.read_secret("key").value(), "k");
    ASSERT_EQ(::chmod(place.folder.path_of("key").c_str(), 0640), 0);
    const auto read = place.folder.read_secret("key");
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().message.find("chmod 600"), std::string::npos) << read.error().message;
}

}  // namespace
}  // namespace parlance::identity
