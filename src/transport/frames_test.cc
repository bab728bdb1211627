#include "transport/frames.h"

#include <array>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace parlance::transport {
namespace {

constexpr std::string_view kMask = "\x9a\x01\xfe\x37";

std::string masked(int first, std::string_view payload) {
    std::string frame(1, static_cast<char>(first));
    if (payload.size() < 126) {
        frame += static_cast<char>(0x80U | payload.size());
    } else {
        frame += static_cast<char>(0x80U | 126U);
        frame += static_cast<char>(payload.size() >> 8U);
        frame += static_cast<char>(payload.size());
    }
    frame += kMask;
    for (std::size_t at = 0; at < payload.size(); ++at) {
        frame += static_cast<char>(payload[at] ^ kMask[at % 4]);
    }
    return frame;
}

TEST(Mask, IsUndoneAtEveryLength) {
    std::uint32_t mask = 0;
    std::memcpy(&mask, kMask.data(), sizeof mask);
    for (std::size_t length = 0; length < 40; ++length) {
        std::string plain;
        for (std::size_t at = 0; at < length; ++at) plain += static_cast<char>('a' + at % 26);
        std::string bytes;
        for (std::size_t at = 0; at < length; ++at) {
            bytes += static_cast<char>(plain[at] ^ kMask[at % 4]);
        }
        unmask(bytes.data(), bytes.size(), mask);
        EXPECT_EQ(bytes, plain);
    }
}

TEST(FrameReader, GivesAMessageOnlyWhenItsLastByteHasCome) {
    const auto frame = masked(0x81, std::string(300, 'm'));
    for (std::size_t count = 0; count < frame.size(); ++count) {
        FrameReader reader{1000};
        auto bytes = frame.substr(0, count);
        EXPECT_EQ(reader.next(bytes.data(), bytes.size()).kind, Piece::Kind::NeedMore) << count;
    }
    FrameReader reader{1000};
    auto bytes = frame + frame;
    const auto first = reader.next(bytes.data(), bytes.size());
    EXPECT_EQ(first.kind, Piece::Kind::Text);
    EXPECT_EQ(first.payload, std::string(300, 'm'));
    EXPECT_EQ(first.used, frame.size());
}

TEST(FrameReader, JoinsFragmentsAroundAPing) {
    FrameReader reader{1000};
    auto bytes = masked(0x01, "Hel") + masked(0x89, "?") + masked(0x00, "l") + masked(0x80, "o");
    const auto ping = reader.next(bytes.data(), bytes.size());
    EXPECT_EQ(ping.kind, Piece::Kind::Ping);
    EXPECT_EQ(ping.payload, "?");
    const auto text = reader.next(bytes.data() + ping.used, bytes.size() - ping.used);
    EXPECT_EQ(text.kind, Piece::Kind::Text);
    EXPECT_EQ(text.payload, "Hello");
    EXPECT_EQ(ping.used + text.used, bytes.size());
    auto next = masked(0x81, "next");
    EXPECT_EQ(reader.next(next.data(), next.size()).payload, "next");
}

TEST(FrameReader, TakesAMessageUpToItsLimitAndNotBeyond) {
    for (const bool fragmented : {false, true}) {
        for (const std::size_t length : {99U, 100U, 101U}) {
            FrameReader reader{100};
            const std::string text(length, 'x');
            auto bytes = fragmented
                             ? masked(0x01, text.substr(0, 60)) + masked(0x80, text.substr(60))
                             : masked(0x81, text);
            const auto piece = reader.next(bytes.data(), bytes.size());
            if (length <= 100) {
                EXPECT_EQ(piece.payload, text);
            } else {
                EXPECT_EQ(piece.kind, Piece::Kind::Broken);
                EXPECT_EQ(piece.code, kCloseTooBig);
            }
        }
    }
}

TEST(FrameReader, RefusesAHugeLengthBeforeItsBytesCome) {
    FrameReader reader{1000};
    std::string bytes{"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10};
    EXPECT_EQ(reader.next(bytes.data(), bytes.size()).code, kCloseTooBig);
}

struct BadFrame {
    const char* what;
    std::string bytes;
    std::uint16_t code;
};

TEST(FrameReader, RefusesFramesThatTheProtocolForbids) {
    const BadFrame cases[] = {
        {"unmasked", std::string{"\x81\x01x", 3}, 1002},
        {"reserved bit", masked(0xC1, "x"), 1002},
        {"unknown data opcode", masked(0x83, "x"), 1002},
        {"unknown control opcode", masked(0x8B, "x"), 1002},
        {"binary", masked(0x82, "x"), 1003},
        {"continuation of nothing", masked(0x80, "x"), 1002},
        {"a message in a message", masked(0x01, "x") + masked(0x81, "y"), 1002},
        {"fragmented ping", masked(0x09, "x"), 1002},
        {"long ping", masked(0x89, std::string(126, 'x')), 1002},
        {"bad UTF-8", masked(0x81, "\xC3("), 1007},
        {"bad UTF-8 over fragments", masked(0x01, "\xC3") + masked(0x80, "("), 1007},
        {"lone surrogate", masked(0x81, "\xED\xA0\x80"), 1007},
        {"close with half a code", masked(0x88, "\x03"), 1002},
        {"close with a reserved code", masked(0x88, "\x03\xED"), 1002},
        {"close with a bad reason", masked(0x88, "\x03\xE8\xFF"), 1007},
    };
    for (const auto& bad : cases) {
        FrameReader reader{1000};
        auto bytes = bad.bytes;
        const auto piece = reader.next(bytes.data(), bytes.size());
        EXPECT_EQ(piece.kind, Piece::Kind::Broken) << bad.what;
        EXPECT_EQ(piece.code, bad.code) << bad.what;
    }
}

TEST(FrameReader, NeverReadsBeyondTheGivenBytes) {
    std::mt19937 random{7};
    for (int round = 0; round < 2000; ++round) {
        std::string sent;
        while (sent.size() < 400) {
            const int opcode = std::array{0x81, 0x01, 0x00, 0x80, 0x89, 0x88}[random() % 6];
            sent += masked(opcode, std::string(random() % 130, 'r'));
        }
        if (round % 2 == 0) sent[random() % sent.size()] = static_cast<char>(random());
        FrameReader reader{300};
        // A buffer of exactly this size, so that a sanitizer sees any access beyond the end.
        std::vector<char> bytes(sent.begin(), sent.begin() + static_cast<int>(random() % 400));
        std::size_t used = 0;
        for (;;) {
            const auto piece = reader.next(bytes.data() + used, bytes.size() - used);
            used += piece.used;
            ASSERT_LE(used, bytes.size());
            if (piece.kind == Piece::Kind::NeedMore || piece.kind == Piece::Kind::Broken) break;
        }
    }
}

TEST(FrameReader, ReadsTheCodeAndReasonOfAClose) {
    FrameReader reader{1000};
    auto bytes = masked(0x88,
                        "\x03\xE8"
                        "bye");
    const auto piece = reader.next(bytes.data(), bytes.size());
    EXPECT_EQ(piece.kind, Piece::Kind::Close);
    EXPECT_EQ(piece.code, kCloseNormal);
    EXPECT_EQ(piece.payload, "bye");
    FrameReader other{1000};
    auto empty = masked(0x88, "");
    EXPECT_EQ(other.next(empty.data(), empty.size()).code, kCloseNoCode);
}

TEST(AppendFrame, WritesTheShortestLength) {
    const auto head_bytes = [](std::size_t length) {
        std::string out;
        append_frame(out, Opcode::Text, std::string(length, 'x'));
        return out.size() - length;
    };
    EXPECT_EQ(head_bytes(125), 2U);
    EXPECT_EQ(head_bytes(126), 4U);
    EXPECT_EQ(head_bytes(65535), 4U);
    EXPECT_EQ(head_bytes(65536), 10U);
}

TEST(AppendClose, CutsALongReasonBetweenCharacters) {
    std::string reason;
    for (int at = 0; at < 100; ++at) reason += "\xC3\xA9";
    std::string out;
    append_close(out, kCloseNormal, reason);
    EXPECT_EQ(out.size(), 2U + 2U + 122U);
    std::string none;
    append_close(none, kCloseNoCode, "unsaid");
    EXPECT_EQ(none, std::string("\x88\x00", 2));
}

TEST(Handshake, AnswersTheKeyOfTheStandard) {
    EXPECT_EQ(websocket_accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    EXPECT_TRUE(is_websocket_key("dGhlIHNhbXBsZSBub25jZQ=="));
    for (const auto* bad :
         {"", "short==", "dGhlIHNhbXBsZSBub25jZQ=A", "dGhlIHNhbXBsZSB*b25jZQ=="}) {
        EXPECT_FALSE(is_websocket_key(bad)) << bad;
    }
}

}  // namespace
}  // namespace parlance::transport
