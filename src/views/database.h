// SQLite behind four words: open, prepare, bind, step. An error's Fault says how the caller can
// react.
//
// Each database belongs to one thread. Readers beside the hub open the file read-only themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

extern "C" {
struct sqlite3;
struct sqlite3_stmt;
}

namespace parlance::views {

/// A prepared statement. Bound texts must live until the next step() or reset().
class Statement {
  public:
    void reset();
    /// Positions count from 1, as in SQL.
    void bind(int place, std::optional<std::string_view> text);
    void bind(int place, std::int64_t number);
    void bind(int place, std::optional<std::int64_t> number);
    /// Returns whether a row was found.
    Result<bool> step();

    /// Columns count from 0.
    int columns() const;
    std::string_view name(int column) const;
    bool is_null(int column) const;
    std::int64_t number(int column) const;
    std::string text(int column) const;
    /// {"name":value,…}; a column declared as BOOLEAN prints true or false.
    std::string row_as_json() const;

  private:
    friend class Database;
    explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
    struct Finish {
        void operator()(sqlite3_stmt* statement) const;
    };
    std::unique_ptr<sqlite3_stmt, Finish> statement_;
};

/// Binds the values from position 1 on.
void bind_all(Statement& statement, const auto&... values) {
    statement.reset();
    int place = 0;
    (statement.bind(++place, values), ...);
}

/// Runs a statement without a result. The values must live until the call returns.
Result<void> execute(Statement& statement, const auto&... values) {
    bind_all(statement, values...);
    const auto done = statement.step();
    statement.reset();
    if (!done) return tl::unexpected(done.error());
    return {};
}

class Database {
  public:
    /// Immutable: nobody writes to the file meanwhile, and SQLite creates no file beside it.
    enum class Mode { ReadOnly, Write, Immutable };

    /// Faults: Corrupt, if the file is damaged or no database; Exhausted, if the disk is full;
    /// Unavailable, if a retry may succeed; NotFound, if a file to be read is missing.
    static Result<Database> open(const std::string& path, Mode mode);
    /// Runs any number of statements without results.
    Result<void> run(const char* sql);
    /// Malformed: invalid SQL, or unknown names.
    Result<Statement> prepare(std::string_view sql);
    /// Runs a statement that gives one number.
    Result<std::int64_t> number(std::string_view sql);

  private:
    explicit Database(sqlite3* database) : database_(database) {}
    struct Close {
        void operator()(sqlite3* database) const;
    };
    std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace parlance::views
