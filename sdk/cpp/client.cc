// The HTTP half of the client: addresses, calls over one kept-alive connection, and streams.
#include "sdk/cpp/client.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "sdk/cpp/stream.h"

namespace parlance::sdk {

namespace {

bool same_name(std::string_view left, std::string_view right) {
    return std::ranges::equal(left, right, [](unsigned char a, unsigned char b) {
        return std::tolower(a) == std::tolower(b);
    });
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

Result<std::uint16_t> port_of(std::string_view digits) {
    unsigned port = 0;
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, port);
    if (read.ec != std::errc{} || read.ptr != end || port == 0 || port > 65535) {
        return fail(Fault::Malformed, "'" + std::string(digits) + "' is no port (1 to 65535)");
    }
    return static_cast<std::uint16_t>(port);
}

std::optional<std::size_t> number_in(std::string_view text, int base) {
    std::size_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (read.ec != std::errc{} || read.ptr == text.data()) return {};
    return number;
}

/// The status line and the headers of an answer, without the empty line.
Result<HttpResponse> read_head(std::string_view head) {
    HttpResponse response;
    const std::size_t line_end = std::min(head.find("\r\n"), head.size());
    const std::string_view status = head.substr(0, line_end);
    const auto code = status.size() >= 12 ? number_in(status.substr(9, 3), 10) : std::nullopt;
    if (!status.starts_with("HTTP/1.") || !code) {
        return fail(Fault::Malformed, "what answers there does not speak HTTP/1.1");
    }
    response.status = static_cast<int>(*code);
    head.remove_prefix(std::min(line_end + 2, head.size()));
    while (!head.empty()) {
        const std::string_view line = head.substr(0, head.find("\r\n"));
        head.remove_prefix(std::min(line.size() + 2, head.size()));
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        response.headers.emplace_back(line.substr(0, colon), trimmed(line.substr(colon + 1)));
    }
    return response;
}

/// How the end of a body is found.
enum class Framing { Length, Chunks, UntilClose };

struct Body {
    Framing framing = Framing::Length;
    std::size_t left = 0;  ///< Of the whole body, or of the current chunk.
};

Body body_of(const HttpResponse& head) {
    if (same_name(head.header("transfer-encoding"), "chunked")) return {Framing::Chunks, 0};
    if (head.status == 204 || head.status == 304) return {};
    const auto length = number_in(head.header("content-length"), 10);
    if (!length) return {Framing::UntilClose, 0};
    return {Framing::Length, *length};
}

constexpr std::size_t kHeadBytesMax = std::size_t{64} << 10;

}  // namespace

Result<HubAddress> HubAddress::parse(std::string_view text) {
    const std::string whole(text);
    const auto wrong = [&](std::string_view why) {
        return fail(Fault::Malformed, "'" + whole + "' is no hub address: " + std::string(why));
    };
    if (text.starts_with("https://")) return wrong("TLS is not spoken here; use http://");
    if (text.starts_with("http://")) text.remove_prefix(7);
    if (text.ends_with('/')) text.remove_suffix(1);

    HubAddress address;
    std::string_view port;
    if (text.starts_with('[')) {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos) return wrong("the bracket is not closed");
        address.host = text.substr(1, close - 1);
        port = text.substr(close + 1);
        if (!port.empty() && port.front() != ':') return wrong("a port follows a colon");
    } else {
        const std::size_t colon = std::min(text.find(':'), text.size());
        if (text.find(':', colon + 1) != std::string_view::npos) {
            return wrong("write an IPv6 address in brackets");
        }
        if (colon != 0) address.host = text.substr(0, colon);
        port = text.substr(colon);
    }
    if (address.host.empty() || address.host.find_first_of("/ ") != std::string::npos) {
        return wrong("write HOST:PORT");
    }
    if (port.empty()) return address;
    const auto number = port_of(port.substr(1));
    if (!number) return wrong(number.error().message);
    address.port = *number;
    return address;
}

std::string_view HttpResponse::header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
        if (same_name(key, name)) return value;
    }
    return {};
}

struct Client::Impl {
    HubAddress hub;
    Identity identity;
    std::chrono::milliseconds timeout;
    std::optional<Stream> stream{};
    Body body{};
    std::string line{};  ///< Of a stream: the part that has come.

    Result<void> fill(Clock::time_point deadline) {
        if (TRY(stream->fill(deadline))) return {};
        return fail(Fault::Unavailable,
                    "the hub did not answer within " + std::to_string(timeout.count()) + " ms");
    }

    std::string write_request(std::string_view method,
                              std::string_view target,
                              std::string_view content,
                              const Headers& headers) const {
        std::string out;
        out.reserve(256 + content.size());
        out.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: ");
        const bool is_v6 = hub.host.find(':') != std::string::npos;
        out.append(is_v6 ? "[" + hub.host + "]" : hub.host);
        out.append(":").append(std::to_string(hub.port)).append("\r\n");
        const auto add = [&](std::string_view name, std::string_view value) {
            if (!value.empty()) out.append(name).append(": ").append(value).append("\r\n");
        };
        add("Parlance-Agent", identity.agent);
        add("Parlance-Operator", identity.operator_name);
        for (const auto& [name, value] : headers) add(name, value);
        if (!content.empty()) add("Content-Type", "application/json");
        if (!content.empty() || method != "GET") {
            add("Content-Length", std::to_string(content.size()));
        }
        return out.append("\r\n").append(content);
    }

