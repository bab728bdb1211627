#include "base/machine_memory.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace parlance {
namespace {

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

/// A directory tree like /proc and /sys.
class Machine {
  public:
    Machine() {
        std::filesystem::remove_all(root_);
        put("/proc/meminfo", "MemTotal:       16777216 kB\nMemFree:          100 kB\n");
    }
    ~Machine() { std::filesystem::remove_all(root_); }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    void put(const std::string& path, const std::string& text) {
        const std::filesystem::path whole{root_ + path};
        std::filesystem::create_directories(whole.parent_path());
        std::ofstream{whole} << text;
    }
    std::uint64_t bytes() const { return machine_memory_bytes(root_); }

  private:
    std::string root_ = testing::TempDir() + "machine_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST(MachineMemory, IsThePhysicalMemoryOfTheMachine) {
    EXPECT_EQ(Machine{}.bytes(), 16 * kGibibyte);
    EXPECT_GT(machine_memory_bytes(), 0U) << "of this machine";
}

TEST(MachineMemory, IsTheLowestLimitOnTheWayUp) {
    Machine machine;
    machine.put("/proc/self/cgroup", "0::/system.slice/hub.service\n");
    machine.put("/sys/fs/cgroup/system.slice/hub.service/memory.max", "max\n");
    EXPECT_EQ(machine.bytes(), 16 * kGibibyte);
    machine.put("/sys/fs/cgroup/system.slice/memory.max", "2147483648\n");
    EXPECT_EQ(machine.bytes(), 2 * kGibibyte);
    machine.put("/sys/fs/cgroup/system.slice/hub.service/memory.max", "1073741824\n");
    EXPECT_EQ(machine.bytes(), kGibibyte);
}

TEST(MachineMemory, IsReadFromTheFirstVersionOfCgroupsToo) {
    Machine machine;
    machine.put("/proc/self/cgroup", "9:cpu:/\n4:memory:/not/there\n0::/\n");
    machine.put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    EXPECT_EQ(machine.bytes(), 16 * kGibibyte);
    machine.put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "3221225472\n");
    EXPECT_EQ(machine.bytes(), 3 * kGibibyte);
}

TEST(MachineMemory, IsZeroWhereNoFileNamesAnAmount) {
    Machine machine;
    machine.put("/proc/meminfo", "");
    EXPECT_EQ(machine.bytes(), 0U);
}

}  // namespace
}  // namespace parlance
