// The window: everything that comes to the hub or leaves it in words goes through the real front
// desk's own code, which keeps personal data back, and is kept for the checker of A4. There are no
// doors here: commands come, and effects go, as the simulated network carries them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/engine.h"
#include "journal/disk.h"
#include "model/command.h"
#include "sim/history.h"
#include "sim/persons.h"

namespace parlance::sim {

class Window {
  public:
    Window(Persons& persons,
           History& history,
           journal::Disk& disk,
           std::function<Time()> wall_clock);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    /// The hub is up, or null: it is down.
    void open(engine::Engine* engine);
    /// What the front desk makes of a command: an answer has its asker's own values, and what
    /// cannot be taken is a refusal that goes on record.
    Command receive(Command command, const std::string& caller);
    /// An effect of the history, as its readers see it.
    void show(std::size_t index);
    void log(const std::string& line);
    /// The end: everything that is on record, as those see it who may look.
    void close(Sequence last);

  private:
    struct Desk;

    void note(Exit exit, std::string bytes);
    void tell_answer(std::size_t index, const TellAnswer& told);
    void tell_records(Sequence last);
    void tell_rows(Sequence last);
    void tell_page(const std::string& path);

    Persons& persons_;
    History& history_;
    journal::Disk& disk_;
    std::unique_ptr<Desk> desk_;
};

}  // namespace parlance::sim
