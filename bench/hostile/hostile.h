// Megabytes crafted to be expensive: messages, text blocks, and schemas with their instances.
#pragma once

#include <string>
#include <vector>

namespace parlance::dialects {

struct Hostile {
    std::string name;
    std::string text;
};

/// Valid kessel requests, which can be translated to every dialect.
std::vector<Hostile> hostile_requests();
/// The same, full of real or apparent personal data.
std::vector<Hostile> hostile_persons();
/// An answer full of one placeholder of its request. The placeholder depends on a key, so `name`
/// marks its positions.
struct HostileAnswer {
    std::string question;
    std::string name;
    std::string answer;
};
HostileAnswer hostile_answer();
/// Invalid messages, with a hundred thousand faults or of no dialect.
std::vector<Hostile> hostile_strangers();
/// Messages in kessel's text form.
std::vector<Hostile> hostile_blocks();

struct HostileInstance {
    std::string name;
    std::string schema;
    std::string text;
};
std::vector<HostileInstance> hostile_instances();
/// Schemas refused for tens of thousands of flaws.
std::vector<Hostile> hostile_schemas();

}  // namespace parlance::dialects
