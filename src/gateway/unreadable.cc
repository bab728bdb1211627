#include "gateway/unreadable.h"

#include "base/json_write.h"
#include "gateway/problem.h"

namespace parlance::gateway {

Refusal refusal_of_read(const Error& error) {
    switch (error.fault) {
        case Fault::Corrupt:      // A failed checksum or unreadable bytes,
        case Fault::NotFound:     // a missing segment,
        case Fault::Unsupported:  // or a record that no release has written.
            return Refusal::JournalDamaged;
        case Fault::Malformed:
        case Fault::Unavailable:
        case Fault::Exhausted:
            return Refusal::HubStorageFailed;
    }
    return Refusal::HubStorageFailed;
}

std::string_view damage_code() { return refusal_row(Refusal::JournalDamaged).code; }

transport::Response unreadable(const Error& error) {
    return problem(refusal_of_read(error), error.message);
}

std::string unreadable_event(const Error& error) {
    return "event: error\ndata: " +
           json::ObjectWriter{}
               .text("code", refusal_row(refusal_of_read(error)).code)
               .text("detail", error.message)
               .done() +
           "\n\n";
}

}  // namespace parlance::gateway
