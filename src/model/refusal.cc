#include "model/refusal.h"

#include "base/check.h"

namespace parlance {

const RefusalRow& refusal_row(Refusal refusal) {
    const auto index = static_cast<std::size_t>(refusal);
    CHECK(index >= 1 && index <= kRefusals.size());
    const auto& row = kRefusals[index - 1];
    CHECK(row.refusal == refusal);  // The table is in the order of the enumeration.
    return row;
}

}  // namespace parlance
