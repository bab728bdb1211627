// Does the redactor keep its promises on any JSON? The redacted text is JSON, with no key twice,
// and with nothing left to redact; the originals restore every byte, keys included; and restoring
// values in any answer leaves JSON.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "base/personal/redact.h"

namespace {

namespace personal = parlance::personal;

personal::Kinds all_kinds() {
    personal::Kinds kinds = personal::structured_kinds();
    kinds.add(personal::Kind::Address);
    return kinds;
}

/// True if each value is written in one way only; otherwise restored values take the first
/// spelling.
bool has_one_spelling_each(const std::vector<personal::Original>& originals) {
    return std::ranges::adjacent_find(originals, [](const auto& left, const auto& right) {
               return left.placeholder == right.placeholder &&
                      (left.written != right.written || left.is_number != right.is_number);
           }) == originals.end();
}

/// True if the text itself contains its placeholders, which restoring would replace as well.
bool names_own(std::string_view text, const std::vector<personal::Original>& originals) {
    return std::ranges::any_of(originals, [&](const personal::Original& original) {
        return text.find(original.placeholder) != std::string_view::npos;
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    personal::find(text, all_kinds());  // Any bytes at all.
    if (!parlance::json::check(text)) return 0;

    const personal::Masking masking{all_kinds(), "scope", "key"};
    const auto redacted = personal::redact(text, masking);
    if (!redacted) {
        CHECK(personal::originals(text, masking).empty());
        return 0;
    }
    CHECK(parlance::json::check(*redacted));
    CHECK(!personal::redact(*redacted, masking));
    const auto originals = personal::originals(text, masking);
    const auto restored = personal::restore(*redacted, originals);
    CHECK(restored);
    if (has_one_spelling_each(originals) && !names_own(text, originals)) CHECK(*restored == text);

    // An answer may contain placeholders anywhere, beside the values themselves.
    const std::string mixed = R"({"k":)" + *redacted + R"(,")" + originals[0].placeholder +
                              R"(":[],")" + std::string{originals[0].written} + R"(":0})";
    const auto told = personal::restore(mixed, originals);
    if (told && parlance::json::check(mixed)) CHECK(parlance::json::check(*told));
    return 0;
}
