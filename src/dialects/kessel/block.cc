#include "dialects/kessel/block.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/json.h"
#include "base/json_strict.h"
#include "base/plain_text.h"
#include "dialects/kessel/tables.h"

namespace parlance::dialects::kessel {

namespace {

constexpr std::string_view kFence = "---";
constexpr std::string_view kSpaces = " \t\r";

std::string_view take_line(std::string_view& text) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

auto broken(std::string_view what, std::string_view where) {
    constexpr std::size_t kShownMax = 40;
    return fail(Fault::Malformed,
                fmt::format("{} at '{}'", what, trimmed(cut(where, kShownMax), kSpaces)));
}

/// A plain word as JSON: numbers, true, false and null stay, other words become strings.
void append_plain(std::string& out, std::string_view word) {
    constexpr std::string_view kBegins = "-0123456789tfn";
    const bool may_be_json = !word.empty() && kBegins.find(word.front()) != std::string_view::npos;
    if (may_be_json && json::is_strict(word)) {
        out += word;
    } else {
        json::append_quoted(out, word);
    }
}

/// Reads relaxed braces: JSON in which strings need no quotes.
class Braces {
  public:
    Braces(std::string_view text, std::string& out) : text_{text}, out_{out} {}

    /// Reads the value at the front. rest() is the text behind it.
    Result<void> value() {
        skip_space();
        if (text_.empty()) return fail(Fault::Malformed, "a value is missing at the end");
        if (text_.front() == '{') return container('}');
        if (text_.front() == '[') return container(']');
        if (text_.front() == '"') return quoted();
        const std::string_view word = trimmed(take_until(",]}\n"), kSpaces);
        if (word.empty()) return broken("a value is missing", text_);
        append_plain(out_, word);
        return {};
    }
    std::string_view rest() const { return text_; }

  private:
    void skip_space() {
        const auto at = text_.find_first_not_of(" \t\r\n");
        text_.remove_prefix(std::min(at, text_.size()));
    }

    std::string_view take_until(std::string_view stops) {
        const auto at = std::min(text_.find_first_of(stops), text_.size());
        const std::string_view taken = text_.substr(0, at);
        text_.remove_prefix(at);
        return taken;
    }

    /// A string in quotes is JSON.
    Result<void> quoted() {
        std::size_t end = 1;
        while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
        if (end >= text_.size()) return broken("a quote is not closed", text_);
        const std::string_view string = text_.substr(0, end + 1);
        TRY(json::check(string));
        out_ += string;
        text_.remove_prefix(end + 1);
        return {};
    }

    Result<void> key() {
        if (text_.front() == '"') {
            TRY(quoted());
            skip_space();
        } else {
            const std::string_view name = trimmed(take_until(":,{}[]\n"), kSpaces);
            if (name.empty()) return broken("a name is missing", text_);
            json::append_quoted(out_, name);
        }
        if (!text_.starts_with(':')) return broken("a colon is missing", text_);
        text_.remove_prefix(1);
        out_ += ':';
        return {};
    }

    Result<void> container(char closing) {
        if (++depth_ > json::kDepthMax) return broken("the nesting is too deep", text_);
        const bool is_object = closing == '}';
        out_ += text_.front();
        text_.remove_prefix(1);
        for (bool is_first = true;; is_first = false) {
            skip_space();
            if (text_.empty())
                return fail(Fault::Malformed, fmt::format("'{}' is missing", closing));
            if (text_.front() == closing) break;
            if (!is_first) {
                if (text_.front() != ',') return broken("a comma is missing", text_);
                text_.remove_prefix(1);
                skip_space();
                if (text_.starts_with(closing)) break;  // A trailing comma is ignored.
                out_ += ',';
            }
            if (text_.empty()) continue;
            if (is_object) TRY(key());
            TRY(value());
        }
        out_ += closing;
        text_.remove_prefix(1);
        --depth_;
        return {};
    }

