// One detector per kind. Each detector is called at a position where its kind could begin, and
// returns begin and end of a finding.
#pragma once

#include <optional>
#include <string_view>

#include "base/personal/cues.h"
#include "base/personal/number.h"

namespace parlance::personal {

struct TextRange {
    std::size_t begin;
    std::size_t end;
};
using Found = std::optional<TextRange>;

/// A number from one of its groups on, with the cues of the words before, which are read on demand.
class Sight : public Digits {
  public:
    Sight(const Digits& digits, std::size_t floor, Cues label_cues)
        : Digits(digits), floor_(floor), label_cues_(label_cues) {}

    /// A finding must not begin before this position, the end of the last finding.
    std::size_t floor() const { return floor_; }
    Cues cues() const;
    bool has_cue(Cues any) const { return (cues() & any) != 0; }
    /// Whether words near the number, before or after, give one of these cues.
    bool is_said(Cues any, std::size_t end) const {
        return has_cue(any) || (cues_behind(text, end) & any) != 0 ||
               (!is_in_row() && (cues_near(text, group(0).begin) & any) != 0);
    }
    bool is_labelled(Cues any) const { return (label_cues_ & any) != 0; }
    /// The begin of the word around the first group: AB1234567.
    std::size_t word_begin() const;
    /// Whether a finding can begin here: no letter or digit is attached, or an attached word gives
    /// one of the cues.
    bool is_apart_left(std::size_t place, Cues words) const;

  private:
    std::size_t floor_;
    Cues label_cues_;
    mutable std::optional<Cues> cues_;
};

// Called where a group of digits begins.
Found find_iban(const Sight& sight);
Found find_nino(const Sight& sight);
Found find_card(const Sight& sight);
Found find_ip4(const Sight& sight);
Found find_ssn(const Sight& sight);
Found find_itin(const Sight& sight);
Found find_sin(const Sight& sight);
Found find_licence(const Sight& sight);
Found find_passport(const Sight& sight);
Found find_phone(const Sight& sight);
/// Finds any date, of birth or not; no other kind is searched within a date.
Found find_date(const Sight& sight);
Found find_birth_date(const Sight& sight);
/// Whether the first groups are a year, a month and a day, whatever divides or follows them.
bool begins_with_date(const Sight& sight);

/// The position of a sign, or of another byte that is no digit.
struct Sign {
    std::string_view text;
    std::size_t place;
    std::size_t floor;
};
Found find_email(const Sign& at_sign);
Found find_login(const Sign& at_sign);
Found find_ip6(const Sign& colon);
Found find_mac(const Sign& colon);
/// The hexadecimal digits and colons around a colon.
TextRange colon_word(const Sign& colon);
/// Whether the colon divides a label from a number, as in "card:4111…" or "1:203.0.113.7", rather
/// than parts of an address.
bool is_behind_label(const Sign& colon);

// Guesses, without a structure to check.
Found find_name(const Sign& capital);
Found find_address(const Sight& sight);

}  // namespace parlance::personal
