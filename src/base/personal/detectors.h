// One function per kind. Each is asked at a place where its kind could begin, and answers with
// where what it found begins and ends.
#pragma once

#include <optional>
#include <string_view>

#include "base/personal/cues.h"
#include "base/personal/number.h"

namespace parlance::personal {

struct Span {
    std::size_t begin;
    std::size_t end;
};
using Found = std::optional<Span>;

/// A number from one of its groups on, with the words before it, which are read when asked for.
class Sight : public Digits {
  public:
    Sight(const Digits& digits, std::size_t floor, Cues label_cues)
        : Digits(digits), floor_(floor), label_cues_(label_cues) {}

    /// What is found must not begin before this: it is taken.
    std::size_t floor() const { return floor_; }
    Cues cues() const;
    bool has_cue(Cues any) const { return (cues() & any) != 0; }
    /// Whether the words before it say so, also from a little further away, or those behind its
    /// end.
    bool is_said(Cues any, std::size_t end) const {
        return has_cue(any) || (cues_behind(text, end) & any) != 0 ||
               (!is_in_row() && (cues_near(text, group(0).begin) & any) != 0);
    }
    bool is_labelled(Cues any) const { return (label_cues_ & any) != 0; }
    /// Where the word begins that the first group belongs to: AB1234567.
    std::size_t word_begin() const;
    /// Whether a find can begin here: nothing hangs on it, or a word that says what it is.
    bool is_apart_left(std::size_t place, Cues words) const;

  private:
    std::size_t floor_;
    Cues label_cues_;
    mutable std::optional<Cues> cues_;
};

// Where a group of digits begins.
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
/// Any date, with or without a birth; nothing else is looked for inside of one.
Found find_date(const Sight& sight);
Found find_birth_date(const Sight& sight);
/// Whether the first groups are a year, a month and a day, whatever divides them and goes on.
bool begins_with_date(const Sight& sight);

/// Where a sign stands that is no digit.
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
Span colon_word(const Sign& colon);
/// Whether the colon stands between a word and a number, as in "card:4111…" or "1:203.0.113.7", and
/// not in an address.
bool is_behind_label(const Sign& colon);

// Guesses.
Found find_name(const Sign& capital);
Found find_address(const Sight& sight);

}  // namespace parlance::personal
