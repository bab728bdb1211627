#include "fuzz/seeds.h"

int main(int count, char** arguments) {
    std::string many = "{";
    for (int i = 0; i < 40; ++i)
        many += '"' + std::to_string(i) + "\":{\"0\":" + std::to_string(i) + "},";
    return parlance::fuzz::write_seeds(
        count,
        arguments,
        {.inputs =
             {R"( {"a":[1,-2.5e+3,true,false,null,"x"],"b":{"c":{}}} )",
              R"(["\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00","é€😀"])",
              R"([[[[[[[[[[]]]]]]]]]])",
              R"({"a":1,"\u0061":2})",
              R"("a string that is longer than one block of sixty-four bytes, with \"quotes\" and \\")",
              many + "\"x\":0}"},
         .words = {"\"",
                   "\\",
                   "\\u",
                   "\\uD83D",
                   "\\uDE00",
                   "{",
                   "}",
                   "[",
                   "]",
                   ":",
                   ",",
                   "true",
                   "false",
                   "null",
                   "e+",
                   "-",
                   "0.",
                   "1e999",
                   "9223372036854775807",
                   "\"a\":",
                   "\xC3\xA9",
                   "\xED\xA0\x80",
                   "\xF0\x9F\x98\x80"}});
}
