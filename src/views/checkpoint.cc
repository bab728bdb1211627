#include "views/checkpoint.h"

#include <filesystem>

#include "views/database.h"

namespace parlance::views {

namespace {

/// No journal is longer than that: a larger number is damage.
constexpr auto kQuery = "SELECT sequence FROM checkpoint WHERE sequence BETWEEN 0 AND (1 << 53)";

Result<Sequence> read_checkpoint(const std::string& path, bool is_finished) {
    const auto mode = is_finished ? Database::Mode::Immutable : Database::Mode::ReadOnly;
    auto database = TRY(Database::open(path, mode));
    return Sequence{static_cast<std::uint64_t>(TRY(database.number(kQuery)))};
}

}  // namespace

// Without a write-ahead log nothing was left unfinished, and SQLite is told that nobody writes:
// else it would make files beside a database of a version that this program must not touch.
Sequence folded_into(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return {};
    const bool is_finished = !std::filesystem::exists(path + "-wal", error);
    return read_checkpoint(path, is_finished).value_or(Sequence{});
}

}  // namespace parlance::views
