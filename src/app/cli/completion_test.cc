#include "app/cli/completion.h"

#include <array>
#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

#include "app/cli/cli.h"

namespace parlance::cli {
namespace {

/// A small tree: a global option, a verb with choices, and a verb with subverbs.
struct Tree {
    CLI::App app{};
    Context context{};
    std::string priority{};
    std::string id{};
    bool is_all = false;

    Tree() {
        add_globals(app, context);
        CLI::App* const send = add_verb(app, {"send", "Send it", ""});
        send->add_option("--priority", priority, "How it's urgent")
            ->check(CLI::IsMember(std::vector<std::string>{"high", "low"}));
        CLI::App* const agents = add_verb(app, {"agents", "See them", ""});
        CLI::App* const show = add_verb(*agents, {"show", "One of them", ""});
        show->add_option("id", id, "Which");
        CLI::App* const bench = add_verb(app, {"bench", "Measure", ""});
        bench->add_option("what", id, "What")
            ->check(CLI::IsMember(std::vector<std::string>{"publish", "deliver"}));
        show->add_flag("--all", is_all, "All");
    }
};

/// The words bash offers for the last of `words`.
std::string offered(const Tree& tree, const std::string& words, int last) {
    const std::string script = testing::TempDir() + "parlance_completion.bash";
    std::ofstream{script} << bash_completion(tree.app) << "COMP_WORDS=(" << words
                          << ")\nCOMP_CWORD=" << last << "\n_parlance\necho \"${COMPREPLY[*]}\"\n";
    std::FILE* const pipe = ::popen(("bash " + script).c_str(), "r");
    std::string out;
    std::array<char, 4096> bytes{};
    while (const auto got = std::fread(bytes.data(), 1, bytes.size(), pipe))
        out.append(bytes.data(), got);
    EXPECT_EQ(::pclose(pipe), 0);
    std::remove(script.c_str());
    return out;
}

TEST(Completion, OffersTheVerbsOfTheCurrentCommand) {
    const Tree tree;
    EXPECT_EQ(offered(tree, "parlance ''", 1), "send agents bench\n");
    EXPECT_EQ(offered(tree, "parlance se", 1), "send\n");
    EXPECT_EQ(offered(tree, "parlance agents ''", 2), "show\n");
}

TEST(Completion, OffersOptionsWithThoseOfTheLevelsAbove) {
    const Tree tree;
    const std::string options = offered(tree, "parlance agents show --", 3);
    EXPECT_NE(options.find("--all"), std::string::npos) << options;
    EXPECT_NE(options.find("--hub"), std::string::npos) << options;
    EXPECT_EQ(options.find("--priority"), std::string::npos) << options;
}

TEST(Completion, OffersTheChoicesOfAnOption) {
    const Tree tree;
    EXPECT_EQ(offered(tree, "parlance send --priority ''", 3), "high low\n");
    EXPECT_EQ(offered(tree, "parlance send --priority h", 3), "high\n");
    EXPECT_EQ(offered(tree, "parlance bench ''", 2), "publish deliver\n");
    EXPECT_NE(offered(tree, "parlance bench publish --h", 3).find("--hub"), std::string::npos);
}

TEST(Completion, DoesNotTakeTheValueOfAnOptionForAVerb) {
    const Tree tree;
    EXPECT_EQ(offered(tree, "parlance --hub agents se", 3), "send\n");
    EXPECT_EQ(offered(tree, "parlance --hub ''", 2), "\n");
}

TEST(Completion, DescribesVerbsAndOptionsToZshAndFish) {
    const Tree tree;
    const std::string zsh = zsh_completion(tree.app);
    EXPECT_TRUE(zsh.starts_with("#compdef parlance\n"));
    EXPECT_NE(zsh.find("'send:Send it'"), std::string::npos);
    EXPECT_NE(zsh.find("'--priority:How it'\\''s urgent'"), std::string::npos) << zsh;
    EXPECT_NE(zsh.find("'send:--priority') compadd -- high low"), std::string::npos) << zsh;
    const std::string fish = fish_completion(tree.app);
    EXPECT_NE(fish.find("-n '__parlance_at agents' -a show -d 'One of them'"), std::string::npos)
        << fish;
    EXPECT_NE(fish.find("-l priority -x -a 'high low' -d 'How it\\'s urgent'"), std::string::npos)
        << fish;
}

}  // namespace
}  // namespace parlance::cli
