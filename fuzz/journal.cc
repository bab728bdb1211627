// Is a file of any bytes, opened as a segment or a snapshot, read or refused without harm?
#include "journal/journal.h"

#include <cstdint>

#include "base/check.h"
#include "journal/testing/memory_disk.h"

namespace parlance::journal {
namespace {

void put(Disk& disk, const std::string& name, std::string_view bytes) {
    auto file = disk.open(name, Disk::Mode::Create).value();
    CHECK(file->write_at(0, bytes).has_value());
    CHECK(file->sync().has_value());
}

void read_all(Disk& disk) {
    const auto ignore = [](std::uint64_t, std::uint64_t) {};
    (void)verify(disk, ignore);
    auto reader = Reader::open(disk, Sequence{1});
    Record record;
    if (reader) {
        for (int i = 0; i < 1000; ++i) {
            const auto more = reader->next(record, Sequence{1'000'000});
            if (!more || !*more) break;
        }
    }
    auto journal = Journal::open(disk, {.segment_bytes = 65'536});
    if (!journal) return;
    (void)(*journal)->newest_snapshot();
    (void)(*journal)->replay(Sequence{0}, [](const Record&) -> Result<void> { return {}; });
}

}  // namespace
}  // namespace parlance::journal

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
    parlance::journal::testing::MemoryDisk disk;
    const bool is_snapshot = data[0] % 4 == 3;
    parlance::journal::put(
        disk,
        is_snapshot ? "00000000000000000007.snapshot" : "00000000000000000001.journal",
        bytes);
    parlance::journal::read_all(disk);
    return 0;
}
