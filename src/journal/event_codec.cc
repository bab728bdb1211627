#include "journal/event_codec.h"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "base/bytes.h"
#include "journal/event_tables.h"
#include "journal/journal.h"

namespace parlance::journal {

namespace {

enum class Form : std::uint32_t { Varint = 0, Bytes = 1, Fixed = 2 };

template <class T>
constexpr bool kIsNested = !std::is_null_pointer_v<std::remove_const_t<decltype(kFields<T>)>>;

/// An event with the default value in every field.
template <class T>
const T kDefaults{};

/// Calls `visit` with each field of T as a constant: visit(std::integral_constant of its index).
template <class T, class Visit>
void each_field(const Visit& visit) {
    [&]<std::size_t... index>(std::index_sequence<index...>) {
        (visit(std::integral_constant<std::size_t, index>{}), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(kFields<T>)>>{});
}

// ---- Writing

constexpr std::uint32_t key_of(std::uint32_t tag, Form form) {
    return tag << 2U | static_cast<std::uint32_t>(form);
}

/// Gathers small values and appends them together: an append costs more than writing a number.
class Writer {
  public:
    explicit Writer(std::string& out) : out_(out) {}
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() { flush(); }

    void varint(std::uint64_t number) {
        if (at_ + kVarintBytesMax > small_ + sizeof small_) flush();
        at_ = put_varint(at_, number);
    }
    void fixed(std::uint64_t number) {
        if (at_ + sizeof number > small_ + sizeof small_) flush();
        store(at_, number);
        at_ += sizeof number;
    }
    void bytes(std::string_view bytes) {
        varint(bytes.size());
        flush();
        out_.append(bytes);
    }

    /// Appends the output of `write`, preceded by its length.
    template <class Write>
    void measured(const Write& write) {
        flush();
        const auto length_at = out_.size();
        out_.append(kLengthBytes, '\0');
        write(out_);
        flush();
        // A varint of fixed width, because the length is known only afterwards.
        auto length = out_.size() - length_at - kLengthBytes;
        for (std::size_t i = 0; i < kLengthBytes; ++i, length >>= 7U) {
            const auto more = i + 1 < kLengthBytes ? 0x80U : 0U;
            out_[length_at + i] = static_cast<char>((length & 0x7FU) | more);
        }
    }

  private:
    static constexpr std::size_t kLengthBytes = 4;  // 256 MiB: far beyond the largest message.

    void flush() {
        out_.append(small_, static_cast<std::size_t>(at_ - small_));
        at_ = small_;
    }

    std::string& out_;
    char small_[120];
    char* at_ = small_;
};

template <class T>
void write_fields(Writer& out, const T& value);

template <As as, class Value>
void write_field(Writer& out, std::uint32_t tag, const Value& value) {
    if constexpr (as == As::Hash || as == As::Secret) {
        out.varint(key_of(tag, Form::Fixed));
        out.fixed(value);
    } else if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>) {
        out.varint(key_of(tag, Form::Varint));
        out.varint(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_same_v<Value, Time>) {
        out.varint(key_of(tag, Form::Varint));
        out.varint(to_zigzag(value.time_since_epoch().count()));
    } else if constexpr (std::is_same_v<Value, std::string>) {
        out.varint(key_of(tag, Form::Bytes));
        out.bytes(value);
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
        for (const auto& one : value) write_field<as>(out, tag, one);
    } else if constexpr (std::is_same_v<Value, EnvelopePtr>) {
        out.varint(key_of(tag, Form::Bytes));
        out.measured([&](std::string& to) { value->pack(to); });
    } else if constexpr (kIsNested<Value>) {
        out.varint(key_of(tag, Form::Bytes));
        out.measured([&](std::string&) { write_fields(out, value); });
    } else {
        write_field<as>(out, tag, value.value);  // One of the Strong types.
    }
}

template <class T>
void write_fields(Writer& out, const T& value) {
    each_field<T>([&](auto index) {
        constexpr const auto& kField = std::get<index()>(kFields<T>);
        const auto& member = value.*kField.member;
        if (member == kDefaults<T>.*kField.member) return;
        write_field<kField.as>(out, kField.tag, member);
    });
}

// ---- Reading

auto unreadable() { return fail(Fault::Corrupt, "the bytes of an event cannot be read"); }

template <class T>
Result<void> read_fields(ByteReader& in, T& value);

template <As as, class Value>
Result<void> read_field(ByteReader& in, Form form, Value& value) {
    const auto expect = [&](Form expected) -> Result<void> {
        if (form != expected) return unreadable();
        return {};
    };
    if constexpr (as == As::Hash || as == As::Secret) {
        TRY(expect(Form::Fixed));
        value = in.word<std::uint64_t>();
    } else if constexpr (std::is_enum_v<Value>) {
        TRY(expect(Form::Varint));
        const auto number = in.varint();
        value = static_cast<Value>(number);
        if (in.ok() && (number > 0xFFU || enum_name(value).empty())) {
            return fail(
                Fault::Unsupported,
                fmt::format("an event has {} where this program knows no such value", number));
        }
    } else if constexpr (std::is_integral_v<Value>) {
        TRY(expect(Form::Varint));
        const auto number = in.varint();
        value = static_cast<Value>(number);
        if (static_cast<std::uint64_t>(value) != number) return unreadable();
    } else if constexpr (std::is_same_v<Value, Time>) {
        TRY(expect(Form::Varint));
        value = Time{Duration{from_zigzag(in.varint())}};
    } else if constexpr (std::is_same_v<Value, std::string>) {
        TRY(expect(Form::Bytes));
        value = in.bytes(in.varint());
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
        TRY(expect(Form::Bytes));
        value.emplace_back(in.bytes(in.varint()));
    } else if constexpr (std::is_same_v<Value, EnvelopePtr>) {
        TRY(expect(Form::Bytes));
        ByteReader inside{in.bytes(in.varint())};
        value = Envelope::unpack(inside);
        if (!value) return unreadable();
    } else if constexpr (kIsNested<Value>) {
        TRY(expect(Form::Bytes));
        ByteReader inside{in.bytes(in.varint())};
        return read_fields(inside, value);
    } else {
        return read_field<as>(in, form, value.value);
    }
    return {};
}

Result<void> skip_field(ByteReader& in, Form form) {
    switch (form) {
        case Form::Varint:
            in.varint();
            return {};
        case Form::Bytes:
            in.bytes(in.varint());
            return {};
        case Form::Fixed:
            in.word<std::uint64_t>();
            return {};
    }
    return unreadable();
}

template <class T>
Result<void> read_fields(ByteReader& in, T& value) {
    while (!in.at_end()) {
        const auto key = in.varint();
        const auto form = static_cast<Form>(key & 3U);
        Result<void> read;
        bool is_known = false;
        each_field<T>([&](auto index) {
            constexpr const auto& kField = std::get<index()>(kFields<T>);
            if (is_known || key >> 2U != kField.tag) return;
            is_known = true;
            read = read_field<kField.as>(in, form, value.*kField.member);
        });
        if (!is_known) read = skip_field(in, form);
        if (!read) return read;
    }
    if (!in.ok()) return unreadable();
    return {};
}

template <class OneEvent>
Result<Event> read_event(ByteReader& in) {
    Event event{std::in_place_type<OneEvent>};
    TRY(read_fields(in, *std::get_if<OneEvent>(&event)));
    return event;
}

using ReadEvent = Result<Event> (*)(ByteReader&);

/// By the event's number; null where no event has the number.
constexpr auto kReaders = []<class... OneEvent>(const std::tuple<Kind<OneEvent>...>&) {
    std::array<ReadEvent, kKindNumberLast + 1> readers{};
    ((readers[kKind<OneEvent>.number] = read_event<OneEvent>), ...);
    return readers;
}(kKinds);

struct ShortRow {
    std::uint64_t form;
    std::uint32_t number;
};
constexpr std::array kShortForms{
    ShortRow{static_cast<std::uint64_t>(ShortForm::Accepted), kKind<MessageAccepted>.number},
    ShortRow{static_cast<std::uint64_t>(ShortForm::Leased), kKind<LeaseGranted>.number},
    ShortRow{static_cast<std::uint64_t>(ShortForm::Acknowledged),
             kKind<DeliveryAcknowledged>.number},
};
// A new field has no place in a short form: encode_short() must leave events that set the new field
// to the long form. Then adjust the count here.
static_assert(std::tuple_size_v<std::remove_cvref_t<decltype(kFields<MessageAccepted>)>> == 10);
static_assert(std::tuple_size_v<std::remove_cvref_t<decltype(kFields<LeaseGranted>)>> == 4);
static_assert(std::tuple_size_v<std::remove_cvref_t<decltype(kFields<DeliveryAcknowledged>)>> == 2);
static_assert(kKindNumberLast < kShortForms.front().form, "a number means one thing");

}  // namespace

void encode(const Event& event, std::string& out) {
    std::visit(
        [&]<class OneEvent>(const OneEvent& one) {
            Writer writer{out};
            writer.varint(kKind<OneEvent>.number);
            write_fields(writer, one);
        },
        event);
}

void encode(const Event& event, const Position& position, std::string& out) {
    if (!encode_short(event, position, out)) encode(event, out);
}

std::uint32_t number_of(std::string_view payload) {
    const auto number = ByteReader{payload}.varint();
    const auto row = std::ranges::find(kShortForms, number, &ShortRow::form);
    if (row != kShortForms.end()) return row->number;
    return number <= kKindNumberLast ? static_cast<std::uint32_t>(number) : 0;
}

Result<Event> decode(const Record& record) {
    return decode(record.payload, {record.sequence, record.at});
}

Result<Event> decode(std::string_view payload, const Position& position) {
    ByteReader in{payload};
    const auto number = in.varint();
    if (!in.ok() || number == 0) return unreadable();
    if (std::ranges::find(kShortForms, number, &ShortRow::form) != kShortForms.end()) {
        return decode_short(static_cast<ShortForm>(number), in, position);
    }
    if (number >= kReaders.size() || kReaders[number] == nullptr) {
        return fail(
            Fault::Unsupported,
            fmt::format(
                "event number {} is not known; this program knows {}", number, kKindNumberLast));
    }
    return kReaders[number](in);
}

std::string_view event_name(const Event& event) {
    return std::visit([]<class OneEvent>(const OneEvent&) { return kKind<OneEvent>.name; }, event);
}

}  // namespace parlance::journal
