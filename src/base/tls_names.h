// What a certificate in a file is for.
#pragma once

#include <string>
#include <vector>

namespace parlance {

/// The DNS names in the first certificate of a PEM file; none if it cannot be read.
std::vector<std::string> hosts_named_in(const std::string& certificate_file);

}  // namespace parlance
