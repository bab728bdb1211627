// `parlance token`: manages access tokens in the hub's data directory. Works without a running hub;
// a running hub notices changes.
#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "app/cli/age.h"
#include "app/cli/cli.h"
#include "app/cli/draft.h"
#include "app/cli/identity_options.h"
#include "app/cli/table.h"
#include "base/iso_time.h"
#include "base/json_write.h"
#include "identity/token_book.h"

namespace parlance::cli {

namespace {

struct TokenOptions {
    std::string data = "./.parlance";
    std::string agent{};
    std::vector<std::string> users{};
    std::string operator_name{};
    std::string role{};
    std::vector<std::string> groups{};
    std::string ttl = "30d";
    std::string id{};
};

/// An agent with the users it may act for, an operator, or a single user.
Result<identity::Claims> claims_of(const TokenOptions& options) {
    if (!options.agent.empty() && !options.operator_name.empty()) {
        return fail(Fault::Malformed, "a token is an agent's or an operator's, not both");
    }
    if (!options.role.empty() && options.operator_name.empty()) {
        return fail(Fault::Malformed, "only an operator has a --role");
    }
    if (!options.groups.empty() && options.operator_name.empty()) {
        return fail(Fault::Malformed, "only an operator is of --groups");
    }
    if (!options.agent.empty()) {
        return identity::Claims{
            .kind = identity::Kind::Agent, .name = options.agent, .users = options.users};
    }
    if (!options.operator_name.empty()) {
        const auto role =
            TRY(identity::role_named(options.role.empty() ? "operator" : options.role));
        return identity::Claims{.kind = identity::Kind::Operator,
                                .name = options.operator_name,
                                .role = role,
                                .users = options.users,
                                .groups = options.groups};
    }
    if (options.users.size() == 1) {
        return identity::Claims{.kind = identity::Kind::User, .name = options.users.front()};
    }
    return fail(Fault::Malformed, "whose token? Say --agent ID, --operator NAME or --user ID");
}

json::ObjectWriter as_json(const identity::Claims& claims) {
    json::ObjectWriter out;
    out.text("id", claims.id)
        .text("kind", identity::name_of(claims.kind))
        .text("name", claims.name)
        .text("role", identity::name_of(claims.role))
        .raw("users", json::quoted_list(claims.users))
        .raw("groups", json::quoted_list(claims.groups))
        .text("issued", print_iso_time(claims.issued))
        .text("expires", print_iso_time(claims.expires));
    return out;
}

/// "operator (viewer)", "agent for u1, u2".
std::string kind_text(const identity::Claims& claims) {
    std::string text{identity::name_of(claims.kind)};
    if (claims.kind == identity::Kind::Operator) {
        text += fmt::format(" ({})", identity::name_of(claims.role));
    }
    if (!claims.groups.empty()) text += fmt::format(" of {}", fmt::join(claims.groups, ", "));
    if (!claims.users.empty()) text += fmt::format(" for {}", fmt::join(claims.users, ", "));
    return text;
}

int mint(const Context& context, const TokenOptions& options) {
    auto claims = claims_of(options);
    if (!claims) return complain(context, Misused, claims.error().message);
    const auto ttl = parse_ttl(options.ttl);
    if (!ttl) return complain(context, Misused, ttl.error().message);
    claims->expires = now() + *ttl;
    const auto minted =
        identity::mint_token(identity::Folder{options.data}, *std::move(claims), now());
    if (!minted) return complain_about_identity(context, minted.error());
    if (context.is_json) {
        fmt::print("{}\n", as_json(minted->claims).text("token", minted->secret).done());
        return Done;
    }
    // Prints only the token on stdout, ready for a file or a variable.
    fmt::print(stderr,
               "{}  {}, {}, until {}. The token is shown this once:\n",
               paint(context.err(), Tone::Green, minted->claims.id),
               minted->claims.name,
               kind_text(minted->claims),
               print_iso_time(minted->claims.expires));
    fmt::print("{}\n", minted->secret);
    return Done;
}

int list(const Context& context, const TokenOptions& options) {
    const auto records = identity::list_tokens(identity::Folder{options.data});
    if (!records) return complain_about_identity(context, records.error());
    Table table{.columns = {{"ID", Align::Left, 12},
                            {"NAME", Align::Left, 8},
                            {"KIND", Align::Left, 8},
                            {"ISSUED", Align::Left, 8},
                            {"EXPIRES", Align::Left, 10},
                            {"", Align::Left, 7}}};
    for (const auto& record : *records) {
        const auto standing = identity::standing_of(record, now());
        if (context.is_json) {
            fmt::print("{}\n", as_json(record.claims).text("standing", standing).done());
            continue;
        }
        table.rows.push_back({{record.claims.id, Tone::Bold},
                              {record.claims.name},
                              {kind_text(record.claims)},
                              {age_text(record.claims.issued, now()), Tone::Dim},
                              {print_iso_time(record.claims.expires), Tone::Dim},
                              {std::string{standing}, tone_of_standing(standing)}});
    }
    if (context.is_json) return Done;
    fmt::print("{}", table.rows.empty() ? "No tokens.\n" : render(table, context.out()));
    return Done;
}

int revoke(const Context& context, const TokenOptions& options) {
    const auto record = identity::revoke_token(identity::Folder{options.data}, options.id, now());
    if (!record) return complain_about_identity(context, record.error());
    if (context.is_json) {
        fmt::print("{}\n", as_json(record->claims).text("standing", "revoked").done());
    } else {
        fmt::print("{}  {} ({})\n",
                   paint(context.out(), Tone::Green, "revoked"),
                   record->claims.id,
                   record->claims.name);
    }
    return Done;
}

}  // namespace

void add_token(CLI::App& app, Context& context) {
    auto options = std::make_shared<TokenOptions>();
    CLI::App* const verb = add_verb(app,
                                    {"token",
                                     "Mint, list and revoke the tokens that prove who calls",
                                     "  parlance token mint --agent planner --user u1 --ttl 30d\n"
                                     "  parlance token mint --operator ann --role admin\n"
                                     "  parlance token mint --operator bea --groups finance\n"
                                     "  parlance token revoke 9fK2cQ0aZb1x"});
    verb->require_subcommand(1);
    const auto add = [&](const VerbText& text, int (*work)(const Context&, const TokenOptions&)) {
        CLI::App* const part = add_verb(*verb, text);
        part->add_option("--data", options->data, "The hub's data (default: ./.parlance)")
            ->type_name("DIR");
        part->callback(leave(context, options, work));
        return part;
    };
    CLI::App* const mint_verb = add({"mint", "Make one; its secret is shown this once", ""}, mint);
    mint_verb->add_option("--agent", options->agent, "For an agent");
    mint_verb->add_option("--user", options->users, "For a user; with --agent: whom it acts for")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    mint_verb->add_option("--operator", options->operator_name, "For a person who runs the hub");
    mint_verb->add_option("--role", options->role, "What the operator may do (default: operator)")
        ->check(CLI::IsMember({"viewer", "operator", "admin"}));
    mint_verb
        ->add_option("--groups", options->groups, "Roles of the operator among people, by commas")
        ->delimiter(',');
    mint_verb->add_option("--ttl", options->ttl, "How long it lives: 45s, 15m, 12h, 30d")
        ->capture_default_str();
    add({"list", "All of them, without their secrets", ""}, list);
    CLI::App* const revoke_verb =
        add({"revoke", "Take one back; a running hub heeds it", ""}, revoke);
    revoke_verb->add_option("id", options->id, "The token's id, as `list` shows it")->required();
}

}  // namespace parlance::cli
