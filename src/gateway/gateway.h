// The front desk: pairs a connection with a dialect, proves identity, stamps commands, and carries
// effects to their recipients. The gateway decides nothing.
#pragma once

#include <functional>
#include <memory>

#include "gateway/desk.h"

namespace parlance::gateway {

class Gateway {
  public:
    Gateway(transport::Loop& loop,
            views::Feed& feed,
            Options options,
            std::function<Time()> wall_clock,
            std::function<std::uint64_t()> entropy);
    ~Gateway();
    Gateway(const Gateway&) = delete;
    Gateway& operator=(const Gateway&) = delete;

    /// Effects before attach() are kept, because the engine emits effects while opening.
    void attach(engine::Engine& engine);
    void attach(const transport::Server& server);
    void attach(views::Bookkeeper& bookkeeper);
    void attach(views::Scrubber& scrubber);

    /// Redacts the feed of events for operators.
    static views::Feed::Edit edit_of(const Options& options);

    /// Replaces the hub's host names, after a change of the certificate.
    void be_called(std::vector<std::string> names) { desk_.options.names = std::move(names); }

    transport::Doors doors();
    /// The engine's outbox.
    void take(Effects&& effects);
    /// Before the listeners close: answers all waiting callers.
    void stop();
    /// After a turn: sends new records to streams and followers.
    void after_turn();
    /// Now and then: ends the connections of callers whose credential was revoked or has expired.
    void review();

  private:
    void carry(const Effects& effects);
    void confirm(const Effects& effects);
    void flush();

    Desk desk_;
    Effects early_;
    std::uint64_t connection_last_ = 0;
    Time reviewed_at_{};
};

}  // namespace parlance::gateway
