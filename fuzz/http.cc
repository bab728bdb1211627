// Do any bytes, in pieces of any size, make the HTTP glue misbehave?
#include <cstdint>

#include "base/check.h"
#include "transport/parser.h"
#include "transport/request.h"

namespace parlance::transport {
namespace {

void read_requests(std::string_view bytes, std::size_t piece) {
    DoorLimits limits;
    limits.body_bytes_max = 4096;
    RequestParser parser{limits};
    while (!bytes.empty()) {
        std::size_t used = 0;
        const auto progress = parser.put(bytes.substr(0, piece), used);
        CHECK(used <= piece);
        bytes.remove_prefix(used);
        if (progress == Progress::Refused) {
            CHECK(parser.refusal().status >= 400);
            return;
        }
        if (progress == Progress::Done) {
            CHECK(parser.request().body.size() <= limits.body_bytes_max);
            CHECK(parser.request().headers.size() <= limits.header_fields_max);
            parser.reset();
        } else if (progress == Progress::NeedMore && used == 0) {
            if (piece >= bytes.size()) return;
            piece = bytes.size();
        }
    }
}

}  // namespace
}  // namespace parlance::transport

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::size_t piece = data[0] == 0 ? size : data[0];
    parlance::transport::read_requests({reinterpret_cast<const char*>(data) + 1, size - 1}, piece);
    return 0;
}
