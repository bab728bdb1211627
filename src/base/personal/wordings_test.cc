// Personal data in common wordings: made-up values, times forms, times sentences. And similar text
// whose words say something else.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/personal/made_up.h"
#include "base/personal/personal.h"

namespace parlance::personal {
namespace {

using Sentences = std::span<const std::string_view>;
constexpr std::string_view kHere = "{}";

/// The sentence with the value filled in.
std::string filled(std::string_view sentence, std::string_view value) {
    std::string text{sentence};
    return text.replace(text.find(kHere), kHere.size(), value);
}

/// Whether exactly the value is found in the sentence, and nothing else.
bool is_found(Kind kind, std::string_view sentence, std::string_view value) {
    const std::size_t begin = sentence.find(kHere);
    return find(filled(sentence, value)) ==
           std::vector<Finding>{{kind, begin, begin + value.size()}};
}

void expect_found(Kind kind, Sentences sentences, std::string_view value) {
    for (const std::string_view sentence : sentences) {
        EXPECT_TRUE(is_found(kind, sentence, value)) << filled(sentence, value);
    }
}

void expect_nothing(const std::string& text) {
    for (const Finding& finding : find(text)) {
        ADD_FAILURE() << row_of(finding.kind).name << " in " << text;
    }
}

std::string in_groups(std::string_view digits,
                      std::span<const std::size_t> sizes,
                      std::string_view sign) {
    std::string out;
    for (const std::size_t size : sizes) {
        if (!out.empty()) out += sign;
        out += digits.substr(0, size);
        digits.remove_prefix(std::min(size, digits.size()));
    }
    return out;
}

std::string in_fours(std::string_view digits, std::string_view sign) {
    constexpr std::array<std::size_t, 5> kFours{4, 4, 4, 4, 4};
    return in_groups(digits, std::span{kFours}.first((digits.size() + 3) / 4), sign);
}

std::string card_number(SampleEntropy& entropy, std::string_view head, std::size_t size) {
    const std::string number = std::string{head} + entropy.digits(size - 1 - head.size());
    return number + luhn_digit(number);
}

// Cards.

struct CardRow {
    std::string_view head;
    std::size_t size;
};
constexpr std::array kCards{
    CardRow{"4", 13},    CardRow{"4", 16},    CardRow{"4", 19},     // Visa
    CardRow{"51", 16},   CardRow{"55", 16},   CardRow{"2221", 16},  // Mastercard
    CardRow{"2720", 16}, CardRow{"34", 15},   CardRow{"37", 15},    // American Express
    CardRow{"300", 14},  CardRow{"305", 14},  CardRow{"309", 14},   // Diners Club
    CardRow{"36", 14},   CardRow{"38", 14},   CardRow{"39", 16},   CardRow{"6011", 16},  // Discover
    CardRow{"644", 16},  CardRow{"65", 16},   CardRow{"65", 19},   CardRow{"3528", 16},  // JCB
    CardRow{"3589", 16}, CardRow{"3590", 16}, CardRow{"1800", 15}, CardRow{"2131", 15},
    CardRow{"62", 16},   CardRow{"62", 19},                         // UnionPay
    CardRow{"2200", 16}, CardRow{"508", 16},  CardRow{"9792", 16},  // Mir, RuPay, Troy
    CardRow{"5061", 19}, CardRow{"5019", 16},                       // Verve, Dankort
    CardRow{"5018", 16}, CardRow{"5020", 19}, CardRow{"5038", 13},  // Maestro
    CardRow{"5893", 15}, CardRow{"6304", 16}, CardRow{"6759", 16}, CardRow{"6763", 18},
};

constexpr std::array<std::string_view, 8> kPlain{"see {}.",
                                                 "{}",
                                                 "please charge {} for it",
                                                 "{} was declined",
                                                 "the number on the front is {}",
                                                 "I paid $25.00 with {} yesterday",
                                                 "{}, exp. 03/29, CVC 311",
                                                 "she read out {} to me"};

TEST(Wordings, X15_CardsOfEveryIssuerNeedNoWord) {
    SampleEntropy entropy;
    for (const CardRow& row : kCards) {
        for (int n = 0; n < 5; ++n) {
            const std::string number = card_number(entropy, row.head, row.size);
            expect_found(Kind::Card, kPlain, number);
            expect_found(Kind::Card, kPlain, in_fours(number, " "));
            expect_found(Kind::Card, kPlain, in_fours(number, "-"));
        }
    }
}

constexpr std::array<std::string_view, 16> kCardWords{"my card is {}.",
                                                      "card number: {}",
                                                      "Credit card {} exp 12/27 cvv 123",
                                                      "{\"card\":\"{}\"}",
                                                      "increase the limit on my card # {} please",
                                                      "What's your credit card? {}",
                                                      "charge my credit card. Number is {}",
                                                      "Kreditkartennummer {}",
                                                      "numéro de carte : {}",
                                                      "name,card\nAna,{}\n",
                                                      "id|card number|sum\n7|{}|20.00",
                                                      "{} is my card number",
                                                      "{} (debit card)",
                                                      "the card that was stolen: {}",
                                                      "CC# {}",
                                                      "PAN {}"};

TEST(Wordings, X15_AfterAWordAnyNumberWithItsCheckDigitIsACard) {
    SampleEntropy entropy;
    for (std::size_t size = 12; size <= 19; ++size) {
        for (const std::string_view head : {"0604", "5038", "639", "7", "91", "1"}) {
            expect_found(Kind::Card, kCardWords, card_number(entropy, head, size));
        }
    }
}

TEST(Wordings, X15_TheLongestCardIsFoundAndNotItsBeginning) {
    SampleEntropy entropy;
    std::size_t tried = 0;
    while (tried < 20) {
        // The first sixteen digits are a valid card too.
        const std::string number = card_number(entropy, "4", 16) + entropy.digits(2);
        const std::string whole = number + luhn_digit(number);
        ++tried;
        expect_found(Kind::Card, kPlain, whole);
        expect_found(Kind::Card, kPlain, in_fours(whole, " "));
    }
}

// National numbers.

constexpr std::array<std::size_t, 3> kSsnSizes{3, 2, 4};
constexpr std::array<std::size_t, 3> kSinSizes{3, 3, 3};

constexpr std::array<std::string_view, 29> kSsnWords{"My SSN is {}.",
                                                     "SSN# {}",
                                                     "ssn={}",
                                                     "SSN - {}",
                                                     "S.S.N. {}",
                                                     "SS# {}",
                                                     "SS No. {}",
                                                     "Soc. Sec. No. {}",
                                                     "soc sec # {}",
                                                     "my social is {}",
                                                     "social: {}",
                                                     "Her Social is {}",
                                                     "Social Security #: {}",
                                                     "Social Security Number (SSN): {}",
                                                     "social security nbr {}",
                                                     "her social security no. is {}",
                                                     "social security number of the patient: {}",
                                                     "the applicant's SSN, {}, does not match",
                                                     "SSN for Jane is {}",
                                                     "{} is my SSN",
                                                     "{} is her social security number.",
                                                     "{} (SSN)",
                                                     "{\"ssn\":\"{}\"}",
                                                     "SSN/TIN: {}",
                                                     "name,ssn\nAna,{}",
                                                     "id;ssn;city\n1;{};Rome",
                                                     "Here they are:\nid,ssn\n1,{}",
                                                     "| name | SSN |\n|---|---|\n| Ana | {} |",
                                                     "name\tssn\nAna\t{}"};

constexpr std::array<std::string_view, 16> kSinWords{"My SIN is {}.",
                                                     "SIN # {}",
                                                     "S.I.N. {}",
                                                     "S.I.N.: {}",
                                                     "NAS : {}",
                                                     "mon NAS est {}",
                                                     "numéro d'assurance sociale {}",
                                                     "Social Insurance Number: {}",
                                                     "Social insurance no. {}",
                                                     "her SIN number, {}, is on file",
                                                     "Canadian SIN {}",
                                                     "{} is my SIN",
                                                     "{} (SIN)",
                                                     "{\"sin\":\"{}\"}",
                                                     "name,sin\nAna,{}",
                                                     "sin_number={}"};

TEST(Wordings, X15_NationalNumbersAreFoundHoweverTheyAreNamed) {
    SampleEntropy entropy;
    for (int n = 0; n < 20; ++n) {
        const std::string ssn = fmt::format("{:03}{:02}{:04}",
                                            entropy.between(1, 665),
                                            entropy.between(1, 99),
                                            entropy.between(1, 9999));
        const std::string head = fmt::format("{}{}", entropy.between(1, 7), entropy.digits(7));
        const std::string sin = head + luhn_digit(head);
        for (const std::string_view sign : {"", " ", "-"}) {
            expect_found(Kind::Ssn, kSsnWords, in_groups(ssn, kSsnSizes, sign));
            expect_found(Kind::Sin, kSinWords, in_groups(sin, kSinSizes, sign));
        }
    }
}

TEST(Wordings, OtherWordsMakeNoNationalNumbers) {
    for (const char* text : {"123456789 is my order",
                             "my social media id is 12345678",
                             "order 123456789 for the SSN check",
                             "SSN; ticket 123456789",
                             "name,ssn,ticket\nAna,,123456789",
                             "ssn list, order 123456789"}) {
        expect_nothing(text);
    }
}

// Accounts.

struct Country {
    std::string_view code;
    std::size_t size;
};
/// The registry of ISO 13616 (SWIFT), with the lengths of its examples.
constexpr std::array kRegistry{
    Country{"AD", 24}, Country{"AE", 23}, Country{"AL", 28}, Country{"AT", 20}, Country{"AZ", 28},
    Country{"BA", 20}, Country{"BE", 16}, Country{"BG", 22}, Country{"BH", 22}, Country{"BI", 27},
    Country{"BR", 29}, Country{"BY", 28}, Country{"CH", 21}, Country{"CR", 22}, Country{"CY", 28},
    Country{"CZ", 24}, Country{"DE", 22}, Country{"DJ", 27}, Country{"DK", 18}, Country{"DO", 28},
    Country{"EE", 20}, Country{"EG", 29}, Country{"ES", 24}, Country{"FI", 18}, Country{"FK", 18},
    Country{"FO", 18}, Country{"FR", 27}, Country{"GB", 22}, Country{"GE", 22}, Country{"GI", 23},
    Country{"GL", 18}, Country{"GR", 27}, Country{"GT", 28}, Country{"HN", 28}, Country{"HR", 21},
    Country{"HU", 28}, Country{"IE", 22}, Country{"IL", 23}, Country{"IQ", 23}, Country{"IS", 26},
    Country{"IT", 27}, Country{"JO", 30}, Country{"KW", 30}, Country{"KZ", 20}, Country{"LB", 28},
    Country{"LC", 32}, Country{"LI", 21}, Country{"LT", 20}, Country{"LU", 20}, Country{"LV", 21},
    Country{"LY", 25}, Country{"MC", 27}, Country{"MD", 24}, Country{"ME", 22}, Country{"MK", 19},
    Country{"MN", 20}, Country{"MR", 27}, Country{"MT", 31}, Country{"MU", 30}, Country{"NI", 28},
    Country{"NL", 18}, Country{"NO", 15}, Country{"OM", 23}, Country{"PK", 24}, Country{"PL", 28},
    Country{"PS", 29}, Country{"PT", 25}, Country{"QA", 29}, Country{"RO", 24}, Country{"RS", 22},
    Country{"RU", 33}, Country{"SA", 24}, Country{"SC", 31}, Country{"SD", 18}, Country{"SE", 24},
    Country{"SI", 19}, Country{"SK", 24}, Country{"SM", 27}, Country{"SO", 23}, Country{"ST", 25},
    Country{"SV", 28}, Country{"TL", 23}, Country{"TN", 24}, Country{"TR", 26}, Country{"UA", 29},
    Country{"VA", 22}, Country{"VG", 24}, Country{"XK", 20}, Country{"YE", 30},
};

constexpr std::array<std::string_view, 5> kAnyAccount{
    "see {}", "transfer to {} today", "{} is the account", "name;iban\nAna;{}", "Konto {}."};

TEST(Wordings, X15_AccountsOfAllCountriesOfTheRegistryAreFound) {
    SampleEntropy entropy;
    for (const Country& country : kRegistry) {
        for (int n = 0; n < 3; ++n) {
            expect_found(
                Kind::Iban, kAnyAccount, iban_of(country.code, entropy.digits(country.size - 4)));
        }
    }
}

TEST(Wordings, X15_AfterACueAccountsOfAnyCountryAreFound) {
    constexpr std::array<std::string_view, 6> kSaid{"My IBAN is {}",
                                                    "IBAN: {}",
                                                    "charges for a transfer from {} to another",
                                                    "bank account {}, please",
                                                    "{\"iban\":\"{}\"}",
                                                    "name,iban\nAna,{}"};
    SampleEntropy entropy;
    // Countries that use IBANs unregistered, and lengths that no country uses.
    for (const Country& country : {Country{"TH", 14},
                                   Country{"AR", 28},
                                   Country{"DZ", 26},
                                   Country{"SN", 28},
                                   Country{"GB", 21},
                                   Country{"UA", 31},
                                   Country{"IR", 26}}) {
        for (int n = 0; n < 5; ++n) {
            expect_found(
                Kind::Iban, kSaid, iban_of(country.code, entropy.digits(country.size - 4)));
        }
    }
    expect_nothing("My IBAN is GB82WEST12345698765433");
    expect_nothing("see TH510781610463");
}

// Dates of birth: 25 July 1994 and 6 June 1976 in every common form.

constexpr std::array<std::string_view, 35> kDates{"1994-07-25",         "25.07.1994",
                                                  "7/25/1994",          "07/25/94",
                                                  "25-Jul-94",          "25-Jul-1994",
                                                  "25 Jul 1994",        "25 July 1994",
                                                  "July 25, 1994",      "July 25th, 1994",
                                                  "25th of July, 1994", "25th July 1994",
                                                  "6 Jun '76",          "6 Jun 1976",
                                                  "25 / 07 / 1994",     "25071994",
                                                  "07251994",           "19940725",
                                                  "1994 Jul 25",        "July 1994",
                                                  "Jul. 25, 1994",      "25JUL1994",
                                                  "25 JUL 1994",        "25. Juli 1994",
                                                  "25 juillet 1994",    "25 de julio de 1994",
                                                  "25 luglio 1994",     "3. März 1951",
                                                  "12 février 1960",    "Monday, July 25, 1994",
                                                  "1994/07/25",         "1994.07.25",
                                                  "1994 07 25",         "1994-07-25T00:00:00Z",
                                                  "25 julho 1994"};

constexpr std::array<std::string_view, 40> kBirths{"My date of birth is {}.",
                                                   "DOB: {}",
                                                   "D.O.B. {}",
                                                   "D.O.B: {}",
                                                   "I was born on {}.",
                                                   "She was born in Leeds on {}.",
                                                   "born {}",
                                                   "Born: {}",
                                                   "birthday: {}",
                                                   "my b-day is {}",
                                                   "Bday: {}",
                                                   "Birthdate - {}",
                                                   "Birth Date:\n{}",
                                                   "date of birth (mm/dd/yyyy): {}",
                                                   "DOB (as per passport): {}",
                                                   "date of birth on file: {}",
                                                   "Patient, DOB {}, presents with a cough",
                                                   "Can you update my DOB to {} please",
                                                   "{} is my date of birth",
                                                   "{} is her birthday",
                                                   "Customer (b. {})",
                                                   "Ana Oduya, b. {}",
                                                   "{\"dob\": \"{}\"}",
                                                   "{\"date_of_birth\":\"{}\"}",
                                                   "birth_date={}",
                                                   "Geburtsdatum: {}",
                                                   "geboren am {}",
                                                   "geb. {}",
                                                   "Date de naissance : {}",
                                                   "né le {}",
                                                   "née le {}",
                                                   "Fecha de nacimiento: {}",
                                                   "nacido el {}",
                                                   "nacida el {}",
                                                   "nato il {}",
                                                   "nata a Roma il {}",
                                                   "Data de nascimento: {}",
                                                   "geboortedatum {}",
                                                   "name;dob\nAna;{}",
                                                   "| name | date of birth |\n| Ana | {} |"};

TEST(Wordings, X15_DatesOfBirthAreFoundInEveryFormAndWording) {
    for (const std::string_view date : kDates) expect_found(Kind::BirthDate, kBirths, date);
}

TEST(Wordings, OtherDatesAreNoDatesOfBirth) {
    for (const char* text : {"My birthday party is on 12/05/2024",
                             "birthday celebration: 12 May 2024",
                             "born in the USA; server restarted 30.07.2024",
                             "I was born there! The invoice is of 30.07.2024",
                             "born here\nmeeting on 2024-07-30",
                             "DOB 07252994",
                             "plan b. 3 March 2024",
                             "25 July 1994",
                             "July 1994",
                             "1994 Jul 25",
                             "name,dob,joined\nAna,,2024-07-30",
                             "25-Jul-94 is my deadline"}) {
        expect_nothing(text);
    }
}

// Telephones.

constexpr std::array<std::string_view, 52> kPhones{
    "(415) 555-0123",        "(415)555-0123",
    "415-555-0123",          "415.555.0123",
    "415 555 0123",          "4155550123",
    "+14155550123",          "1-415-555-0123",
    "1 (415) 555-0123",      "(415)-555-0123",
    "(415) 555.0123",        "415-555-0123 x807",
    "415-555-0123x807",      "415-555-0123 x 807",
    "415-555-0123 x.719",    "415-555-0123 #257",
    "415-555-0123 ext. 12",  "415-555-0123 Ext. 626",
    "415-555-0123 EXT 658",  "415-555-0123, ext. 14",
    "415-555-0123 ext: 4",   "415-555-0123 extension 442",
    "415-555-0123 (ext. 5)", "+44 20 7946 0958",
    "+44 (0)20 7946 0958",   "020 7946 0958",
    "07700 900123",          "07700900123",
    "00447700900123",        "0044 20 7946 0958",
    "0014155550123",         "+49 171 / 1283563",
    "0221 / 643 5115",       "030/12345678",
    "(02232) 95001 416",     "09/ 143 07 77",
    "(50)/692-0983",         "(02).0799.2914",
    "06 12 34 56 78",        "01.42.68.53.00",
    "+33 (0)1 42 68 53 00",  "8 (912) 345-67-89",
    "+7 (912) 345-67-89",    "98765 43210",
    "+91 98765 43210",       "13812345678",
    "1300 948 544",          "612 345 678",
    "91 345 67 89",          "070-123 45 67",
    "+62 (022) 564 7217",    "054-1234567"};

constexpr std::array<std::string_view, 46> kPhoneWords{"Call me at {}.",
                                                       "You can reach me on {} after 5pm.",
                                                       "My phone number is {}.",
                                                       "phone: {}",
                                                       "Phone no. {}",
                                                       "Ph: {}",
                                                       "Tel. {}",
                                                       "Tel/Fax {}",
                                                       "T: {}",
                                                       "M: {}",
                                                       "Mobile: {}",
                                                       "mobile # {}",
                                                       "Please ring {} tomorrow",
                                                       "My cell is {}, thanks",
                                                       "Contact: {}",
                                                       "contact number {}",
                                                       "contact details: {}",
                                                       "contact us at {}",
                                                       "Emergency contact: Jane Doe ({})",
                                                       "The number to call is {}.",
                                                       "She can be reached at {}",
                                                       "Patient can be contacted on {}",
                                                       "Text {} to confirm",
                                                       "text me at {}",
                                                       "send an SMS to {}",
                                                       "My new number is {}",
                                                       "My number: {}",
                                                       "our number is {}",
                                                       "{} is my phone number.",
                                                       "{} (mobile)",
                                                       "the customer left a callback number, {}",
                                                       "Give me a call on {} when you can.",
                                                       "phone number on file: {}",
                                                       "Her work phone is {}",
                                                       "WhatsApp me on {}",
                                                       "hotline {}",
                                                       "{\"phone\": \"{}\"}",
                                                       "{\"contact_number\": \"{}\"}",
                                                       "name,phone\nAna,{}\n",
                                                       "id|mobile number\n1|{}",
                                                       "Téléphone : {}",
                                                       "Telefon: {}",
                                                       "Handy: {}",
                                                       "Móvil: {}",
                                                       "Fax number: {}",
                                                       "telephone = {}"};

TEST(Wordings, X15_TelephonesAreFoundInEveryFormAndWording) {
    for (const std::string_view phone : kPhones) expect_found(Kind::Phone, kPhoneWords, phone);
}

TEST(Wordings, X15_ALetterheadsNumbersAreFoundByTheWordsAfterThem) {
    EXPECT_EQ(find("0440 776 232-Office\\,(02).2132.9517-Fax"),
              (std::vector<Finding>{{Kind::Phone, 0, 12}, {Kind::Phone, 21, 35}}));
    for (const char* text :
         {"invoice 4520019 home", "order 12345678 office", "desk 7 sold 4520019 home\n"})
        expect_nothing(text);
}

// Papers.

constexpr std::array<std::string_view, 8> kLicences{"D1234567",
                                                    "S530-460-99-424-0",
                                                    "481195160",
                                                    "FRANCRF705BA",
                                                    "JJHCJX451MC",
                                                    "WDLAB123XY45",
                                                    "A123456789012",
                                                    "2270-66-1551"};
constexpr std::array<std::string_view, 19> kLicenceWords{"My driver's license number is {}.",
                                                         "Driver license: {}",
                                                         "Driver's License #{}",
                                                         "Driver's license (CA): {}",
                                                         "driver\u2019s license {}",
                                                         "driving licence {}",
                                                         "DL# {}",
                                                         "DL: {}",
                                                         "DL number {}",
                                                         "D.L. {}",
                                                         "my license number is {}",
                                                         "License number: {}",
                                                         "license # {}",
                                                         "Führerschein {}",
                                                         "permis de conduire {}",
                                                         "{\"driver_license\":\"{}\"}",
                                                         "name,driver_license\nAna,{}",
                                                         "{} is my driver's license number",
                                                         "her driver's license, {}, expired"};
constexpr std::array<std::string_view, 5> kPassports{
    "481195160", "X1234567", "C01X00T47", "12AV34567", "GA123456"};
constexpr std::array<std::string_view, 13> kPassportWords{"My passport number is {}.",
                                                          "Passport # {}",
                                                          "passport no. {}",
                                                          "Passport ID {}",
                                                          "travelling on passport {}",
                                                          "Her passport, number {}, expires soon",
                                                          "Reisepass {}",
                                                          "Reisepass Nr. {}",
                                                          "passeport n° {}",
                                                          "pasaporte {}",
                                                          "{} is my passport number",
                                                          "{\"passport_number\":\"{}\"}",
                                                          "name,passport\nAna,{}"};

TEST(Wordings, X15_PapersAreFoundHoweverTheyAreNamed) {
    for (const std::string_view value : kLicences)
        expect_found(Kind::Licence, kLicenceWords, value);
    for (const std::string_view value : kPassports)
        expect_found(Kind::Passport, kPassportWords, value);
    for (const char* text : {"my software license number is LH329609T",
                             "the license server 12345678",
                             "dl 12 of 40",
                             "Reisepass abgelaufen 2024"}) {
        expect_nothing(text);
    }
}

// Network addresses.

TEST(Wordings, X15_SmallAndFilledAddressesAreFoundAmongHosts) {
    constexpr std::array<std::string_view, 12> kHosts{"from {} port 22",
                                                      "The server at {} is down",
                                                      "client_ip={}",
                                                      "ip: {}",
                                                      "http://{}/index.html",
                                                      "ssh root@{}",
                                                      "ping {}",
                                                      "{}:443",
                                                      "{}",
                                                      "[{}]",
                                                      "gateway {} (up)",
                                                      "connect {}/24"};
    for (const std::string_view address : {"5.7.3.12", "1.2.3.4", "10.0.16.3", "192.168.1.7"})
        expect_found(Kind::Ip, kHosts, address);
    expect_found(Kind::Ip, std::span{kHosts}.first(4), "192.168.001.001");
    expect_found(Kind::Ip, std::span{kHosts}.first(4), "fe80::1%eth0");
}

// Lookalikes.

TEST(Wordings, LookalikesAreNotFound) {
    for (const char* text : {
             // ZIP codes and streets.
             "Boston, MA 02115-4501",
             "ZIP 07095-0644",
             "Newark NJ 07102 1234 Broad St",
             // A number that begins inside of another number.
             "Total 1.250,00 12/02/1998 paid",
             "EUR 389.833.239,00 2010-04-19",
             "2005-09-21T18:23:19+02:00\n2021 07 20 started",
             "11:15:42,000\t030818 145732",
             "CHF 10'943'003.67\n816.210.444 Rp",
             "12/Jan/2017:10:16:50 +0000 2000-10-26 01:44:29",
             "29-08-2025 07.56.53 -96.29",
             // Parcels, parts, draws.
             "0903 6650 1712",
             "FedEx 0033 5357 3449",
             "RA 058 908 615 DE",
             "SKU 052-3196-268",
             "052-3196-268",
             "part 0001-0002-0003",
             "08 09 10 11 12",
             "01 02 03 04 05 06",
             "lottery: 04 12 23 34 45",
             "scores 021 034 055",
             "report 08 01 2026 01 44",
             "tracking 006284433981",
             "kernel: [04577.994541] usb",
             "[076859] 013 636009778 bytes",
             "USPS 9440 6512 7545 3754 7531 36",
             "USPS 9431 2440 3007 9714 8598 22",
             "tracking number: 589582172019503",
             // Called, texted or reached things that are no telephones.
             "call 0.26952294 BTC",
             "call 803.597.009 Rp",
             "he called 1234567 times",
             "The function call 20141116103225 returned",
             "call 772998157000000",
             "text 1134119923 to the log",
             "contact id 12345678",
             "cell 1234567 of the table",
             "phone 1234567890123 imei",
             "call 987 356 240,10 €",
             "call 2000 05 29",
             "T: 1731740000",
             "1920 1080 x 1200",
             // Versions.
             "foo>=4.5.32.21",
             "pip install foo~=1.2.3.4",
             "Firefox 115.0.2.1",
             "running nginx 1.25.3.1",
             "FooApp 5.7.3.12",
             "the 8.18.8.17 release",
             "upgrade from 2.0.1.5 to 2.0.1.6",
             "section 1.2.3.4 of the report",
             "Mobile OS 17.2.1.4",
         }) {
        expect_nothing(text);
    }
}

/// Everyday text of logs, shops and offices, beyond spellings_test.cc.
std::string everyday(SampleEntropy& entropy) {
    const auto digits = [&entropy](std::size_t count) { return entropy.digits(count); };
    const auto day = [&] {
        return fmt::format("{}-{:02}-{:02}",
                           entropy.between(1990, 2030),
                           entropy.between(1, 12),
                           entropy.between(1, 28));
    };
    switch (entropy.below(16)) {
        case 0:
            return fmt::format("ZIP {}-{}", digits(5), digits(4));
        case 1:
            return fmt::format("€{}.{},{} {}", digits(1), digits(3), digits(2), day());
        case 2:
            return fmt::format("{}T10:00:{}+02:00 {}", day(), digits(2), day());
        case 3:
            return fmt::format("FedEx {} {} {}", digits(4), digits(4), digits(4));
        case 4:
            return fmt::format("RA {} {} {} DE", digits(3), digits(3), digits(3));
        case 5:
            return fmt::format("SKU {}-{}-{}", digits(3), digits(4), digits(3));
        case 6:
            return fmt::format("USPS 94{} {} {} {} {} {}",
                               digits(2),
                               digits(4),
                               digits(4),
                               digits(4),
                               digits(4),
                               digits(2));
        case 7:
            return fmt::format("tracking number: {}", digits(entropy.between(10, 15)));
        case 8:
            return fmt::format("lib>={}.{}.{}.{}",
                               entropy.below(9),
                               entropy.below(9),
                               entropy.below(99),
                               entropy.below(99));
        case 9:
            return fmt::format("App{} {}.{}.{}.{}",
                               entropy.below(9),
                               entropy.below(30),
                               entropy.below(30),
                               entropy.below(30),
                               entropy.below(30));
        case 10:
            return fmt::format("kernel: [{}.{}] ok", digits(5), digits(6));
        case 11:
            return fmt::format("{} {} {}", digits(3), digits(3), digits(3));
        case 12:
            return fmt::format("{}.{}.{} Rp", digits(3), digits(3), digits(3));
        case 13:
            return fmt::format("invoice {} of {}", digits(8), day());
        case 14:
            return fmt::format("{:02}:00:01,{}\t{}", entropy.below(24), digits(3), digits(12));
        default:
            return fmt::format("{} {} bytes", digits(3), digits(9));
    }
}

TEST(Wordings, X15_NothingIsFoundInEverydayText) {
    constexpr std::size_t kTexts = 40'000;
    SampleEntropy entropy;
    std::size_t tokens = 0;
    std::size_t hits = 0;
    std::string hit;
    for (std::size_t i = 0; i < kTexts; ++i) {
        const std::string text = "the report " + everyday(entropy) + ", then " + everyday(entropy);
        tokens += static_cast<std::size_t>(std::ranges::count(text, ' ')) + 1;
        for (const Finding& finding : find(text)) {
            ++hits;
            hit += std::string{row_of(finding.kind).name} + " in " + text + "\n";
        }
    }
    EXPECT_LE(hits * 10'000, tokens) << hit;
}

}  // namespace
}  // namespace parlance::personal
