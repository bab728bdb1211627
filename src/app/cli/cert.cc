// `parlance cert`: a private certificate authority, the hub's certificate, and the agents'
// certificates. A running hub notices a revocation.
#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/draft.h"
#include "app/cli/identity_options.h"
#include "app/cli/table.h"
#include "base/iso_time.h"
#include "base/json_write.h"
#include "identity/authority.h"

namespace parlance::cli {

namespace {

struct CertOptions {
    std::string data = "./.parlance";
    std::vector<std::string> hosts{};
    std::string agent{};
    std::string ttl = "365d";
    std::string which{};
};

json::ObjectWriter as_json(const identity::CertificateRecord& record) {
    json::ObjectWriter out;
    out.text("serial", record.serial)
        .text("agent", record.agent)
        .text("expires", print_iso_time(record.expires))
        .text("standing", identity::standing_of(record, now()));
    return out;
}

int init(const Context& context, const CertOptions& options) {
    const identity::Folder folder{options.data};
    const auto made = identity::make_authority(folder, options.hosts, now());
    if (!made) return complain_about_identity(context, made.error());
    const auto authority = folder.path_of(identity::kAuthorityFile);
    const auto hub = folder.path_of(identity::kHubFile);
    if (context.is_json) {
        fmt::print("{}\n",
                   json::ObjectWriter{}.text("authority", authority).text("hub", hub).done());
        return Done;
    }
    fmt::print("{}  {}\n", paint(context.out(), Tone::Green, "authority"), authority);
    fmt::print("{}        {}\n", paint(context.out(), Tone::Green, "hub"), hub);
    fmt::print("A hub that is started on this data speaks TLS; clients trust it with --ca {}\n",
               authority);
    return Done;
}

int issue(const Context& context, const CertOptions& options) {
    const auto ttl = parse_ttl(options.ttl);
    if (!ttl) return complain(context, Misused, ttl.error().message);
    const auto issued =
        identity::issue_certificate(identity::Folder{options.data}, options.agent, *ttl, now());
    if (!issued) return complain_about_identity(context, issued.error());
    if (context.is_json) {
        fmt::print("{}\n",
                   as_json(issued->record)
                       .text("certificate", issued->certificate)
                       .text("key", issued->key)
                       .done());
        return Done;
    }
    fmt::print("{}  {} until {}\n  --cert {}\n  --key  {}\n",
               paint(context.out(), Tone::Green, issued->record.serial),
               issued->record.agent,
               print_iso_time(issued->record.expires),
               issued->certificate,
               issued->key);
    return Done;
}

int show(const Context& context, const std::vector<identity::CertificateRecord>& records) {
    Table table{.columns = {{"SERIAL", Align::Left, 8},
                            {"AGENT", Align::Left, 8},
                            {"EXPIRES", Align::Left, 10},
                            {"", Align::Left, 7}}};
    for (const auto& record : records) {
        const auto standing = identity::standing_of(record, now());
        if (context.is_json) {
            fmt::print("{}\n", as_json(record).done());
            continue;
        }
        table.rows.push_back({{record.serial, Tone::Bold},
                              {record.agent.empty() ? "(of another authority)" : record.agent},
                              {print_iso_time(record.expires), Tone::Dim},
                              {std::string{standing}, tone_of_standing(standing)}});
    }
    if (context.is_json) return Done;
    fmt::print("{}", table.rows.empty() ? "No certificates.\n" : render(table, context.out()));
    return Done;
}

int list(const Context& context, const CertOptions& options) {
    const auto records = identity::list_certificates(identity::Folder{options.data});
    if (!records) return complain_about_identity(context, records.error());
    return show(context, *records);
}

int revoke(const Context& context, const CertOptions& options) {
    const auto revoked =
        identity::revoke_certificates(identity::Folder{options.data}, options.which, now());
    if (!revoked) return complain_about_identity(context, revoked.error());
    return show(context, *revoked);
}

}  // namespace

void add_cert(CLI::App& app, Context& context) {
    auto options = std::make_shared<CertOptions>();
    CLI::App* const verb =
        add_verb(app,
                 {"cert",
                  "Make the certificates by which a hub and its agents know each other",
                  "  parlance cert init --host hub.example\n"
                  "  parlance cert issue --agent planner\n"
                  "  parlance cert revoke planner"});
    verb->require_subcommand(1);
    const auto add = [&](const VerbText& text, int (*work)(const Context&, const CertOptions&)) {
        CLI::App* const part = add_verb(*verb, text);
        part->add_option("--data", options->data, "The hub's data (default: ./.parlance)")
            ->type_name("DIR");
        part->callback(leave(context, options, work));
        return part;
    };
    add({"init", "An authority, and the hub's own certificate; again for a fresh one", ""}, init)
        ->add_option("--host", options->hosts, "A name or address of the hub, beside localhost")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    CLI::App* const issue_verb =
        add({"issue", "A certificate that is an agent's identity", ""}, issue);
    issue_verb->add_option("--agent", options->agent, "The agent")->required();
    issue_verb->add_option("--ttl", options->ttl, "How long it lives: 12h, 365d")
        ->capture_default_str();
    add({"list", "All that were issued or revoked", ""}, list);
    add({"revoke", "Take back an agent's certificates, or one; a running hub heeds it", ""}, revoke)
        ->add_option("which", options->which, "The agent, or the serial of one certificate")
        ->required();
}

}  // namespace parlance::cli
