#include <cstdlib>
#include <string>
#include "app/serve.h"
int main(int argc, char** argv) {
    parlance::app::ServeOptions o;
    o.is_dev = true;
    if (argc > 1) o.data = argv[1];
    if (argc > 2) o.port = static_cast<std::uint16_t>(std::atoi(argv[2]));
    return parlance::app::serve(o);
}
