// Finds personal data with a structure: an e-mail address by its '@', a card by its check digit, a
// date of birth by the words before it.
//
// Linear in any text: the search stops only at digits, '@' and ':', and reads a bounded stretch
// around each stop. No state is kept between texts.
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
    /// Recognised by structure or check digit. Other kinds are guesses, made only on request.
    bool has_structure;
    std::string_view what;
};

std::span<const KindRow> kind_rows();
const KindRow& row_of(Kind kind);
std::optional<Kind> kind_named(std::string_view name);
/// All kinds with a structure.
Kinds structured_kinds();

struct Finding {
    Kind kind;
    std::size_t begin;
    std::size_t end;
    bool operator==(const Finding&) const = default;
};

/// The key of a text's value, such as "mobile_number": counts like the words before a number. The
/// cues are computed once, because a key may be long and apply to a hundred thousand values.
struct Label {
    std::string_view name{};
    mutable std::optional<std::uint32_t> cues{};  ///< Computed on first use: cues.h.
};

/// Appends the findings in UTF-8 text, from left to right, without overlaps.
void find(std::string_view text, Kinds kinds, const Label& label, std::vector<Finding>& findings);
std::vector<Finding> find(std::string_view text, Kinds kinds = structured_kinds());

/// Bounds the bytes of a message that are scanned again, beyond the one full scan. Only messages
/// made to be expensive come near the bound.
class Patience {
  public:
    /// Uses up `bytes` if as many are left.
    bool has(std::size_t bytes) {
        const std::size_t cost = bytes + kEachTime;
        if (cost > left_) return false;
        left_ -= cost;
        return true;
    }

  private:
    static constexpr std::size_t kEachTime = 32;  ///< The fixed cost of a scan, in bytes.
    std::size_t left_ = std::size_t{256} << 10U;
};

/// Searches the inside of a JSON string, escapes included; positions refer to the written text. A
/// text with character codes of URLs or pages is scanned decoded, and also as written while
/// `patience` lasts; null means without bound.
void find_escaped(std::string_view inside,
                  Kinds kinds,
                  const Label& label,
                  std::vector<Finding>& findings,
                  Patience* patience = nullptr);

/// The form that all spellings of a value share.
std::string normalised(Kind kind, std::string_view value);
void append_normalised(Kind kind, std::string_view value, std::string& out);

}  // namespace parlance::personal
