// The simulated network between agents and the hub, in the place of the gateway: loses, doubles and
// delays commands and effects. Remembers the caller of each open command; a hub that falls loses
// all open Asks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "sim/hub.h"

namespace parlance::sim {

class Door {
  public:
    using Answer = std::function<void(const Effect&)>;
    struct Listener {
        std::function<void(const Deliver&)> on_delivery;
        std::function<void(InstanceNumber)> on_closed;
        std::function<void()> on_down;
        std::function<void()> on_restored;
    };

    Door(const Plan& plan, Entropy& entropy, Timeline& timeline, Hub& hub);
    /// Sets the receiver of notices to people.
    void on_notice(std::function<void(const NotifyPeople&)> take) {
        take_notice_ = std::move(take);
    }
    void listen(Listener listener) { listener_ = std::move(listener); }
    /// From now on nothing is lost, doubled or slow.
    void calm() { is_calm_ = true; }

    /// A command travels to the hub, perhaps twice or never; so does the answer on the way back.
    void bring(const std::string& caller, Command command, Answer answer);
    /// The shared state that any caller can read; null while the hub is down.
    const core::shared::Shared* shared() const {
        return hub_.is_up() ? &hub_.engine().state().shared : nullptr;
    }
    /// By an operator, without the network.
    void bring_as_operator(Command command, Answer answer = {});
    /// By a named person, over the network.
    void bring_as_person(const std::string& name, Command command);

  private:
    struct OpenCommand {
        Answer answer;
        bool waits = false;
    };

    void travel(std::function<void()> arrive);
    void arrive(const std::string& caller, bool is_operator, Command command, Answer answer);
    void on_effect(const Effect& effect);
    void answer(ReplyTarget reply_target, const Effect& effect);
    void on_accepted(const TellAccepted& told);
    bool is_poll_lost(const Deliver& deliver);

    const Plan& plan_;
    Entropy& entropy_;
    Timeline& timeline_;
    Hub& hub_;
    Listener listener_;
    std::function<void(const NotifyPeople&)> take_notice_;
    std::map<ReplyTarget, OpenCommand> open_commands_;
    bool is_calm_ = false;
    Entropy verbs_entropy_;
    ReplyTarget poll_{};  ///< The poll whose response is on its way.
    bool is_poll_lost_ = false;
};

}  // namespace parlance::sim
