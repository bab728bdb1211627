// The accepted versions of a dialect, and how an older message becomes a current one.
//
// Messages are converted once, on receipt: later code knows only the current version.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dialects/dialects.h"

namespace parlance::dialects {

/// A member with another name or position in the next version, or new there.
struct Change {
    std::string_view was;       ///< Its old name, at the top of the message; empty: new.
    std::string_view object{};  ///< The object that now contains it; empty: the top.
    std::string_view is;        ///< Its new name.
    std::string_view mark{};    ///< Only in messages with this member; empty: in all.
    std::string_view value{};   ///< JSON: value of a new member.
};

struct VersionRow {
    std::string_view version;
    std::span<const Change> changes{};  ///< From this version to the row before.
};

struct Versions {
    std::string_view field;
    std::string_view section;
    std::span<const VersionRow> rows;  ///< The current version first, then older ones.
};

/// The message in the current version: empty if the message is current or names no version. `value`
/// is the text as a value.
Reading<std::string> made_current(const Versions& versions,
                                  std::string_view text,
                                  json::Value value);

}  // namespace parlance::dialects
