// The host names of a certificate file.
#pragma once

#include <string>
#include <vector>

namespace parlance {

/// The DNS names in the first certificate of a PEM file; none if the file is unreadable.
std::vector<std::string> hosts_named_in(const std::string& certificate_file);

}  // namespace parlance
