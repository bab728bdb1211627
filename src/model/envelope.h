// A message as received: its bytes, and the positions of the header fields in the bytes.
//
// An envelope is made once, on receipt, and the same allocation travels through command, event,
// state and effect. Envelopes are immutable, so sharing is safe.
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

/// The hub's duty for a message, whatever the dialect calls the message.
enum class Intent : std::uint8_t {
    OneWay = 1,  ///< Delivered, no answer.
    Request,     ///< Delivered, and exactly one answer comes back.
    Reply,       ///< Answers the open request its ids name; one-way if no request matches.
    /// Announces that an open request's answer is still to come; one-way if no request matches.
    Progress,
};

/// Longest id; the packed positions below rely on the bound.
inline constexpr std::size_t kIdBytesMax = 128;
/// Longest message, whatever the configured limit says.
inline constexpr std::size_t kMessageBytesMax = std::size_t{8} << 20;

class Envelope;
using EnvelopePtr = boost::intrusive_ptr<const Envelope>;

/// The header fields for routing. An empty view means the field is absent.
struct Header {
    std::string_view id{};
    std::string_view from{};
    std::string_view to{};           ///< An agent id, or "topic:" with the topic's name.
    std::string_view type{};         ///< The dialect's own word, "TASK_ASSIGNMENT".
    std::string_view task{};         ///< Messages of one task stay in order.
    std::string_view correlation{};  ///< Constant over a workflow.
    std::string_view answers{};  ///< Reply only: the request's id, if the dialect has the field.
    Dialect dialect = Dialect::Taskwire;
    Intent intent = Intent::OneWay;
    /// True if every default of the dialect is present. Known only right after reading; not in the
    /// journal, so readers of the journal check again.
    bool is_whole = false;
};

class Envelope {
  public:
    /// A header view into `body` costs four bytes; views elsewhere are copied beside the body.
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

    /// Bytes: the body once, and header fields in the body by position.
    void pack(std::string& out) const;
    /// Null if the bytes are not an envelope.
    static EnvelopePtr unpack(ByteReader& in);
    /// Fewer bytes; must be the last item, because the body runs to the end of the input.
    void pack_short(std::string& out) const;
    static EnvelopePtr unpack_short(ByteReader& in);

    /// Bytes beyond the body, for memory accounting.
    std::size_t overhead_bytes() const;

    Envelope(const Envelope&) = delete;
    Envelope& operator=(const Envelope&) = delete;

  private:
    enum FieldIndex : std::size_t { Id, From, To, Type, Task, Correlation, Answers, kFields };
    /// The usual order in a message, so that positions are close together.
    static constexpr std::array<FieldIndex, kFields> kInOrder{
        Id, From, To, Type, Correlation, Task, Answers};

    /// Fields as read, not yet validated.
    struct Parts {
        std::uint64_t dialect = 0;
        std::uint64_t intent = 0;
        std::uint64_t beside_bytes = 0;
        std::array<std::uint64_t, kFields> places{};
        std::string_view text{};  ///< The body, then the text beside the body.
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

/// Compares the bytes and every header field, but not is_whole().
bool operator==(const Envelope& left, const Envelope& right);

}  // namespace parlance
