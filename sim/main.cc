#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/mutant.h"
#include "sim/sim.h"
int main(int argc, char** argv) {
    using namespace parlance;
    const auto a = std::strtoull(argv[1], nullptr, 10), b = std::strtoull(argv[2], nullptr, 10);
    if (argc > 3)
        for (auto& m : kMutants)
            if (m.name == argv[3]) plant(m.mutant);
    std::uint64_t records = 0, messages = 0, crashes = 0;
    int bad = 0;
    for (auto s = a; s <= b; ++s) {
        auto v = sim::run(s, {.tells_stories = true});
        records += v.records;
        messages += v.messages;
        crashes += v.crashes;
        if (!v.ok && bad++ < 12)
            std::printf("seed %llu: %s %s\n", s, v.promise.c_str(), v.what.c_str());
    }
    std::printf("%d bad; %lu records %lu messages %lu crashes\n", bad, records, messages, crashes);
}
