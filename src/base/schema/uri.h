// References between schemas: RFC 3986, as much of it as resolving takes.
#pragma once

#include <string>
#include <string_view>

namespace parlance::schema {

struct Reference {
    std::string uri;       ///< Without the fragment.
    std::string fragment;  ///< Percent-decoded.
};

/// Section 5.2: what `reference` means where `base` is the base.
Reference resolve(std::string_view base, std::string_view reference);

}  // namespace parlance::schema
