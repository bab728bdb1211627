// Megabytes that were made to cost much: messages, blocks of text, and schemas with their
// instances.
#pragma once

#include <string>
#include <vector>

namespace parlance::dialects {

struct Hostile {
    std::string name;
    std::string text;
};

/// Requests of kessel that are taken, and so can be said in every other dialect.
std::vector<Hostile> hostile_requests();
/// The same, full of what is or looks like personal data.
std::vector<Hostile> hostile_persons();
/// An answer full of one placeholder of its question. It says `name` where that has to be put, for
/// what it is follows from a key.
struct HostileAnswer {
    std::string question;
    std::string name;
    std::string answer;
};
HostileAnswer hostile_answer();
/// Messages that are refused, for a hundred thousand reasons or because nobody knows them.
std::vector<Hostile> hostile_strangers();
/// Messages in kessel's text form.
std::vector<Hostile> hostile_blocks();

struct HostileInstance {
    std::string name;
    std::string schema;
    std::string text;
};
std::vector<HostileInstance> hostile_instances();
/// Schemas that are refused, for tens of thousands of flaws.
std::vector<Hostile> hostile_schemas();

}  // namespace parlance::dialects
