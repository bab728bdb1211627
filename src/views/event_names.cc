#include "views/event_names.h"

#include <utility>

#include "journal/event_codec.h"

namespace parlance::views {

std::array<std::string_view, std::variant_size_v<Event>> event_names() {
    return []<std::size_t... index>(std::index_sequence<index...>) {
        return std::array{journal::event_name(Event{std::in_place_index<index>})...};
    }
    (std::make_index_sequence<std::variant_size_v<Event>>{});
}

}  // namespace parlance::views
