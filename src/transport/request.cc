#include "transport/request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

#include "base/plain_text.h"

namespace parlance::transport {
namespace {

struct StatusReason {
    int status;
    std::string_view reason;
};

constexpr std::array kReasons{
    StatusReason{101, "Switching Protocols"},
    StatusReason{200, "OK"},
    StatusReason{201, "Created"},
    StatusReason{202, "Accepted"},
    StatusReason{204, "No Content"},
    StatusReason{301, "Moved Permanently"},
    StatusReason{302, "Found"},
    StatusReason{303, "See Other"},
    StatusReason{304, "Not Modified"},
    StatusReason{307, "Temporary Redirect"},
    StatusReason{308, "Permanent Redirect"},
    StatusReason{400, "Bad Request"},
    StatusReason{401, "Unauthorized"},
    StatusReason{402, "Payment Required"},
    StatusReason{403, "Forbidden"},
    StatusReason{404, "Not Found"},
    StatusReason{405, "Method Not Allowed"},
    StatusReason{406, "Not Acceptable"},
    StatusReason{408, "Request Timeout"},
    StatusReason{409, "Conflict"},
    StatusReason{410, "Gone"},
    StatusReason{412, "Precondition Failed"},
    StatusReason{413, "Content Too Large"},
    StatusReason{415, "Unsupported Media Type"},
    StatusReason{422, "Unprocessable Content"},
    StatusReason{423, "Locked"},
    StatusReason{425, "Too Early"},
    StatusReason{426, "Upgrade Required"},
    StatusReason{428, "Precondition Required"},
    StatusReason{429, "Too Many Requests"},
    StatusReason{431, "Request Header Fields Too Large"},
    StatusReason{500, "Internal Server Error"},
    StatusReason{501, "Not Implemented"},
    StatusReason{502, "Bad Gateway"},
    StatusReason{503, "Service Unavailable"},
    StatusReason{504, "Gateway Timeout"},
    StatusReason{507, "Insufficient Storage"},
    StatusReason{508, "Loop Detected"},
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char l = lower(c);
    return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

/// A part of a target for an error message: ASCII only, cut to 80 bytes.
std::string shown(std::string_view part) {
    constexpr std::size_t kShownMax = 80;
    std::string out;
    for (const char c : part.substr(0, kShownMax)) {
        if (c > ' ' && c < '\x7f') {
            out += c;
        } else {
            fmt::format_to(std::back_inserter(out), "%{:02x}", static_cast<unsigned char>(c));
        }
    }
    return part.size() > kShownMax ? out + "…" : out;
}

/// Absolute targets ("http://host/path") are sent by proxies; only the path matters here.
std::string_view without_authority(std::string_view target) {
    const auto scheme = target.find("://");
    if (target.starts_with('/') || scheme == std::string_view::npos) return target;
    const auto path = target.find_first_of("/?", scheme + 3);
    return path == std::string_view::npos ? std::string_view{"/"} : target.substr(path);
}

Result<void> read_query(std::string_view query, Request& request) {
    while (!query.empty()) {
        const auto pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), pair.size() + 1));
        if (pair.empty()) continue;
        const auto equals = pair.find('=');
        auto name = TRY(percent_decode(pair.substr(0, equals), true));
        auto value = equals == std::string_view::npos
                         ? std::string{}
                         : TRY(percent_decode(pair.substr(equals + 1), true));
        request.query.emplace_back(std::move(name), std::move(value));
    }
    return {};
}

void append_number(std::string& out, std::size_t number) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
    out += name;
    out += ": ";
    if (value.find_first_of(std::string_view{"\r\n\0", 3}) == std::string_view::npos) {
        out += value;
    } else {
        std::ranges::copy_if(value, std::back_inserter(out), [](char c) {
            return c != '\r' && c != '\n' && c != '\0';
        });
    }
    out += "\r\n";
}

bool has_no_body(int status) { return status == 204 || status == 304 || status / 100 == 1; }

/// The positions in the decoded path of slashes sent as %2F.
std::vector<std::size_t> slashes_encoded_in(std::string_view path) {
    constexpr std::size_t kEscape = 3;
    std::vector<std::size_t> places;
    std::size_t shrunk = 0;
    for (auto at = path.find('%'); at != std::string_view::npos;
         at = path.find('%', at + kEscape)) {
        const auto code = path.substr(at + 1, 2);
        if (code == "2F" || code == "2f") places.push_back(at - shrunk);
        shrunk += kEscape - 1;
    }
    return places;
}

}  // namespace

