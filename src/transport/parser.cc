#include "transport/parser.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <fmt/format.h>

#include "base/plain_text.h"
#include "transport/request.h"

namespace parlance::transport {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using BeastView = boost::beast::string_view;
using Fields = std::vector<std::pair<std::string, std::string>>;

/// Maximum for a chunk's size line and for the trailer; the hub uses neither.
constexpr std::size_t kChunkLineBytesMax = std::size_t{16} * 1024;
/// Reserving more fields would leave holes between kept messages that no later message fits: a
/// message of 512 bytes would take the place of the fields.
constexpr std::size_t kFieldsUsual = 8;
constexpr std::size_t kAnswerFieldsMax = 200;
constexpr std::size_t kAnswerHeaderBytesMax = std::size_t{64} * 1024;
constexpr std::size_t kNameShownMax = 64;

std::string_view plain(BeastView text) { return {text.data(), text.size()}; }

/// Whether a header's value may be shown to users. A tab is as good as a space (RFC 9110, 5.5).
bool is_header_text(std::string_view value) {
    if (is_plain_text(value)) return true;
    std::string spaced{value};
    std::ranges::replace(spaced, '\t', ' ');
    return is_plain_text(spaced);
}

/// Collects header fields and body directly in std::string, without Beast's containers.
template <bool IsRequest>
class Gatherer : public http::basic_parser<IsRequest> {
  public:
    Gatherer(std::size_t fields_max, std::size_t header_bytes_max, std::size_t body_bytes_max)
        : fields_max_{fields_max},
          header_bytes_max_{header_bytes_max},
          body_bytes_max_{body_bytes_max} {
        // Beast's header limit applies to a single call; drive() counts the header's bytes over all
        // calls.
        this->header_limit(std::numeric_limits<std::uint32_t>::max());
        this->body_limit(body_bytes_max);
    }

    /// One step of parsing, with limits on the bytes that may stay unread between calls.
    Progress drive(std::string_view bytes, std::size_t& used, ParserRefusal& refusal) {
        const bool had_header = this->is_header_done();
        error_code error;
        this->eager(had_header);
        const auto taken = this->put(boost::asio::const_buffer{bytes.data(), bytes.size()}, error);
        used += taken;
        if (!had_header) header_bytes_ += taken;
        if (error && error != http::error::need_more) return refuse(error, refusal);

        const auto left = bytes.size() - taken;
        const auto header_bytes = header_bytes_ + (this->is_header_done() ? 0 : left);
        if (!had_header && header_bytes > header_bytes_max_) {
            return refuse(http::error::header_limit, refusal);
        }
        if (had_header && error && left > kChunkLineBytesMax) {
            return refuse(http::error::bad_chunk_extension, refusal);
        }
        if (this->is_done()) return Progress::Done;
        return !had_header && this->is_header_done() ? Progress::HeaderDone : Progress::NeedMore;
    }

    Progress refuse(error_code error, ParserRefusal& refusal) const {
        if (error == http::error::header_limit) {
            refusal = {431, fmt::format("the header is larger than {} bytes", header_bytes_max_)};
        } else if (fields_count_ > fields_max_) {
            refusal = {431, fmt::format("the header has more than {} fields", fields_max_)};
        } else if (!unreadable_.empty()) {
            refusal = {400,
                       fmt::format("the header '{}' must be UTF-8 without control characters",
                                   unreadable_)};
        } else if (error == http::error::body_limit) {
            refusal = {413, fmt::format("the body is larger than {} bytes", body_bytes_max_)};
        } else {
            refusal = {400, fmt::format("this is not HTTP/1.1: {}", error.message())};
        }
        return Progress::Refused;
    }

    Fields fields;
    std::string body;
    std::string method;
    std::string target;
    int status = 0;
    int version = 11;

  protected:
    void on_request_impl(http::verb,
                         BeastView method_text,
                         BeastView target_text,
                         int version_number,
                         error_code&) override {
        method = plain(method_text);
        target = plain(target_text);
        version = version_number;
        fields.reserve(kFieldsUsual);
    }

    void on_response_impl(int code, BeastView, int version_number, error_code&) override {
        status = code;
        version = version_number;
    }

    void on_field_impl(http::field known,
                       BeastView name,
                       BeastView value,
                       error_code& error) override {
        if (this->is_header_done()) return;  // A trailer field: bounded, and ignored.
        if (++fields_count_ > fields_max_) {
            error = http::error::bad_field;
            return;
        }
        // Any other coding would leave the length of the body ambiguous.
        if (known == http::field::transfer_encoding &&
            (!equals_ignoring_case(plain(value), "chunked") || version < 11)) {
            error = http::error::bad_transfer_encoding;
            return;
        }
        // Header values of requests are kept and shown, so they must be plain text; those of
        // answers are not shown.
        if (IsRequest && !is_header_text(plain(value))) {
            unreadable_ = plain(name.substr(0, kNameShownMax));
            error = http::error::bad_value;
            return;
        }
        fields.emplace_back(plain(name), plain(value));
    }

    void on_header_impl(error_code&) override {}

    void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) override {
        // Reserve at most as many bytes as could plausibly follow at once.
        constexpr std::uint64_t kReserveMax = std::uint64_t{64} * 1024;
        if (length) body.reserve(static_cast<std::size_t>(std::min(*length, kReserveMax)));
    }

    std::size_t on_body_impl(BeastView piece, error_code&) override {
        body.append(piece.data(), piece.size());
        return piece.size();
    }

    void on_chunk_header_impl(std::uint64_t, BeastView, error_code&) override {}

    std::size_t on_chunk_body_impl(std::uint64_t, BeastView piece, error_code&) override {
        body.append(piece.data(), piece.size());
        return piece.size();
    }

