// People who are asked things: by agents and by each other, with a message or without. They answer
// late, twice, to what is over or was withdrawn, and now and then about something else.
#pragma once

#include <cstdint>
#include <string>

#include "sim/door.h"

namespace parlance::sim {

class People {
  public:
    People(const Plan& plan, Chance& chance, Timeline& timeline, Hub& hub, Door& door)
        : plan_(plan), chance_(chance), timeline_(timeline), hub_(hub), door_(door) {}

    /// Somebody wants something decided.
    void ask();
    /// Somebody looks at what there is, and says something to one of them, at once or later.
    void answer();
    /// What something belongs to is no longer wanted.
    void withdraw();

  private:
    SendMessage letter(const std::string& from);
    HumanQuestion question();
    AnswerPerson opinion(const core::people::Appeal& appeal);
    /// One of all there are, whatever became of it; null if there are none.
    core::Reading<core::people::Appeal> some_appeal();

    const Plan& plan_;
    Chance& chance_;
    Timeline& timeline_;
    Hub& hub_;
    Door& door_;
    std::uint64_t number_ = 0;
};

}  // namespace parlance::sim
