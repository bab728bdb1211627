// W3: an answer echoes the request's id and correlation id, and goes from the recipient of the
// request to the requester.
#include "sim/checkers/checkers.h"

namespace parlance::sim {

void check_w3(const Book& book, Findings& findings) {
    for (const auto& [ticket, request] : book.requests) {
        for (const auto index : request.answers) {
            const auto* answered =
                std::get_if<RequestAnswered>(&book.history->journal[index].event);
            if (answered == nullptr) continue;
            const auto& reply = *answered->envelope;
            const auto& asked = *request.asked;
            const auto name = "request '" + std::string{asked.id()} + "'";
            if (reply.correlation() != asked.correlation()) {
                findings.push_back({"W3", name + " was answered in another workflow", ticket});
            }
            if (!reply.answers().empty() && reply.answers() != asked.id()) {
                findings.push_back({"W3", name + " got the answer to another question", ticket});
            }
            if (reply.from() != asked.to() || reply.to() != asked.from()) {
                findings.push_back({"W3", name + " was answered by or for another", ticket});
            }
        }
    }
}

}  // namespace parlance::sim
