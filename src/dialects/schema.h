// The tables as JSON Schemas (draft 2020-12), for senders that check messages before sending.
//
// Fields that the hub fills in are not required, and their descriptions say so. Rules that no
// schema can express are described in words: a length in bytes, a sum, who may write to whom.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parlance::dialects {

/// A form of message, or an object that is stored and shown and never sent alone.
struct SchemaName {
    std::string_view dialect;
    std::string kind;  ///< The document's name, with '_' for spaces.
    bool is_message;
};

/// Everything with a schema, dialect by dialect, messages first.
std::vector<SchemaName> schema_names();

/// The schema; empty for an unknown name. Spaces and '_' in a kind are the same.
std::string write_schema(std::string_view dialect, std::string_view kind);

/// The path that serves the schema, also its $id: "/schemas/taskwire/TASK_UPDATE.json".
std::string schema_path(std::string_view dialect, std::string_view kind);

}  // namespace parlance::dialects
