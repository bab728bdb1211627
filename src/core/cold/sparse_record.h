// A struct encoded as a mask and the fields that differ from their defaults.
//
// A struct lists its fields once, in a function called with a writer or with a reader, so that both
// use the same fields in the same order. At most sixteen; a new field comes last.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "base/bytes.h"
#include "base/check.h"
#include "base/short_text.h"
#include "base/time.h"
#include "core/handles.h"
#include "core/words.h"

namespace parlance::core {

/// A ticket in few bytes: mostly the first copy of a record not far from `near`.
inline void put_near(std::string& out, Ticket ticket, Ticket near) {
    const auto distance = static_cast<std::int64_t>(ticket.value - near.value);
    constexpr auto kStep = static_cast<std::int64_t>(kCopiesMax);
    if (distance % kStep == 0) return put(out, to_zigzag(distance / kStep) << 1U);
    put(out, std::uint64_t{1});
    put(out, ticket.value);
}
inline Ticket take_near(ByteReader& in, Ticket near) {
    const auto distance = in.varint();
    if (distance == 1) return Ticket{in.varint()};
    expect(in, distance % 2 == 0);
    const auto steps = static_cast<std::uint64_t>(from_zigzag(distance >> 1U));
    return Ticket{near.value + steps * kCopiesMax};
}

/// A time that is mostly soon after `near`.
inline void put_near(std::string& out, Time time, Time near) {
    const auto count = [](Time of) {
        return static_cast<std::uint64_t>(of.time_since_epoch().count());
    };
    put(out, to_zigzag(static_cast<std::int64_t>(count(time) - count(near))));
}
inline Time take_near(ByteReader& in, Time near) {
    // Garbage may say anything, so the sum is of unsigned numbers, which may wrap.
    const auto since = static_cast<std::uint64_t>(from_zigzag(in.varint()));
    const auto count = static_cast<std::uint64_t>(near.time_since_epoch().count()) + since;
    return Time{Duration{static_cast<std::int64_t>(count)}};
}

class SparseRecordWriter {
  public:
    explicit SparseRecordWriter(std::string& out) : out_{out}, at_{out.size()} {
        append_word(out_, std::uint16_t{0});
    }
    ~SparseRecordWriter() { store(&out_[at_], mask_); }
    SparseRecordWriter(const SparseRecordWriter&) = delete;
    SparseRecordWriter& operator=(const SparseRecordWriter&) = delete;

    void flag(bool value) { is_there(value); }
    template <class Number>
    void number(Number value, std::type_identity_t<Number> usual = {}) {
        if (is_there(value != usual)) put(out_, std::uint64_t{value});
    }
    void text(const std::string& value) {
        if (is_there(!value.empty())) append_short(out_, value);
    }
    /// A text that mostly equals another text.
    void text_unlike(const std::string& value, const std::string& usual) {
        if (is_there(value != usual)) append_short(out_, value);
    }
    template <class Where>
    void near(Where value, Where near, Where usual = {}) {
        if (is_there(value != usual)) put_near(out_, value, near);
    }
    /// Any other field, which the caller writes behind the others if present.
    bool other(bool is_other) { return is_there(is_other); }

  private:
    bool is_there(bool is) {
        CHECK(next_ < 16);
        mask_ = static_cast<std::uint16_t>(mask_ | (is ? 1U : 0U) << next_++);
        return is;
    }

    std::string& out_;
    std::size_t at_;
    std::uint16_t mask_ = 0;
    unsigned next_ = 0;
};

class SparseRecordReader {
  public:
    explicit SparseRecordReader(ByteReader& in) : in_{in}, mask_{in.word<std::uint16_t>()} {}
    ~SparseRecordReader() { expect(in_, mask_ == 0); }  // No bit of an unknown field is set.
    SparseRecordReader(const SparseRecordReader&) = delete;
    SparseRecordReader& operator=(const SparseRecordReader&) = delete;

    void flag(bool& value) { value = is_there(); }
    template <class Number>
    void number(Number& value, std::type_identity_t<Number> usual = {}) {
        constexpr std::uint64_t kLast = std::numeric_limits<Number>::max();
        value = is_there() ? static_cast<Number>(take_number(in_, kLast)) : usual;
    }
    void text(std::string& value) { value = is_there() ? take_short(in_) : std::string{}; }
    void text_unlike(std::string& value, const std::string& usual) {
        value = is_there() ? take_short(in_) : usual;
    }
    template <class Where>
    void near(Where& value, Where near, Where usual = {}) {
        value = is_there() ? take_near(in_, near) : usual;
    }
    bool other(bool /*is_other*/) { return is_there(); }

  private:
    bool is_there() {
        const bool is = (mask_ & 1U) != 0;
        mask_ = static_cast<std::uint16_t>(mask_ >> 1U);
        return is;
    }

    ByteReader& in_;
    std::uint16_t mask_;
};

}  // namespace parlance::core
