// Checks of a request's headers, before their values are used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transport/transport.h"

namespace parlance::gateway {

/// A repeated header among those that say who calls or what is wanted; empty if there is none. With
/// two different values, an intermediary may have read the other value.
std::string_view doubled_in(const transport::Request& request);

/// A header of a delegation (X-Agent-…) with an empty value. Empty if there is none.
std::string_view empty_in(const transport::Request& request);

/// "hub:7420" without its port.
std::string_view without_port(std::string_view host);

/// Whether a Host names this hub: by an address or as localhost, under which no other site can
/// serve a page, or by a name of `names`; "*.example" matches any single label before ".example".
bool is_own_host(std::string_view host, const std::vector<std::string>& names);

}  // namespace parlance::gateway
