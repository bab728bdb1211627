#include "dialects/schema.h"

#include <gtest/gtest.h>

#include "dialects/dialect_row.h"
#include "dialects/testing/reading.h"

namespace parlance::dialects {
namespace {

using testing::at;

TEST(Schema, ThereIsOneForEachFormAndObjectUnderItsOwnAddress) {
    std::size_t forms = 0;
    for (const DialectRow* row : all_rows()) forms += row->forms->all.size() + row->objects.size();
    const auto names = schema_names();
    EXPECT_EQ(names.size(), forms);
    for (const SchemaName& name : names) {
        const std::string schema = write_schema(name.dialect, name.kind);
        ASSERT_TRUE(json::check(schema)) << name.kind << "\n" << schema;
        EXPECT_EQ(at(schema, {"$id"}), '"' + schema_path(name.dialect, name.kind) + '"');
        EXPECT_EQ(name.kind.find(' '), std::string::npos);
    }
}

TEST(Schema, OfSomethingUnknownIsEmpty) {
    EXPECT_EQ(write_schema("taskwire", "TASK_NONSENSE"), "");
    EXPECT_EQ(write_schema("klingon", "TASK_UPDATE"), "");
    EXPECT_EQ(write_schema("kessel", "TASK_UPDATE"), "");
}

TEST(Schema, TakesSpacesInANameForUnderscores) {
    EXPECT_EQ(schema_path("kessel", "HANDOFF CONTEXT"), "/schemas/kessel/HANDOFF_CONTEXT.json");
    EXPECT_NE(write_schema("kessel", "HANDOFF CONTEXT"), "");
    EXPECT_EQ(write_schema("kessel", "HANDOFF CONTEXT"), write_schema("kessel", "HANDOFF_CONTEXT"));
}

TEST(Schema, DoesNotRequireWhatTheHubFillsIn) {
    const std::string request = write_schema("kessel", "REQUEST");
    EXPECT_EQ(at(request, {"required"}).find("\"priority\""), std::string::npos) << request;
    EXPECT_EQ(at(request, {"properties", "priority", "default"}), "\"NORMAL\"");
    EXPECT_EQ(at(request, {"properties", "timeout_ms", "default"}), "30000");
    const std::string update = write_schema("taskwire", "TASK_UPDATE");
    EXPECT_EQ(at(update, {"required"}), R"(["to","type","payload"])");
    EXPECT_NE(at(update, {"properties", "id", "description"}).find("the hub gives one"),
              std::string::npos);
}

TEST(Schema, SettlesTheTypeOfAMessageAndNamesTheSectionOfARule) {
    const std::string update = write_schema("taskwire", "TASK_UPDATE");
    EXPECT_EQ(at(update, {"properties", "type", "const"}), "\"TASK_UPDATE\"");
    EXPECT_EQ(at(update, {"properties", "type", "$comment"}), "\"Message Types\"");
}

TEST(Schema, T3_AsksForTheWholeHandoffOnlyOfTheObject) {
    EXPECT_NE(at(write_schema("taskwire", "TaskHandoffRequest"), {"required"}), "");
    const std::string message = write_schema("taskwire", "TASK_HANDOFF");
    EXPECT_EQ(at(message, {"properties", "payload", "required"}), "");
    EXPECT_NE(at(message, {"properties", "payload", "properties", "reason", "enum"}), "");
}

}  // namespace
}  // namespace parlance::dialects
