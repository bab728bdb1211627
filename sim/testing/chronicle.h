// Writes a history by hand, so that a test can show a checker a history that no hub should produce.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "core/testing/story.h"
#include "sim/checkers/checkers.h"

namespace parlance::sim {

using core::envelope;
using core::Letter;

class Chronicle {
  public:
    History history;

    Chronicle() {
        history.limits.backoff_base = Duration{100};
        history.limits.backoff_jitter_percent = 20;
        record(HubFounded{});
        record(InstanceJoined{.instance = {1}, .agent = {"bob"}});
        record(InstanceJoined{.instance = {2}, .agent = {"alice"}});
    }

    Chronicle& later(Duration by) {
        now_ += by;
        world_ += by;
        return *this;
    }
    /// The world's time goes on, and hub time stands still.
    Chronicle& later_unnoticed(Duration by) {
        world_ += by;
        return *this;
    }
    Time now() const { return now_; }
    Time world() const { return world_; }

    Sequence record(Event event) {
        const Sequence sequence{history.journal.size() + 1};
        history.journal.push_back({sequence, now_, std::move(event), world_});
        return sequence;
    }
    ReplyTarget ask(Command command, std::string caller = "alice") {
        history.asked.push_back({now_, std::move(caller), std::move(command), 0});
        return {history.asked.size()};
    }
    /// Shows an effect when everything recorded so far is durable.
    void show(Effect effect) {
        history.shown.push_back({now_, {history.journal.size()}, std::move(effect), world_});
    }

    /// Sends a message, records its acceptance and answers the sender.
    Ticket accept(const Letter& letter, MessageAccepted accepted = {.priority = Priority::High}) {
        const auto message = envelope(letter);
        const auto from = ask(SendMessage{.envelope = message}, letter.from);
        accepted.ticket = {(history.journal.size() + 1) * 1024};
        accepted.envelope = message;
        const auto sequence = record(accepted);
        show(TellAccepted{.reply_target = from, .ticket = accepted.ticket, .sequence = sequence});
        return accepted.ticket;
    }
    /// Leases the message to an instance of bob and delivers it.
    DeliveryToken lease(Ticket ticket, std::uint32_t attempt = 1, InstanceNumber instance = {1}) {
        record(LeaseGranted{.ticket = ticket, .instance = instance, .attempt = attempt});
        const auto book = read_book(history);
        show(Deliver{.instance = instance,
                     .delivery = {ticket, attempt},
                     .envelope = book.copies.at(ticket).envelope});
        return {ticket, attempt};
    }
    void acknowledge(const DeliveryToken& token) {
        const auto from = ask(AckDelivery{token}, "bob");
        record(DeliveryAcknowledged{token.ticket, token.attempt});
        show(TellDone{from});
    }

    bool breaks(const std::string& promise) const {
        const auto findings = check_all(history);
        return std::ranges::any_of(
            findings, [&](const Finding& finding) { return finding.promise == promise; });
    }
    /// The promises broken, for a test that expects none.
    std::string broken() const {
        std::string all;
        for (const auto& finding : check_all(history)) {
            all += finding.promise + ": " + finding.what + "\n";
        }
        return all;
    }

  private:
    Time now_{std::chrono::hours{480'000}};
    Time world_ = now_;
};

}  // namespace parlance::sim
