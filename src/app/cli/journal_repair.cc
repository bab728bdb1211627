#include "app/cli/journal_repair.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/json_write.h"
#include "journal/format.h"
#include "journal/high_water.h"
#include "journal/journal.h"
#include "journal/posix_disk.h"
#include "journal/repair.h"
#include "views/checkpoint.h"

namespace parlance::cli {

namespace {

struct RepairVerb {
    std::function<std::string()> data;
    std::string from{};
    bool is_dry_run = false;
};

/// How far the views of the same directory are folded.
Sequence viewed_in(const std::string& data) { return views::folded_into(data + "/views.db"); }

Result<std::unique_ptr<journal::Disk>> open_data(const std::string& data) {
    auto disk = TRY(journal::open_posix_disk(data, false));
    const auto names = TRY(disk->list());
    const bool is_there = std::ranges::any_of(names, [](const std::string& name) {
        return journal::parse_segment_name(name) || journal::parse_snapshot_name(name) ||
               name == journal::kHighWaterName;
    });
    if (is_there || viewed_in(data) > Sequence{}) return disk;
    return fail(Fault::NotFound, fmt::format("there is no journal in '{}'", data));
}

int complain_about_repair(const Context& context, const Error& error) {
    switch (error.fault) {
        case Fault::Corrupt:
            return complain(context,
                            BadData,
                            error.message,
                            "Nothing was changed. Use another copy: one of this journal, whole, "
                            "and not older than what is damaged.");
        case Fault::Unsupported:
            return complain(
                context, BadData, error.message, "Use the newer program that wrote it.");
        case Fault::Malformed:
        case Fault::NotFound:
            return complain(context,
                            Misused,
                            error.message,
                            "Say --data DIR, as for `serve`, and --from DIR of a copy.");
        case Fault::Unavailable:
        case Fault::Exhausted:
            break;
    }
    if (error.message.ends_with(std::strerror(EACCES))) {
        return complain(context,
                        Misused,
                        error.message,
                        "Its files are for their owner: ask as the user who runs the hub.");
    }
    return complain(context,
                    Refused,
                    error.message,
                    "Stop the hub that uses the data, or make room on the disk, and try again.");
}

std::string restored_json(const journal::RestoredSegment& segment) {
    json::ObjectWriter out;
    out.text("segment", segment.name)
        .integer("first", static_cast<std::int64_t>(segment.first.value))
        .integer("last", static_cast<std::int64_t>(segment.last.value))
        .text("was", segment.was_missing ? "missing" : "damaged")
        .text("problem", segment.problem);
    if (!segment.kept_as.empty()) out.text("kept_as", segment.kept_as);
    return out.done();
}

void print_json(const RepairVerb& verb, const journal::Repair& repair, const std::string& problem) {
    std::string list;
    for (const auto& segment : repair.restored) {
        if (!list.empty()) list += ',';
        list += restored_json(segment);
    }
    json::ObjectWriter out;
    out.boolean("ok", problem.empty())
        .boolean("dry_run", verb.is_dry_run)
        .raw("restored", "[" + list + "]");
    if (!problem.empty()) out.text("problem", problem);
    fmt::print("{}\n", out.done());
}

void print_restored(const Context& context, const RepairVerb& verb, const journal::Repair& repair) {
    const Screen screen = context.out();
    if (repair.restored.empty()) {
        fmt::print("{}  no segment is damaged or missing\n",
                   paint(screen, Tone::Green, "nothing to repair"));
    }
    for (const auto& segment : repair.restored) {
        const auto records =
            segment.last < segment.first
                ? std::string{"no records"}
                : fmt::format("records {} to {}", segment.first.value, segment.last.value);
        fmt::print("{}  {}, {} (it was {}: {})\n",
                   paint(screen,
                         verb.is_dry_run ? Tone::Yellow : Tone::Green,
                         verb.is_dry_run ? "would restore" : "restored"),
                   segment.name,
                   records,
                   segment.was_missing ? "missing" : "damaged",
                   segment.problem);
        if (segment.kept_as.empty()) continue;
        fmt::print("{}\n",
                   paint(screen, Tone::Dim, "  the damaged file is kept as " + segment.kept_as));
    }
}

/// The remaining fault of the whole journal; empty if none. Skipped on a dry run.
Result<std::string> problem_left(journal::Disk& disk, const RepairVerb& verb) {
    if (verb.is_dry_run) return std::string{};
    return TRY(journal::verify(disk, {}, viewed_in(verb.data()))).problem;
}

int repair(const Context& context, const RepairVerb& verb) {
    const auto data = verb.data();
    std::error_code ignored;
    if (std::filesystem::equivalent(data, verb.from, ignored)) {
        return complain(context,
                        Misused,
                        fmt::format("--from '{}' is the data directory itself", verb.from),
                        "Say --from DIR of a copy.");
    }
    const auto disk = open_data(data);
    if (!disk) return complain_about_repair(context, disk.error());
    const auto copy = journal::open_posix_disk(verb.from, false);
    if (!copy) return complain_about_repair(context, copy.error());
    const auto repaired =
        journal::repair(**disk, **copy, {.is_dry_run = verb.is_dry_run, .viewed = viewed_in(data)});
    if (!repaired) return complain_about_repair(context, repaired.error());
    const auto problem = problem_left(**disk, verb);
    if (!problem) return complain_about_repair(context, problem.error());
    if (context.is_json) {
        print_json(verb, *repaired, *problem);
    } else {
        print_restored(context, verb, *repaired);
    }
    if (problem->empty()) return Done;
    return complain(
        context, BadData, *problem, "That is not in a segment, or another copy is needed for it.");
}

}  // namespace

void add_journal_repair(CLI::App& journal, Context& context, std::function<std::string()> data) {
    auto options = std::make_shared<RepairVerb>();
    options->data = std::move(data);
    CLI::App* const verb =
        add_verb(journal,
                 {"repair",
                  "Restore damaged and missing segments from a copy of the same journal",
                  "  parlance journal repair --data ./.parlance --from /backup/parlance --dry-run\n"
                  "  parlance journal repair --data ./.parlance --from /backup/parlance"});
    verb->add_option("--from", options->from, "The copy: a data directory, or a backup of one")
        ->type_name("DIR")
        ->required();
    verb->add_flag("--dry-run", options->is_dry_run, "Say what would be restored; write nothing");
    verb->callback(leave(context, options, repair));
}

}  // namespace parlance::cli
