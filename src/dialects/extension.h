// What a translated message carries along so that nothing is lost: where the way back would differ
// from the original, and what stood there.
//
//   "parlance":{"dialect":"kessel","form":"REQUEST","at":"2025-11-23T10:00:00.000Z","digest":"89abcdef01234567",
//               "keeps":[{"at":"/context","value":{"a":1}},{"at":"/priority","was":"HIGH"}]}
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "dialects/dialect_row.h"

namespace parlance::dialects {

/// One difference. `was` is what the way back makes of it: if it makes something else, an agent
/// has changed its mind in between, and its word counts; what it added to a list is added.
struct Keep {
    std::string_view at;  ///< JSON pointer into the original.
    json::Value value{};  ///< What stood there; empty if nothing did.
    json::Value was{};    ///< Empty if nothing is made of it.
};

struct Extension {
    const Form* form = nullptr;  ///< Of the original.
    Time at{};                   ///< When it was translated: the way back counts from then.
    std::uint64_t digest = 0;    ///< Of what was made of it: tells whether an agent changed it.
    std::vector<Keep> keeps{};
};

inline constexpr std::string_view kExtensionMember = "parlance";

/// Whether a JSON pointer comes before another in the order in which keeps are put back: what is
/// inside of a member follows it at once, so that all of an object stands together.
bool is_before(std::string_view pointer, std::string_view other);

/// The extension by which this message can become one of `origin` again; else nothing. Its keeps
/// are in order, and stand in the message or in `texts`.
std::optional<Extension> read_extension(json::Value message,
                                        const DialectRow& origin,
                                        Texts& texts);
void append_extension(std::string& out, const Extension& extension, const DialectRow& origin);

/// Everything by which `original` differs from `made`; both are objects. `texts` keeps the
/// pointers.
std::vector<Keep> differences(json::Value made, json::Value original, Texts& texts);
/// The same by whole members of the two, whatever it is inside of them that differs.
std::vector<Keep> coarse_differences(json::Value made, json::Value original, Texts& texts);

/// `made` with every difference put back that still is one. The keeps are in order.
std::string with_differences(json::Value made, std::span<const Keep> keeps);

/// The object without one of its members.
std::string without_member(json::Value object, std::string_view name);

}  // namespace parlance::dialects
