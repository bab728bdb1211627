#include "gateway/openapi.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "base/json.h"
#include "dialects/schema.h"
#include "gateway/route_table.h"
#include "gateway/verb_table.h"
#include "model/refusal.h"

namespace parlance::gateway {
namespace {

/// The value at a JSON pointer; empty raw if there is none.
json::Value at(json::Value value, std::string_view pointer) {
    while (!pointer.empty()) {
        const auto end = std::min(pointer.find('/', 1), pointer.size());
        std::string name{pointer.substr(1, end - 1)};
        for (auto place = name.find("~1"); place != std::string::npos; place = name.find("~1")) {
            name.replace(place, 2, "/");
        }
        const auto inner = value.is_object() ? json::find(value, name) : std::nullopt;
        if (!inner) return {};
        value = *inner;
        pointer.remove_prefix(end);
    }
    return value;
}

std::string text_at(json::Value value, std::string_view pointer) {
    std::string spare;
    const auto found = at(value, pointer);
    return found.is_string() ? std::string{found.text(spare)} : std::string{};
}

void collect_references(json::Value value, std::vector<std::string>& references) {
    if (value.is_array()) {
        for (json::Elements items{value}; items.next();)
            collect_references(items.value, references);
    }
    if (!value.is_object()) return;
    for (json::Members members{value}; members.next();) {
        std::string spare;
        if (members.key == "$ref" && members.value.is_string()) {
            references.emplace_back(members.value.text(spare));
        }
        collect_references(members.value, references);
    }
}

/// Each $ref names a part of the document or a schema that the hub serves.
void expect_resolved(const std::string& document) {
    std::set<std::string> served;
    for (const auto& name : dialects::schema_names()) {
        served.insert(dialects::schema_path(name.dialect, name.kind));
    }
    std::vector<std::string> references;
    collect_references(json::root(document), references);
    EXPECT_GT(references.size(), 10U);
    for (const auto& reference : references) {
        const bool is_here = reference.starts_with('#') &&
                             !at(json::root(document), reference.substr(1)).raw.empty();
        EXPECT_TRUE(is_here || served.contains(reference)) << reference << " leads nowhere";
    }
}

/// The document's methods and paths, as the route table writes them.
std::multiset<std::string> operations_in(json::Value document) {
    std::multiset<std::string> found;
    for (json::Members paths{at(document, "/paths")}; paths.next();) {
        for (json::Members methods{paths.value}; methods.next();) {
            std::string method{methods.key};
            std::ranges::transform(method, method.begin(), ::toupper);
            found.insert(method + " " + std::string{paths.key});
        }
    }
    return found;
}

TEST(OpenApi, HasEveryRouteOfTheTableAndNoOther) {
    const auto text = write_openapi("1.2.3");
    ASSERT_TRUE(json::check(text)) << text;
    std::multiset<std::string> expected;
    for (const Route& route : kRoutes) {
        expected.insert(std::string{route.method} + " " + std::string{route.pattern});
    }
    EXPECT_EQ(operations_in(json::root(text)), expected);
    EXPECT_EQ(text_at(json::root(text), "/openapi"), "3.1.0");
    EXPECT_EQ(text_at(json::root(text), "/info/version"), "1.2.3");
}

TEST(OpenApi, DeclaresEachParameterOfAPath) {
    const auto text = write_openapi("1");
    for (json::Members paths{at(json::root(text), "/paths")}; paths.next();) {
        for (json::Members methods{paths.value}; methods.next();) {
            std::vector<std::string> names;
            for (json::Elements items{at(methods.value, "/parameters")}; items.next();) {
                if (text_at(items.value, "/in") != "path") continue;
                EXPECT_EQ(at(items.value, "/required").raw, "true");
                names.push_back(text_at(items.value, "/name"));
            }
            EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(paths.key, '{')), names.size());
            for (const auto& name : names) {
                EXPECT_NE(paths.key.find("{" + name + "}"), std::string_view::npos) << name;
            }
        }
    }
}

TEST(OpenApi, GivesEachOperationAnswersAndAUniqueName) {
    const auto text = write_openapi("1");
    std::set<std::string> names;
    for (json::Members paths{at(json::root(text), "/paths")}; paths.next();) {
        for (json::Members methods{paths.value}; methods.next();) {
            EXPECT_TRUE(names.insert(text_at(methods.value, "/operationId")).second) << paths.key;
            std::size_t answers = 0;
            for (json::Members each{at(methods.value, "/responses")}; each.next();) ++answers;
            EXPECT_GE(answers, 2U) << paths.key;
            EXPECT_NE(text_at(methods.value, "/summary"), "") << paths.key;
        }
    }
    EXPECT_TRUE(names.contains("post_v1_deliveries_delivery_id_ack"));
}

TEST(OpenApi, MarksBodiesAndAnswersThatMayBeADialectsText) {
    const std::string text = write_openapi("1");
    const auto takes_text = [&](std::string_view path, std::string_view place) {
        auto value = json::find(*json::find(json::root(text), "paths"), path);
        value =
            json::find(*json::find(*value, "post"), place == "body" ? "requestBody" : "responses");
        if (place != "body") value = json::find(*value, place);
        return json::find(*json::find(*value, "content"), "text/plain").has_value();
    };
    EXPECT_TRUE(takes_text("/v1/messages", "body"));
    EXPECT_TRUE(takes_text("/v1/messages", "200"));
    EXPECT_TRUE(takes_text("/v1/deliveries/{delivery_id}/reply", "body"));
    EXPECT_TRUE(takes_text("/v1/classify", "200"));
    EXPECT_FALSE(takes_text("/v1/delegations", "body"));
}

TEST(OpenApi, HasNoReferenceThatLeadsNowhere) { expect_resolved(write_openapi("1")); }

TEST(OpenApi, NamesEveryCodeOfARefusal) {
    const auto text = write_openapi("1");
    const auto codes = at(json::root(text), "/components/schemas/RefusalCode/enum");
    for (const RefusalRow& row : kRefusals) {
        EXPECT_NE(codes.raw.find("\"" + std::string{row.code} + "\""), std::string_view::npos)
            << row.code;
    }
}

TEST(AsyncApi, HasEveryVerbOfBothDirections) {
    const auto text = write_asyncapi("1.2.3");
    ASSERT_TRUE(json::check(text)) << text;
    const auto document = json::root(text);
    EXPECT_EQ(text_at(document, "/asyncapi"), "3.0.0");
    std::size_t count = 0;
    for (json::Members all{at(document, "/operations")}; all.next();) ++count;
    EXPECT_EQ(count, kVerbs.size() + kWords.size());
    for (const Verb& verb : kVerbs) {
        const auto operation = at(document, "/operations/hear_" + std::string{verb.name});
        EXPECT_EQ(text_at(operation, "/action"), "receive") << verb.name;
    }
    for (const Word& word : kWords) {
        const auto operation = at(document, "/operations/say_" + std::string{word.name});
        EXPECT_EQ(text_at(operation, "/action"), "send") << word.name;
    }
}

TEST(AsyncApi, HasNoReferenceThatLeadsNowhere) { expect_resolved(write_asyncapi("1")); }

}  // namespace
}  // namespace parlance::gateway
