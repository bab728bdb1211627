#include "tests/scenarios/play.h"

#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "base/iso_time.h"
#include "base/json.h"
#include "tests/scenarios/hub.h"
#include "tests/scenarios/line.h"
#include "tests/scenarios/pattern.h"

namespace parlance::scenarios {

namespace {

/// How long to wait for a frame that must not come.
constexpr Patience kMoment{20};

/// An agent's WebSocket. Frames are kept verb by verb and item by item, so that a transcript does
/// not depend on which items shared a frame.
struct Conversation {
    std::unique_ptr<Line> line;
    std::vector<std::string> headers;
    std::map<std::string, std::deque<std::string>> heard;
    std::string close;
};

std::string first_word(std::string& text) {
    const auto space = text.find(' ');
    auto word = text.substr(0, space);
    text = space == std::string::npos ? "" : text.substr(space + 1);
    return word;
}

bool take_prefix(std::string& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.erase(0, prefix.size());
    return true;
}

class Play {
  public:
    Play(const std::vector<std::string>& transcript, const std::filesystem::path& data)
        : in_(transcript) {
        options_.data = data / "hub";
        config_ = data / "parlance.toml";
        options_.is_dev = true;
        names_["receiver"] = std::to_string(receiver_.port());
    }

    Played run() {
        while (at_ < in_.size()) step();
        return std::move(played_);
    }

  private:
    void step() {
        auto line = in_[at_];
        keep();
        if (take_prefix(line, "# ")) return obey(line);
        if (take_prefix(line, "> ")) return ask(line, false);
        if (take_prefix(line, ">~ ")) return ask(line, true);
        if (take_prefix(line, "call ")) return call(line);
        if (take_prefix(line, "ws ")) return converse(line);
        if (take_prefix(line, "receiver <")) return receive();
        if (!line.empty()) disagree("a line of a transcript", "'" + line + "'");
    }

    void keep() { played_.lines.push_back(in_[at_++]); }

    void disagree(const std::string& expected, const std::string& came) {
        played_.disagreements.push_back({at_, expected, came});
    }

    Hub& hub() {
        if (!hub_) {
            hub_ = std::make_unique<Hub>(options_, [this] { return Time{Duration{now_.load()}}; });
        }
        return *hub_;
    }

    // --- `# …`: commands to the hub --------------------------------------------------------------

    void obey(std::string line) {
        if (take_prefix(line, "+")) return pass_time(line);
        if (take_prefix(line, "config ")) return configure(line);
        if (take_prefix(line, "receiver answers ")) {
            line = written_out(line, names_);
            const auto status = std::stoi(first_word(line));
            return receiver_.will_answer({status, line});
        }
        if (line == "without --dev") options_.is_dev = false;
        if (line != "restart" && line != "kill") return;  // A remark.
        if (line == "restart") hub().stop_cleanly();
        conversations_.clear();
        calls_.clear();
        hub_.reset();
        hub();
    }

    void pass_time(const std::string& amount) {
        std::size_t unit = 0;
        const auto count = std::stoll(amount, &unit);
        const auto word = amount.substr(unit);
        const auto factor = word == "ms" ? 1 : word == "s" ? 1000 : word == "min" ? 60'000 : 0;
        if (factor == 0) throw std::runtime_error("'+" + amount + "' has no unit ms, s or min");
        hub().settle();
        now_ += count * factor;
        hub().settle();
    }

    void configure(const std::string& setting) {
        const auto dot = setting.find('.');
        std::ofstream{config_} << "[" << setting.substr(0, dot) << "]\n" << setting.substr(dot + 1);
        const auto read = app::read_config(config_, options_);
        if (!read) throw std::runtime_error(read.error().message);
    }

    // --- expectations ----------------------------------------------------------------------------

    /// The lines of an expected answer: the first begins with `mark`, the others with "| ".
    std::optional<std::string> take_expected(std::string_view mark, std::size_t& count) {
        count = 0;
        if (at_ >= in_.size()) return std::nullopt;
        auto first = in_[at_];
        if (!take_prefix(first, mark)) return std::nullopt;
        count = 1;
        while (at_ + count < in_.size() && in_[at_ + count].starts_with("| ")) {
            first += "\n" + in_[at_ + count].substr(2);
            ++count;
        }
        return first;
    }

