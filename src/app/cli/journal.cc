// `parlance journal`: reads the journal offline. Only `accept-loss` and `repair` write.
#include "journal/journal.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/event_summary.h"
#include "app/cli/histogram.h"
#include "app/cli/journal_repair.h"
#include "app/cli/json_view.h"
#include "app/cli/progress.h"
#include "app/cli/table.h"
#include "base/iso_time.h"
#include "base/json_write.h"
#include "journal/event_codec.h"
#include "journal/format.h"
#include "journal/high_water.h"
#include "journal/posix_disk.h"
#include "views/checkpoint.h"

namespace parlance::cli {

namespace {

constexpr int kWidthForDates = 100;

struct JournalOptions {
    std::string data = "./.parlance";
    std::string range{};
    std::uint64_t last = 20;
    std::uint64_t from = 0;
    std::uint64_t accepted = 0;
};

/// How far the views of the same directory are folded.
Sequence viewed_in(const JournalOptions& options) {
    return views::folded_into(options.data + "/views.db");
}

struct Range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};

/// "7", "7..9", "7.." and "..9".
std::optional<Range> parse_range(std::string_view text, std::uint64_t end) {
    const auto number = [](std::string_view digits, std::uint64_t otherwise) {
        if (digits.empty()) return std::optional{otherwise};
        std::uint64_t value = 0;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        const bool is_whole = read.ec == std::errc{} && read.ptr == digits.data() + digits.size();
        return is_whole ? std::optional{value} : std::nullopt;
    };
    const std::size_t dots = text.find("..");
    const auto first = number(text.substr(0, dots), 1);
    const auto last = dots == std::string_view::npos ? first : number(text.substr(dots + 2), end);
    if (text.empty() || text == ".." || !first || !last || *first < 1 || *last < *first) return {};
    return Range{*first, std::min(*last, end)};
}

/// Damage has a separate exit code; an unreadable directory is a usage error.
int complain_about_data(const Context& context, const Error& error) {
    switch (error.fault) {
        case Fault::Corrupt:
            return complain(
                context,
                BadData,
                error.message,
                "Keep a copy of the files; `parlance journal verify` reads all of them, and "
                "`parlance journal repair --from COPY` restores what is damaged.");
        case Fault::Unsupported:
            return complain(
                context, BadData, error.message, "Use the newer program that wrote it.");
        default:
            return complain(context,
                            Misused,
                            error.message,
                            error.message.ends_with(std::strerror(EACCES))
                                ? "Its files are for their owner: ask as the user who runs the hub."
                                : "Say --data DIR, as for `serve`.");
    }
}

struct OpenJournal {
    std::unique_ptr<journal::Disk> disk;
    std::uint64_t last = 0;
};

/// A hub's directory holds at least a segment, a snapshot, a high-water mark or views.
Result<std::unique_ptr<journal::Disk>> open_disk(const JournalOptions& options) {
    auto disk = TRY(journal::open_posix_disk(options.data, false));
    const auto names = TRY(disk->list());
    const bool is_there = std::ranges::any_of(names, [](const std::string& name) {
        return journal::parse_segment_name(name) || journal::parse_snapshot_name(name) ||
               name == journal::kHighWaterName;
    });
    if (is_there || viewed_in(options) > Sequence{}) return disk;
    return fail(
        Fault::NotFound,
        fmt::format("there is no journal in '{}': no file of it is a segment", options.data));
}

Result<OpenJournal> open_journal(const JournalOptions& options) {
    auto disk = TRY(open_disk(options));
    const auto opened = TRY(journal::Journal::open(*disk, {.is_read_only = true}));
    const std::uint64_t last = opened->last_sequence().value;
    return OpenJournal{std::move(disk), last};
}

template <class Each>
Result<void> for_each_record(OpenJournal& opened, Range range, Each each) {
    if (range.first > opened.last) return {};
    auto reader = TRY(journal::Reader::open(*opened.disk, Sequence{range.first}));
    journal::Record record;
    while (TRY(reader.next(record, Sequence{range.last}))) {
        each(record, TRY(journal::decode(record)));
        if (record.sequence.value >= range.last) break;
    }
    return {};
}

/// A narrow terminal has room for the time of day only; --json and `show` print the full time.
std::string time_text(Time at, const Screen& screen) {
    const std::string text = print_iso_time(at);
    const auto day_end = text.find('T');
    const bool is_narrow = screen.is_terminal && screen.width < kWidthForDates;
    return is_narrow && day_end != std::string::npos ? text.substr(day_end + 1) : text;
}

int list(const Context& context, const JournalOptions& options) {
    auto opened = open_journal(options);
    if (!opened) return complain_about_data(context, opened.error());
    const std::uint64_t behind = opened->last > options.last ? opened->last - options.last : 0;
    const std::uint64_t first = options.from != 0 ? options.from : behind + 1;
    const Range range{first, std::min(first + options.last - 1, opened->last)};
    Table table{.columns = {{"SEQUENCE", Align::Right, 8},
                            {"AT", Align::Left, 13},
                            {"EVENT", Align::Left, 12},
                            {"WHAT", Align::Left, 20}}};
    const Screen screen = context.out();
    std::string text;
    const auto read =
        for_each_record(*opened, range, [&](const journal::Record& record, const Event& event) {
            text.clear();
            journal::append_json(text, record.sequence, record.at, event);
            if (context.is_json) {
                fmt::print("{}\n", text);
                return;
            }
            table.rows.push_back({{std::to_string(record.sequence.value), Tone::Bold},
                                  {time_text(record.at, screen), Tone::Dim},
                                  {std::string(journal::event_name(event)), Tone::Cyan},
                                  {summary_of_event(text)}});
        });
    const bool is_empty = !context.is_json && table.rows.empty();
    if (is_empty && read)
        fmt::print("No records from {} on; the last is {}.\n", first, opened->last);
    if (!table.rows.empty()) fmt::print("{}", render(table, screen));
    if (!read) return complain_about_data(context, read.error());
    return Done;
}

int show(const Context& context, const JournalOptions& options) {
    auto opened = open_journal(options);
    if (!opened) return complain_about_data(context, opened.error());
    const auto range = parse_range(options.range, opened->last);
    if (!range) {
        return complain(context,
                        Misused,
                        "'" + options.range + "' names no records",
                        fmt::format("Say SEQ or SEQ..SEQ; the last one is {}.", opened->last));
    }
    if (range->first > opened->last) {
        return complain(context,
                        Misused,
                        fmt::format("record {} is not there", range->first),
                        fmt::format("The last one is {}.", opened->last));
    }
    const Screen screen = context.out();
    std::string text;
    const auto read =
        for_each_record(*opened, *range, [&](const journal::Record& record, const Event& event) {
            text.clear();
            journal::append_json(text, record.sequence, record.at, event);
            fmt::print(
                "{}\n",
                context.is_json || !screen.is_terminal ? text : pretty(screen, json::root(text)));
        });
    if (!read) return complain_about_data(context, read.error());
    return Done;
}

std::string hex(const journal::Chain& chain) {
    std::string out;
    for (const auto byte : chain) out += fmt::format("{:02x}", static_cast<unsigned>(byte));
    return out;
}

std::string bytes_text(std::uint64_t bytes) {
    if (bytes < 1000) return fmt::format("{} B", bytes);
    if (bytes < 1 << 20) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
    return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count_text(count), count == 1 ? one : many);
}

