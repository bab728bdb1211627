#include "views/checkpoint.h"

#include <filesystem>

#include "views/database.h"

namespace parlance::views {

namespace {

/// A larger number is damage: no journal is longer.
constexpr auto kQuery = "SELECT sequence FROM checkpoint WHERE sequence BETWEEN 0 AND (1 << 53)";

Result<Sequence> read_checkpoint(const std::string& path, bool is_finished) {
    const auto mode = is_finished ? Database::Mode::Immutable : Database::Mode::ReadOnly;
    auto database = TRY(Database::open(path, mode));
    return Sequence{static_cast<std::uint64_t>(TRY(database.number(kQuery)))};
}

}  // namespace

// Without a write-ahead log no transaction is unfinished, so the file is opened as immutable:
// otherwise SQLite would create files beside a database of a version that this program must not
// touch.
Sequence folded_into(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return {};
    const bool is_finished = !std::filesystem::exists(path + "-wal", error);
    return read_checkpoint(path, is_finished).value_or(Sequence{});
}

}  // namespace parlance::views
