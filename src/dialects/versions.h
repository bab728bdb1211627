// The versions of a dialect that are read, and how a message of an older one becomes one of the
// next.
//
// A message is made current at the door, once: nothing behind it knows that there were others.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dialects/dialects.h"

namespace parlance::dialects {

/// A member that has another name or place in the next version, or is new in it.
struct Change {
    std::string_view was;       ///< Its name, at the top of the message; empty: it is new.
    std::string_view object{};  ///< Where it is now: inside of this object, else at the top.
    std::string_view is;        ///< What it is called there.
    std::string_view mark{};    ///< Only in messages that have this member; empty: in all.
    std::string_view value{};   ///< JSON: what a new one says where nothing does.
};

struct VersionRow {
    std::string_view version;
    std::span<const Change> changes{};  ///< From it to the row before.
};

struct Versions {
    std::string_view field;
    std::string_view section;
    std::span<const VersionRow> rows;  ///< The current first, then each one before.
};

/// The message as one of the current version: empty if it is that already, or names none. `value`
/// is the text as one.
Reading<std::string> made_current(const Versions& versions,
                                  std::string_view text,
                                  json::Value value);

}  // namespace parlance::dialects