std::int64_t signed_of(Sequence sequence) { return static_cast<std::int64_t>(sequence.value); }

/// [{"first":120,"last":150,"accepted_at":"…"}]
std::string gaps_json(const std::vector<journal::Gap>& gaps) {
    std::string out;
    for (const auto& gap : gaps) {
        out += out.empty() ? "[" : ",";
        out += json::ObjectWriter{}
                   .integer("first", signed_of(gap.first))
                   .integer("last", signed_of(gap.last))
                   .text("accepted_at", print_iso_time(gap.accepted_at))
                   .done();
    }
    return out.empty() ? "[]" : out + "]";
}

int report_loss(const Context& context,
                const journal::LostTail& lost,
                const JournalOptions& options) {
    return complain(context,
                    LostTail,
                    describe(lost),
                    fmt::format("Restore the missing segments: parlance journal repair --from COPY "
                                "--data {1}. If there is no copy, accept the loss: parlance "
                                "journal accept-loss {0} --data {1}",
                                lost.last.value,
                                options.data));
}

int report_damage(const Context& context,
                  const journal::Verification& found,
                  const JournalOptions& options) {
    if (context.is_json) {
        json::ObjectWriter out;
        out.boolean("ok", false)
            .text("problem", found.problem)
            .boolean("journal_ok", found.is_journal_whole)
            .integer("records", static_cast<std::int64_t>(found.records));
        if (found.lost) {
            out.integer("last_found", signed_of(found.lost->found))
                .integer("last_written", signed_of(found.lost->last))
                .integer("records_missing", static_cast<std::int64_t>(found.lost->records()))
                .text("evidence", found.lost->evidence);
        }
        fmt::print("{}\n", out.done());
    }
    if (found.lost) return report_loss(context, *found.lost, options);
    if (found.is_journal_whole) {
        return complain(context,
                        BadData,
                        found.problem,
                        fmt::format("The journal is whole, {} as written. The snapshot only makes "
                                    "starting faster and may be deleted.",
                                    counted(found.records, "record", "records")));
    }
    return complain(context,
                    BadData,
                    found.problem,
                    fmt::format("{} before it {} as written. Keep a copy of the files before "
                                "anything else, then restore with `parlance journal repair --from "
                                "COPY`.",
                                counted(found.records, "record", "records"),
                                found.records == 1 ? "is" : "are"));
}

