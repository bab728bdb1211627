// An internal request: the hub's own call to a route, whose response goes to a function instead of
// a peer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "gateway/desk.h"
#include "transport/transport.h"

namespace parlance::gateway {

class InternalRequest : public transport::Exchange {
  public:
    using Then = std::function<void(const transport::Response&)>;
    InternalRequest(transport::Request request, Then then)
        : request_(std::move(request)), then_(std::move(then)) {}

    const transport::Request& request() const override { return request_; }
    void respond(transport::Response response) override {
        gone_ = nullptr;
        if (const auto then = std::exchange(then_, nullptr)) then(response);
    }
    void begin_stream(transport::Response head) override { respond(std::move(head)); }
    void write(std::string /*chunk*/) override {}
    std::size_t backlog_bytes() const override { return 0; }
    void end_stream() override {}
    void on_gone(std::function<void()> gone) override {
        if (then_) gone_ = std::move(gone);
    }

  private:
    transport::Request request_;
    Then then_;
    std::function<void()> gone_;  ///< Never called, as no peer can leave; only kept.
};

/// An internal request to be given to a handler, in the name of `caller`.
inline Call make_internal_call(transport::Request request,
                               CallerPtr caller,
                               InternalRequest::Then then) {
    return {.exchange = std::make_shared<InternalRequest>(std::move(request), std::move(then)),
            .caller = std::move(caller),
            .captures = {}};
}

}  // namespace parlance::gateway
