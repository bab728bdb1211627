// Terminal properties and colours.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace parlance::cli {

/// An output: a terminal with its width, or a pipe for plain text.
struct Screen {
    bool is_terminal = false;
    bool has_colour = false;
    int width = 100;
};

/// Colours only on a terminal, and not with `no_colour`, NO_COLOR or TERM=dumb.
Screen screen_of(std::FILE* stream, bool no_colour);

enum class Tone { Plain, Bold, Dim, Red, Green, Yellow, Blue, Magenta, Cyan };

std::string paint(const Screen& screen, Tone tone, std::string_view text);

/// Columns of `text` on a terminal: two per wide character, none per combining mark.
int width_of(std::string_view text);
/// At most `width` columns of the text, ending in "…" if cut.
std::string cut(std::string_view text, int width);
/// Replaces control characters, so that foreign text can neither move the cursor nor ring the bell.
std::string harmless(std::string_view text);

}  // namespace parlance::cli