/// The incomplete batch at the end that a start would cut.
Result<journal::Recovery> tail_of(journal::Disk& disk) {
    return TRY(journal::Journal::open(disk, {.is_read_only = true}))->recovery();
}

int verify(const Context& context, const JournalOptions& options) {
    auto disk = open_disk(options);
    if (!disk) return complain_about_data(context, disk.error());
    Progress progress{context.err()};
    const auto begin = std::chrono::steady_clock::now();
    const auto show = [&](std::uint64_t done, std::uint64_t all) {
        const double share = all == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(all);
        progress.show(share, fmt::format("{} of {} read", bytes_text(done), bytes_text(all)));
    };
    const auto found = journal::verify(**disk, show, viewed_in(options));
    progress.clear();
    if (!found) return complain_about_data(context, found.error());
    if (!found->problem.empty()) return report_damage(context, *found, options);
    const auto tail = tail_of(**disk);
    if (!tail) return complain_about_data(context, tail.error());
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (context.is_json) {
        fmt::print("{}\n",
                   json::ObjectWriter{}
                       .boolean("ok", true)
                       .integer("records", static_cast<std::int64_t>(found->records))
                       .integer("batches", static_cast<std::int64_t>(found->batches))
                       .integer("segments", static_cast<std::int64_t>(found->segments))
                       .integer("last", static_cast<std::int64_t>(found->last.value))
                       .integer("bytes_left_out", static_cast<std::int64_t>(tail->bytes_cut))
                       .text("chain", hex(found->chain))
                       .raw("lost", gaps_json(found->gaps))
                       .text("mark_note", found->mark_note)
                       .done());
        return Done;
    }
    const Screen screen = context.out();
    fmt::print("{}  {} in {} and {}, read in {}\n",
               paint(screen, Tone::Green, "verified"),
               counted(found->records, "record", "records"),
               counted(found->batches, "batch", "batches"),
               counted(found->segments, "segment", "segments"),
               duration_text(seconds * 1e9));
    fmt::print("{}\n", paint(screen, Tone::Dim, "chain     " + hex(found->chain)));
    for (const auto& gap : found->gaps) {
        fmt::print("{}      records {} to {}; an operator accepted that at {}\n",
                   paint(screen, Tone::Yellow, "lost"),
                   gap.first.value,
                   gap.last.value,
                   print_iso_time(gap.accepted_at));
    }
    if (!found->mark_note.empty()) {
        fmt::print("{}      {}; the next start makes it anew\n",
                   paint(screen, Tone::Yellow, "mark"),
                   found->mark_note);
    }
    if (tail->bytes_cut > 0) {
        fmt::print(
            "{}  {} behind the last whole batch, at {}: an append that did not end, "
            "as a crash leaves it. The next start cuts it\n",
            paint(screen, Tone::Yellow, "left out"),
            counted(tail->bytes_cut, "byte", "bytes"),
            tail->cut_from);
    }
    return Done;
}

