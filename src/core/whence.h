// Out of which request an agent asks or begins something: by what the hub gave it to do.
#pragma once

#include <string_view>

#include "core/core.h"

namespace parlance::core {

/// Where a request stands in the tree of delegations.
struct Place {
    Reading<governor::Delegation> parent{};
    const broker::OpenRequest* unfounded = nullptr;  ///< A parent that is on no record yet.
    Reading<governor::Root> root{};  ///< The tree that it belongs to, if there is one.
    bool is_sideways = false;        ///< It hands over what the asker has, and goes no deeper.
    bool is_invited = false;         ///< Nor does what asks for a proposal to the parent.
};

/// A request as its asker puts it.
struct Asking {
    AgentHandle by = kNoAgent;
    const Envelope& envelope;
    const Claim& claim;
    bool hands_over = false;
};
/// By the session it names; then, whatever it names, by what the asker is at work on: an agent does
/// not come to stand higher in the tree by saying that it stands elsewhere.
Place find_place(const State& state, const Asking& asking);
/// Below this request, as was found before; none: out of the session that the asker names.
Place place_below(const State& state, Ticket parent, const Asking& asking);

/// What somebody says about something that it begins.
struct Beginning {
    std::string_view by;
    std::string_view session;
    std::string_view correlation;
    std::string_view user;
};
/// The request that it belongs to: the one whose session, conversation or user it names, else the
/// deepest that its beginner has in hand for no other user. None: it stands for itself.
Ticket find_work(const State& state, const Beginning& beginning);

/// Whether its target was handed the request, which is open. To give it back for a while is not to
/// be rid of it.
bool is_in_hand(const State& state, Ticket request);

}  // namespace parlance::core
