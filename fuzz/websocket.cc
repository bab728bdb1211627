// Do any bytes of a client break the frame reader, and does the reader keep the message limit?
#include <cstdint>
#include <string>

#include "base/check.h"
#include "transport/frames.h"

namespace parlance::transport {
namespace {

constexpr std::size_t kMessageBytesMax = 4096;

void read_frames(std::string bytes) {
    FrameReader reader{kMessageBytesMax};
    std::size_t at = 0;
    for (;;) {
        const auto piece = reader.next(bytes.data() + at, bytes.size() - at);
        CHECK(piece.used <= bytes.size() - at);
        at += piece.used;
        if (piece.kind == Piece::Kind::Broken) {
            CHECK(piece.code >= 1000);
            return;
        }
        if (piece.kind == Piece::Kind::NeedMore) return;
        if (piece.kind == Piece::Kind::Text) CHECK(piece.payload.size() <= kMessageBytesMax);
        if (piece.kind == Piece::Kind::Close) return;
    }
}

}  // namespace
}  // namespace parlance::transport

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    parlance::transport::read_frames({reinterpret_cast<const char*>(data), size});
    return 0;
}
