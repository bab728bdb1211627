#include "sdk/cpp/frame_writer.h"

#include <algorithm>

#include "base/json.h"

namespace parlance::sdk {

namespace {

struct VerbForm {
    std::string_view name;
    bool is_list;
};

/// In the order of FrameWriter::Verb, the hub's order of processing.
constexpr std::array<VerbForm, 10> kForms{{
    {"hello", false},
    {"credit", false},
    {"subscribe", true},
    {"ack", true},
    {"nack", true},
    {"extend", true},
    {"progress", true},
    {"reply", true},
    {"send", true},
    {"heartbeat", false},
}};

void open_delivery(std::string& out, std::string_view delivery_id) {
    out += R"({"delivery_id":)";
    json::append_quoted(out, delivery_id);
}

}  // namespace

/// Discards the verb's earlier content.
std::string& FrameWriter::open(Verb verb) {
    return verbs_[verb].assign("{\"").append(kForms[verb].name).append("\":");
}

std::string& FrameWriter::next_item(Verb verb) {
    std::string& list = verbs_[verb];
    const char before = list.empty() ? '[' : ',';
    if (list.empty()) open(verb);
    list.push_back(before);
    return list;
}

void FrameWriter::hello(const Hello& hello) {
    std::string& out = open(HelloVerb);
    out += R"({"agent":)";
    json::append_quoted(out, hello.agent);
    if (!hello.instance.empty()) {
        out += R"(,"instance":)";
        json::append_quoted(out, hello.instance);
    }
    out += R"(,"credit":)" + std::to_string(hello.credit);
    if (!hello.registration.empty()) out.append(R"(,"register":)").append(hello.registration);
    out += '}';
}

void FrameWriter::credit(std::uint32_t total) { open(CreditVerb) += std::to_string(total); }

void FrameWriter::subscribe(std::string_view topic) {
    json::append_quoted(next_item(SubscribeVerb), topic);
}

void FrameWriter::ack(std::string_view delivery_id) {
    json::append_quoted(next_item(AckVerb), delivery_id);
}

void FrameWriter::nack(std::string_view delivery_id, NackDetails details) {
    std::string& out = next_item(NackVerb);
    open_delivery(out, delivery_id);
    if (!details.reason.empty()) {
        out += R"(,"reason":)";
        json::append_quoted(out, details.reason);
    }
    out += details.is_final ? R"(,"final":true})" : "}";
}

void FrameWriter::extend(std::string_view delivery_id, std::uint64_t by_ms) {
    std::string& out = next_item(ExtendVerb);
    open_delivery(out, delivery_id);
    out += R"(,"by_ms":)" + std::to_string(by_ms) + "}";
}

void FrameWriter::progress(std::string_view delivery_id, std::string_view note) {
    std::string& out = next_item(ProgressVerb);
    open_delivery(out, delivery_id);
    out.append(R"(,"note":)").append(note).push_back('}');
}

void FrameWriter::reply(std::string_view delivery_id, std::string_view message) {
    std::string& out = next_item(ReplyVerb);
    open_delivery(out, delivery_id);
    out.append(R"(,"message":)").append(message).push_back('}');
}

void FrameWriter::send(std::string_view message) { next_item(SendVerb).append(message); }

char* FrameWriter::send_to_alter(std::string_view message) {
    std::string& out = next_item(SendVerb).append(message);
    return out.data() + out.size() - message.size();
}

void FrameWriter::heartbeat() { open(HeartbeatVerb) += '1'; }

bool FrameWriter::empty() const { return std::ranges::all_of(verbs_, &std::string::empty); }

std::size_t FrameWriter::bytes() const {
    std::size_t sum = 0;
    for (const auto& verb : verbs_) sum += verb.size();
    return sum;
}

std::string_view FrameWriter::take() {
    frame_.clear();
    for (std::size_t i = 0; i < kVerbs; ++i) {
        std::string& verb = verbs_[i];
        if (verb.empty()) continue;
        if (kForms[i].is_list) verb += ']';
        if (frame_.empty()) {
            frame_.swap(verb);
        } else {
            verb.front() = ',';
            frame_ += verb;
        }
        verb.clear();
    }
    frame_ += frame_.empty() ? "{}" : "}";
    return frame_;
}

}  // namespace parlance::sdk
