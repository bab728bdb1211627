// Gathers what an agent has to say into one frame for the hub. See docs/protocols/connect.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace parlance::sdk {

struct Hello {
    std::string agent{};
    std::string instance{};  ///< Empty: the hub chooses.
    std::uint32_t credit = 1;
    std::string registration{};  ///< The JSON object of PUT /v1/agents/{id}; empty: as it is.
};

/// A nack's second half.
struct Setback {
    std::string_view reason{};
    bool is_final = false;
};

/// Texts are quoted here; messages, answers and notes are JSON and are written as they come.
class FrameWriter {
  public:
    void hello(const Hello& hello);
    void credit(std::uint32_t total);
    void subscribe(std::string_view topic);
    void ack(std::string_view delivery_id);
    void nack(std::string_view delivery_id, Setback setback);
    void extend(std::string_view delivery_id, std::uint64_t by_ms);
    void progress(std::string_view delivery_id, std::string_view note);
    void reply(std::string_view delivery_id, std::string_view message);
    void send(std::string_view message);
    /// As send(); the message, as it stands in the frame, may be altered at once, as for an id of
    /// its own.
    char* send_to_alter(std::string_view message);
    void heartbeat();

    bool empty() const;
    std::size_t bytes() const;  ///< About as long as the frame will be.
    /// The frame, and an empty writer. The view is valid until the next call.
    std::string_view take();

  private:
    enum Verb : std::size_t {
        HelloVerb,
        CreditVerb,
        SubscribeVerb,
        AckVerb,
        NackVerb,
        ExtendVerb,
        ProgressVerb,
        ReplyVerb,
        SendVerb,
        HeartbeatVerb,
        kVerbs
    };
    std::string& open(Verb verb);
    std::string& next_item(Verb verb);

    /// Each as if it were the first of the frame, `{"ack":["1.1"`, without what closes it: what is
    /// long, mostly the messages, becomes the frame without being copied.
    std::array<std::string, kVerbs> verbs_{};
    std::string frame_{};
};

}  // namespace parlance::sdk
