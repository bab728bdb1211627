#include "dialects/schema.h"

#include <algorithm>
#include <array>
#include <random>

#include <gtest/gtest.h>

#include "base/json_write.h"
#include "base/schema/schema.h"
#include "dialects/dialect_row.h"
#include "dialects/testing/generate.h"
#include "dialects/testing/reading.h"

namespace parlance::dialects {
namespace {

using testing::at;

TEST(Schema, ExistsForEachFormAndObjectUnderItsOwnAddress) {
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

TEST(Schema, OfAnUnknownNameIsEmpty) {
    EXPECT_EQ(write_schema("taskwire", "TASK_NONSENSE"), "");
    EXPECT_EQ(write_schema("klingon", "TASK_UPDATE"), "");
    EXPECT_EQ(write_schema("kessel", "TASK_UPDATE"), "");
}

TEST(Schema, TakesSpacesInANameForUnderscores) {
    EXPECT_EQ(schema_path("kessel", "HANDOFF CONTEXT"), "/schemas/kessel/HANDOFF_CONTEXT.json");
    EXPECT_NE(write_schema("kessel", "HANDOFF CONTEXT"), "");
    EXPECT_EQ(write_schema("kessel", "HANDOFF CONTEXT"), write_schema("kessel", "HANDOFF_CONTEXT"));
}

TEST(Schema, DoesNotRequireFieldsThatTheHubFillsIn) {
    const std::string request = write_schema("kessel", "REQUEST");
    EXPECT_EQ(at(request, {"required"}).find("\"priority\""), std::string::npos) << request;
    EXPECT_EQ(at(request, {"properties", "priority", "default"}), "\"NORMAL\"");
    EXPECT_EQ(at(request, {"properties", "timeout_ms", "default"}), "30000");
    const std::string update = write_schema("taskwire", "TASK_UPDATE");
    EXPECT_EQ(at(update, {"required"}), R"(["to","type","payload"])");
    EXPECT_NE(at(update, {"properties", "id", "description"}).find("the hub gives one"),
              std::string::npos);
}

TEST(Schema, FixesTheTypeOfAMessageAndNamesTheSectionOfARule) {
    const std::string update = write_schema("taskwire", "TASK_UPDATE");
    EXPECT_EQ(at(update, {"properties", "type", "const"}), "\"TASK_UPDATE\"");
    EXPECT_EQ(at(update, {"properties", "type", "$comment"}), "\"Message Types\"");
}

TEST(Schema, T3_RequiresAllHandoffFieldsOnlyOfTheObject) {
    EXPECT_NE(at(write_schema("taskwire", "TaskHandoffRequest"), {"required"}), "");
    const std::string message = write_schema("taskwire", "TASK_HANDOFF");
    EXPECT_EQ(at(message, {"properties", "payload", "required"}), "");
    EXPECT_NE(at(message, {"properties", "payload", "properties", "reason", "enum"}), "");
}

constexpr std::size_t kNowhere = ~std::size_t{0};
constexpr int kSamples = 40;

/// Copies a value with the n-th nested value, in reading order, removed or replaced.
class Spoiler {
  public:
    Spoiler(std::size_t target, std::string_view instead) : target_{target}, instead_{instead} {}

    std::string write(json::Value value) {
        if (value.is_object()) {
            json::ObjectWriter out;
            for (json::Members members{value}; members.next();) {
                const std::string key{members.key};
                const auto inner = place(members.value);
                if (!inner.empty()) out.raw(key, inner);
            }
            return out.done();
        }
        if (!value.is_array()) return std::string{value.raw};
        std::string out = "[";
        for (json::Elements elements{value}; elements.next();) {
            const auto inner = place(elements.value);
            if (inner.empty()) continue;
            out += (out.size() > 1 ? "," : "") + inner;
        }
        return out + "]";
    }
    std::size_t places() const { return at_; }

  private:
    std::string place(json::Value value) {
        return at_++ == target_ ? std::string{instead_} : write(value);
    }

    std::size_t target_;
    std::string_view instead_;
    std::size_t at_ = 0;
};

std::string spoilt(std::string_view text, std::mt19937_64& random) {
    constexpr std::array<std::string_view, 10> kInstead{
        "", "", "", "null", "[]", "{}", "\"\"", "\"nonsense\"", "-17", "true"};
    Spoiler count{kNowhere, ""};
    count.write(json::root(text));
    return Spoiler{random() % count.places(), kInstead[random() % kInstead.size()]}.write(
        json::root(text));
}

schema::Schema compiled(std::string_view dialect, std::string_view kind) {
    const auto made = schema::compile(write_schema(dialect, kind));
    EXPECT_TRUE(made) << kind
                      << (made ? "" : made.error()[0].pointer + ' ' + made.error()[0].reason);
    return made ? *made : *schema::compile("false");
}

bool takes(const schema::Schema& schema, std::string_view text) {
    return schema::check(schema, json::root(text)).empty();
}

/// A sum is the only rule of an object that no schema can express.
bool is_sound(const std::vector<Problem>& problems) {
    return std::ranges::all_of(problems, [](const Problem& problem) {
        return problem.rule.starts_with("must be prompt and completion together");
    });
}

TEST(Schema, AgreesWithTheReaderOnValidAndSpoiltMessages) {
    std::mt19937_64 random{1};
    testing::Generator generator{2};
    std::size_t refused = 0;
    for (const DialectRow* row : all_rows()) {
        std::vector<schema::Schema> schemas;
        for (const Form& form : row->forms->all) schemas.push_back(compiled(row->name, form.name));
        Reception reception = testing::kKnown;
        reception.dialect = row->dialect;
        const auto is_read = [&](std::string_view text) {
            const auto reading = read_message(text, reception);
            return reading || is_sound(reading.error().problems);
        };
        for (int i = 0; i < kSamples; ++i) {
            for (std::size_t form = 0; form < schemas.size(); ++form) {
                const auto text = generator.message(row->forms->all[form], *row->forms);
                EXPECT_TRUE(is_read(text)) << text;
                EXPECT_TRUE(takes(schemas[form], text)) << text;
                const auto wrong = spoilt(text, random);
                const bool is_taken = std::ranges::any_of(
                    schemas, [&](const schema::Schema& schema) { return takes(schema, wrong); });
                EXPECT_EQ(is_read(wrong), is_taken) << text << "\n" << wrong;
                refused += is_taken ? 0 : 1;
            }
        }
    }
    EXPECT_GT(refused, 100U);
}

TEST(Schema, AgreesWithTheCheckOnValidAndSpoiltObjects) {
    std::mt19937_64 random{3};
    testing::Generator generator{4};
    std::size_t refused = 0;
    for (const DialectRow* row : all_rows()) {
        for (const Shape* shape : row->objects) {
            const auto schema = compiled(row->name, shape->name);
            for (int i = 0; i < kSamples; ++i) {
                const auto text = generator.object(*shape);
                EXPECT_TRUE(takes(schema, text)) << shape->name << text;
                const auto wrong = spoilt(text, random);
                const bool is_right = is_sound(check_object(row->dialect, shape->name, wrong));
                EXPECT_EQ(takes(schema, wrong), is_right) << shape->name << "\n" << wrong;
                refused += is_right ? 0 : 1;
            }
        }
    }
    EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace parlance::dialects
