// The tables as JSON Schemas (draft 2020-12), for those who check messages before they send them.
//
// What the hub fills in is not required, and says so. What no schema can say is said in words: a
// length in bytes, a sum, who may write to whom.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parlance::dialects {

/// A form of message, or an object that is kept and shown and never sent by itself.
struct SchemaName {
    std::string_view dialect;
    std::string kind;  ///< The document's name of it, with '_' for spaces.
    bool is_message;
};

/// Everything that has a schema, dialect by dialect, messages first.
std::vector<SchemaName> schema_names();

/// The schema; empty if there is none of this name. Spaces and '_' in a kind are the same.
std::string write_schema(std::string_view dialect, std::string_view kind);

/// Where it is served, which is also its $id: "/schemas/taskwire/TASK_UPDATE.json".
std::string schema_path(std::string_view dialect, std::string_view kind);

}  // namespace parlance::dialects
