// Messages with personal data of every kind, plain and disguised.
#include "fuzz/seeds.h"

int main(int argc, char** argv) {
    return parlance::fuzz::write_seeds(
        argc,
        argv,
        {.inputs =
             {R"({"input":"mail ana@example.org, call 785 8949 or +44 7700 900123","card":4111111111111111})",
              R"(["IBAN GB82 WEST 1234 5698 7654 32","SSN 078-05-1121","ITIN 912-78-1234","AB123456C"])",
              R"({"dob":"1980-02-25","sin":"130 254 345","passport_no":"X1234567","phone":5551234567})",
              R"(["ana\u0040example.org","\uff14111111111111111","from 203.0.113.7 and 2001:db8::7"])",
              R"(["https://ana:s3cret@db.example.org","00:1a:2b:3c:4d:5e","12 Long Acre Street"])",
              R"(["born on February 25th, 1980 [EMAIL_1f9c03ab]-555-123-4567x89 office"])",
              R"({"ana@example.org":{"Ana@example.org":1,"ana\u0040example.org":2},"[CARD_12345678]":3})",
              R"({"phones":{"5551234567":"home"},"born 2/25/1980":{"4111111111111111":[]}})",
              R"({"parlance":{"keeps":[{"at":"/born 2~125~11980/ana@example.org","value":1}]}})",
              R"(["to%20ana%40example.org","ana&#64;example.org&nbsp;4111&nbsp;1111&#8209;1111 1111"])",
              R"(["::ffff:192.0.2.1 IBANDE89370400440532013000 4111  1111  1111  1111EUR SSN078051121"])"},
         .words = {"@example.org",
                   "4111 1111 1111 1111",
                   "078-05-1121",
                   "call ",
                   "born ",
                   "GB82WEST12345698765432",
                   "[CARD_12345678]",
                   "\\u0040",
                   "%40",
                   "&#64;",
                   "~1",
                   "{\"ana@example.org\":",
                   "\xE2\x80\x8B",
                   "licence ",
                   "driver ",
                   "phone"}});
}
