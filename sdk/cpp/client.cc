#include "sdk/cpp/client.h"

#include <charconv>

#include "sdk/cpp/http.h"
#include "sdk/cpp/link.h"

namespace parlance::sdk {

using std::chrono::milliseconds;

Result<HubAddress> HubAddress::parse(std::string_view text) {
    const auto refuse = [whole = std::string{text}] {
        return fail(Fault::Malformed,
                    "'" + whole + "' is not the address of a hub; write it like 127.0.0.1:7420");
    };
    HubAddress hub;
    for (const std::string_view scheme : {"https://", "wss://", "http://", "ws://"}) {
        if (!text.starts_with(scheme)) continue;
        text.remove_prefix(scheme.size());
        hub.is_tls = scheme == "https://" || scheme == "wss://";
        break;
    }
    if (text.ends_with('/')) text.remove_suffix(1);
    auto colon = text.rfind(':');
    if (text.starts_with('[')) {
        const auto bracket = text.find(']');
        if (bracket == std::string_view::npos) return refuse();
        hub.host = text.substr(1, bracket - 1);
        colon = bracket + 1 < text.size() ? bracket + 1 : std::string_view::npos;
        if (colon != std::string_view::npos && text[colon] != ':') return refuse();
    } else if (colon != std::string_view::npos && text.find(':') != colon) {
        hub.host = text;  // An IPv6 address without brackets has no port.
        colon = std::string_view::npos;
    } else {
        hub.host = text.substr(0, colon);
    }
    if (hub.host.empty() || hub.host.find_first_of(" \t\r\n/@?#[]") != std::string::npos) {
        return refuse();
    }
    if (colon == std::string_view::npos) return hub;
    const auto port = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), hub.port);
    if (error != std::errc{} || end != port.data() + port.size() || hub.port == 0) return refuse();
    return hub;
}

struct Client::Impl {
    HubAddress hub;
    Identity identity;
    milliseconds timeout;
    Link link;
    std::optional<ChunkReader> chunks;
    std::string lines;  ///< Of the stream, received and not yet returned.
    bool streaming = false;

    /// Sends the request and reads the head of its answer. The hub may have closed a kept
    /// connection meanwhile: if no byte of an answer came, a fresh connection is tried once.
    Result<HttpResponse> begin(const OutgoingRequest& outgoing, Deadline deadline) {
        if (streaming) link.close();
        streaming = false;
        const auto request = TRY(write_request(hub, identity, outgoing));
        const bool was_kept = link.is_open();
        if (was_kept) {
            if (link.send(request, deadline)) {
                const auto filled = link.fill(deadline);
                if (filled && *filled != Link::Filled::Ended) return read_head(link, deadline);
            }
        }
        TRY(link.connect(hub, deadline));
        TRY(link.send(request, deadline));
        return read_head(link, deadline);
    }

    Result<HttpResponse> call(const OutgoingRequest& outgoing) {
        const auto deadline = deadline_in(timeout);
        auto response = TRY(begin(outgoing, deadline));
        TRY(read_body(link, response, outgoing.method == "HEAD", deadline));
        return response;
    }

    Result<HttpResponse> open_stream(const OutgoingRequest& outgoing) {
        const auto deadline = deadline_in(timeout);
        auto response = TRY(begin(outgoing, deadline));
        if (response.status != 200) {
            TRY(read_body(link, response, false, deadline));
            return response;
        }
        streaming = true;
        lines.clear();
        chunks.reset();
        if (is_chunked(response)) chunks.emplace();
        return response;
    }

    /// Moves available bytes into `lines`; true on any progress.
    Result<bool> take_waiting() {
        if (chunks) return chunks->take(link, lines);
        const auto waiting = link.waiting();
        lines += waiting;
        link.drop(waiting.size());
        return !waiting.empty();
    }

    Result<std::optional<std::string>> next_line(milliseconds wait) {
        const auto deadline = deadline_in(wait);
        for (std::size_t searched = 0; streaming;) {
            if (const auto end = lines.find('\n', searched); end != std::string::npos) {
                auto line = lines.substr(0, end);
                lines.erase(0, end + 1);
                if (line.ends_with('\r')) line.pop_back();
                return line;
            }
            searched = lines.size();
            if (TRY(take_waiting())) continue;
            const bool is_over = chunks && chunks->is_done();
            const auto filled = is_over ? Link::Filled::Ended : TRY(link.fill(deadline));
            if (filled == Link::Filled::Nothing) return std::nullopt;
            if (filled == Link::Filled::Some) continue;
            streaming = false;
            link.close();
        }
        return std::nullopt;
    }
};

Client::Client(HubAddress hub, Identity identity, milliseconds timeout)
    : impl_{new Impl{.hub = std::move(hub),
                     .identity = std::move(identity),
                     .timeout = timeout,
                     .link = {},
                     .chunks = {},
                     .lines = {}}} {}

Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Result<HttpResponse> Client::call(std::string_view method,
                                  std::string_view target,
                                  std::string_view body,
                                  const Headers& headers) {
    auto response = impl_->call({method, target, body, headers});
    // The rest of a partial answer must not begin the next answer.
    if (!response) impl_->link.close();
    return response;
}

Result<HttpResponse> Client::open_stream(std::string_view target, const Headers& headers) {
    auto response = impl_->open_stream({"GET", target, {}, headers});
    if (!response) impl_->link.close();
    return response;
}

Result<std::optional<std::string>> Client::next_line(milliseconds wait) {
    auto line = impl_->next_line(wait);
    if (!line) {
        impl_->streaming = false;
        impl_->link.close();
    }
    return line;
}

bool Client::is_streaming() const { return impl_->streaming; }

}  // namespace parlance::sdk
