#include "sim/door.h"

#include <utility>

#include "base/match.h"

namespace parlance::sim {

Door::Door(const Plan& plan, Entropy& entropy, Timeline& timeline, Hub& hub)
    : plan_(plan),
      entropy_(entropy),
      timeline_(timeline),
      hub_(hub),
      verbs_entropy_(plan.verbs.seed + 1) {
    hub_.listen({.on_effect = [this](const Effect& effect) { on_effect(effect); },
                 .on_down =
                     [this] {
                         open_commands_.clear();
                         if (listener_.on_down) listener_.on_down();
                     },
                 .on_restored =
                     [this] {
                         if (listener_.on_restored) listener_.on_restored();
                     }});
}

void Door::travel(std::function<void()> arrive) {
    if (is_calm_) return timeline_.after(entropy_.ms(0, 2), std::move(arrive));
    if (entropy_.percent(plan_.lost)) return hub_.note(FaultKind::CommandLost);
    if (entropy_.percent(plan_.doubled)) {
        hub_.note(FaultKind::CommandDoubled);
        timeline_.after(entropy_.ms(0, 60), arrive);
    }
    timeline_.after(entropy_.ms(0, entropy_.percent(10) ? 300 : 8), std::move(arrive));
}

void Door::bring(const std::string& caller, Command command, Answer answer) {
    travel([this, caller, command = std::move(command), answer = std::move(answer)] {
        arrive(caller, false, command, answer);
    });
}

void Door::bring_as_operator(Command command, Answer answer) {
    arrive("operator", true, std::move(command), std::move(answer));
}

void Door::bring_as_person(const std::string& name, Command command) {
    travel([this, name, command = std::move(command)] { arrive(name, true, command, {}); });
}

void Door::arrive(const std::string& caller, bool is_operator, Command command, Answer answer) {
    if (!hub_.is_up()) return;
    const auto* send = std::get_if<SendMessage>(&command);
    const bool waits = send != nullptr && send->waits;
    const auto reply_target = hub_.submit(std::move(command), caller, is_operator, true);
    if (reply_target != ReplyTarget{}) open_commands_[reply_target] = {std::move(answer), waits};
}

void Door::answer(ReplyTarget reply_target, const Effect& effect) {
    const auto found = open_commands_.find(reply_target);
    if (found == open_commands_.end()) return;
    auto open_command = std::move(found->second);
    open_commands_.erase(found);
    if (open_command.answer)
        travel([answer = std::move(open_command.answer), effect] { answer(effect); });
}

/// A requester that waits on the connection may hang up before the answer comes.
void Door::on_accepted(const TellAccepted& told) {
    const auto found = open_commands_.find(told.reply_target);
    const bool waits = found != open_commands_.end() && found->second.waits && told.is_open_request;
    answer(told.reply_target, told);
    if (!waits || !entropy_.percent(40)) return;
    timeline_.after(entropy_.ms(0, 400), [this, request = told.ticket] {
        if (hub_.is_up()) hub_.submit(StopWaiting{request}, "", true, false);
    });
}

/// The response to a poll arrives whole or not at all.
bool Door::is_poll_lost(const Deliver& deliver) {
    if (is_calm_ || plan_.verbs.poll_lost == 0 || deliver.reply_target == ReplyTarget{})
        return false;
    if (deliver.reply_target != poll_) {
        poll_ = deliver.reply_target;
        is_poll_lost_ = verbs_entropy_.percent(plan_.verbs.poll_lost);
        if (is_poll_lost_) hub_.note(FaultKind::PollResponseLost);
    }
    return is_poll_lost_;
}

void Door::on_effect(const Effect& effect) {
    match(
        effect,
        [&](const TellAccepted& told) { on_accepted(told); },
        [&](const TellRefused& told) { answer(told.reply_target, told); },
        [&](const TellDone& told) { answer(told.reply_target, told); },
        [&](const TellJoined& told) { answer(told.reply_target, told); },
        [&](const TellStarted& told) { answer(told.reply_target, told); },
        [&](const Deliver& deliver) {
            if (is_poll_lost(deliver)) return;
            if (!is_calm_ && entropy_.percent(plan_.lost)) {  // A half-open connection.
                return hub_.note(FaultKind::DeliveryLost);
            }
            timeline_.after(entropy_.ms(0, is_calm_ ? 2 : 10), [this, deliver] {
                if (listener_.on_delivery) listener_.on_delivery(deliver);
            });
        },
        [&](const CloseInstance& close) {
            timeline_.after(entropy_.ms(0, 10), [this, instance = close.instance] {
                if (listener_.on_closed) listener_.on_closed(instance);
            });
        },
        [](const TellAnswer&) {},
        [](const TellProgress&) {},
        [](const StirMailbox&) {},
        [](const OpenEndpoint&) {},
        [](const TellCancelled&) {},
        [](const TellEnded&) {},
        [](const TellAsked&) {},
        [&](const NotifyPeople& notice) {
            if (take_notice_) take_notice_(notice);
        });
}

}  // namespace parlance::sim
