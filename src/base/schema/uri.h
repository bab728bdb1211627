// Resolves references between schemas, by the needed part of RFC 3986.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parlance::schema {

/// Bound on a written reference and on a resolved reference: both are stored.
inline constexpr std::size_t kUriBytesMax = 2048;

struct Reference {
    std::string uri;       ///< Without the fragment.
    std::string fragment;  ///< Percent-decoded.
};

/// Section 5.2: resolves `reference` against `base`.
Reference resolve(std::string_view base, std::string_view reference);

}  // namespace parlance::schema
