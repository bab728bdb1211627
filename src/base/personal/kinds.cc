#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/personal/characters.h"
#include "base/personal/personal.h"

namespace parlance::personal {

namespace {

constexpr std::array kRows{
    KindRow{Kind::Email, "email", "EMAIL", true, "an e-mail address"},
    KindRow{Kind::Phone, "phone", "PHONE", true, "a telephone number, by its form or its words"},
    KindRow{Kind::Card, "card", "CARD", true, "a payment card, by its issuer and check digit"},
    KindRow{Kind::Iban, "iban", "IBAN", true, "a bank account, by its country and check digits"},
    KindRow{Kind::Ssn, "us_ssn", "SSN", true, "a US social security number"},
    KindRow{Kind::Itin, "us_itin", "ITIN", true, "a US taxpayer number of a person"},
    KindRow{Kind::Sin, "ca_sin", "SIN", true, "a Canadian social insurance number"},
    KindRow{Kind::Nino, "uk_nino", "NINO", true, "a British national insurance number"},
    KindRow{Kind::Ip, "ip", "IP", true, "an IP address, version 4 or 6"},
    KindRow{Kind::Mac, "mac", "MAC", true, "a hardware address of a network"},
    KindRow{Kind::BirthDate, "birth_date", "BIRTH", true, "a date that is said to be of birth"},
    KindRow{Kind::Licence, "driver_licence", "LICENCE", true, "what is said to be a licence"},
    KindRow{Kind::Passport, "passport", "PASSPORT", true, "what is said to be a passport's"},
    KindRow{Kind::Login, "login", "LOGIN", true, "a user and password in a URL"},
    KindRow{Kind::Name, "name", "NAME", false, "a person's name, where words announce it"},
    KindRow{Kind::Address, "address", "ADDRESS", false, "a house number and its street"},
};
static_assert(kRows.size() == static_cast<std::size_t>(Kind::kKinds));

constexpr Kinds all_structured() {
    Kinds kinds;
    for (const KindRow& row : kRows) {
        if (row.has_structure) kinds.add(row.kind);
    }
    return kinds;
}

/// Whether a value's signs and case count; for other kinds only letters and digits count, in one
/// case.
bool keeps_signs(Kind kind) {
    return kind == Kind::Email || kind == Kind::Login || kind == Kind::Name ||
           kind == Kind::Address || kind == Kind::Ip || kind == Kind::BirthDate;
}

}  // namespace

std::span<const KindRow> kind_rows() { return kRows; }

const KindRow& row_of(Kind kind) {
    const KindRow& row = kRows[static_cast<std::size_t>(kind)];
    CHECK(row.kind == kind);  // The rows are in the order of the kinds.
    return row;
}

std::optional<Kind> kind_named(std::string_view name) {
    const auto row = std::ranges::find(kRows, name, &KindRow::name);
    if (row == kRows.end()) return {};
    return row->kind;
}

Kinds structured_kinds() {
    static constexpr Kinds kStructured = all_structured();
    return kStructured;
}

void append_normalised(Kind kind, std::string_view value, std::string& out) {
    const bool keeps_all = keeps_signs(kind);
    for (const char c : value) {
        const bool is_kept = keeps_all || is_alnum(c) || is_beyond_ascii(c);
        if (is_kept) out.push_back(kind == Kind::Login ? c : lower(c));
    }
}

std::string normalised(Kind kind, std::string_view value) {
    std::string out;
    append_normalised(kind, value, out);
    return out;
}

}  // namespace parlance::personal