    Result<HttpResponse> receive_head(Clock::time_point deadline) {
        while (true) {
            const std::size_t end = stream->pending().find("\r\n\r\n");
            if (end != std::string_view::npos) {
                auto head = read_head(stream->pending().substr(0, end));
                stream->consume(end + 4);
                if (!head || head->status >= 200) return head;
                continue;  // 100 Continue and its like announce the real one.
            }
            if (stream->pending().size() > kHeadBytesMax) {
                return fail(Fault::Malformed, "the answer's headers have no end");
            }
            TRY(fill(deadline));
        }
    }

    /// The next line of the chunk framing itself.
    Result<std::string> chunk_line(Clock::time_point deadline) {
        while (true) {
            const std::size_t end = stream->pending().find("\r\n");
            if (end != std::string_view::npos) {
                std::string text(stream->pending().substr(0, end));
                stream->consume(end + 2);
                return text;
            }
            TRY(fill(deadline));
        }
    }

    /// Moves to the next chunk; false at the last one.
    Result<bool> next_chunk(Clock::time_point deadline) {
        std::string text = TRY(chunk_line(deadline));
        if (text.empty()) text = TRY(chunk_line(deadline));  // The end of the former chunk.
        const auto size = number_in(text, 16);
        if (!size) return fail(Fault::Malformed, "a chunk of the answer has no length");
        body.left = *size;
        if (*size != 0) return true;
        while (!TRY(chunk_line(deadline)).empty()) continue;  // Trailers.
        return false;
    }

    /// Moves what has come of the body to `out`; false at its end.
    Result<bool> receive_some(std::string& out, Clock::time_point deadline) {
        if (body.framing == Framing::Chunks && body.left == 0) {
            if (!TRY(next_chunk(deadline))) return false;
        }
        if (body.framing == Framing::Length && body.left == 0) return false;
        if (stream->pending().empty()) {
            auto filled = fill(deadline);
            if (!filled && body.framing == Framing::UntilClose) return false;
            if (!filled) return tl::unexpected(std::move(filled).error());
        }
        std::string_view some = stream->pending();
        if (body.framing != Framing::UntilClose) {
            some = some.substr(0, body.left);
            body.left -= some.size();
        }
        out.append(some);
        stream->consume(some.size());
        return true;
    }

    /// Sends and reads the head. A kept-alive connection may have been closed while it rested:
    /// then, and only before anything was answered, it is tried again on a fresh one.
    Result<HttpResponse> begin(std::string_view bytes) {
        const auto deadline = Clock::now() + timeout;
        const bool was_kept = stream.has_value();
        if (!was_kept) stream = TRY(Stream::connect(hub, deadline));
        auto head = attempt(bytes, deadline);
        if (head || !was_kept || !stream->pending().empty() || Clock::now() >= deadline) {
            return head;
        }
        stream = TRY(Stream::connect(hub, deadline));
        return attempt(bytes, deadline);
    }

    Result<HttpResponse> attempt(std::string_view bytes, Clock::time_point deadline) {
        TRY(stream->write(bytes, deadline));
        auto head = TRY(receive_head(deadline));
        body = body_of(head);
        return head;
    }
};

Client::Client(HubAddress hub, Identity identity, std::chrono::milliseconds timeout)
    : impl_(std::make_unique<Impl>(
          Impl{.hub = std::move(hub), .identity = std::move(identity), .timeout = timeout})) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Result<HttpResponse> Client::call(std::string_view method,
                                  std::string_view target,
                                  std::string_view body,
                                  const Headers& headers) {
    const auto whole = [&]() -> Result<HttpResponse> {
        auto response = TRY(impl_->begin(impl_->write_request(method, target, body, headers)));
        const auto deadline = Clock::now() + impl_->timeout;
        while (TRY(impl_->receive_some(response.body, deadline))) continue;
        return response;
    };
    auto response = whole();
    const bool is_kept = response && impl_->body.framing != Framing::UntilClose &&
                         !same_name(response->header("connection"), "close");
    if (!is_kept) impl_->stream.reset();
    return response;
}

Result<HttpResponse> Client::open_stream(std::string_view target, const Headers& headers) {
    impl_->line.clear();
    auto response = TRY(impl_->begin(impl_->write_request("GET", target, {}, headers)));
    if (response.status == 200) return response;
    while (TRY(impl_->receive_some(response.body, Clock::now() + impl_->timeout))) continue;
    return response;
}

Result<std::optional<std::string>> Client::next_line(std::chrono::milliseconds wait) {
    const auto deadline = Clock::now() + wait;
    auto& line = impl_->line;
    while (true) {
        const std::size_t end = line.find('\n');
        if (end != std::string::npos) {
            std::string whole = line.substr(0, end);
            line.erase(0, end + 1);
            if (whole.ends_with('\r')) whole.pop_back();
            return whole;
        }
        // Half of a chunk's head is no reason to give up: it is still pending the next time.
        auto some = impl_->receive_some(line, deadline);
        if (!some && Clock::now() >= deadline) return std::nullopt;
        if (!some) return tl::unexpected(std::move(some).error());
        if (!*some) return std::nullopt;
    }
}

}  // namespace parlance::sdk
