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
    HumanQuestion asked{.kind = static_cast<HumanKind>(chance_.below(4)),
                        .text = "question " + std::to_string(++number_),
                        .options = {"red", "blue"},
                        .workflow = "errand-" + std::to_string(chance_.below(6)),
                        .deadline = chance_.ms(50, 2'500),
                        .state_version = chance_.below(5)};
    if (chance_.percent(40)) asked.role = chance_.percent(50) ? "legal" : "finance";
    if (chance_.percent(40)) asked.reminder = chance_.ms(10, 2'000);
    if (chance_.percent(25)) asked.escalation = "finance";
    if (chance_.percent(70)) asked.if_nobody = static_cast<IfNobody>(chance_.below(5));
    if (chance_.percent(30)) asked.approvals_needed = 2;
    return asked;
}

SendMessage People::letter(const std::string& from) {
    const auto id = from + "-asks-" + std::to_string(++number_);
    return {.envelope = Envelope::make({.id = id,
                                        .from = from,
                                        .to = kRecipients[chance_.below(kRecipients.size())],
                                        .type = "QUESTION",
                                        .correlation = id,
                                        .intent = Intent::Request},
                                       R"({"may":"I"})"),
            .priority = static_cast<Priority>(chance_.below(4)),
            .timeout = chance_.ms(50, 2'500),
            .fingerprint = number_,
            .question = std::make_shared<const HumanQuestion>(question())};
}

void People::ask() {
    const auto from = agent_name(chance_.below(plan_.agents));
    if (chance_.percent(40)) return door_.bring(from, letter(from), {});
    if (chance_.percent(70)) return door_.bring(from, AskPerson{question()}, {});
    door_.bring_as_person(kPeople[chance_.below(kPeople.size())], AskPerson{question()});
}

core::Reading<core::people::Appeal> People::some_appeal() {
    if (!hub_.is_up()) return {};
    const auto& appeals = hub_.engine().state().people.appeals;
    if (appeals.empty()) return {};
    // The latest human tasks are likely to be open still.
    const auto back = chance_.below(std::min<std::uint64_t>(appeals.size(), 12)) + 1;
    return appeals.at(appeals.tickets()[appeals.size() - back]);
}

AnswerPerson People::opinion(const core::people::Appeal& appeal) {
    const auto& asked = appeal.asked;
    AnswerPerson answer{.id = asked.id,
                        .decision = static_cast<HumanDecision>(chance_.below(4)),
                        .content = chance_.percent(70) ? R"("red")" : "1"};
    if (chance_.percent(80)) answer.reason = "because";
    if (chance_.percent(50)) {
        answer.expected_version = asked.state_version + (chance_.percent(30) ? 1 : 0);
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
    const auto appeal = some_appeal();
    if (appeal == nullptr) return;
    const auto answer = opinion(*appeal);
    const std::string who = kPeople[chance_.below(kPeople.size())];
    const auto say = [this, who, answer] { door_.bring_as_person(who, answer); };
    if (chance_.percent(20)) say();  // Answers twice.
    timeline_.after(chance_.ms(0, chance_.percent(30) ? 2'000 : 20), say);
}

void People::withdraw() {
    const auto appeal = some_appeal();
    if (appeal == nullptr) return;
    door_.bring_as_person(kPeople[chance_.below(kPeople.size())],
                          CancelRequest{appeal->asked.workflow, "no longer needed"});
}

}  // namespace parlance::sim