/// The operator accepts the loss at the end of the journal, and the hub may go on.
int accept_loss(const Context& context, const JournalOptions& options) {
    auto disk = open_disk(options);
    if (!disk) return complain_about_data(context, disk.error());
    const auto opened = journal::Journal::open(
        **disk,
        {.viewed = viewed_in(options),
         .accepted_loss = Sequence{options.accepted},
         .accepted_at = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now())});
    if (!opened && opened.error().fault == Fault::Malformed) {
        return complain(context,
                        Refused,
                        opened.error().message,
                        "`parlance journal verify` says what is missing.");
    }
    if (!opened && opened.error().fault == Fault::Unavailable) {
        return complain(context, Refused, opened.error().message, "Stop the hub first.");
    }
    if (!opened) return complain_about_data(context, opened.error());
    const auto& lost = *(*opened)->recovery().lost;
    if (context.is_json) {
        fmt::print("{}\n",
                   json::ObjectWriter{}
                       .integer("last_found", signed_of(lost.found))
                       .integer("last_written", signed_of(lost.last))
                       .integer("records_missing", static_cast<std::int64_t>(lost.records()))
                       .text("evidence", lost.evidence)
                       .done());
        return Done;
    }
    fmt::print(
        "Accepted: {} after record {}. The next record is {}; no sequence number is used "
        "twice.\n",
        counted(lost.records(), "record is lost", "records are lost"),
        lost.found.value,
        lost.last.value + 1);
    return Done;
}

struct KindStat {
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;       ///< On disk, without the overhead of batches.
    std::uint64_t body_bytes = 0;  ///< The part of `bytes` that is message bodies.

    void add(const KindStat& other) {
        records += other.records;
        bytes += other.bytes;
        body_bytes += other.body_bytes;
    }
    /// Average bytes per record beyond the bodies.
    double beyond() const {
        return static_cast<double>(bytes - body_bytes) /
               static_cast<double>(std::max<std::uint64_t>(records, 1));
    }
};

struct Stat {
    std::map<std::string, KindStat, std::less<>> kinds{};
    KindStat all{};
    std::uint64_t payload_bytes = 0;
    Time first{};
    Time last{};
};

std::uint64_t body_bytes_of(const Event& event) {
    const Envelope* envelope = nullptr;
    if (const auto* accepted = std::get_if<MessageAccepted>(&event)) {
        envelope = accepted->envelope.get();
    } else if (const auto* answered = std::get_if<RequestAnswered>(&event)) {
        envelope = answered->envelope.get();
    }
    return envelope == nullptr ? 0 : envelope->body().size();
}

std::string kind_json(const KindStat& kind) {
    return json::ObjectWriter{}
        .integer("records", static_cast<std::int64_t>(kind.records))
        .integer("bytes", static_cast<std::int64_t>(kind.bytes))
        .integer("body_bytes", static_cast<std::int64_t>(kind.body_bytes))
        .done();
}

std::vector<Cell> kind_row(const std::string& name, const KindStat& kind, Tone tone) {
    return {{name, tone},
            {count_text(kind.records)},
            {bytes_text(kind.bytes)},
            {bytes_text(kind.body_bytes)},
            {fmt::format("{:.1f}", kind.beyond())}};
}

