#include "model/advice.h"

#include <algorithm>
#include <array>

namespace parlance {

namespace {

/// Advice for details where the refusal's general advice would mislead.
struct AdviceRow {
    Refusal refusal;
    bool (*is_about)(std::string_view detail);
    std::string_view advice;
};
constexpr std::array kAdvice{
    AdviceRow{Refusal::HubOverloaded,
              [](std::string_view detail) { return detail.ends_with("(agents_max)"); },
              "Waiting does not help: remove agents that are no longer needed, or raise "
              "limits.agents_max."},
    AdviceRow{Refusal::MessageDialectUnknown,
              [](std::string_view detail) { return detail.starts_with("Parlance-Dialect "); },
              "Name one of these, or leave the header out."},
    AdviceRow{Refusal::RouteNotPermitted,
              [](std::string_view detail) { return detail.ends_with(" awaits no answer"); },
              "Acknowledge it."},
};

std::string_view advice_for(Refusal refusal, std::string_view detail) {
    const auto* const row = std::ranges::find_if(kAdvice, [&](const AdviceRow& candidate) {
        return candidate.refusal == refusal && candidate.is_about(detail);
    });
    return row == kAdvice.end() ? refusal_row(refusal).advice : row->advice;
}

}  // namespace

std::string sentence(std::string_view detail, std::string_view advice) {
    std::string out{detail};
    if (!out.empty() && out.back() != '.') out.push_back('.');
    if (!out.empty()) out.push_back(' ');
    return out.append(advice);
}

std::string sentence(Refusal refusal, std::string_view detail) {
    return sentence(detail, advice_for(refusal, detail));
}

}  // namespace parlance
