// The agents: some behave and some do not. Each sends, and takes what it is sent through one or
// more consumers that may crash, hang, be slow, lie about tokens, or answer twice, late and
// wrongly.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/collaboration.h"
#include "sim/door.h"
#include "sim/letters.h"

namespace parlance::sim {

class Agents {
  public:
    Agents(const Plan& plan, Chance& chance, Timeline& timeline, Door& door, Persons& persons);
    /// Registers everybody, connects the consumers, and starts the sending.
    void begin();
    /// From now on everybody behaves, and nobody sends anything new.
    void calm();
    /// Something that was asked once is no longer wanted, says who asked, somebody else or an
    /// operator.
    void cancel();
    /// Somebody, an agent or an operator, writes what is kept beside messages.
    void keep();
    /// An operator removes an agent, which registers again once a consumer of it hears of that.
    void remove_one();
    std::uint64_t messages() const { return messages_; }

  private:
    struct Consumer {
        std::uint64_t agent = 0;
        std::string name;
        InstanceKind kind = InstanceKind::Socket;
        std::uint32_t credit = 1;
        InstanceNumber instance{};  ///< None: not connected, as far as it knows.
        Time asleep_until{};
    };

    void enlist(std::uint64_t agent);
    void reconsider(std::uint64_t agent);
    void send_on(std::uint64_t agent);
    void send(std::uint64_t agent, SendMessage letter, int tries);
    void pulse(std::size_t number);
    void join(std::size_t number);
    void fall_asleep(Consumer& consumer);

    void on_delivery(const Deliver& deliver);
    void on_closed(InstanceNumber instance);
    void on_down();
    void on_restored();
    void settle(const std::string& agent, const Deliver& deliver);
    void answer(const std::string& agent, const Deliver& deliver);
    void pass_on(const Consumer& consumer, const Deliver& deliver);
    void slip_away(const Consumer& consumer, const Deliver& deliver);
    void ask_hub_to_choose(std::uint64_t agent);
    void offer_task(const Consumer& consumer, const Deliver& deliver);
    void ask_for_tool(const std::string& agent, const Deliver& deliver);
    void misbehave(Consumer& consumer, const Deliver& deliver);
    void answer_badly(const std::string& agent, const Deliver& deliver);
    void use_wrong_token(const std::string& agent, const Deliver& deliver);
    void keep_alive(const std::string& agent, const Deliver& deliver);
    void tell(const std::string& agent, Command command);
    Profile profile(std::uint64_t agent) const;

    // What is shared: contexts and tasks, with what is known of them from outside.
    void share(std::uint64_t agent);
    void write_context(std::uint64_t agent);
    void hand_off(std::uint64_t agent, const std::string& workflow);
    void write_task(std::uint64_t agent);
    void keep_session(std::uint64_t agent);

    const Plan& plan_;
    Chance& chance_;
    Timeline& timeline_;
    Door& door_;
    Persons& persons_;
    LetterWriter writer_;
    Collaboration collaboration_;
    std::deque<Consumer> consumers_;
    std::map<InstanceNumber, std::size_t> connected_;
    std::vector<DeliveryToken> tokens_;  ///< Ever seen by anyone.
    std::vector<EnvelopePtr> questions_;
    std::map<std::pair<std::string, std::string>, ClaimPtr> claims_;  ///< By sender and id.
    std::uint64_t messages_ = 0;
    std::uint64_t processes_ended_ = 0;  ///< Of the hub.
    bool is_calm_ = false;
};

}  // namespace parlance::sim