    void on_finish_impl(error_code&) override {}

  private:
    std::size_t fields_max_;
    std::size_t header_bytes_max_;
    std::size_t body_bytes_max_;
    std::size_t fields_count_ = 0;
    std::size_t header_bytes_ = 0;
    std::string unreadable_{};  ///< The name of the header whose value is refused.
};

}  // namespace

struct RequestParser::Impl {
    explicit Impl(const DoorLimits& door_limits) : limits{door_limits} {}

    void begin() {
        gatherer.emplace(limits.header_fields_max, limits.header_bytes_max, limits.body_bytes_max);
    }

    /// Takes the parts of the request before the body.
    Result<void> take_head() {
        request.method = std::move(gatherer->method);
        request.headers = std::move(gatherer->fields);
        return read_target(gatherer->target, request);
    }

    /// Checks the parts that Beast does not check: the target and the Host header.
    Progress check_header() {
        if (auto read = take_head(); !read) {
            refusal = {400, read.error().message};
            return Progress::Refused;
        }
        std::size_t hosts = 0;
        for (const auto& [name, value] : request.headers) {
            if (equals_ignoring_case(name, "Host")) ++hosts;
        }
        if (hosts > 1 || (hosts == 0 && gatherer->version >= 11)) {
            refusal = {400, "a request names its Host once"};
            return Progress::Refused;
        }
        return Progress::HeaderDone;
    }

    DoorLimits limits;
    std::optional<Gatherer<true>> gatherer;
    Request request;
    ParserRefusal refusal;
    bool header_given = false;
};

RequestParser::RequestParser(const DoorLimits& limits) : impl_{std::make_unique<Impl>(limits)} {}

RequestParser::~RequestParser() = default;

Progress RequestParser::put(std::string_view bytes, std::size_t& used) {
    if (!impl_->gatherer) {
        // Empty lines before a request belong to the previous request.
        const auto skipped = std::min(bytes.find_first_not_of("\r\n"), bytes.size());
        used += skipped;
        bytes.remove_prefix(skipped);
        if (bytes.empty()) return Progress::NeedMore;
        impl_->begin();
    }
    auto& gatherer = *impl_->gatherer;
    if (gatherer.is_done()) return Progress::Done;  // The request has no body.
    const auto progress = gatherer.drive(bytes, used, impl_->refusal);
    if (progress == Progress::Refused) {
        // Keep the head: the sender of a refused request may be recorded.
        if (!impl_->header_given) static_cast<void>(impl_->take_head());
        return progress;
    }
    if (!impl_->header_given && gatherer.is_header_done()) {
        impl_->header_given = true;
        return impl_->check_header();
    }
    if (progress == Progress::Done) impl_->request.body = std::move(gatherer.body);
    return progress;
}

void RequestParser::reset() {
    impl_->gatherer.reset();
    impl_->request = {};
    impl_->header_given = false;
}

Request& RequestParser::request() { return impl_->request; }

const ParserRefusal& RequestParser::refusal() const { return impl_->refusal; }

bool RequestParser::is_begun() const { return impl_->gatherer.has_value(); }

bool RequestParser::is_header_done() const { return impl_->header_given; }

bool RequestParser::is_keep_alive() const {
    return impl_->gatherer && impl_->gatherer->keep_alive();
}

bool RequestParser::is_http_11() const {
    return !impl_->gatherer || impl_->gatherer->version >= 11;
}

bool RequestParser::expects_continue() const {
    return is_http_11() && equals_ignoring_case(impl_->request.header("Expect"), "100-continue");
}

bool RequestParser::has_body() const { return impl_->gatherer && !impl_->gatherer->is_done(); }

std::size_t RequestParser::body_bytes() const {
    return impl_->gatherer ? impl_->gatherer->body.size() : 0;
}

struct ResponseParser::Impl {
    explicit Impl(std::size_t bytes_max) : body_bytes_max{bytes_max} { begin(); }

    void begin() { gatherer.emplace(kAnswerFieldsMax, kAnswerHeaderBytesMax, body_bytes_max); }

    std::size_t body_bytes_max;
    std::optional<Gatherer<false>> gatherer;
    ParserRefusal refusal;
};

ResponseParser::ResponseParser(std::size_t body_bytes_max)
    : impl_{std::make_unique<Impl>(body_bytes_max)} {}

ResponseParser::~ResponseParser() = default;

Progress ResponseParser::put(std::string_view bytes, std::size_t& used) {
    for (;;) {
        std::size_t step = 0;
        auto progress = impl_->gatherer->drive(bytes, step, impl_->refusal);
        used += step;
        bytes.remove_prefix(step);
        // "100 Continue" and similar answers precede the real answer.
        if (progress == Progress::Done && impl_->gatherer->status / 100 == 1) {
            impl_->begin();
            progress = Progress::HeaderDone;
        }
        if (progress != Progress::HeaderDone || bytes.empty()) return progress;
    }
}

Progress ResponseParser::put_end() {
    error_code error;
    if (impl_->gatherer->got_some()) impl_->gatherer->put_eof(error);
    if (!error && impl_->gatherer->is_done()) return Progress::Done;
    impl_->refusal = {502, "the connection closed before the answer was whole"};
    return Progress::Refused;
}

Response ResponseParser::take() {
    auto& gatherer = *impl_->gatherer;
    Response response{.status = gatherer.status,
                      .content_type = {},
                      .headers = std::move(gatherer.fields),
                      .body = std::move(gatherer.body)};
    for (const auto& [name, value] : response.headers) {
        if (equals_ignoring_case(name, "Content-Type")) response.content_type = value;
    }
    return response;
}

const ParserRefusal& ResponseParser::refusal() const { return impl_->refusal; }

}  // namespace parlance::transport
