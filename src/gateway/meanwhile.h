// The response to a caller that has waited long enough for the answer to its request.
#pragma once

#include "gateway/desk.h"

namespace parlance::gateway {

/// Responds to the exchange, if the exchange still holds the line for the request's answer. The
/// request stays open, and its answer comes to the requester's mailbox.
void answer_meanwhile(Desk& desk,
                      Ticket request,
                      const transport::Exchange& exchange,
                      transport::Response response);

}  // namespace parlance::gateway
