#include "sdk/cpp/http.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace parlance::sdk {
namespace {

constexpr std::size_t kHeadBytesMax = std::size_t{64} * 1024;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool equals_ignoring_case(std::string_view left, std::string_view right) {
    return std::ranges::equal(left, right, [](char a, char b) { return lower(a) == lower(b); });
}

template <class Number>
std::optional<Number> number_of(std::string_view text, int base = 10) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

bool is_one_line(std::string_view text) {
    return text.find_first_of(std::string_view{"\r\n\0", 3}) == std::string_view::npos;
}

Result<HttpResponse> parse_head(std::string_view head, const std::string& hub) {
    const auto broken = [&] {
        return fail(Fault::Malformed,
                    "what answers at " + hub + " does not speak HTTP; is it a Parlance hub?");
    };
    HttpResponse response;
    const auto status = head.starts_with("HTTP/1.") && head.size() >= 12
                            ? number_of<int>(head.substr(9, 3))
                            : std::nullopt;
    if (!status) return broken();
    response.status = *status;
    for (auto at = head.find("\r\n") + 2; at < head.size();) {
        const auto line = head.substr(at, head.find("\r\n", at) - at);
        at += line.size() + 2;
        if (line.empty()) break;
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) return broken();
        auto value = line.substr(colon + 1);
        value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
        response.headers.emplace_back(line.substr(0, colon), value);
    }
    return response;
}

tl::unexpected<Error> broken_chunk(const Link& link) {
    return fail(Fault::Malformed, "the answer of " + link.name() + " has a broken chunk");
}

Result<void> read_chunked(Link& link, HttpResponse& response, Deadline deadline) {
    ChunkReader chunks;
    while (!chunks.is_done()) {
        if (!TRY(chunks.take(link, response.body))) TRY(link.fill_or_fail(deadline));
    }
    return {};
}

Result<void> read_counted(Link& link, HttpResponse& response, std::size_t left, Deadline deadline) {
    for (;;) {
        const auto piece = link.waiting().substr(0, left);
        response.body += piece;
        left -= piece.size();
        link.drop(piece.size());
        if (left == 0) return {};
        TRY(link.fill_or_fail(deadline));
    }
}

Result<void> read_to_end(Link& link, HttpResponse& response, Deadline deadline) {
    for (;;) {
        response.body += link.waiting();
        link.drop(link.waiting().size());
        const auto filled = TRY(link.fill(deadline));
        if (filled == Link::Filled::Ended) return {};
        if (filled == Link::Filled::Nothing) return link.fill_or_fail(deadline);
    }
}

}  // namespace

std::string_view HttpResponse::header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
        if (equals_ignoring_case(key, name)) return value;
    }
    return {};
}

Result<std::string> write_request(const HubAddress& hub,
                                  const Identity& identity,
                                  const OutgoingRequest& outgoing) {
    Headers all = outgoing.headers;
    const bool is_said = !hub.has_proof();
    if (!hub.token.empty()) all.emplace_back("Authorization", "Bearer " + hub.token);
    if (is_said && !identity.agent.empty()) all.emplace_back("Parlance-Agent", identity.agent);
    if (is_said && !identity.operator_name.empty()) {
        all.emplace_back("Parlance-Operator", identity.operator_name);
    }
    const bool has_type = std::ranges::any_of(
        all, [](const auto& header) { return equals_ignoring_case(header.first, "Content-Type"); });
    if (!outgoing.body.empty() && !has_type) all.emplace_back("Content-Type", "application/json");
    if (!outgoing.body.empty() || outgoing.method != "GET") {
        all.emplace_back("Content-Length", std::to_string(outgoing.body.size()));
    }

    if (outgoing.target.find_first_of(" \t") != std::string_view::npos ||
        !is_one_line(outgoing.target)) {
        return fail(Fault::Malformed, "'" + std::string{outgoing.target} + "' has a space in it");
    }
    std::string text{outgoing.method};
    text.append(" ").append(outgoing.target).append(" HTTP/1.1\r\nHost: ");
    text += text_of(hub) + "\r\n";
    for (const auto& [name, value] : all) {
        if (!is_one_line(name) || !is_one_line(value)) {
            return fail(Fault::Malformed, "the header '" + name + "' has a line end in it");
        }
        text.append(name).append(": ").append(value).append("\r\n");
    }
    text.append("\r\n").append(outgoing.body);
    return text;
}

Result<HttpResponse> read_head(Link& link, Deadline deadline) {
    for (;;) {
        std::size_t end = 0;
        while ((end = link.waiting().find("\r\n\r\n")) == std::string_view::npos) {
            if (link.waiting().size() > kHeadBytesMax) {
                return fail(Fault::Malformed, "the answer of " + link.name() + " has no end");
            }
            TRY(link.fill_or_fail(deadline));
        }
        auto response = TRY(parse_head(link.waiting().substr(0, end + 2), link.name()));
        link.drop(end + 4);
        if (response.status / 100 != 1 || response.status == 101) return response;
    }
}

Result<bool> ChunkReader::take(Link& link, std::string& out) {
    const auto waiting = link.waiting();
    if (left_ > 0) {
        const auto count = std::min(left_, waiting.size());
        out.append(waiting.substr(0, count));
        link.drop(count);
        left_ -= count;
        return count > 0;
    }
    const auto end = waiting.find("\r\n");
    if (end == std::string_view::npos) {
        if (waiting.size() > kHeadBytesMax) return broken_chunk(link);
        return false;
    }
    const auto line = waiting.substr(0, end);
    TRY(read_line(link, line));
    link.drop(end + 2);
    return true;
}

Result<void> ChunkReader::read_line(const Link& link, std::string_view line) {
    if (in_trailer_) {
        done_ = line.empty();
        return {};
    }
    if (after_chunk_) {  // The line end that closes a chunk.
        if (!line.empty()) return broken_chunk(link);
        after_chunk_ = false;
        return {};
    }
    const auto size = number_of<std::size_t>(line.substr(0, line.find_first_of("; \t")), 16);
    if (!size) return broken_chunk(link);
    left_ = *size;
    after_chunk_ = left_ > 0;
    in_trailer_ = left_ == 0;
    return {};
}

bool is_chunked(const HttpResponse& response) {
    return equals_ignoring_case(response.header("Transfer-Encoding"), "chunked");
}

Result<void> read_body(Link& link, HttpResponse& response, bool is_head, Deadline deadline) {
    const bool bodiless = is_head || response.status == 204 || response.status == 304;
    const auto length = response.header("Content-Length");
    bool keep = !equals_ignoring_case(response.header("Connection"), "close");
    if (!bodiless && is_chunked(response)) {
        TRY(read_chunked(link, response, deadline));
    } else if (!bodiless && !length.empty()) {
        const auto count = number_of<std::size_t>(length);
        if (!count) {
            return fail(Fault::Malformed,
                        "the answer of " + link.name() + " has no readable length");
        }
        TRY(read_counted(link, response, *count, deadline));
    } else if (!bodiless) {
        TRY(read_to_end(link, response, deadline));
        keep = false;
    }
    if (!keep) link.close();
    return {};
}

}  // namespace parlance::sdk
