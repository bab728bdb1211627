// `parlance sql`: queries the views' file in SQL, with or without a running hub.
#include <memory>

#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/table.h"
#include "views/database.h"

namespace parlance::cli {

namespace {

struct SqlOptions {
    std::string data = "./.parlance";
    std::string statement{};
};

int complain_about_views(const Context& context, const Error& error) {
    switch (error.fault) {
        case Fault::Malformed:
            return complain(context,
                            Misused,
                            error.message,
                            "`parlance sql \"SELECT name, sql FROM sqlite_schema\"` shows what is "
                            "there.");
        case Fault::Corrupt:
            return complain(
                context, BadData, error.message, "Remove views.db; a running hub writes it anew.");
        case Fault::Unavailable:
            return complain(
                context, Misused, error.message, "It can only be read; if it is busy, ask again.");
        default:
            return complain(context, Misused, error.message, "Say --data DIR, as for `serve`.");
    }
}

Result<void> print_rows(const Context& context, views::Statement& statement) {
    Table table;
    for (int column = 0; column < statement.columns(); ++column) {
        table.columns.push_back({std::string{statement.name(column)}});
    }
    while (TRY(statement.step())) {
        if (context.is_json) {
            fmt::print("{}\n", statement.row_as_json());
            continue;
        }
        auto& row = table.rows.emplace_back();
        for (int column = 0; column < statement.columns(); ++column) {
            row.push_back(statement.is_null(column) ? Cell{"–", Tone::Dim}
                                                    : Cell{statement.text(column)});
        }
    }
    if (!context.is_json) fmt::print("{}", render(table, context.out()));
    return {};
}

Result<void> answer(const Context& context, const SqlOptions& options) {
    auto database =
        TRY(views::Database::open(options.data + "/views.db", views::Database::Mode::ReadOnly));
    auto statement = TRY(database.prepare(options.statement));
    return print_rows(context, statement);
}

}  // namespace

void add_sql(CLI::App& app, Context& context) {
    auto options = std::make_shared<SqlOptions>();
    CLI::App* const verb =
        add_verb(app,
                 {"sql",
                  "Ask the views in SQL; nothing can be changed",
                  "  parlance sql \"SELECT target_employee, count(*), avg(duration_ms) FROM "
                  "delegation_audit_log GROUP BY 1\""});
    verb->add_option("--data", options->data, "The data directory of the hub");
    verb->add_option("statement", options->statement, "One SELECT")->required();
    verb->callback(leave(context, [&context, options]() -> int {
        const auto answered = answer(context, *options);
        return answered ? Done : complain_about_views(context, answered.error());
    }));
}

}  // namespace parlance::cli
