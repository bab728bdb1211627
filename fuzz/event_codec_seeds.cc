// One payload of each event, in the short form if the event has a short form, with a few fields
// set.
#include <utility>

#include "fuzz/seeds.h"
#include "journal/event_codec.h"

namespace parlance {
namespace {

EnvelopePtr example() {
    static const std::string body = R"({"id":"m1","from":"alice","to":"bob"})";
    return Envelope::make({.id = "m1", .from = "alice", .to = "bob", .task = "t"}, body);
}

template <std::size_t index>
std::string seed() {
    Event event{std::in_place_index<index>};
    std::visit(
        [](auto& fact) {
            if constexpr (requires { fact.envelope; }) fact.envelope = example();
            if constexpr (requires { fact.ticket; }) fact.ticket = {5120};
            if constexpr (requires { fact.reason; }) fact.reason = "because";
        },
        event);
    std::string payload;
    journal::encode(event, {{5}, Time{Duration{1'763'892'000'000}}}, payload);
    return payload;
}

fuzz::Seeds seeds() {
    return {.inputs = []<std::size_t... index>(std::index_sequence<index...>){
                return std::vector<std::string>{seed<index>()...};
}
(std::make_index_sequence<std::variant_size_v<Event>>{}), .words = {}
};  // namespace
}  // namespace parlance

}  // namespace
}  // namespace parlance

int main(int count, char** arguments) {
    return parlance::fuzz::write_seeds(count, arguments, parlance::seeds());
}
