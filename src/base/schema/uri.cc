#include "base/schema/uri.h"

#include <charconv>
#include <optional>

namespace parlance::schema {

namespace {

/// The parts of a URI. Each part includes its delimiter, and is empty if absent.
struct Parts {
    std::string_view scheme;     ///< "https:"
    std::string_view authority;  ///< "//example.com"
    std::string_view path;
    std::string_view query;  ///< "?a=b"
};

Parts parts_of(std::string_view uri) {
    Parts parts;
    const auto take = [&](std::size_t size) {
        const auto part = uri.substr(0, size);
        uri.remove_prefix(part.size());
        return part;
    };
    const auto mark = uri.find_first_of(":/?");
    if (mark != std::string_view::npos && uri[mark] == ':') parts.scheme = take(mark + 1);
    if (uri.starts_with("//")) parts.authority = take(uri.find_first_of("/?", 2));
    parts.path = take(uri.find('?'));
    parts.query = uri;
    return parts;
}

/// Section 5.2.4.
std::string without_dots(std::string_view path) {
    std::string out;
    const bool is_absolute = path.starts_with('/');
    while (!path.empty()) {
        const auto slash = path.find('/', path.front() == '/' ? 1 : 0);
        const auto segment = path.substr(0, slash);
        path.remove_prefix(segment.size());
        const auto name = segment.starts_with('/') ? segment.substr(1) : segment;
        if (name == "..") out.resize(out.rfind('/') == std::string::npos ? 0 : out.rfind('/'));
        if (name != "." && name != "..")
            out += segment;
        else if (path.empty())
            out += '/';
    }
    if (!is_absolute && out.starts_with('/')) out.erase(0, 1);
    return out;
}

std::string decoded(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        unsigned byte = 0;
        const char* const digits = text.data() + at + 1;
        const bool is_code = text[at] == '%' && at + 2 < text.size() &&
                             std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
        out += is_code ? static_cast<char>(byte) : text[at];
        if (is_code) at += 2;
    }
    return out;
}

std::string merged(const Parts& base, std::string_view path) {
    if (!base.authority.empty() && base.path.empty()) return '/' + std::string{path};
    const auto slash = base.path.rfind('/');
    const auto folder = slash == std::string_view::npos ? "" : base.path.substr(0, slash + 1);
    return std::string{folder} + std::string{path};
}

std::string resolved(const Parts& base, const Parts& reference) {
    const auto join = [](auto scheme, auto authority, const std::string& path, auto query) {
        return std::string{scheme}.append(authority).append(path).append(query);
    };
    if (!reference.scheme.empty()) {
        return join(
            reference.scheme, reference.authority, without_dots(reference.path), reference.query);
    }
    if (!reference.authority.empty()) {
        return join(
            base.scheme, reference.authority, without_dots(reference.path), reference.query);
    }
    if (reference.path.empty()) {
        return join(base.scheme,
                    base.authority,
                    std::string{base.path},
                    reference.query.empty() ? base.query : reference.query);
    }
    const auto path = reference.path.starts_with('/') ? std::string{reference.path}
                                                      : merged(base, reference.path);
    return join(base.scheme, base.authority, without_dots(path), reference.query);
}

}  // namespace

Reference resolve(std::string_view base, std::string_view reference) {
    const auto hash = reference.find('#');
    const auto fragment =
        hash == std::string_view::npos ? std::string_view{} : reference.substr(hash + 1);
    return {.uri = resolved(parts_of(base), parts_of(reference.substr(0, hash))),
            .fragment = decoded(fragment)};
}

}  // namespace parlance::schema