    void write_answer(std::string_view mark, const std::string& answer) {
        auto shown = as_pattern(answer, names_);
        std::istringstream text{shown};
        std::string line;
        for (bool is_first = true; std::getline(text, line); is_first = false) {
            played_.lines.push_back((is_first ? std::string{mark} : "| ") + line);
        }
    }

    void expect(std::string_view mark, const std::string& came) {
        std::size_t count = 0;
        const auto expected = take_expected(mark, count);
        if (expected && matches(*expected, came, names_)) {
            while (count-- > 0) keep();
            is_reread_ = false;
            return;
        }
        disagree(expected.value_or("(nothing is written)"), came);
        at_ += expected || !is_reread_ ? count : 1;
        is_reread_ = false;
        write_answer(mark, came);
    }

    // --- HTTP ------------------------------------------------------------------------------------

    HttpRequest read_request(std::string line) {
        HttpRequest request;
        request.method = first_word(line);
        request.target = written_out(first_word(line), names_);
        request.body = written_out(line, names_);
        while (at_ < in_.size() && in_[at_].starts_with(">> ")) {
            request.headers.push_back(written_out(in_[at_].substr(3), names_));
            keep();
        }
        return request;
    }

    static std::string shown(const HttpAnswer& answer) {
        auto text = std::to_string(answer.status);
        if (!answer.body.empty()) text += " " + answer.body;
        while (text.ends_with('\n')) text.pop_back();
        return text;
    }

    HttpAnswer exchange(const HttpRequest& request) {
        Line line{hub().port()};
        send_request(line, request);
        return read_answer(line, kPatience);
    }

    void ask(const std::string& line, bool repeats) {
        const auto request = read_request(line);
        auto answer = exchange(request);
        std::size_t count = 0;
        const auto expected = take_expected("< ", count);
        for (int tries = 0; repeats && expected && tries < 500; ++tries) {
            Names tried = names_;
            if (matches(*expected, shown(answer), tried)) break;
            hub().settle();
            answer = exchange(request);
        }
        hub().settle();
        expect_answer("< ", answer);
    }

    void expect_answer(std::string_view mark, const HttpAnswer& answer) {
        expect(mark, shown(answer));
        expect_headers("<< ", answer.head);
    }

    /// Each expected line with this mark must be among the headers.
    void expect_headers(const std::string& mark, const std::string& head) {
        while (at_ < in_.size() && in_[at_].starts_with(mark)) {
            const auto header = in_[at_].substr(mark.size());
            if (head.find(header) == std::string::npos) disagree(header, head);
            keep();
        }
    }

    /// `call A > …` sends a request without waiting; `call A < …` expects the answer, and `call A <
    /// nothing` expects none yet.
    void call(std::string line) {
        const auto name = first_word(line);
        if (take_prefix(line, "> ")) {
            const auto request = read_request(line);
            const auto before = hub().counts().requests_total;
            auto wire = std::make_unique<Line>(hub().port());
            send_request(*wire, request);
            hub().await([&](const auto& counts) { return counts.requests_total > before; });
            calls_[name] = std::move(wire);
            return;
        }
        if (!calls_.contains(name)) return disagree("an open call " + name, line);
        reread();
        const auto mark = "call " + name + " < ";
        const bool is_open = line == "< nothing" && !calls_[name]->has_bytes(kMoment);
        if (is_open) return expect(mark, "nothing");
        expect_answer(mark, read_answer(*calls_[name], kPatience));
        calls_.erase(name);
    }

    /// Reads the present line again, as an expectation.
    void reread() {
        played_.lines.pop_back();
        --at_;
        is_reread_ = true;
    }

    // --- WebSocket -------------------------------------------------------------------------------

    Conversation& conversation(const std::string& name) {
        auto& known = conversations_[name];
        if (known.line) return known;
        known.line = std::make_unique<Line>(hub().port());
        const auto answer = upgrade(*known.line, known.headers);
        if (answer.status != 101) known.close = "close refused " + std::to_string(answer.status);
        return known;
    }

    void converse(std::string line) {
        const auto name = first_word(line);
        if (take_prefix(line, ">> ")) {
            conversations_[name].headers.push_back(line);
        } else if (take_prefix(line, "> ")) {
            say(name, written_out(line, names_));
        } else if (line == "leaves" || line == "vanishes") {
            if (line == "leaves") send_frame(*conversation(name).line, 8, "\x03\xe8");
            const auto before = hub().counts().connections_open;
            conversations_.erase(name);
            hub().await([&](const auto& counts) { return counts.connections_open < before; });
        } else if (take_prefix(line, "< ")) {
            reread();
            hear(name, line);
        } else {
            disagree("ws NAME >, >>, <, leaves or vanishes", line);
        }
    }

