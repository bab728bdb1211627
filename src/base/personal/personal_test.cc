#include "base/personal/personal.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/personal/check_digits.h"
#include "base/personal/number.h"

namespace parlance::personal {
namespace {

/// The findings as "kind:text", separated by bars.
std::string found_in(std::string_view text, Label label = {}, Kinds kinds = structured_kinds()) {
    std::vector<Finding> findings;
    find(text, kinds, label, findings);
    std::string out;
    for (const Finding& finding : findings) {
        if (!out.empty()) out += " | ";
        out += row_of(finding.kind).name;
        out += ':';
        out += text.substr(finding.begin, finding.end - finding.begin);
    }
    return out;
}

void expect_nothing(std::initializer_list<std::string_view> texts) {
    for (const auto text : texts) EXPECT_EQ(found_in(text), "") << text;
}

TEST(CheckDigits, FollowTheirStandards) {
    EXPECT_TRUE(passes_luhn("4111111111111111"));
    EXPECT_FALSE(passes_luhn("4111111111111112"));
    EXPECT_FALSE(passes_luhn("1411111111111111")) << "two digits swapped";
    EXPECT_FALSE(passes_luhn(""));

    // The precomputed sums agree with passes_luhn() on each stretch of the groups.
    const std::string row = "4 11-111 1111.11 11111 2 37/8282 246 310005 0 9";
    Number number;
    Sums sums;
    read_number(row, 0, number);
    add_up(row, number, sums);
    std::size_t passed = 0;
    for (std::size_t first = 0; first < number.count; ++first) {
        const Digits digits{row, number, sums, first};
        for (std::size_t last = 0; last < digits.groups_left(); ++last) {
            EXPECT_EQ(digits.passes_luhn(last), passes_luhn(digits.joined(last)))
                << digits.joined(last);
            passed += digits.passes_luhn(last) ? 1 : 0;
        }
    }
    EXPECT_GT(passed, 0U);
    EXPECT_TRUE(passes_mod97("GB82WEST12345698765432"));
    EXPECT_TRUE(passes_mod97("gb82west12345698765432"));
    EXPECT_FALSE(passes_mod97("GB82WEST12345698765423"));
    EXPECT_FALSE(passes_mod97("GB82"));
}

TEST(Kinds, FormATableWithoutRepeats) {
    for (const KindRow& row : kind_rows()) {
        EXPECT_EQ(kind_named(row.name), row.kind);
        EXPECT_EQ(&row_of(row.kind), &row);
        EXPECT_EQ(structured_kinds().has(row.kind), row.has_structure);
    }
    EXPECT_FALSE(kind_named("shoe_size"));
}

TEST(PersonalData, X15_EmailAddressesAreFound) {
    EXPECT_EQ(found_in("write to ana.oduya+bills@mail.example.org."),
              "email:ana.oduya+bills@mail.example.org");
    EXPECT_EQ(found_in("<ANA@EXAMPLE.ORG>,'b@example.co.uk'"),
              "email:ANA@EXAMPLE.ORG | email:b@example.co.uk");
    EXPECT_EQ(found_in("mailto:a_b@163.com"), "email:a_b@163.com");
    EXPECT_EQ(found_in("grüße@bücher.example"), "email:grüße@bücher.example");
    EXPECT_EQ(found_in("\"Ana Oduya\"@example.org"), "email:\"Ana Oduya\"@example.org");
    // The same address in different surroundings.
    for (const char* before :
         {"https://example.com/?u=1&to=", "/users/", "**", "`", "#", "{", "!"}) {
        EXPECT_EQ(found_in(std::string{before} + "ana@example.org"), "email:ana@example.org")
            << before;
    }
    EXPECT_EQ(found_in("_ana@example.org_"), "email:ana@example.org");
}

TEST(PersonalData, OtherAtSignsAreNoEmailAddresses) {
    expect_nothing({"@channel look",
                    "a @ b.com",
                    "user@host",
                    "lodash@4.17.21",
                    "pkg@1.2.3-beta.rc",
                    "logo@2x.png",
                    "git@github.com:x/y",
                    "@app.route",
                    "a.@example.org",
                    "@example.org",
                    "x@.org",
                    "me@example.c"});
}

TEST(PersonalData, X15_CardsAreFoundByIssuerLengthAndCheckDigit) {
    // The card networks' published test numbers.
    for (const char* card : {"4111111111111111",
                             "5555555555554444",
                             "378282246310005",
                             "30569309025904",
                             "6011111111111117",
                             "3530111333300000",
                             "2223000048410010",
                             "4111 1111 1111 1111",
                             "4111-1111-1111-1111",
                             "3782 822463 10005",
                             "4111.1111.1111.1111",
                             "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
                             "41 11 11 11 11 11 11 11"}) {
        EXPECT_EQ(found_in("pay with " + std::string{card} + ", please"),
                  "card:" + std::string{card});
    }
    EXPECT_EQ(found_in("card 6200000000000000001 or 4111111111111111 123"),
              "card:4111111111111111");
    // A label may end in a letter that is also a hexadecimal digit.
    for (const char* label : {"card:", "visa:", "cc:", "data:", "abc:", "nr:", "1:", "x=cafe:"}) {
        EXPECT_EQ(found_in(std::string{label} + "4111111111111111"), "card:4111111111111111")
            << label;
    }
    for (const char* label : {"card:", "visa:", "cc:", "data:"}) {
        EXPECT_EQ(found_in(std::string{label} + "4111 1111 1111 1111"), "card:4111 1111 1111 1111")
            << label;
    }
}

TEST(PersonalData, X15_AWordAttachedToANumberDoesNotHideTheNumber) {
    EXPECT_EQ(found_in("4111111111111111EUR"), "card:4111111111111111");
    EXPECT_EQ(found_in("4111 1111 1111 1111and more"), "card:4111 1111 1111 1111");
    EXPECT_EQ(found_in("Card No.4111 1111 1111 1111"), "card:4111 1111 1111 1111");
    EXPECT_EQ(found_in("card-4111-1111-1111-1111"), "card:4111-1111-1111-1111");
    EXPECT_EQ(found_in("visa4111111111111111"), "card:4111111111111111");
    EXPECT_EQ(found_in("IBANDE89370400440532013000"), "iban:DE89370400440532013000");
    EXPECT_EQ(found_in("kontoDE89370400440532013000"), "iban:DE89370400440532013000");
    EXPECT_EQ(found_in("DE89370400440532013000EUR"), "iban:DE89370400440532013000");
    EXPECT_EQ(found_in("SSN078051121"), "us_ssn:078051121");
    EXPECT_EQ(found_in("SSN-078-05-1121"), "us_ssn:078-05-1121");
    EXPECT_EQ(found_in("078-05-1121and"), "us_ssn:078-05-1121");
    EXPECT_EQ(found_in("DOB1980-02-25"), "birth_date:1980-02-25");
}

TEST(PersonalData, X15_GapsAreOfAnyWidth) {
    EXPECT_EQ(found_in("4111  1111  1111  1111"), "card:4111  1111  1111  1111");
    EXPECT_EQ(found_in("4111\t1111\t1111\t1111"), "card:4111\t1111\t1111\t1111");
    EXPECT_EQ(found_in("4111\r\n1111\r\n1111\r\n1111"), "card:4111\r\n1111\r\n1111\r\n1111");
    EXPECT_EQ(found_in("4111_1111_1111_1111"), "card:4111_1111_1111_1111");
    EXPECT_EQ(found_in("GB82  WEST\n1234  5698 7654/32"), "iban:GB82  WEST\n1234  5698 7654/32");
    EXPECT_EQ(found_in("SSN 078  05  1121"), "us_ssn:078  05  1121");
    EXPECT_EQ(found_in("AB-12-34-56-C"), "uk_nino:AB-12-34-56-C");
}

TEST(PersonalData, X15_ACardIsFoundHoweverManyNumbersStandBeforeIt) {
    std::string text;
    for (int i = 0; i < 60; ++i) {
        EXPECT_EQ(found_in(text + "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"),
                  "card:4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1")
            << i;
        text += "0 ";
    }
}

TEST(PersonalData, OtherLongNumbersAreNoCards) {
    expect_nothing({"4111111111111112",
                    "1731740000123456",
                    "1111111111111117",
                    "411111111111111",
                    "x4111111111111111",
                    "4111111111111111a",
                    "id_4111111111111111",
                    "9999 9999 9999 9995",
                    "40761907 6936011112",
                    "18446744073709551615",
                    "4611686018427387904",
                    "2019 2020 2021 2022"});
}

TEST(PersonalData, X15_AccountsAreFoundByCountryAndCheckDigits) {
    for (const char* iban : {"GB82WEST12345698765432",
                             "gb82west12345698765432",
                             "GB82 WEST 1234 5698 7654 32",
                             "DE89370400440532013000",
                             "DE89-3704-0044-0532-0130-00",
                             "FR1420041010050500013M02606",
                             "NO9386011117947",
                             "NL91ABNA0417164300"}) {
        EXPECT_EQ(found_in("to " + std::string{iban} + "."), "iban:" + std::string{iban});
    }
    EXPECT_EQ(found_in("IBAN: GB82 WEST1234 5698 765432"), "iban:GB82 WEST1234 5698 765432");
}

TEST(PersonalData, OtherLettersAndDigitsAreNoAccounts) {
    expect_nothing({"GB82WEST12345698765433",
                    "ZZ82WEST12345698765432",
                    "GB82WEST1234569876543",
                    "GB82WEST123456987654321",
                    "XGB82WEST12345698765432",
                    "6a31ac95-8fb0-4e30-be05-b9fb1e25490b",
                    "AT12",
                    "DE89"});
}

TEST(PersonalData, X15_NationalNumbersAreFound) {
    EXPECT_EQ(found_in("SSN 078-05-1121"), "us_ssn:078-05-1121");
    EXPECT_EQ(found_in("my social security number is 078051121"), "us_ssn:078051121");
    EXPECT_EQ(found_in("ssn: 078 05 1121"), "us_ssn:078 05 1121");
    EXPECT_EQ(found_in("078051121", {"customer_ssn"}), "us_ssn:078051121");
    EXPECT_EQ(found_in("912-78-1234"), "us_itin:912-78-1234");
    EXPECT_EQ(found_in("my SIN is 130 254 345"), "ca_sin:130 254 345");
    EXPECT_EQ(found_in("social insurance number 130254345"), "ca_sin:130254345");
    EXPECT_EQ(found_in("130-254-345"), "ca_sin:130-254-345");
    EXPECT_EQ(found_in("AB123456C"), "uk_nino:AB123456C");
    EXPECT_EQ(found_in("is AB 12 34 56 C."), "uk_nino:AB 12 34 56 C");
    EXPECT_EQ(found_in("national insurance ab123456c"), "uk_nino:ab123456c");
}

TEST(PersonalData, OtherNineDigitsAreNoNationalNumbers) {
    expect_nothing({"000-12-3456",
                    "666-12-3456",
                    "078-00-1121",
                    "078-05-0000",
                    "912-12-1234",
                    "078051121",
                    "078 05 1121",
                    "a078-05-1121",
                    "078-05-1121-3",
                    "130-254-346",
                    "130 254 345",
                    "my SIN is 130 254 346",
                    "ab123456c",
                    "QQ123456C",
                    "AB123456E"});
}

TEST(PersonalData, X15_TelephonesAreFoundByTheirForm) {
    for (const char* phone : {"555-123-4567",
                              "(555) 123-4567",
                              "(555)123-4567x89",
                              "1-555-123-4567",
                              "555.123.4567",
                              "+1-555-123-4567 ext. 12",
                              "+44 7700 900123",
                              "+41 (0)22 345 67 89",
                              "+915551234567",
                              "001-555-123-4567",
                              "0431 19 97 94",
                              "02.27.96.63.08",
                              "(03) 5327 5996",
                              "06-10446904",
                              "212 555 1234"}) {
        EXPECT_EQ(found_in("or " + std::string{phone} + "."), "phone:" + std::string{phone});
    }
}

TEST(PersonalData, X15_TelephonesAreFoundByTheWordsAround) {
    EXPECT_EQ(found_in("You can call 785 8949"), "phone:785 8949");
    EXPECT_EQ(found_in("Phone: 5551234567"), "phone:5551234567");
    EXPECT_EQ(found_in("reach me at 73 448 266."), "phone:73 448 266");
    EXPECT_EQ(found_in("61 51 81 office\n96 228011-Fax"), "phone:61 51 81 | phone:96 228011");
    EXPECT_EQ(found_in("5551234567", {"mobilePhone"}), "phone:5551234567");
    EXPECT_EQ(found_in("5551234567", {"phone_number"}), "phone:5551234567");
    EXPECT_EQ(found_in("tel:+1-555-123-4567"), "phone:+1-555-123-4567");
    EXPECT_EQ(found_in("Tel.555-123-4567"), "phone:555-123-4567");
    EXPECT_EQ(found_in("555-123-4567 555-123-4568"), "phone:555-123-4567 | phone:555-123-4568");
    EXPECT_EQ(found_in("call 5551234567\n12 apples"), "phone:5551234567");
}

TEST(PersonalData, OtherGroupsOfDigitsAreNoTelephones) {
    expect_nothing({"5551234567",
                    "1731740000",
                    "785 8949",
                    "1 234 567 items",
                    "reach 100 000",
                    "2025-11-23 10:00:00",
                    "call 2025-11-23",
                    "$555-123-4567",
                    "12,345,678.90",
                    "0101 0110 0111",
                    "550e8400-e29b-41d4-a716-446655440000",
                    "12345678-1234-4123-8123-123456789012",
                    "61 51 81 office chairs",
                    "order 114-1234567-1234567",
                    "978-3-16-148410-0",
                    "16:9 1024x768"});
    EXPECT_EQ(found_in("5551234567", {"call_id"}), "");
    EXPECT_EQ(found_in("5551234567", {"message_to"}), "");
}

TEST(PersonalData, X15_AddressesOfTheNetworkAreFound) {
    EXPECT_EQ(found_in("from 203.0.113.7:8080"), "ip:203.0.113.7");
    EXPECT_EQ(found_in("http://203.0.113.7/x"), "ip:203.0.113.7");
    EXPECT_EQ(found_in("2001:db8:0:0:0:0:0:7"), "ip:2001:db8:0:0:0:0:0:7");
    EXPECT_EQ(found_in("[2001:db8::7]:80 fe80::1"), "ip:2001:db8::7 | ip:fe80::1");
    EXPECT_EQ(found_in("at 00:1a:2B:3c:4d:5e"), "mac:00:1a:2B:3c:4d:5e");
}

TEST(PersonalData, X15_Ipv4AddressesInsideIpv6AddressesAreFound) {
    EXPECT_EQ(found_in("::ffff:192.0.2.1"), "ip:::ffff:192.0.2.1");
    EXPECT_EQ(found_in("at 64:ff9b::192.0.2.33, today"), "ip:64:ff9b::192.0.2.33");
    EXPECT_EQ(found_in("[::ffff:192.0.2.1]:443"), "ip:::ffff:192.0.2.1");
    EXPECT_EQ(found_in("ip:2001:db8::7"), "ip:2001:db8::7");
    EXPECT_EQ(found_in("node:2001:db8:0:0:0:0:0:7"), "ip:2001:db8:0:0:0:0:0:7");
    EXPECT_EQ(found_in("mac:00:1a:2b:3c:4d:5e"), "mac:00:1a:2b:3c:4d:5e");
    EXPECT_EQ(found_in("1:203.0.113.7"), "ip:203.0.113.7");
}

TEST(PersonalData, OtherDotsAndColonsAreNoNetworkAddresses) {
    expect_nothing({"256.1.1.1",
                    "1.2.3",
                    "1.2.3.4.5",
                    "version 1.2.3.4",
                    "v1.2.3.4",
                    "Chrome/120.0.0.0",
                    "127.0.0.1",
                    "0.0.0.0:80",
                    "pkg==1.2.3.4",
                    "01.02.03.04",
                    "10:30:45",
                    "std::dead",
                    "abc::def",
                    "a::b",
                    "1::2",
                    "::",
                    "00:1a:2b:3c:4d",
                    "00:1a:2b:3c:4d:5e:6f",
                    "12:34:56:78"});
}

TEST(PersonalData, X15_DatesOfBirthAreFoundByTheWordsBefore) {
    EXPECT_EQ(found_in("She was born on 2/25/1980."), "birth_date:2/25/1980");
    EXPECT_EQ(found_in("date of birth: 1980-02-25"), "birth_date:1980-02-25");
    EXPECT_EQ(found_in("DOB 25.02.80"), "birth_date:25.02.80");
    EXPECT_EQ(found_in("born in Lagos on February 25th, 1980"), "birth_date:February 25th, 1980");
    EXPECT_EQ(found_in("birthday: 25 Feb 1980"), "birth_date:25 Feb 1980");
    EXPECT_EQ(found_in("1980-02-25", {"dateOfBirth"}), "birth_date:1980-02-25");
    for (const char* words : {"dob:",
                              "born:",
                              "DOB=",
                              "date_of_birth:\"",
                              "dateOfBirth=",
                              "D.O.B. ",
                              "dob-",
                              "DOB.",
                              "<dob>",
                              "birthday#"}) {
        EXPECT_EQ(found_in(std::string{words} + "1980-02-03"), "birth_date:1980-02-03") << words;
    }
    EXPECT_EQ(found_in("1980-02-25T00:00:00Z", {"dob"}), "birth_date:1980-02-25T00:00:00Z");
    EXPECT_EQ(found_in("born 25-Feb-1980"), "birth_date:25-Feb-1980");
    EXPECT_EQ(found_in("born 1980 02 25"), "birth_date:1980 02 25");
    EXPECT_EQ(found_in("19800225", {"birth_date"}), "birth_date:19800225");
}

TEST(PersonalData, OtherDatesAreNoDatesOfBirth) {
    expect_nothing({"since 2/25/1980",
                    "1980-02-25",
                    "25 Feb 1980",
                    "born 31/31/1980",
                    "born on 25",
                    "born in 1980 or so",
                    "2025-11-23T10:00:00Z"});
    EXPECT_EQ(found_in("1980-02-25", {"created"}), "");
}

TEST(PersonalData, X15_PapersAreFoundByTheWordsBefore) {
    EXPECT_EQ(found_in("driver's license number is LH329609T"), "driver_licence:LH329609T");
    EXPECT_EQ(found_in("driving licence: D400-7836-0001"), "driver_licence:D400-7836-0001");
    EXPECT_EQ(found_in("My passport number is X1234567."), "passport:X1234567");
    EXPECT_EQ(found_in("123456789", {"passport_no"}), "passport:123456789");
}

TEST(PersonalData, OtherPapersAreNotFound) {
    expect_nothing({"software license number is LH329609T",
                    "driver version 425700624",
                    "passport to be ready by 2025",
                    "X1234567",
                    "vJxy9Tel== 44298123"});
}

TEST(PersonalData, X15_LoginsInUrlsAreFound) {
    EXPECT_EQ(found_in("https://ana:s3cret@db.example.org/x"), "login:ana:s3cret");
    expect_nothing({"https://db.example.org/@ana", "https://db.example.org:80/", "a:b @c"});
}

TEST(PersonalData, X15_DisguisedDataIsFound) {
    // Full-width digits and at sign, a zero-width space, a no-break space, a soft hyphen, any dash.
    EXPECT_EQ(found_in("４１１１１１１１１１１１１１１１"),
              "card:４１１１１１１１１１１１１１１１");
    EXPECT_EQ(found_in("ana＠example．org"), "email:ana＠example．org");
    EXPECT_EQ(found_in("ana\u200B@exam\u00ADple.org!"), "email:ana\u200B@exam\u00ADple.org");
    EXPECT_EQ(found_in("4111\u00A01111\u00A01111\u00A01111"),
              "card:4111\u00A01111\u00A01111\u00A01111");
    EXPECT_EQ(found_in("078\u201105\u20111121"), "us_ssn:078\u201105\u20111121");
    EXPECT_EQ(found_in("٤١١١١١١١١١١١١١١١"), "card:٤١١١١١١١١١١١١١١١");
}

TEST(PersonalData, X15_CodesOfPagesAndUrlsAreSeenThrough) {
    EXPECT_EQ(found_in("?mail=ana%40example.org&x=1"), "email:ana%40example.org");
    EXPECT_EQ(found_in("to%20ana@example.org"), "email:ana@example.org");
    EXPECT_EQ(found_in("ana&#64;example.org"), "email:ana&#64;example.org");
    EXPECT_EQ(found_in("ana&#x40;example&period;org"), "email:ana&#x40;example&period;org");
    EXPECT_EQ(found_in("ana&commat;example.org"), "email:ana&commat;example.org");
    EXPECT_EQ(found_in("card=%204111%2D1111%2D1111%2D1111"), "card:4111%2D1111%2D1111%2D1111");
    EXPECT_EQ(found_in("4111&nbsp;1111&nbsp;1111&nbsp;1111"),
              "card:4111&nbsp;1111&nbsp;1111&nbsp;1111");
    EXPECT_EQ(found_in("%EF%BC%94111111111111111"), "card:%EF%BC%94111111111111111");
    EXPECT_EQ(found_in("%4111111111111111"), "card:4111111111111111") << "no code at all";
    expect_nothing({"100%", "a%20b", "fish &amp; chips", "&#169; 2025", "~1 of 12", "50%4"});
}

TEST(PersonalData, X15_EscapesOfJsonAreSeenThrough) {
    const auto found = [](std::string_view inside) {
        std::vector<Finding> findings;
        find_escaped(inside, structured_kinds(), {}, findings);
        return findings;
    };
    EXPECT_EQ(found(R"(x ana\u0040example.org)"), (std::vector<Finding>{{Kind::Email, 2, 22}}));
    EXPECT_EQ(found(R"(\u0034111111111111111)"), (std::vector<Finding>{{Kind::Card, 0, 21}}));
    EXPECT_EQ(found(R"(\n078-05-1121\n)"), (std::vector<Finding>{{Kind::Ssn, 2, 13}}));
    EXPECT_EQ(found(R"(\\n078)"), std::vector<Finding>{});
    EXPECT_EQ(found(R"(\\n078-05-1121\\n)"), (std::vector<Finding>{{Kind::Ssn, 3, 14}}))
        << "JSON in a string of JSON";
}

TEST(PersonalData, PlaceholdersAreLeftAlone) {
    expect_nothing({"[CARD_12345678]",
                    "call [PHONE_12345678]",
                    "[EMAIL_1f9c03ab]@example.org",
                    "born [BIRTH_abcdefab] 2/25/1980",
                    "[EMAIL_1f9c03ab]-555-123-4567",
                    "555-123-4567-[IBAN_1f9c03ab]"});
}

TEST(PersonalData, OnlyTheRequestedKindsAreFound) {
    Kinds cards;
    cards.add(Kind::Card);
    EXPECT_EQ(found_in("4111111111111111 a@example.org 555-123-4567", {}, cards),
              "card:4111111111111111");
    EXPECT_EQ(found_in("4111111111111111", {}, structured_kinds().without(cards)), "");
}

TEST(PersonalData, NamesAndStreetsAreGuessedOnRequest) {
    Kinds guesses;
    guesses.add(Kind::Name);
    guesses.add(Kind::Address);
    EXPECT_EQ(found_in("My name is Ana Oduya and I live at 12 Long Acre Street.", {}, guesses),
              "name:Ana Oduya | address:12 Long Acre Street");
    EXPECT_EQ(found_in("Dear Dr. Oduya, the name of the street is 12.", {}, guesses),
              "name:Dr. Oduya");
    EXPECT_EQ(found_in("My name is Ana Oduya, 12 Long Acre Street."), "");
}

TEST(PersonalData, SpellingsOfOneValueHaveOneNormalForm) {
    EXPECT_EQ(normalised(Kind::Card, "4111-1111 1111.1111"), "4111111111111111");
    EXPECT_EQ(normalised(Kind::Iban, "GB82 west"), "gb82west");
    EXPECT_EQ(normalised(Kind::Email, "Ana@Example.org"), "ana@example.org");
    EXPECT_NE(normalised(Kind::Login, "ana:Secret"), normalised(Kind::Login, "ana:secret"));
}

}  // namespace
}  // namespace parlance::personal
