#include "sim/checkers/plain_json.h"

#include <cstdlib>

namespace parlance::sim {

namespace {

const PlainJson kNothing{};

class Reader {
  public:
    explicit Reader(std::string_view text) : text_(text) {}

    PlainJson read() {
        auto value = read_value();
        skip_spaces();
        return is_broken_ || at_ != text_.size() ? PlainJson{} : value;
    }

  private:
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void skip_spaces() {
        while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') ++at_;
    }
    bool take(char wanted) {
        skip_spaces();
        if (peek() != wanted) return false;
        ++at_;
        return true;
    }
    void expect(char wanted) {
        if (!take(wanted)) is_broken_ = true;
    }

    PlainJson read_value() {
        skip_spaces();
        const auto begin = at_;
        PlainJson value;
        if (peek() == '{') {
            read_object(value);
        } else if (peek() == '[') {
            read_array(value);
        } else if (peek() == '"') {
            value.text = read_string();
        } else {
            constexpr std::string_view kScalar = "+-.0123456789abcdefghijklmnopqrstuvwxyzE";
            const auto end = text_.find_first_not_of(kScalar, at_);
            at_ = end == std::string_view::npos ? text_.size() : end;
        }
        if (at_ == begin) is_broken_ = true;
        value.raw = std::string{text_.substr(begin, at_ - begin)};
        return value;
    }

    void read_object(PlainJson& value) {
        expect('{');
        if (take('}')) return;
        do {
            skip_spaces();
            auto name = read_string();
            expect(':');
            value.members.emplace_back(std::move(name), read_value());
        } while (!is_broken_ && take(','));
        expect('}');
    }

    void read_array(PlainJson& value) {
        expect('[');
        if (take(']')) return;
        do {
            value.elements.push_back(read_value());
        } while (!is_broken_ && take(','));
        expect(']');
    }

    /// An escape stands for the character behind the backslash; the simulated world writes no
    /// others.
    std::string read_string() {
        std::string out;
        expect('"');
        for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (text_[at_] == '\\') ++at_;
            if (at_ < text_.size()) out += text_[at_];
        }
        expect('"');
        return out;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool is_broken_ = false;
};

}  // namespace

PlainJson read_json(std::string_view text) { return Reader{text}.read(); }

const PlainJson& PlainJson::operator[](std::string_view name) const {
    for (const auto& [key, value] : members) {
        if (key == name) return value;
    }
    return kNothing;
}

const PlainJson& PlainJson::at(std::string_view pointer) const {
    const auto* value = this;
    while (!pointer.empty()) {
        pointer.remove_prefix(1);
        const auto name = pointer.substr(0, pointer.find('/'));
        pointer.remove_prefix(name.size());
        if (!value->is_array()) {
            value = &(*value)[name];
            continue;
        }
        const bool is_number =
            !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
        const auto index = std::strtoull(std::string{name}.c_str(), nullptr, 10);
        const bool is_there = is_number && index < value->elements.size();
        value = is_there ? &value->elements[index] : &kNothing;
    }
    return *value;
}

std::string filled_in(const PlainJson& json,
                      const std::function<PlainJson(std::string_view)>& value_at) {
    if (const auto& from = json["$from"]; from.is_string()) {
        const auto found = value_at(from.text);
        if (!found.empty()) return found.raw;
        return json["default"].empty() ? "null" : json["default"].raw;
    }
    std::string out;
    for (const auto& [name, value] : json.members) {
        out += (out.empty() ? "\"" : ",\"") + name + "\":" + filled_in(value, value_at);
    }
    if (json.is_object()) return "{" + out + "}";
    for (const auto& value : json.elements) {
        out += (out.empty() ? "" : ",") + filled_in(value, value_at);
    }
    return json.is_array() ? "[" + out + "]" : json.raw;
}

}  // namespace parlance::sim
