// A message as it came: its bytes, and where in them the header fields stand.
//
// Bodies are carried, not chewed: an envelope is made once, at the door, and the same allocation
// travels through command, event, state and effect. It is immutable, so sharing it is safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "base/bytes.h"

namespace parlance {

enum class Dialect : std::uint8_t { Taskwire = 1, Kessel, Delegation, Sam, Correlation };

/// What a message asks of the hub, whatever its dialect calls it.
enum class Intent : std::uint8_t {
    OneWay = 1,  ///< Delivered, and that is all.
    Request,     ///< Delivered, and exactly one answer comes back.
    Reply,       ///< Answers an open request if its ids name one; else it is one-way.
    Progress,    ///< Says that an open request's answer is still to come; else it is one-way.
};

/// Ids are at most this long; the packed positions below rely on it.
inline constexpr std::size_t kIdBytesMax = 128;
/// A message is at most this long, whatever the configured limit says.
inline constexpr std::size_t kMessageBytesMax = std::size_t{8} << 20;

class Envelope;
using EnvelopePtr = boost::intrusive_ptr<const Envelope>;

/// The header fields that routing needs. An empty view means the message has none.
struct Header {
    std::string_view id{};
    std::string_view from{};
    std::string_view to{};           ///< An agent id, or "topic:" and a topic's name.
    std::string_view type{};         ///< The dialect's own word, "TASK_ASSIGNMENT".
    std::string_view task{};         ///< Messages of one task stay in order.
    std::string_view correlation{};  ///< Constant over a workflow.
    std::string_view answers{};  ///< Reply only: the id of the request, where the dialect has it.
    Dialect dialect = Dialect::Taskwire;
    Intent intent = Intent::OneWay;
    /// It has every default that its dialect would fill in. Only who has just read it knows; it
    /// does not stand in the journal, and whoever has it from there looks again.
    bool is_whole = false;
};

class Envelope {
  public:
    /// Header views that point into `body` cost four bytes each; others are kept beside it.
    static EnvelopePtr make(const Header& header, std::string_view body);

    std::string_view body() const { return {text(), body_bytes_}; }
    std::string_view id() const { return field(Id); }
    std::string_view from() const { return field(From); }
    std::string_view to() const { return field(To); }
    std::string_view type() const { return field(Type); }
    std::string_view task() const { return field(Task); }
    std::string_view correlation() const { return field(Correlation); }
    std::string_view answers() const { return field(Answers); }
    Dialect dialect() const { return dialect_; }
    Intent intent() const { return intent_; }
    bool is_whole() const { return is_whole_; }
    Header header() const;

    /// As bytes: the body once, and header fields that stand in it by their place.
    void pack(std::string& out) const;
    /// Null if the bytes are not an envelope.
    static EnvelopePtr unpack(ByteReader& in);
    /// The same in fewer bytes, for where it is the last thing: it goes on to the end.
    void pack_short(std::string& out) const;
    static EnvelopePtr unpack_short(ByteReader& in);

    /// What the hub pays beyond the body, for the accounts of memory.
    std::size_t overhead_bytes() const;

    Envelope(const Envelope&) = delete;
    Envelope& operator=(const Envelope&) = delete;

  private:
    enum FieldIndex : std::size_t { Id, From, To, Type, Task, Correlation, Answers, kFields };
    /// As they mostly stand in a message, so that each is near the one before.
    static constexpr std::array<FieldIndex, kFields> kInOrder{
        Id, From, To, Type, Correlation, Task, Answers};

    /// As they were read; nothing of it is trusted yet.
    struct Parts {
        std::uint64_t dialect = 0;
        std::uint64_t intent = 0;
        std::uint64_t beside_bytes = 0;
        std::array<std::uint64_t, kFields> places{};
        std::string_view text{};  ///< The body, and what is beside it.
    };

    Envelope() = default;
    ~Envelope() = default;
    static EnvelopePtr put_together(const Parts& parts);
    char* text() { return reinterpret_cast<char*>(this + 1); }
    const char* text() const { return reinterpret_cast<const char*>(this + 1); }
    std::string_view field(FieldIndex index) const {
        return {text() + (places_[index] >> 8U), places_[index] & 0xFFU};
    }

    friend void intrusive_ptr_add_ref(const Envelope* envelope) {
        envelope->references_.fetch_add(1, std::memory_order_relaxed);
    }
    friend void intrusive_ptr_release(const Envelope* envelope);

    mutable std::atomic<std::uint32_t> references_{0};
    std::uint32_t body_bytes_ = 0;
    std::array<std::uint32_t, kFields> places_{};  ///< Offset in the upper 24 bits, length below.
    std::uint16_t beside_bytes_ = 0;               ///< Header text that is not in the body.
    Dialect dialect_ = Dialect::Taskwire;
    Intent intent_ : 7 = Intent::OneWay;
    bool is_whole_ : 1 = false;
};

/// Equal when the bytes and every header field are, whatever is known of their being whole.
bool operator==(const Envelope& left, const Envelope& right);

}  // namespace parlance
