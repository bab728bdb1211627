// The result of a fallible operation: a value, or an Error with the reason.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include <tl/expected.hpp>

namespace parlance {

/// How the caller can react; the only part of an Error that code branches on.
enum class Fault {
    Malformed,    ///< The peer sent unreadable data.
    NotFound,     ///< The requested thing does not exist.
    Unavailable,  ///< Try again later.
    Exhausted,    ///< No room left; the same call may succeed once room is made.
    Corrupt,      ///< Stored bytes fail their checksum, or the disk cannot read them.
    Unsupported,  ///< Written by a newer program version.
};

struct Error {
    Fault fault;
    std::string message;  ///< For people: names the thing and the value at fault.
};

template <class T>
using Result = tl::expected<T, Error>;

inline auto fail(Fault fault, std::string message) {
    return tl::unexpected<Error>({fault, std::move(message)});
}

template <class T>
T take(Result<T>&& result) {
    if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace parlance

/// The value of `expression`, or an early return of its Error.
#define TRY(expression)                                                          \
    __extension__({                                                              \
        auto try_result = (expression);                                          \
        if (!try_result) return ::tl::unexpected(std::move(try_result).error()); \
        ::parlance::take(std::move(try_result));                                 \
    })
