// What can be shown where we print, and the few colours there are.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace parlance::cli {

/// A place to print to: a terminal with its width, or a pipe that gets plain text.
struct Screen {
    bool is_terminal = false;
    bool has_colour = false;
    int width = 100;
};

/// Colours only on a terminal, and only if neither `no_colour` nor NO_COLOR nor TERM=dumb object.
Screen screen_of(std::FILE* stream, bool no_colour);

enum class Tone { Plain, Bold, Dim, Red, Green, Yellow, Blue, Magenta, Cyan };

std::string paint(const Screen& screen, Tone tone, std::string_view text);

/// The columns that `text` takes on a terminal: wide characters two, combining marks none.
int width_of(std::string_view text);
/// At most `width` columns of it, ending in "…" where something was cut.
std::string cut(std::string_view text, int width);
/// Without control characters, so that nobody's text can move our cursor or ring our bell.
std::string harmless(std::string_view text);

}  // namespace parlance::cli
