#include "fuzz/seeds.h"

int main(int count, char** arguments) {
    return parlance::fuzz::write_seeds(
        count,
        arguments,
        {.inputs = {"2025-11-23T10:00:00.123Z",
                    "2024-02-29T23:59:59+05:30",
                    "0000-01-01",
                    "9999-12-31T23:59-0100"},
         .words = {"T", "Z", ":", "-", "+", ".", "02-29", "+23:59", "-23:59", "0000", "9999"}});
}
