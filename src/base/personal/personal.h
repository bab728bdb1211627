// Finds personal data that has a structure: an e-mail address by its '@', a card by its check
// digit, a date of birth by the words before it.
//
// Linear in the text whatever the text is: only digits, '@' and ':' are stopped at, and what is
// looked at around them is bounded. Nothing is remembered from one text to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parlance::personal {

enum class Kind : std::uint8_t {
    Email,
    Phone,
    Card,
    Iban,
    Ssn,
    Itin,
    Sin,
    Nino,
    Ip,
    Mac,
    BirthDate,
    Licence,
    Passport,
    Login,
    Name,
    Address,
    kKinds
};

/// A set of kinds.
class Kinds {
  public:
    constexpr Kinds() = default;
    constexpr void add(Kind kind) { bits_ |= bit(kind); }
    constexpr void remove(Kind kind) { bits_ &= ~bit(kind); }
    constexpr bool has(Kind kind) const { return (bits_ & bit(kind)) != 0; }
    constexpr bool is_empty() const { return bits_ == 0; }
    constexpr Kinds without(Kinds others) const {
        Kinds left;
        left.bits_ = bits_ & ~others.bits_;
        return left;
    }
    constexpr bool operator==(const Kinds&) const = default;

  private:
    static constexpr std::uint32_t bit(Kind kind) { return 1U << static_cast<unsigned>(kind); }
    std::uint32_t bits_ = 0;
};

struct KindRow {
    Kind kind;
    std::string_view name;  ///< In configurations and reports.
    std::string_view word;  ///< In placeholders.
    /// Told by a structure or a check digit. The others are guesses, and only made when asked for.
    bool has_structure;
    std::string_view what;
};

std::span<const KindRow> kind_rows();
const KindRow& row_of(Kind kind);
std::optional<Kind> kind_named(std::string_view name);
/// All that have a structure.
Kinds structured_kinds();

struct Finding {
    Kind kind;
    std::size_t begin;
    std::size_t end;
    bool operator==(const Finding&) const = default;
};

/// What a text is the value of, "mobile_number": it counts like the words before a number. What it
/// says is found out once, for it may be long, and the key of a hundred thousand values.
struct Label {
    std::string_view name{};
    mutable std::optional<std::uint32_t> cues{};  ///< Once somebody has asked: cues.h.
};

/// Appends what is found in UTF-8 text, from left to right, without overlaps.
void find(std::string_view text, Kinds kinds, const Label& label, std::vector<Finding>& findings);
std::vector<Finding> find(std::string_view text, Kinds kinds = structured_kinds());

/// What a message may cost beyond being looked through once: so many bytes of it are looked at
/// again. Whatever was not made to cost much needs far less.
class Patience {
  public:
    /// Whether there is so much left, which is then used up.
    bool has(std::size_t bytes) {
        const std::size_t cost = bytes + kEachTime;
        if (cost > left_) return false;
        left_ -= cost;
        return true;
    }

  private:
    static constexpr std::size_t kEachTime = 32;  ///< A short text takes as long as so many bytes.
    std::size_t left_ = std::size_t{256} << 10U;
};

/// The same for the inside of a JSON string that may have escapes; places are in what is written.
/// With codes of URLs and pages in it, it is read through them, and also as it stands if there is
/// the patience; without one there always is.
void find_escaped(std::string_view inside,
                  Kinds kinds,
                  const Label& label,
                  std::vector<Finding>& findings,
                  Patience* patience = nullptr);

/// What two spellings of one value have in common.
std::string normalised(Kind kind, std::string_view value);
void append_normalised(Kind kind, std::string_view value, std::string& out);

}  // namespace parlance::personal
