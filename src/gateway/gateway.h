// The front desk: pairs a connection with a dialect, proves identity, stamps commands, and carries
// effects to whoever they are for. It decides nothing.
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
            std::function<std::uint64_t()> chance);
    ~Gateway();
    Gateway(const Gateway&) = delete;
    Gateway& operator=(const Gateway&) = delete;

    /// Effects before this are kept: the engine speaks while it opens.
    void attach(engine::Engine& engine);
    void attach(const transport::Server& server);
    void attach(views::Bookkeeper& bookkeeper);
    void attach(views::Scrubber& scrubber);

    /// How the feed of events is shown to operators.
    static views::Feed::Edit edit_of(const Options& options);

    /// What the hub is called from here on: its certificate may be another one.
    void be_called(std::vector<std::string> names) { desk_.options.names = std::move(names); }

    transport::Doors doors();
    /// The engine's outbox.
    void take(Effects&& effects);
    /// Before the doors close: whoever waits for something hears that it need not.
    void stop();
    /// After a turn: those who follow the record are told what is new.
    void after_turn();
    /// Now and then: whoever was let in by what was revoked or is over has to leave.
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
