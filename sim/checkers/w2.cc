// W2: a late or second reply is recorded and dropped, never shown.
#include <map>
#include <string>
#include <tuple>

#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

using Question = std::tuple<std::string, std::string, std::string>;  ///< Who, whom, which.

}  // namespace

void check_w2(const Book& book, Findings& findings) {
    if (book.history->limits.remembered_ids_max < book.history->journal.size()) return;
    std::map<Question, Ticket> asked;
    for (const auto& entry : book.history->journal) {
        const auto* accepted = std::get_if<MessageAccepted>(&entry.event);
        if (accepted == nullptr) continue;
        const auto& envelope = *accepted->envelope;
        if (envelope.intent() == Intent::Request) {
            asked[{std::string{envelope.from()},
                   std::string{envelope.to()},
                   std::string{envelope.id()}}] = accepted->ticket;
        }
        if (envelope.intent() != Intent::Reply) continue;
        const auto found = asked.find({std::string{envelope.to()},
                                       std::string{envelope.from()},
                                       std::string{envelope.answers()}});
        if (found == asked.end()) continue;
        findings.push_back({"W2",
                            "reply '" + std::string{envelope.id()} +
                                "' came too late and was delivered all the same",
                            found->second});
    }
}

}  // namespace parlance::sim
