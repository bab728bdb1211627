// What a caller hears that has waited long enough for the answer to its request.
#pragma once

#include "gateway/desk.h"

namespace parlance::gateway {

/// Responds to the exchange, if it still holds the line for the answer to this request. The request
/// stays open, and its answer comes to its asker's mailbox.
void answer_meanwhile(Desk& desk,
                      Ticket request,
                      const transport::Exchange& exchange,
                      transport::Response response);

}  // namespace parlance::gateway