bool equals_ignoring_case(std::string_view left, std::string_view right) {
    return left.size() == right.size() &&
           std::equal(left.begin(), left.end(), right.begin(), [](char a, char b) {
               return lower(a) == lower(b);
           });
}

bool has_token(std::string_view list, std::string_view token) {
    while (!list.empty()) {
        const auto part = list.substr(0, list.find(','));
        list.remove_prefix(std::min(list.size(), part.size() + 1));
        if (equals_ignoring_case(trimmed(part), token)) return true;
    }
    return false;
}

std::string_view Request::header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
        if (equals_ignoring_case(key, name)) return value;
    }
    return {};
}

std::string_view Request::parameter(std::string_view name) const {
    const auto found = std::ranges::find(query, name, [](const auto& pair) { return pair.first; });
    return found == query.end() ? std::string_view{} : std::string_view{found->second};
}

Result<std::string> percent_decode(std::string_view text, bool plus_is_space) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '+' && plus_is_space) {
            decoded += ' ';
        } else if (text[at] != '%') {
            decoded += text[at];
        } else {
            const int high = at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
            const int low = high < 0 ? -1 : hex_digit(text[at + 2]);
            if (low < 0) {
                return fail(Fault::Malformed,
                            fmt::format("'{}' is not a percent-encoded byte in the request target",
                                        shown(text.substr(at, 3))));
            }
            decoded += static_cast<char>(high * 16 + low);
            at += 2;
        }
    }
    if (!is_plain_text(decoded)) {
        return fail(Fault::Malformed,
                    fmt::format("'{}' in the request target must be UTF-8 without control "
                                "characters once it is percent-decoded",
                                shown(text)));
    }
    return decoded;
}

Result<void> read_target(std::string_view target, Request& request) {
    const auto local = without_authority(target);
    if (local == "*" && request.method == "OPTIONS") {
        request.path = local;
        return {};
    }
    const auto question = local.find('?');
    const auto path = local.substr(0, question);
    if (!path.empty() && path.front() != '/') {
        return fail(Fault::Malformed,
                    fmt::format("the request target '{}' is no path", shown(target)));
    }
    request.path = path.empty() ? "/" : TRY(percent_decode(path, false));
    request.slashes_encoded = slashes_encoded_in(path);
    if (question == std::string_view::npos) return {};
    return read_query(local.substr(question + 1), request);
}

bool asks_for_websocket(const Request& request) {
    const auto upgrade = request.header("Upgrade");
    return !upgrade.empty() && has_token(upgrade, "websocket") &&
           has_token(request.header("Connection"), "upgrade");
}

std::string_view reason_phrase(int status) {
    const auto found = std::ranges::lower_bound(kReasons, status, {}, &StatusReason::status);
    return found != kReasons.end() && found->status == status ? found->reason : "Status";
}

void append_response(std::string& out, const Response& response, AnswerStyle style) {
    out.reserve(out.size() + 160 + response.body.size());
    out += "HTTP/1.1 ";
    append_number(out, static_cast<std::size_t>(response.status));
    out += ' ';
    out += reason_phrase(response.status);
    out += "\r\nServer: parlance\r\n";
    if (!response.content_type.empty()) append_field(out, "Content-Type", response.content_type);
    for (const auto& [name, value] : response.headers) append_field(out, name, value);

    const bool bodiless = has_no_body(response.status);
    if (style.chunked) {
        if (style.http_11) out += "Transfer-Encoding: chunked\r\n";
    } else if (!bodiless) {
        out += "Content-Length: ";
        append_number(out, response.body.size());
        out += "\r\n";
    }
    if (!style.keep_alive) {
        out += "Connection: close\r\n";
    } else if (!style.http_11) {
        out += "Connection: keep-alive\r\n";
    }
    out += "\r\n";
    if (!bodiless && !style.head_only && !style.chunked) out += response.body;
}

void append_chunk(std::string& out, std::string_view chunk) {
    fmt::format_to(std::back_inserter(out), "{:x}\r\n", chunk.size());
    out += chunk;
    out += "\r\n";
}

}  // namespace parlance::transport
