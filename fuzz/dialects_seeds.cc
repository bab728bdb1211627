// Valid messages of every form of every dialect, kessel blocks, and every word of the tables; of
// one dialect alone with FUZZED_DIALECT.
#include <set>

#include "dialects/dialect_row.h"
#include "dialects/kessel/block.h"
#include "dialects/testing/generate.h"
#include "fuzz/seeds.h"

namespace parlance::dialects {
namespace {

void add_words(const Shape& shape, std::set<std::string>& words) {
    for (const FieldRule& rule : shape.fields) {
        words.insert('"' + std::string{rule.name} + "\":");
        for (const auto word : rule.words) words.insert('"' + std::string{word} + '"');
        if (rule.shape != nullptr) add_words(*rule.shape, words);
    }
}

bool is_wanted([[maybe_unused]] Dialect dialect) {
#ifdef FUZZED_DIALECT
    return dialect == Dialect::FUZZED_DIALECT;
#else
    return true;
#endif
}

fuzz::Seeds seeds() {
    fuzz::Seeds seeds;
    std::set<std::string> words{"null", "{}", "[]", "---\n", "\"parlance\":{", "\"keeps\":["};
    testing::Generator generator{1};
    for (const DialectRow* row : all_rows()) {
        if (!is_wanted(row->dialect)) continue;
        for (const Form& form : row->forms->all) {
            for (int i = 0; i < 4; ++i) {
                seeds.inputs.push_back(generator.message(form, *row->forms));
            }
            add_words(*form.shape, words);
            if (form.body != nullptr) add_words(*form.body, words);
            const auto block = kessel::json_to_block(seeds.inputs.back());
            if (row->dialect == Dialect::Kessel && block) seeds.inputs.push_back(*block);
        }
    }
    seeds.words.assign(words.begin(), words.end());
    return seeds;
}

}  // namespace
}  // namespace parlance::dialects

int main(int count, char** arguments) {
    return parlance::fuzz::write_seeds(count, arguments, parlance::dialects::seeds());
}
