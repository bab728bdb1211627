#include <limits>

#include "base/bytes.h"
#include "base/check.h"
#include "journal/format.h"
#include "journal/journal.h"

namespace parlance::journal {

Batch::Batch() : frame_(kBatchHeadBytes, '\0') {}

void Batch::add(std::string_view payload) {
    open().append(payload);
    close();
}

std::string& Batch::open() {
    CHECK(open_at_ == 0);
    open_at_ = frame_.size();
    frame_.append(1 + kRecordCrcBytes, '\0');
    return frame_;
}

void Batch::close() {
    CHECK(open_at_ != 0 && frame_.size() >= open_at_ + 1 + kRecordCrcBytes);
    CHECK(frame_.size() < std::numeric_limits<std::uint32_t>::max());
    // append() fills in the checksum, which covers the sequence and so is not known before.
    const auto bytes = frame_.size() - open_at_ - 1 - kRecordCrcBytes;
    frame_.insert(open_at_, varint_bytes(bytes) - 1, '\0');
    put_varint(frame_.data() + open_at_, bytes);
    open_at_ = 0;
    ++count_;
}

std::size_t Batch::bytes() const { return frame_.size() + kBatchCloseBytes; }

void Batch::clear() {
    frame_.resize(kBatchHeadBytes);
    open_at_ = 0;
    count_ = 0;
}

}  // namespace parlance::journal
