// The most frequent records in few bytes, and journals from before the short forms.
#include "journal/short_form.h"

#include <gtest/gtest.h>

#include "journal/event_codec.h"
#include "journal/event_tables.h"
#include "journal/format.h"
#include "journal/testing/diary.h"
#include "journal/testing/memory_disk.h"

namespace parlance::journal {
namespace {

using testing::at_ms;
using testing::batch_of;
using testing::kSmall;
using testing::MemoryDisk;

constexpr std::string_view kBody =
    R"({"id":"m-1","from":"alice","to":"bob","type":"TASK_UPDATE","correlation_id":"w","task":"t-9"})";
const Position kHere{{7'000'000}, Time{Duration{1'763'892'000'000}}};

EnvelopePtr envelope(std::string_view correlation) {
    return Envelope::make({.id = kBody.substr(7, 3),
                           .from = kBody.substr(20, 5),
                           .to = kBody.substr(33, 3),
                           .type = kBody.substr(46, 11),
                           .task = kBody.substr(kBody.size() - 5, 3),
                           .correlation = correlation,
                           .dialect = Dialect::Sam,
                           .intent = Intent::Progress},
                          kBody);
}

MessageAccepted accepted() {
    return {.ticket = {kHere.sequence.value * kCopiesMax},
            .envelope = envelope(kBody.substr(77, 1)),
            .priority = Priority::Low,
            .retry_count_max = 5,
            .fingerprint = 0xFEDC'BA98U};
}

std::string written(const Event& event, const Position& at = kHere) {
    std::string out;
    encode(event, at, out);
    return out;
}

std::string in_long(const Event& event) {
    std::string out;
    encode(event, out);
    return out;
}

/// In whatever form, the event reads back unchanged.
void expect_kept(const Event& event, const Position& at = kHere) {
    const auto payload = written(event, at);
    const auto read = decode(payload, at);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(in_long(*read), in_long(event));
    EXPECT_EQ(number_of(payload), number_of(in_long(event)));
}

TEST(ShortForm, C15_AnInteractionTakesFewBytesBeyondItsBody) {
    const Ticket ticket{(kHere.sequence.value - 200) * kCopiesMax};
    // Number, flags, retries and fingerprint; two bytes and two for each of six fields.
    EXPECT_EQ(written(accepted()).size() - kBody.size(), 7U + 2 + 2 * 6);
    // Number, two bytes of distance, instance, 30 s as three bytes.
    EXPECT_EQ(written(LeaseGranted{ticket, {9}, 1, kHere.at + std::chrono::seconds{30}}).size(),
              7U);
    EXPECT_EQ(written(DeliveryAcknowledged{ticket, 1}).size(), 3U);
}

TEST(ShortForm, KeepsEveryField) {
    expect_kept(accepted());
    auto event = accepted();
    event.waits = true;
    event.expires_at = kHere.at + std::chrono::seconds{1};
    event.deadline = kHere.at - std::chrono::hours{1'000'000};
    event.envelope = envelope("beside the body");
    expect_kept(event);
    event.expires_at = Time::max();
    event.deadline = Time::min();
    expect_kept(event);
    expect_kept(LeaseGranted{{kHere.sequence.value * kCopiesMax - 1}, {1U << 30U}, 3, Time{}});
    expect_kept(DeliveryAcknowledged{{kCopiesMax + 1023}, 0xFFFF'FFFFU});
}

TEST(ShortForm, EncodesUnusualEventsInTheLongForm) {
    auto elsewhere = accepted();
    elsewhere.ticket.value += 1;
    auto with_missed = accepted();
    with_missed.missed_count = 1;
    auto with_more = accepted();
    with_more.fingerprint = 1ULL << 32U;
    auto held = accepted();
    held.is_held = true;
    const Event cases[] = {elsewhere,
                           with_missed,
                           held,
                           with_more,
                           LeaseGranted{{(kHere.sequence.value + 1) * kCopiesMax}, {1}, 1, {}},
                           DeliveryAcknowledged{{5}, 1},
                           RetryBegan{{kCopiesMax}}};
    for (const auto& event : cases) {
        EXPECT_EQ(written(event), in_long(event));
        expect_kept(event);
    }
}

TEST(ShortForm, IsCorruptWhenTruncatedOrWithAnImpossibleTicket) {
    const Event cases[] = {accepted(),
                           LeaseGranted{{kCopiesMax}, {9}, 2, kHere.at},
                           DeliveryAcknowledged{{kCopiesMax + 7}, 2}};
    for (const auto& event : cases) {
        const auto whole = written(event);
        const bool has_body = std::holds_alternative<MessageAccepted>(event);
        for (std::size_t bytes = 1; bytes < whole.size() - (has_body ? kBody.size() : 0); ++bytes) {
            EXPECT_FALSE(decode(whole.substr(0, bytes), kHere)) << bytes;
        }
        if (!has_body) {
            EXPECT_FALSE(decode(whole + '\0', kHere));
        }
        EXPECT_EQ(decode(whole, {{1}, kHere.at}).has_value(), has_body)
            << "a ticket from before the first record";
    }
}

/// A segment of data version 1 with one batch, as a program of that version wrote it.
void write_version_1(MemoryDisk& disk, const std::vector<std::string>& payloads, Chain& chain) {
    const SegmentHead segment{.version = 1, .first = {1}, .bytes = kSmall.segment_bytes};
    std::string frame(kBatchHeadBytes, '\0');
    std::uint64_t sequence = 0;
    for (const auto& payload : payloads) {
        append_word(frame, static_cast<std::uint32_t>(payload.size()));
        append_word(frame, record_crc({++sequence}, payload));
        frame += payload;
    }
    BatchHead head{.lengths = Lengths::Words,
                   .records_bytes = static_cast<std::uint32_t>(frame.size() - kBatchHeadBytes),
                   .count = static_cast<std::uint32_t>(payloads.size()),
                   .first = {1},
                   .at = at_ms(10)};
    frame.push_back(kBatchClose);
    open_frame(frame.data());
    head.blank_sectors = count_blank_sectors(frame, kSegmentHeadBytes);
    encode(head, frame.data());
    Sha256 hasher;
    head.chain = chain = link(hasher, Chain{}, frame);
    encode(head, frame.data());
    std::string bytes = encode(segment) + frame;
    bytes.resize(kSmall.segment_bytes);
    const auto file = *disk.open(segment_name({1}), Disk::Mode::Create);
    ASSERT_TRUE(file->write_at(0, bytes));
    ASSERT_TRUE(file->sync());
    ASSERT_TRUE(disk.sync_directory());
}

TEST(OlderVersion, IsReadAndContinuedInANewSegment) {
    MemoryDisk disk;
    Chain chain;
    write_version_1(disk, {"one", std::string(300, 'x')}, chain);
    {
        const auto journal = Journal::open(disk, kSmall).value();
        EXPECT_EQ(journal->chain(), chain);
        EXPECT_EQ(journal->last_sequence(), Sequence{2});
        ASSERT_TRUE(journal->append(at_ms(20), batch_of({"three"})));
    }
    EXPECT_TRUE(disk.contents().contains(segment_name({3})));
    EXPECT_EQ(verify(disk, {})->problem, "");
    auto reader = Reader::open(disk, {1}).value();
    Record record;
    std::vector<std::string> read;
    std::vector<std::size_t> bytes;
    while (*reader.next(record, {3})) {
        read.emplace_back(record.payload);
        bytes.push_back(record.bytes);
    }
    EXPECT_EQ(read, (std::vector<std::string>{"one", std::string(300, 'x'), "three"}));
    EXPECT_EQ(bytes, (std::vector<std::size_t>{8 + 3, 8 + 300, 1 + 4 + 5}));
}

}  // namespace
}  // namespace parlance::journal
