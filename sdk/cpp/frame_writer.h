// Batches an agent's verbs into one frame for the hub. See docs/reference/websocket.md.
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
    std::string registration{};  ///< The JSON object of PUT /v1/agents/{id}; empty: unchanged.
};

/// The details of a nack.
struct NackDetails {
    std::string_view reason{};
    bool is_final = false;
};

/// Texts are quoted here; messages, answers and notes are JSON and are written unchanged.
class FrameWriter {
  public:
    void hello(const Hello& hello);
    void credit(std::uint32_t total);
    void subscribe(std::string_view topic);
    void ack(std::string_view delivery_id);
    void nack(std::string_view delivery_id, NackDetails details);
    void extend(std::string_view delivery_id, std::uint64_t by_ms);
    void progress(std::string_view delivery_id, std::string_view note);
    void reply(std::string_view delivery_id, std::string_view message);
    void send(std::string_view message);
    /// Like send(); the caller may alter the message in place at once, for example its id.
    char* send_to_alter(std::string_view message);
    void heartbeat();

    bool empty() const;
    std::size_t bytes() const;  ///< Approximate length of the frame.
    /// Returns the frame and empties the writer. The view is valid until the next call.
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

    /// Each verb as if first in the frame, `{"ack":["1.1"`, without closing brackets: a long text,
    /// mostly the messages, becomes the frame without a copy.
    std::array<std::string, kVerbs> verbs_{};
    std::string frame_{};
};

}  // namespace parlance::sdk