    void say(const std::string& name, const std::string& frame) {
        auto& with = conversation(name);
        if (with.close.starts_with("close refused")) return;
        auto& wire = *with.line;
        const auto before = hub().counts().frames_in_total;
        send_frame(wire, 1, frame);
        hub().await([&](const auto& counts) { return counts.frames_in_total > before; });
    }

    static void sort_by_verb(Conversation& with, const std::string& payload) {
        json::Members members{json::root(payload)};
        while (members.next()) {
            const std::string verb{members.key};
            auto& heard = with.heard[verb];
            const auto head = "{\"" + verb + "\":";
            if (verb == "settled") {
                const auto count = members.value.integer().value_or(1);
                for (std::int64_t i = 0; i < count; ++i) heard.push_back(head + "1}");
            } else if (members.value.is_array()) {
                json::Elements items{members.value};
                while (items.next())
                    heard.push_back(head + "[" + std::string{items.value.raw} + "]}");
            } else {
                heard.push_back(head + std::string{members.value.raw} + "}");
            }
        }
    }

    /// Reads the frames at hand, and waits for more only while `is_missing` says so.
    template <class IsMissing>
    static void listen(Conversation& with, IsMissing is_missing) {
        for (;;) {
            const auto frame = read_frame(*with.line, is_missing() ? kPatience : kMoment);
            if (!frame) {
                if (with.line->has_ended() && with.close.empty()) with.close = "close";
                return;
            }
            if (frame->opcode == 9) send_frame(*with.line, 10, frame->payload);
            if (frame->opcode == 1) sort_by_verb(with, frame->payload);
            if (frame->opcode != 8 || frame->payload.size() < 2) continue;
            const auto* code = reinterpret_cast<const unsigned char*>(frame->payload.data());
            with.close =
                "close " + std::to_string(code[0] << 8 | code[1]) + " " + frame->payload.substr(2);
            return;
        }
    }

    static std::string take_any(Conversation& with) {
        for (auto& [verb, items] : with.heard) {
            if (items.empty()) continue;
            auto item = std::move(items.front());
            items.pop_front();
            return item;
        }
        auto close = std::exchange(with.close, {});
        return close.empty() ? "nothing" : close;
    }

    void hear(const std::string& name, const std::string& expected) {
        auto& with = conversation(name);
        const auto mark = "ws " + name + " < ";
        if (expected.starts_with("close")) {
            if (with.close.empty()) listen(with, [&] { return with.close.empty(); });
            return expect(mark,
                          with.close.empty() ? take_any(with) : std::exchange(with.close, {}));
        }
        const auto quote = expected.find('"', 2);
        const auto verb = expected.starts_with("{\"") ? expected.substr(2, quote - 2) : "";
        listen(with,
               [&] { return !verb.empty() && with.heard[verb].empty() && with.close.empty(); });
        auto& items = with.heard[verb];
        if (verb.empty() || items.empty()) return expect(mark, take_any(with));
        const auto item = std::move(items.front());
        items.pop_front();
        expect(mark, item);
    }

    void receive() {
        reread();
        const auto got = receiver_.next();
        hub().settle();
        expect("receiver < ", got.text.empty() ? "nothing" : got.text);
        expect_headers("receiver << ", got.head);
    }

    const std::vector<std::string>& in_;
    std::size_t at_ = 0;
    bool is_reread_ = false;
    Played played_;
    Names names_;
    app::ServeOptions options_;
    std::filesystem::path config_;
    std::atomic<std::int64_t> now_{
        parse_iso_time("2025-11-23T10:00:00Z")->time_since_epoch().count()};
    Receiver receiver_;
    std::unique_ptr<Hub> hub_;
    std::map<std::string, Conversation> conversations_;
    std::map<std::string, std::unique_ptr<Line>> calls_;
};

}  // namespace

Played play(const std::vector<std::string>& transcript, const std::filesystem::path& data) {
    return Play{transcript, data}.run();
}

}  // namespace parlance::scenarios
