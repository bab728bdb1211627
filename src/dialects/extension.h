// The member of a translated message that prevents loss: where the way back would differ from the
// original, and the original's values there.
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

/// A difference. `was` is the value that the way back makes: if the way back makes another value,
/// an agent has changed the message meanwhile, and the agent's value counts; elements appended to a
/// list are appended to the original list.
struct Keep {
    std::string_view at;  ///< JSON pointer into the original.
    json::Value value{};  ///< The original's value; empty if it has none.
    json::Value was{};    ///< Empty if the way back makes none.
};

struct Extension {
    const Form* form = nullptr;  ///< Of the original.
    Time at{};                 ///< When it was translated: base of relative times on the way back.
    std::uint64_t digest = 0;  ///< Of the translation: detects changes by an agent.
    std::vector<Keep> keeps{};
};

inline constexpr std::string_view kExtensionMember = "parlance";

/// Sorting order of keeps when restoring: a member is followed directly by the pointers inside of
/// it, so that an object's pointers stay together.
bool is_before(std::string_view pointer, std::string_view other);

/// The extension by which this message can become one of `origin` again; else nothing. The keeps
/// are sorted, and are stored in the message or in `texts`.
std::optional<Extension> read_extension(json::Value message,
                                        const DialectRow& origin,
                                        Texts& texts);
void append_extension(std::string& out, const Extension& extension, const DialectRow& origin);

/// Every difference between `original` and `made`, both objects. `texts` stores the pointers.
std::vector<Keep> differences(json::Value made, json::Value original, Texts& texts);
/// The same with whole members only, wherever inside a member the difference is.
std::vector<Keep> coarse_differences(json::Value made, json::Value original, Texts& texts);

/// `made` with every keep restored whose value no agent has changed. The keeps are sorted.
std::string with_differences(json::Value made, std::span<const Keep> keeps);

/// The object without one of its members.
std::string without_member(json::Value object, std::string_view name);

}  // namespace parlance::dialects