void print_stat(const Context& context, const Stat& stat) {
    if (context.is_json) {
        json::ObjectWriter events;
        json::ObjectWriter kinds;
        for (const auto& [name, kind] : stat.kinds) {
            events.integer(name, static_cast<std::int64_t>(kind.records));
            kinds.raw(name, kind_json(kind));
        }
        fmt::print("{}\n",
                   json::ObjectWriter{}
                       .integer("records", static_cast<std::int64_t>(stat.all.records))
                       .integer("payload_bytes", static_cast<std::int64_t>(stat.payload_bytes))
                       .text("first_at", print_iso_time(stat.first))
                       .text("last_at", print_iso_time(stat.last))
                       .raw("events", events.done())
                       .raw("kinds", kinds.done())
                       .done());
        return;
    }
    Table table{.columns = {{"EVENT"},
                            {"COUNT", Align::Right},
                            {"BYTES", Align::Right},
                            {"BODIES", Align::Right},
                            {"OVERHEAD EACH", Align::Right}}};
    for (const auto& [name, kind] : stat.kinds) {
        table.rows.push_back(kind_row(name, kind, Tone::Cyan));
    }
    table.rows.push_back(kind_row("all", stat.all, Tone::Bold));
    fmt::print("{}\n{} to {}\n",
               render(table, context.out()),
               print_iso_time(stat.first),
               print_iso_time(stat.last));
}

int stat(const Context& context, const JournalOptions& options) {
    auto opened = open_journal(options);
    if (!opened) return complain_about_data(context, opened.error());
    Stat sum;
    Progress progress{context.err()};
    const auto read = for_each_record(
        *opened, {1, opened->last}, [&](const journal::Record& record, const Event& event) {
            if (sum.all.records == 0) sum.first = record.at;
            sum.last = record.at;
            const KindStat one{
                .records = 1, .bytes = record.bytes, .body_bytes = body_bytes_of(event)};
            sum.all.add(one);
            sum.payload_bytes += record.payload.size();
            sum.kinds[std::string(journal::event_name(event))].add(one);
            if (sum.all.records % 1024 == 0) {
                progress.show(
                    static_cast<double>(sum.all.records) / static_cast<double>(opened->last),
                    count_text(sum.all.records) + " records");
            }
        });
    progress.clear();
    if (!read) return complain_about_data(context, read.error());
    print_stat(context, sum);
    return Done;
}

}  // namespace

void add_journal(CLI::App& app, Context& context) {
    auto options = std::make_shared<JournalOptions>();
    CLI::App* const verb = add_verb(app,
                                    {"journal",
                                     "Read the hub's memory from its files, check and repair it",
                                     "  parlance journal verify --data ./.parlance\n"
                                     "  parlance journal show 120..130\n"
                                     "  parlance journal list --last 50 --json | jq .event"});
    verb->require_subcommand(1);
    verb->add_option("--data", options->data, "The data directory of the hub")
        ->type_name("DIR")
        ->capture_default_str();
    CLI::App* const list_verb = add_verb(*verb, {"list", "The latest records, one a line", ""});
    list_verb->add_option("--last", options->last, "How many")
        ->check(whole_number(1, 1'000'000'000))
        ->capture_default_str();
    list_verb->add_option("--from", options->from, "From this sequence on")
        ->type_name("SEQ")
        ->check(whole_number());
    list_verb->callback(leave(context, options, list));
    CLI::App* const show_verb = add_verb(*verb, {"show", "Records in full", ""});
    show_verb->add_option("range", options->range, "SEQ, SEQ..SEQ or SEQ..")->required();
    show_verb->callback(leave(context, options, show));
    add_verb(
        *verb,
        {"verify",
         "Read everything and believe nothing; 5 if something is damaged, 6 if the end is missing",
         ""})
        ->callback(leave(context, options, verify));
    CLI::App* const accept_verb =
        add_verb(*verb,
                 {"accept-loss",
                  "Let a hub go on whose last records are lost; `verify` says which",
                  "  parlance journal accept-loss 150 --data ./.parlance"});
    accept_verb->add_option("sequence", options->accepted, "The last record that is lost")
        ->type_name("SEQ")
        ->check(whole_number())
        ->required();
    accept_verb->callback(leave(context, options, accept_loss));
    add_verb(*verb, {"stat", "How many records of each kind, and how long they are", ""})
        ->callback(leave(context, options, stat));
    add_journal_repair(*verb, context, [options] { return options->data; });
}

}  // namespace parlance::cli
