// Calls that are answered from the views, by the thread that keeps them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/desk.h"

namespace parlance::gateway {

/// Runs on the keeper's thread: what it needs of the desk it has a copy of.
using Read = std::function<Result<transport::Response>(const views::Books& books)>;

/// Answers the call once the views have got as far as `current_at`, or says that they lag.
void answer_from_books(Desk& desk, Call& call, Sequence current_at, Read read);

/// The JSON object, with a member `missing_records` if records from `first` to `last` are not in
/// the views because they cannot be read: what is shown may be incomplete.
std::string with_missing(std::string object,
                         const views::Books& books,
                         Sequence first,
                         Sequence last);

/// A whole number in the query; absent is zero, nothing if it is none.
std::optional<std::uint64_t> number_in(const transport::Request& request, std::string_view name);
/// How many are wanted: `usual` if nothing is said, and never more than a thousand.
std::int64_t page_of(std::uint64_t wanted, std::int64_t usual = 100);

}  // namespace parlance::gateway
