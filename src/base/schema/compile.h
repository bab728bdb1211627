// Compiles a schema's text into a Program. For the files of this folder only.
//
// First every subschema gets a number and its keywords are read (keywords.cc); then references are
// resolved and circular references are found (references.cc).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/schema/node.h"
#include "base/schema/schema.h"

namespace parlance::schema {

/// A keyword at its position in the schema.
struct Said {
    NodeId node;
    std::string_view keyword;
    json::Value value;
};

class Compiler {
  public:
    Compiler(std::string_view text, PatternAllowance* allowance);

    tl::expected<Schema, std::vector<Flaw>> run();

    // For the keywords.

    Node& node(NodeId id) { return program_->nodes[id]; }
    Resource& resource_of(NodeId id) { return program_->resources[node(id).resource]; }
    /// Reports a flaw. Only the first flaw of a position counts; positions with equal shortened
    /// pointers count as equal. `step` leads from the keyword's value to the flaw.
    void flaw(const Said& said, std::string reason, std::string_view step = {});
    /// Whether reading has stopped: the schema is too large, or has too many flaws.
    bool is_over() const { return is_over_; }
    /// Reads a subschema at the keyword, or below the keyword at `key`.
    NodeId subschema(const Said& said, json::Value value);
    NodeId subschema(const Said& said, json::Value value, std::string_view key);
    std::optional<Pattern> pattern(const Said& said, std::string_view text, std::string_view step);
    /// Queues a reference, to be resolved after all keywords are read.
    void refer(const Said& said) { references_.push_back(said); }

  private:
    struct Place {
        NodeId parent = kNone;
        std::string step;
    };

    NodeId read(json::Value value, Place place);
    /// Reports a flaw and stops reading.
    void give_up(const Said& said, std::string reason, std::string_view step);
    /// Charges a pattern to the allowance; false if the allowance does not suffice.
    bool afford(std::size_t size);
    void open_resource(NodeId id, json::Value schema);
    // references.cc
    void resolve_all();
    NodeId target_of(const Said& said, std::string* dynamic_name);
    NodeId follow(NodeId from, std::string_view pointer) const;
    void find_circles();

    std::unique_ptr<Program> program_;
    json::Outline outline_;  ///< Outline of the schema's text, while reading.
    std::vector<Flaw> flaws_;
    std::size_t repeated_count_ = 0;  ///< Repeated flaws at the position of the last flaw.
    bool is_over_ = false;
    std::vector<Said> references_;
    std::map<std::pair<NodeId, std::string>, NodeId, std::less<>> children_;  ///< By step.
    std::map<std::string, std::uint32_t, std::less<>> by_uri_;                ///< Resources.
    PatternAllowance* allowance_;
    std::size_t patterns_size_ = 0;
    std::size_t pattern_count_ = 0;
};

/// Reads one keyword of a schema; unknown keywords are ignored.
void read_keyword(Compiler& compiler, const Said& said);
/// The properties named by a schema's keywords, sorted.
std::vector<ObjectRules::Name> names_in(json::Value schema);

}  // namespace parlance::schema
