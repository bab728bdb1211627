// A4: no personal data of the redacted kinds leaves the hub in a forwarded message, a record, a
// row, a line of the log or a page.
//
// The checker knows all values that agents wrote, and searches for the exact values instead of
// patterns. An answer may show the requester the requester's own text, and the details of a
// failure.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "base/match.h"
#include "sim/checkers/checkers.h"

namespace parlance::sim {

namespace {

using personal::Kind;

constexpr std::array<std::string_view, 6> kExits{"a message",
                                                 "a part of an answer",
                                                 "a record",
                                                 "a row of the audit log",
                                                 "a line of the log",
                                                 "a page"};

/// Text without escapes and in lower case, for the search of addresses.
std::string plain(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i).starts_with("\\u0040")) {
            while (!out.empty() && out.back() == '\\') out.pop_back();
            out.push_back('@');
            i += 5;
            continue;
        }
        const char c = text[i];
        out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    }
    return out;
}

/// Text also without the separators between the digits of a number.
std::string bare(std::string_view plain_text) {
    std::string out;
    std::ranges::copy_if(plain_text, std::back_inserter(out), [](char c) {
        return c != ' ' && c != '-' && c != '(' && c != ')';
    });
    return out;
}

bool keeps_signs(Kind kind) { return kind == Kind::Email || kind == Kind::Ip; }

/// A text in both forms.
struct Text {
    explicit Text(std::string_view written) : whole(plain(written)), digits(bare(whole)) {}
    std::string whole;
    std::string digits;
};

class Leaks {
  public:
    Leaks(const Book& book, Findings& findings)
        : book_(book), history_(*book.history), findings_(findings) {
        for (const auto& planted : history_.planted) {
            const auto whole = plain(planted.written);
            values_.push_back({&planted, keeps_signs(planted.kind) ? whole : bare(whole)});
        }
        for (const auto& entry : history_.journal) {
            match(
                entry.event,
                [&](const AgentRegistered& e) { dialects_[e.agent.value] = e.profile.dialect; },
                [&](const RequestAnswered& e) { answers_[e.ticket] = e.request; },
                [&](const RequestFailed& e) {
                    const auto share = book_.shares.find(e.request);
                    if (share != book_.shares.end()) failures_[share->second] += e.detail;
                },
                [](const auto&) {});
        }
    }

    void run() {
        for (const auto& left : history_.left) {
            if (left.exit == Exit::Delivery || left.exit == Exit::Part) {
                look_at_agents(left);
            } else {
                look(left, history_.personal.kinds, {}, true);
            }
        }
    }

  private:
    struct Value {
        const Planted* planted;
        std::string essence;
        bool is_in(const Text& text) const {
            return (keeps_signs(planted->kind) ? text.whole : text.digits).find(essence) !=
                   std::string::npos;
        }
    };

    bool is_covered(Dialect dialect, const std::string& reader) const {
        const auto& policy = history_.personal;
        if (policy.covers(dialect)) return true;
        const auto spoken = dialects_.find(reader);
        return spoken != dialects_.end() && policy.covers(spoken->second);
    }

    void look_at_agents(const Left& left) {
        match(
            history_.shown[left.shown].effect,
            [&](const Deliver& deliver) { delivered(left, deliver); },
            [&](const TellAnswer& told) { answered(left, told.request); },
            [&](const TellProgress& told) {
                look(left,
                     history_.personal.kinds,
                     std::string{told.asked->body()} + told.note,
                     true);
            },
            [](const auto&) {});
    }

    void delivered(const Left& left, const Deliver& deliver) {
        const auto& message = *deliver.envelope;
        if (deliver.failure.refusal != Refusal::None) {
            return look(left,
                        history_.personal.kinds,
                        std::string{message.body()} + deliver.failure.detail,
                        true);
        }
        const bool asks = message.intent() == Intent::Request || message.intent() == Intent::OneWay;
        if (!asks) {
            const auto request = answers_.find(deliver.delivery.ticket);
            if (request != answers_.end()) answered(left, request->second);
            return;
        }
        if (!is_covered(message.dialect(), left.reader)) return;
        look(left, history_.personal.kinds_for(left.reader), {}, false);
    }

    /// Checks an answer. A reply without a request is a plain message, checked on arrival. The
    /// answer to a request to several agents names the agents that failed, with details.
    void answered(const Left& left, Ticket request) {
        const auto question = book_.requests.find(request);
        if (question == book_.requests.end()) return;
        const auto failures = failures_.find(request);
        const auto said = failures == failures_.end() ? std::string{} : failures->second;
        look(left,
             history_.personal.kinds,
             std::string{question->second.asked->body()} + said,
             true);
    }

    /// No value of these kinds may stand in the bytes, unless the value stands in the reader's own
    /// text.
    void look(const Left& left,
              personal::Kinds kinds,
              std::string_view own,
              bool holds_for_exempt) {
        const Text text{left.bytes};
        const Text allowed{own};
        for (const auto& value : values_) {
            const auto& planted = *value.planted;
            if (!kinds.has(planted.kind) || (planted.is_exempt && !holds_for_exempt)) continue;
            if (!value.is_in(text) || value.is_in(allowed)) continue;
            const auto exit = kExits.at(static_cast<std::size_t>(left.exit));
            findings_.push_back({"A4",
                                 "'" + planted.written + "' left in " + std::string{exit} +
                                     (left.reader.empty() ? "" : " for " + left.reader) + ": " +
                                     left.bytes.substr(0, 1'000),
                                 {}});
            return;
        }
    }

    const Book& book_;
    const History& history_;
    Findings& findings_;
    std::vector<Value> values_;
    std::map<Ticket, Ticket> answers_;        ///< The request of each answer.
    std::map<Ticket, std::string> failures_;  ///< Failure details of the shares, by request.
    std::map<std::string, Dialect> dialects_;
};

}  // namespace

void check_a4(const Book& book, Findings& findings) {
    if (!book.history->planted.empty()) Leaks{book, findings}.run();
}

}  // namespace parlance::sim
