// The window: passes everything that enters or leaves the hub in words through the real front
// desk's code, which redacts personal data, and keeps the outgoing bytes for the checker of A4. The
// simulated network carries commands and effects; no listener exists here.
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

    /// Tells the window of a started engine; null when the hub is down.
    void open(engine::Engine* engine);
    /// A command after the front desk: an answer gets its requester's own values, and an invalid
    /// message becomes the command that records the refusal.
    Command receive(Command command, const std::string& caller);
    /// Renders effect `index` of the history as its reader sees the effect.
    void show(std::size_t index);
    void log(const std::string& line);
    /// At the end: renders the journal, the audit rows and the pages as their readers see them.
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
