#include "app/watched_disk.h"

#include <thread>
#include <utility>

namespace parlance::app {

namespace {

struct Told {
    const std::unique_ptr<HealthWatch>& watch;
    std::thread::id loop = std::this_thread::get_id();
};

/// Reports a wait for the duration of a disk call.
class Wait {
  public:
    explicit Wait(const Told& told)
        : watch_(std::this_thread::get_id() == told.loop ? told.watch.get() : nullptr) {
        if (watch_ != nullptr) watch_->begin_wait();
    }
    ~Wait() {
        if (watch_ != nullptr) watch_->end_wait();
    }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

  private:
    HealthWatch* watch_;
};

class WatchedFile final : public journal::File {
  public:
    WatchedFile(Told told, std::unique_ptr<journal::File> file)
        : told_(told), file_(std::move(file)) {}

    Result<void> write_at(std::uint64_t offset, std::string_view bytes) override {
        const Wait wait{told_};
        return file_->write_at(offset, bytes);
    }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
        const Wait wait{told_};
        return file_->read_at(offset, bytes);
    }
    Result<void> sync() override {
        const Wait wait{told_};
        return file_->sync();
    }
    Result<std::uint64_t> size() override { return file_->size(); }
    Result<journal::FileId> id() override { return file_->id(); }
    void let_go() override { file_->let_go(); }

  private:
    Told told_;
    std::unique_ptr<journal::File> file_;
};

class WatchedDisk final : public journal::Disk {
  public:
    WatchedDisk(Told told, std::unique_ptr<journal::Disk> disk)
        : told_(told), disk_(std::move(disk)) {}

    Result<std::unique_ptr<journal::File>> open(const std::string& name, Mode mode) override {
        const Wait wait{told_};
        return std::make_unique<WatchedFile>(told_, TRY(disk_->open(name, mode)));
    }
    Result<std::vector<std::string>> list() override { return disk_->list(); }
    Result<journal::FileId> id_of(const std::string& name) override { return disk_->id_of(name); }
    Result<void> rename(const std::string& from, const std::string& to) override {
        const Wait wait{told_};
        return disk_->rename(from, to);
    }
    Result<void> link(const std::string& from, const std::string& to) override {
        const Wait wait{told_};
        return disk_->link(from, to);
    }
    Result<void> remove(const std::string& name) override {
        const Wait wait{told_};
        return disk_->remove(name);
    }
    Result<void> sync_directory() override {
        const Wait wait{told_};
        return disk_->sync_directory();
    }
    Result<void> lock() override { return disk_->lock(); }

  private:
    Told told_;
    std::unique_ptr<journal::Disk> disk_;
};

}  // namespace

std::unique_ptr<journal::Disk> watched(std::unique_ptr<journal::Disk> disk,
                                       const std::unique_ptr<HealthWatch>& watch) {
    return std::make_unique<WatchedDisk>(Told{watch}, std::move(disk));
}

}  // namespace parlance::app
