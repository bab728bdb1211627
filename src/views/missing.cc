#include "views/missing.h"

#include <utility>

#include "base/json_write.h"

namespace parlance::views {

namespace {

/// Bound on listed ranges; the table holds all.
constexpr std::size_t kListedMax = 100;

std::int64_t signed_of(std::uint64_t number) { return static_cast<std::int64_t>(number); }
Sequence sequence_of(std::int64_t number) { return {static_cast<std::uint64_t>(number)}; }

}  // namespace

Result<MissingRecords> MissingRecords::open(Database& database) {
    auto add =
        TRY(database.prepare("INSERT OR REPLACE INTO missing_records VALUES (?1, ?2, ?3, ?4, ?5)"));
    auto rows = TRY(database.prepare(
        "SELECT first, last, segment, place, problem FROM missing_records ORDER BY first"));
    MissingRecords missing{std::move(add)};
    while (TRY(rows.step())) {
        missing.all_.push_back({.segment = rows.text(2),
                                .offset = static_cast<std::uint64_t>(rows.number(3)),
                                .first = sequence_of(rows.number(0)),
                                .last = sequence_of(rows.number(1)),
                                .problem = rows.text(4)});
    }
    return missing;
}

Result<void> MissingRecords::add(const journal::Damage& damage) {
    TRY(execute(add_,
                signed_of(damage.first.value),
                signed_of(damage.last.value),
                damage.segment,
                signed_of(damage.offset),
                damage.problem));
    all_.push_back(damage);
    return {};
}

std::string MissingRecords::list(Sequence first, Sequence last) const {
    std::string list;
    std::size_t listed = 0;
    for (const auto& damage : all_) {
        if (damage.last < first || damage.first > last || listed == kListedMax) continue;
        if (listed++ > 0) list += ',';
        list += json::ObjectWriter{}
                    .integer("first", signed_of(damage.first.value))
                    .integer("last", signed_of(damage.last.value))
                    .done();
    }
    return list.empty() ? list : "[" + list + "]";
}

}  // namespace parlance::views
