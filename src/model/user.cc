#include "model/user.h"

#include "base/fold.h"

namespace parlance {

std::string user_named(std::string_view said) {
    const auto name = folded(said);
    return name.empty() || name == "unknown" ? std::string{} : std::string{said};
}

}  // namespace parlance
