#include "sim/people.h"

#include <array>
#include <iterator>

#include "sim/letters.h"

namespace parlance::sim {

namespace {

constexpr std::array kPeople{"ann", "bea", "cleo"};
constexpr std::array kRecipients{"human", "human:legal", "human:finance", "human:nobody"};

}  // namespace

HumanQuestion People::question() {
    HumanQuestion asked{.kind = static_cast<HumanKind>(entropy_.below(4)),
                        .text = "question " + std::to_string(++number_),
                        .options = {"red", "blue"},
                        .workflow = "errand-" + std::to_string(entropy_.below(6)),
                        .deadline = entropy_.ms(50, 2'500),
                        .state_version = entropy_.below(5)};
    if (entropy_.percent(40)) asked.role = entropy_.percent(50) ? "legal" : "finance";
    if (entropy_.percent(40)) asked.reminder = entropy_.ms(10, 2'000);
    if (entropy_.percent(25)) asked.escalation = "finance";
    if (entropy_.percent(70)) asked.if_nobody = static_cast<IfNobody>(entropy_.below(5));
    if (entropy_.percent(30)) asked.approvals_needed = 2;
    return asked;
}

SendMessage People::letter(const std::string& from) {
    const auto id = from + "-asks-" + std::to_string(++number_);
    return {.envelope = Envelope::make({.id = id,
                                        .from = from,
                                        .to = kRecipients[entropy_.below(kRecipients.size())],
                                        .type = "QUESTION",
                                        .correlation = id,
                                        .intent = Intent::Request},
                                       R"({"may":"I"})"),
            .priority = static_cast<Priority>(entropy_.below(4)),
            .timeout = entropy_.ms(50, 2'500),
            .fingerprint = number_,
            .question = std::make_shared<const HumanQuestion>(question())};
}

void People::ask() {
    const auto from = agent_name(entropy_.below(plan_.agents));
    if (entropy_.percent(40)) return door_.bring(from, letter(from), {});
    if (entropy_.percent(70)) return door_.bring(from, OpenHumanTask{question()}, {});
    door_.bring_as_person(kPeople[entropy_.below(kPeople.size())], OpenHumanTask{question()});
}

core::Reading<core::people::HumanTask> People::some_human_task() {
    if (!hub_.is_up()) return {};
    const auto& human_tasks = hub_.engine().state().people.human_tasks;
    if (human_tasks.empty()) return {};
    // The latest human tasks are likely to be open still.
    const auto back = entropy_.below(std::min<std::uint64_t>(human_tasks.size(), 12)) + 1;
    return human_tasks.at(human_tasks.tickets()[human_tasks.size() - back]);
}

AnswerHumanTask People::opinion(const core::people::HumanTask& human_task) {
    const auto& asked = human_task.asked;
    AnswerHumanTask answer{.id = asked.id,
                           .decision = static_cast<HumanDecision>(entropy_.below(4)),
                           .content = entropy_.percent(70) ? R"("red")" : "1"};
    if (entropy_.percent(80)) answer.reason = "because";
    if (entropy_.percent(50)) {
        answer.expected_version = asked.state_version + (entropy_.percent(30) ? 1 : 0);
    }
    const auto* request = core::broker::find_request(hub_.engine().state().requests, asked.request);
    if (request != nullptr) {
        const auto& question = *request->asked;
        answer.reply = Envelope::make({.id = "answer-" + std::to_string(++number_),
                                       .from = question.to(),
                                       .to = question.from(),
                                       .type = "ANSWER",
                                       .correlation = question.correlation(),
                                       .answers = question.id(),
                                       .intent = Intent::Reply},
                                      R"({"you":"may"})");
    }
    return answer;
}

void People::answer() {
    const auto human_task = some_human_task();
    if (human_task == nullptr) return;
    const auto answer = opinion(*human_task);
    const std::string who = kPeople[entropy_.below(kPeople.size())];
    const auto say = [this, who, answer] { door_.bring_as_person(who, answer); };
    if (entropy_.percent(20)) say();  // Answers twice.
    timeline_.after(entropy_.ms(0, entropy_.percent(30) ? 2'000 : 20), say);
}

void People::withdraw() {
    const auto human_task = some_human_task();
    if (human_task == nullptr) return;
    door_.bring_as_person(kPeople[entropy_.below(kPeople.size())],
                          CancelRequest{human_task->asked.workflow, "no longer needed"});
}

}  // namespace parlance::sim
