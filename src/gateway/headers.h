// What the door asks of a request's headers before anybody looks at what they say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transport/transport.h"

namespace parlance::gateway {

/// A header that is there twice although it says who calls or what is wanted: of two that differ,
/// somebody on the way may have read the other. Empty if there is none.
std::string_view doubled_in(const transport::Request& request);

/// A header of a delegation (X-Agent-…) that is there and says nothing. Empty if there is none.
std::string_view empty_in(const transport::Request& request);

/// "hub:7420" without its port.
std::string_view without_port(std::string_view host);

/// Whether a Host names this hub: by an address or as localhost, which no page of another site can
/// be served under, or by one of these names; "*.example" stands for any one name before
/// ".example".
bool is_own_host(std::string_view host, const std::vector<std::string>& names);

}  // namespace parlance::gateway
