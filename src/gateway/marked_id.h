// The ids of human tasks and dead letters for clients: "13312.mfb2k0a9".
//
// The number is a ticket. Tickets repeat when an older copy of the journal is continued; the mark
// behind the ticket is made from the named thing, so an id of the lost continuation names nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/ids.h"
#include "model/listing.h"

namespace parlance::gateway {

struct Call;
struct Desk;

std::string human_task_id(Ticket ticket, Time asked_at);
std::string dead_letter_id(const DeadLetterListing& letter);

/// The ticket of either kind of id. A ticket alone counts as an id, since events show bare tickets.
std::optional<Ticket> parse_ticket(std::string_view id);

/// The ticket after which a page of a list begins: the query's `after` is the last id of the
/// previous page, or absent for the first page. Empty, with the call answered: `after` is no id, or
/// names a record beyond the journal's end, as after the restore of an older copy.
std::optional<Ticket> read_after(const Desk& desk, Call& call);

/// Whether the text is this id, or the id's ticket alone.
bool names_id(std::string_view text, std::string_view id);

}  // namespace parlance::gateway
