// Calls answered from the views, on the thread that keeps the views.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/desk.h"

namespace parlance::gateway {

/// Runs on the views' thread, with a copy of all the data that a read needs of the desk.
using Read = std::function<Result<transport::Response>(const views::ViewSources& sources)>;

/// Answers the call once the views include `current_at`, or says that the views lag.
void answer_from_views(Desk& desk, Call& call, Sequence current_at, Read read);

/// The JSON object, with a member `missing_records` if the views lack unreadable records from
/// `first` to `last`: the object may be incomplete.
std::string with_missing(std::string object,
                         const views::ViewSources& sources,
                         Sequence first,
                         Sequence last);

/// A whole number of the query; zero if absent, nothing if unreadable.
std::optional<std::uint64_t> number_in(const transport::Request& request, std::string_view name);
/// The size of a page: `usual` if zero is wanted, and at most a thousand.
std::int64_t page_of(std::uint64_t wanted, std::int64_t usual = 100);

}  // namespace parlance::gateway
