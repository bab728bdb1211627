#include "views/database.h"

#include <array>

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/json_write.h"

namespace parlance::views {

namespace {

struct FaultRow {
    int code;
    Fault fault;
};
constexpr std::array kFaults{
    FaultRow{SQLITE_CORRUPT, Fault::Corrupt},
    FaultRow{SQLITE_NOTADB, Fault::Corrupt},
    FaultRow{SQLITE_FULL, Fault::Exhausted},
    FaultRow{SQLITE_ERROR, Fault::Malformed},
    FaultRow{SQLITE_CANTOPEN, Fault::NotFound},
};

/// The path as a URI that tells SQLite that nobody writes to the file.
std::string immutable_uri(std::string_view path) {
    std::string uri = "file:";
    for (const char byte : path) {
        if (byte == '%')
            uri += "%25";
        else if (byte == '?')
            uri += "%3f";
        else if (byte == '#')
            uri += "%23";
        else
            uri += byte;
    }
    return uri + "?immutable=1";
}

auto failed(sqlite3* database) {
    const int code = sqlite3_errcode(database) & 0xFF;
    Fault fault = Fault::Unavailable;
    for (const auto& row : kFaults) {
        if (row.code == code) fault = row.fault;
    }
    return fail(fault, sqlite3_errmsg(database));
}

}  // namespace

void Statement::Finish::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Statement::reset() {
    sqlite3_reset(statement_.get());
    sqlite3_clear_bindings(statement_.get());
}

void Statement::bind(int place, std::optional<std::string_view> text) {
    if (!text) {
        sqlite3_bind_null(statement_.get(), place);
        return;
    }
    // An empty view may have a null address, and SQLite takes a null address for NULL.
    const char* const bytes = text->empty() ? "" : text->data();
    sqlite3_bind_text(
        statement_.get(), place, bytes, static_cast<int>(text->size()), SQLITE_STATIC);
}
void Statement::bind(int place, std::int64_t number) {
    sqlite3_bind_int64(statement_.get(), place, number);
}
void Statement::bind(int place, std::optional<std::int64_t> number) {
    if (number) return bind(place, *number);
    sqlite3_bind_null(statement_.get(), place);
}

Result<bool> Statement::step() {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return failed(sqlite3_db_handle(statement_.get()));
}

int Statement::columns() const { return sqlite3_column_count(statement_.get()); }
std::string_view Statement::name(int column) const {
    const char* const name = sqlite3_column_name(statement_.get(), column);
    return name == nullptr ? std::string_view{} : name;
}
bool Statement::is_null(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}
std::int64_t Statement::number(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}
std::string Statement::text(int column) const {
    const auto* const bytes =
        static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
    const auto size = sqlite3_column_bytes(statement_.get(), column);
    return bytes == nullptr ? std::string{} : std::string{bytes, static_cast<std::size_t>(size)};
}

std::string Statement::row_as_json() const {
    json::ObjectWriter row;
    for (int column = 0; column < columns(); ++column) {
        const auto key = name(column);
        const char* const declared = sqlite3_column_decltype(statement_.get(), column);
        const int type = sqlite3_column_type(statement_.get(), column);
        if (type == SQLITE_NULL) {
            row.raw(key, "null");
        } else if (type == SQLITE_INTEGER && declared != nullptr &&
                   std::string_view{declared} == "BOOLEAN") {
            row.boolean(key, number(column) != 0);
        } else if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
            row.raw(key, text(column));
        } else {
            row.text(key, text(column));
        }
    }
    return row.done();
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Result<Database> Database::open(const std::string& path, Mode mode) {
    const int flags =
        (mode == Mode::Write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY) |
        SQLITE_OPEN_NOMUTEX | (mode == Mode::Immutable ? SQLITE_OPEN_URI : 0);
    // The file holds what the journal holds and gets the same mode; SQLite would create a file that
    // everybody may read. Only a missing file is created here: closing a descriptor drops this
    // process's locks on the file.
    const bool is_file = path != ":memory:";
    if (mode == Mode::Write && is_file) {
        const int made = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0640);
        if (made >= 0) ::close(made);
    }
    sqlite3* opened = nullptr;
    const auto name = mode == Mode::Immutable ? immutable_uri(path) : path;
    const int code = sqlite3_open_v2(name.c_str(), &opened, flags, nullptr);
    Database database{opened};
    if (code != SQLITE_OK) return failed(opened);
    return database;
}

Result<void> Database::run(const char* sql) {
    if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
    return failed(database_.get());
}

Result<Statement> Database::prepare(std::string_view sql) {
    sqlite3_stmt* prepared = nullptr;
    const int code = sqlite3_prepare_v2(
        database_.get(), sql.data(), static_cast<int>(sql.size()), &prepared, nullptr);
    Statement statement{prepared};
    if (code != SQLITE_OK) return failed(database_.get());
    if (prepared == nullptr) return fail(Fault::Malformed, "there is no statement in it");
    return statement;
}

Result<std::int64_t> Database::number(std::string_view sql) {
    auto statement = TRY(prepare(sql));
    if (!TRY(statement.step())) return fail(Fault::NotFound, "no row");
    return statement.number(0);
}

}  // namespace parlance::views
