// Requests of real clients, and the words in which they differ.
#include "fuzz/seeds.h"

int main(int count, char** arguments) {
    using namespace std::string_literals;
    const auto first = "\0"s;
    return parlance::fuzz::write_seeds(
        count,
        arguments,
        {.inputs =
             {first + "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
              first +
                  "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
              first + "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
                      "chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
              first + "GET /v1/agents/a%20b/inbox?max=2&wait=5 HTTP/1.1\r\nHost: a\r\n\r\n"},
         .words = {"Content-Length: ",
                   "Transfer-Encoding: chunked\r\n",
                   "Host: ",
                   "\r\n\r\n",
                   "Expect: 100-continue\r\n",
                   "Connection: close\r\n",
                   "Upgrade: websocket\r\n",
                   "HTTP/1.0",
                   "HTTP/1.1",
                   "%2F",
                   "%00"}});
}
