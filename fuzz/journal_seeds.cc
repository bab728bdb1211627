// A real journal of a few batches, and a real snapshot.
#include "base/check.h"
#include "fuzz/seeds.h"
#include "journal/journal.h"
#include "journal/testing/memory_disk.h"

namespace parlance::journal {
namespace {

fuzz::Seeds seeds() {
    testing::MemoryDisk disk;
    {
        auto journal = Journal::open(disk, {.segment_bytes = 65'536}).value();
        for (int i = 0; i < 3; ++i) {
            Batch batch;
            batch.add("one");
            batch.add(std::string(700, 'x'));
            CHECK(journal->append(Time{Duration{i}}, batch).has_value());
        }
        CHECK(journal->write_snapshot({.sequence = {6}, .at = {}, .payload = "state"}).has_value());
    }
    fuzz::Seeds seeds;
    for (const auto& [name, bytes] : disk.contents()) {
        const bool is_snapshot = name.ends_with(".snapshot");
        seeds.inputs.push_back((is_snapshot ? "\3" : "\0") + bytes);
    }
    return seeds;
}

}  // namespace
}  // namespace parlance::journal

int main(int count, char** arguments) {
    return parlance::fuzz::write_seeds(count, arguments, parlance::journal::seeds());
}
