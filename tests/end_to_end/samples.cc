// Prints messages and objects generated from the dialect tables, one per line, for tests in another
// language: {"dialect","path","is_message","sample"}. Arguments: how many of each form, and the
// seed.
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "base/json_write.h"
#include "dialects/dialect_row.h"
#include "dialects/schema.h"
#include "dialects/testing/generate.h"

namespace {

using namespace parlance;

void print(const dialects::DialectRow& row,
           std::string_view kind,
           bool is_message,
           const std::string& sample) {
    fmt::print("{}\n",
               json::ObjectWriter{}
                   .text("dialect", row.name)
                   .text("path", dialects::schema_path(row.name, kind))
                   .boolean("is_message", is_message)
                   .raw("sample", sample)
                   .done());
}

}  // namespace

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 1;
    const int seed = argc > 2 ? std::atoi(argv[2]) : 1;
    dialects::testing::Generator generator{static_cast<std::uint64_t>(seed)};
    for (const dialects::DialectRow* row : dialects::all_rows()) {
        for (int i = 0; i < count; ++i) {
            for (const dialects::Form& form : row->forms->all) {
                print(*row, form.name, true, generator.message(form, *row->forms));
            }
            for (const dialects::Shape* shape : row->objects) {
                print(*row, shape->name, false, generator.object(*shape));
            }
        }
    }
    return 0;
}
