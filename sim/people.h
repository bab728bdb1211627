// People who get human tasks, from agents and from each other, with or without a message. They
// answer late, twice, after the task ended or was withdrawn, and sometimes with a wrong version.
#pragma once

#include <cstdint>
#include <string>

#include "sim/door.h"

namespace parlance::sim {

class People {
  public:
    People(const Plan& plan, Entropy& entropy, Timeline& timeline, Hub& hub, Door& door)
        : plan_(plan), entropy_(entropy), timeline_(timeline), hub_(hub), door_(door) {}

    /// An agent or a person puts a human task.
    void ask();
    /// A person answers a human task, at once or later.
    void answer();
    /// A person cancels the workflow of a human task.
    void withdraw();

  private:
    SendMessage letter(const std::string& from);
    HumanQuestion question();
    AnswerHumanTask opinion(const core::people::HumanTask& human_task);
    /// A recent human task, open or ended; null if none exists.
    core::Reading<core::people::HumanTask> some_human_task();

    const Plan& plan_;
    Entropy& entropy_;
    Timeline& timeline_;
    Hub& hub_;
    Door& door_;
    std::uint64_t number_ = 0;
};

}  // namespace parlance::sim
