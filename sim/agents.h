// Simulated agents, well-behaved or not. Each agent sends, and receives through consumers that may
// crash, hang, be slow, lie about tokens, or answer twice, late and wrongly.
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
    Agents(const Plan& plan, Entropy& entropy, Timeline& timeline, Door& door, Persons& persons);
    /// Registers the agents, connects the consumers, and starts the sending.
    void begin();
    /// From now on agents behave and send nothing new.
    void calm();
    /// Cancels an earlier request, on behalf of its requester, of an unrelated agent or of an
    /// operator.
    void cancel();
    /// An agent or an operator writes state kept beside messages: an allocation, facts, an
    /// analysis.
    void keep();
    /// An operator removes an agent; the agent registers again when a consumer's join is refused.
    void remove_one();
    std::uint64_t messages() const { return messages_; }

  private:
    struct Consumer {
        std::uint64_t agent = 0;
        std::string name;
        InstanceKind kind = InstanceKind::Socket;
        std::uint32_t credit = 1;
        InstanceNumber instance{};  ///< None: not connected, as far as the consumer knows.
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

    // Shared state: contexts, tasks and sessions.
    void share(std::uint64_t agent);
    void write_context(std::uint64_t agent);
    void hand_off(std::uint64_t agent, const std::string& workflow);
    void write_task(std::uint64_t agent);
    void keep_session(std::uint64_t agent);

    const Plan& plan_;
    Entropy& entropy_;
    Timeline& timeline_;
    Door& door_;
    Persons& persons_;
    LetterWriter writer_;
    Collaboration collaboration_;
    std::deque<Consumer> consumers_;
    std::map<InstanceNumber, std::size_t> connected_;
    std::vector<DeliveryToken> tokens_;  ///< All tokens seen so far by any consumer.
    std::vector<EnvelopePtr> questions_;
    std::map<std::pair<std::string, std::string>, ClaimPtr> claims_;  ///< By sender and id.
    std::uint64_t messages_ = 0;
    std::uint64_t processes_ended_ = 0;  ///< Number of hub processes that ended.
    bool is_calm_ = false;
};

}  // namespace parlance::sim
