// SQLite behind four words: open, prepare, bind, step. Errors say what the caller can do about
// them.
//
// One database belongs to one thread. Who reads beside the hub opens the file for itself,
// read-only.
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

/// A prepared statement. Texts that are bound must live until the next step() or reset().
class Statement {
  public:
    void reset();
    /// Places are counted from 1, as SQL does.
    void bind(int place, std::optional<std::string_view> text);
    void bind(int place, std::int64_t number);
    void bind(int place, std::optional<std::int64_t> number);
    /// Whether there is a row.
    Result<bool> step();

    /// Columns of the row are counted from 0.
    int columns() const;
    std::string_view name(int column) const;
    bool is_null(int column) const;
    std::int64_t number(int column) const;
    std::string text(int column) const;
    /// {"name":value,…}; a column that is declared as BOOLEAN is true or false.
    std::string row_as_json() const;

  private:
    friend class Database;
    explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
    struct Finish {
        void operator()(sqlite3_stmt* statement) const;
    };
    std::unique_ptr<sqlite3_stmt, Finish> statement_;
};

/// Binds what is given from the first place on.
void bind_all(Statement& statement, const auto&... values) {
    statement.reset();
    int place = 0;
    (statement.bind(++place, values), ...);
}

/// Runs a statement without an answer. What it is given lives until it is through.
Result<void> execute(Statement& statement, const auto&... values) {
    bind_all(statement, values...);
    const auto done = statement.step();
    statement.reset();
    if (!done) return tl::unexpected(done.error());
    return {};
}

class Database {
  public:
    /// Immutable: nobody writes to it meanwhile, and no file is made beside it.
    enum class Mode { ReadOnly, Write, Immutable };

    /// Faults: Corrupt, if it is no database or a damaged one; Exhausted, if the disk is full;
    /// Unavailable, if it may work later; NotFound, if it is to be read and is not there.
    static Result<Database> open(const std::string& path, Mode mode);
    /// Any number of statements without an answer.
    Result<void> run(const char* sql);
    /// Malformed: it is no SQL, or names what is not there.
    Result<Statement> prepare(std::string_view sql);
    /// What a statement that gives one number says.
    Result<std::int64_t> number(std::string_view sql);

  private:
    explicit Database(sqlite3* database) : database_(database) {}
    struct Close {
        void operator()(sqlite3* database) const;
    };
    std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace parlance::views
