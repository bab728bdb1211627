// One check of one instance. For the files of this folder only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/schema/node.h"
#include "base/schema/schema.h"

namespace parlance::schema {

/// A set of indices of an object's members or an array's elements.
class Places {
  public:
    void add(std::size_t place) {
        if (place / 64 >= words_.size()) words_.resize(place / 64 + 1);
        words_[place / 64] |= std::uint64_t{1} << (place % 64);
    }
    void add_all() { is_all_ = true; }
    void add(const Places& others) {
        is_all_ = is_all_ || others.is_all_;
        if (words_.size() < others.words_.size()) words_.resize(others.words_.size());
        for (std::size_t i = 0; i < others.words_.size(); ++i) words_[i] |= others.words_[i];
    }
    bool has(std::size_t place) const {
        return is_all_ || (place / 64 < words_.size() && (words_[place / 64] >> place % 64 & 1U));
    }
    std::size_t size() const { return words_.size(); }

  private:
    bool is_all_ = false;
    std::vector<std::uint64_t> words_;
};

/// A value of the instance, with its path.
struct Spot {
    json::Value value{};
    const Spot* around = nullptr;
    std::string_view key{};
    std::size_t place = 0;
    bool is_place = false;
};

/// The resources on the path to a schema.
struct Scope {
    std::uint32_t resource = 0;
    const Scope* around = nullptr;
};

/// The context of a check: the value, the path of resources, and the collector of evaluated
/// members.
struct CheckContext {
    const Spot& spot;
    const Scope* scope = nullptr;
    Places* evaluated = nullptr;  ///< Receives the members that some keyword evaluated.
};

class Run {
  public:
    explicit Run(const Program& program) : program_{program} {}

    std::vector<Violation> whole(json::Value instance);

  private:
    /// Whether the value fits the schema. Reports violations, unless silent.
    bool fits(NodeId id, const CheckContext& context);
    bool keeps_all(NodeId id, const Node& node, const CheckContext& context);
    /// The same without reports.
    bool fits_silently(NodeId id, const CheckContext& context);

    // Checks by kind of keyword.
    bool keeps_type(NodeId id, const Node& node, const Spot& spot);
    bool keeps_constants(NodeId id, const Node& node, const Spot& spot);
    bool keeps_number(NodeId id, const NumberRules& rules, const Spot& spot);
    bool keeps_string(NodeId id, const StringRules& rules, const Spot& spot);

    // run_in_place.cc
    bool keeps_in_place(NodeId id, const InPlace& rules, const CheckContext& context);
    bool keeps_any_of(NodeId id, const InPlace& rules, const CheckContext& context);
    bool keeps_one_of(NodeId id, const InPlace& rules, const CheckContext& context);
    bool keeps_if(const InPlace& rules, const CheckContext& context);
    NodeId dynamic_target(const InPlace& rules, const Scope* scope);

    // run_containers.cc
    bool keeps_object(NodeId id, const ObjectRules& rules, const CheckContext& context);
    bool keeps_member(const ObjectRules& rules,
                      const CheckContext& context,
                      const Spot& member,
                      Places& present,
                      std::size_t place);
    bool keeps_name(const ObjectRules& rules, const CheckContext& context, const Spot& member);
    bool keeps_presence(NodeId id,
                        const ObjectRules& rules,
                        const CheckContext& context,
                        const Places& present);
    bool keeps_array(NodeId id, const ArrayRules& rules, const CheckContext& context);
    bool keeps_contains(NodeId id, const ArrayRules& rules, const CheckContext& context);
    bool keeps_unique(NodeId id, const Spot& spot);
    bool keeps_unevaluated(const InPlace& rules,
                           const CheckContext& context,
                           const Places& evaluated);

    /// Reports a violation and returns false. `say` makes the text only on demand: wording a rule
    /// takes longer than checking, and most texts are never read.
    template <class Say>
    bool wrong(NodeId id, std::string_view keyword, const Spot& spot, Say say) {
        if (is_heard()) {
            note(id, keyword, spot, say());
        } else if (silent_ == 0) {
            ++unlisted_;
        }
        return false;
    }
    void note(NodeId id, std::string_view keyword, const Spot& spot, std::string rule);
    bool wrong_missing(NodeId id, std::string_view keyword, const Spot& spot, std::string_view key);
    /// Charges steps; false once the limit is exceeded.
    bool spend(std::size_t steps);
    bool can_match(const Pattern& pattern, std::string_view text);
    /// Whether a further violation will be listed.
    bool is_heard() const { return silent_ == 0 && violations_.size() < kViolationsMax; }
    bool is_enough(bool is_right) const { return !is_right && (silent_ > 0 || is_spent()); }
    bool is_spent() const { return steps_left_ < 0; }

    const Program& program_;
    std::vector<Violation> violations_;
    std::size_t unlisted_ = 0;  ///< Violations beyond kViolationsMax.
    std::int64_t steps_left_ = 0;
    std::size_t depth_ = 0;
    std::size_t silent_ = 0;
};

}  // namespace parlance::schema
