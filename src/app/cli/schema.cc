// `parlance schema`: the JSON Schema of every message and object, without a hub.
#include "dialects/schema.h"

#include <memory>

#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/json_view.h"
#include "app/cli/table.h"
#include "base/json_write.h"

namespace parlance::cli {

namespace {

struct SchemaOptions {
    std::string dialect{};
    std::string kind{};
};

int list(const Context& context, const std::string& dialect) {
    Table table{.columns = {{"DIALECT", Align::Left, 8},
                            {"KIND", Align::Left, 12},
                            {"", Align::Left, 7},
                            {"PATH", Align::Left, 12}}};
    for (const auto& name : dialects::schema_names()) {
        if (!dialect.empty() && name.dialect != dialect) continue;
        const std::string path = dialects::schema_path(name.dialect, name.kind);
        if (context.is_json) {
            fmt::print("{}\n",
                       json::ObjectWriter{}
                           .text("dialect", name.dialect)
                           .text("kind", name.kind)
                           .boolean("is_message", name.is_message)
                           .text("path", path)
                           .done());
            continue;
        }
        table.rows.push_back({{std::string{name.dialect}},
                              {name.kind, Tone::Bold},
                              {name.is_message ? "message" : "object"},
                              {path, Tone::Dim}});
    }
    if (!context.is_json) fmt::print("{}", render(table, context.out()));
    return Done;
}

int show(const Context& context, const SchemaOptions& options) {
    const std::string schema = dialects::write_schema(options.dialect, options.kind);
    if (schema.empty()) {
        return complain(context,
                        Misused,
                        fmt::format("there is no schema '{}' of {}", options.kind, options.dialect),
                        fmt::format("See `parlance schema {}`.", options.dialect));
    }
    if (context.is_json) {
        fmt::print("{}\n", schema);
    } else {
        fmt::print("{}\n", pretty(context.out(), json::root(schema)));
    }
    return Done;
}

}  // namespace

void add_schema(CLI::App& app, Context& context) {
    CLI::App* const verb = add_verb(app,
                                    {"schema",
                                     "Print the JSON Schema of a message, or list what there is",
                                     "  parlance schema\n"
                                     "  parlance schema taskwire TASK_HANDOFF"});
    const auto options = std::make_shared<SchemaOptions>();
    verb->add_option("dialect", options->dialect, "Whose")->check(CLI::IsMember(dialect_words()));
    verb->add_option("kind", options->kind, "Of which message or object");
    verb->callback(leave(context, [&context, options] {
        return options->kind.empty() ? list(context, options->dialect) : show(context, *options);
    }));
}

}  // namespace parlance::cli
