// Every transcript beside this file is a test. With UPDATE=1 in the environment a transcript is
// rewritten to the hub's answers, and the diff is the review.
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "model/refusal.h"
#include "tests/scenarios/play.h"

namespace parlance::scenarios {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> read_lines(const fs::path& path) {
    std::ifstream file{path};
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

std::vector<fs::path> transcripts() {
    std::set<fs::path> found;
    for (const auto& entry : fs::directory_iterator{PARLANCE_SCENARIOS}) {
        if (entry.path().extension() == ".txt") found.insert(entry.path());
    }
    return {found.begin(), found.end()};
}

/// A temporary directory, removed with the test.
class Scratch {
  public:
    Scratch() {
        auto pattern = (fs::temp_directory_path() / "parlance-scenario-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr)
            throw std::runtime_error("no temporary directory");
        path_ = pattern;
    }
    ~Scratch() { fs::remove_all(path_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

class Transcript : public testing::Test {
  public:
    explicit Transcript(fs::path path) : path_(std::move(path)) {}

    void TestBody() override {
        const Scratch scratch;
        const auto played = play(read_lines(path_), scratch.path());
        if (std::getenv("UPDATE") != nullptr) return update(played);
        for (const auto& [line, expected, came] : played.disagreements) {
            ADD_FAILURE_AT(path_.c_str(), static_cast<int>(line))
                << "expected: " << expected.substr(0, 2000)
                << "\n    came: " << came.substr(0, 2000);
        }
    }

  private:
    void update(const Played& played) {
        if (played.disagreements.empty()) return;
        std::ofstream file{path_};
        for (const auto& line : played.lines) file << line << "\n";
    }

    fs::path path_;
};

TEST(Transcripts, NameTheirProofInTheFirstLine) {
    const std::regex proves{"# Proves( [KXSCTPDWGIA][0-9]+,?| G7| the doors)+: .+"};
    for (const auto& path : transcripts()) {
        const auto lines = read_lines(path);
        ASSERT_FALSE(lines.empty()) << path;
        EXPECT_TRUE(std::regex_match(lines.front(), proves)) << path << ": " << lines.front();
    }
}

TEST(Transcripts, ShowEveryRefusalOfTheListeners) {
    // Shown in tests/end_to_end, because they need a failing or damaged disk, a stopping hub or
    // more connections than a transcript opens.
    const std::set<std::string_view> elsewhere{
        "HUB_STORAGE_FULL", "HUB_STORAGE_FAILED", "HUB_STOPPING", "JOURNAL_DAMAGED"};
    std::string all;
    for (const auto& path : transcripts()) {
        for (const auto& line : read_lines(path)) all += line;
    }
    for (const auto& row : kRefusals) {
        if (elsewhere.contains(row.code)) continue;
        // In a problem it is the code; in an answer it may be the dialect's error_code.
        EXPECT_NE(all.find("code\":\"" + std::string{row.code} + "\""), std::string::npos)
            << row.code << " is in no transcript";
    }
}

}  // namespace

void register_transcripts() {
    for (const auto& path : transcripts()) {
        testing::RegisterTest("Scenario",
                              path.stem().c_str(),
                              nullptr,
                              nullptr,
                              path.c_str(),
                              1,
                              [path]() -> Transcript* { return new Transcript{path}; });
    }
}

}  // namespace parlance::scenarios

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    parlance::scenarios::register_transcripts();
    return RUN_ALL_TESTS();
}