    std::string_view text_;
    std::string& out_;
    std::size_t depth_ = 0;
};

/// True if the field must be a string: 404 is text there.
bool is_textual(const Form& form, std::string_view name) {
    const auto rule = std::ranges::find(form.shape->fields, name, &FieldRule::name);
    if (rule == form.shape->fields.end()) return false;
    constexpr std::array kOthers{Kind::Anything,
                                 Kind::Object,
                                 Kind::Integer,
                                 Kind::Number,
                                 Kind::Boolean,
                                 Kind::List,
                                 Kind::Map,
                                 Kind::Body};
    return std::ranges::find(kOthers, rule->kind) == kOthers.end();
}

/// A line of text: JSON if it is a whole quoted string or null, otherwise text, whatever its
/// beginning.
void append_text(std::string& out, std::string_view line) {
    const bool is_string = line.starts_with('"') && json::is_strict(line);
    if (line == "null" || is_string) {
        out += line;
    } else {
        json::append_quoted(out, line);
    }
}

struct Lines {
    const Form* form;
    std::string_view text;  ///< After the heading.
};

Result<Lines> inside(std::string_view text) {
    std::string_view line;
    do {
        if (text.empty()) return fail(Fault::Malformed, "a block must begin with '---'");
        line = trimmed(take_line(text), kSpaces);
    } while (line.empty());
    if (line != kFence) return fail(Fault::Malformed, "a block must begin with '---'");
    do {
        if (text.empty()) return fail(Fault::Malformed, "a block must have a heading");
        line = trimmed(take_line(text), kSpaces);
    } while (line.empty());
    const Form* form = form_named(kForms, line);
    if (form == nullptr) {
        return fail(Fault::Malformed,
                    fmt::format("a block must be a REQUEST, RESPONSE, HANDOFF CONTEXT or INTENT "
                                "CLASSIFICATION, not '{}'",
                                cut(line, 40)));
    }
    return Lines{form, text};
}

/// Reads one field, starting at its name. `text` keeps the rest.
Result<void> field(const Form& form, std::string_view& text, std::string& out) {
    const auto line_end = std::min(text.find('\n'), text.size());
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || colon > line_end) {
        return broken("a field must be a name, a colon and a value", text);
    }
    const std::string_view name = trimmed(text.substr(0, colon), kSpaces);
    if (out.size() > 1) out += ',';
    json::append_quoted(out, name);
    out += ':';
    const std::string_view value = trimmed(text.substr(colon + 1, line_end - colon - 1), kSpaces);
    if (is_textual(form, name)) {
        append_text(out, value);
        take_line(text);
        return {};
    }
    if (!value.starts_with('{') && !value.starts_with('[') && !value.starts_with('"')) {
        append_plain(out, value);
        take_line(text);
        return {};
    }
    Braces braces{text.substr(colon + 1), out};
    TRY(braces.value());
    text = braces.rest();
    const std::string_view behind = trimmed(take_line(text), kSpaces);
    if (!behind.empty()) return broken("a value must end its line", behind);
    return {};
}

/// True if the string, written as a plain line, reads back unchanged.
bool is_plain_line(std::string_view text) {
    if (text.empty() || trimmed(text, kSpaces) != text) return false;
    const bool opens = text.front() == '{' || text.front() == '[' || text.front() == '"';
    const bool has_controls =
        std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    return !opens && !has_controls && !json::is_strict(text);
}

}  // namespace

bool is_block(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text.substr(first).starts_with(kFence);
}

Result<std::string> block_to_json(std::string_view text) {
    // Errors quote the block to its sender and in the record.
    if (!simdjson::validate_utf8(text.data(), text.size())) {
        return fail(Fault::Malformed, "a block must be UTF-8");
    }
    const Lines block = TRY(inside(text));
    std::string_view lines = block.text;
    std::string out = "{";
    while (true) {
        const auto first = lines.find_first_not_of(" \t\r\n");
        if (first == std::string_view::npos)
            return fail(Fault::Malformed, "a block must end with '---'");
        lines.remove_prefix(first);
        if (trimmed(lines.substr(0, lines.find('\n')), kSpaces) == kFence) break;
        TRY(field(*block.form, lines, out));
    }
    take_line(lines);
    if (lines.find_first_not_of(" \t\r\n") != std::string_view::npos) {
        return broken("nothing may follow a block", lines);
    }
    out += '}';
    TRY(json::check(out));  // Catches duplicate names and deep nesting.
    const Form* form = form_of(kForms, json::root(out));
    if (form != block.form) {
        return fail(Fault::Malformed,
                    fmt::format("the block is headed {} and its fields are those of a {}",
                                block.form->name,
                                form->name));
    }
    return out;
}

Result<std::string> json_to_block(std::string_view text) {
    const json::Value message = json::root(text);
    if (!message.is_object()) return fail(Fault::Malformed, "a message must be an object");
    const Form* form = form_of(kForms, message);
    if (form == nullptr) return fail(Fault::Malformed, "it is no message of kessel");
    std::string out = fmt::format("{}\n{}\n\n", kFence, form->name);
    for (json::Members members{message}; members.next();) {
        const bool is_name = !members.key.empty() && trimmed(members.key, kSpaces) == members.key &&
                             members.key.find_first_of(":\n") == std::string_view::npos &&
                             members.key != kFence;
        if (!is_name) return broken("a block has no way to write this name", members.key);
        out += members.key;
        out += ": ";
        std::string spare;
        const bool is_plain = members.value.is_string() && is_plain_line(members.value.text(spare));
        // JSON is valid in relaxed braces, except that a line break inside would end a word.
        out += is_plain ? members.value.text(spare) : members.value.raw;
        out += '\n';
    }
    return out + std::string{kFence} + '\n';
}

}  // namespace parlance::dialects::kessel
