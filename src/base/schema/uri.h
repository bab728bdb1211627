// References between schemas: RFC 3986, as much of it as resolving takes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parlance::schema {

/// Of a reference as it is written, and of what it leads to: each is kept.
inline constexpr std::size_t kUriBytesMax = 2048;

struct Reference {
    std::string uri;       ///< Without the fragment.
    std::string fragment;  ///< Percent-decoded.
};

/// Section 5.2: what `reference` means where `base` is the base.
Reference resolve(std::string_view base, std::string_view reference);

}  // namespace parlance::schema
