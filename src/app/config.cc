// parlance.toml: one table of keys, each with its setting.
#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "app/serve.h"
#include "base/read_file.h"
#include "dialects/dialects.h"
#include "model/names.h"

namespace parlance::app {

namespace {

using Setter = bool (*)(ServeOptions&, std::int64_t);

struct Key {
    std::string_view section;
    std::string_view name;
    std::string_view meaning;
    Setter set;
};

template <class Member>
bool store(Member& member, std::int64_t value, std::int64_t least) {
    if (value < least) return false;
    if constexpr (std::is_same_v<Member, Duration>) {
        member = Duration{value};
    } else {
        if (!std::in_range<Member>(value)) return false;
        member = static_cast<Member>(value);
    }
    return true;
}

constexpr std::array kKeys{
    Key{"delivery",
        "lease_ms",
        "how long an agent may hold a delivery unsettled",
        [](ServeOptions& o, std::int64_t v) { return store(o.limits.lease, v, 1); }},
    Key{"delivery",
        "lease_ms_max",
        "how far one extension reaches at most",
        [](ServeOptions& o, std::int64_t v) { return store(o.limits.lease_max, v, 1); }},
    Key{"delivery",
        "backoff_base_ms",
        "the wait after the first setback",
        [](ServeOptions& o, std::int64_t v) { return store(o.limits.backoff_base, v, 0); }},
    Key{"delivery",
        "backoff_ms_max",
        "no wait is longer",
        [](ServeOptions& o, std::int64_t v) { return store(o.limits.backoff_max, v, 0); }},
    Key{"delivery",
        "backoff_multiplier",
        "each wait is so many times the one before",
        [](ServeOptions& o, std::int64_t v) { return store(o.limits.backoff_multiplier, v, 1); }},
    Key{"delivery",
        "backoff_jitter_percent",
        "a wait is shortened by chance by up to this",
        [](ServeOptions& o, std::int64_t v) {
            return v <= 100 && store(o.limits.backoff_jitter_percent, v, 0);
        }},
    Key{"delivery",
        "retry_count_max",
        "tries after the first, where the message says none",
        [](ServeOptions& o, std::int64_t v) {
            return v <= 100 && store(o.limits.retry_count_max, v, 0);
        }},
    Key{"delivery",
        "low_every",
        "a waiting lower message gets one hand-over in so many",
        [](ServeOptions& o, std::int64_t v) { return store(o.limits.low_every, v, 2); }},
    Key{"requests",
        "timeout_ms",
        "how long an answer may take, where the request says nothing",
        [](ServeOptions& o, std::int64_t v) { return store(o.limits.request_timeout, v, 1); }},
    Key{"agents",
        "heartbeat_timeout_ms",
        "an instance silent for so long is given up",
        [](ServeOptions& o, std::int64_t v) { return store(o.limits.heartbeat_timeout, v, 4); }},
    Key{"agents",
        "instances_per_agent_max",
        "live instances of one agent",
        [](ServeOptions& o, std::int64_t v) {
            return store(o.limits.instances_per_agent_max, v, 1);
        }},
    Key{"limits",
        "agents_max",
        "registered agents",
        [](ServeOptions& o, std::int64_t v) { return store(o.limits.agents_max, v, 1); }},
    Key{"limits",
        "mailbox_messages_max",
        "messages in one mailbox, dead letters included",
        [](ServeOptions& o, std::int64_t v) { return store(o.limits.mailbox_messages_max, v, 1); }},
    Key{"limits",
        "mailbox_bytes_max",
        "bytes in one mailbox",
        [](ServeOptions& o, std::int64_t v) { return store(o.limits.mailbox_bytes_max, v, 1); }},
    Key{"limits",
        "hub_bytes_max",
        "bytes in all mailboxes",
        [](ServeOptions& o, std::int64_t v) {
            o.has_hub_bytes_max = true;
            return store(o.limits.hub_bytes_max, v, 1);
        }},
    Key{"limits",
        "open_requests_max",
        "requests that await an answer",
        [](ServeOptions& o, std::int64_t v) { return store(o.limits.open_requests_max, v, 1); }},
    Key{"limits",
        "remembered_ids_max",
        "message ids by which a repeat is recognised",
        [](ServeOptions& o, std::int64_t v) { return store(o.limits.remembered_ids_max, v, 2); }},
    Key{"limits",
        "shared_items_max",
        "contexts, tasks, allocations, sessions and facts together",
        [](ServeOptions& o, std::int64_t v) { return store(o.limits.shared_items_max, v, 1); }},
    Key{"limits",
        "shared_item_bytes_max",
        "bytes of one of them",
        [](ServeOptions& o, std::int64_t v) {
            return store(o.limits.shared_item_bytes_max, v, 1);
        }},
    Key{"limits",
        "shared_bytes_max",
        "bytes of all of them",
        [](ServeOptions& o, std::int64_t v) { return store(o.limits.shared_bytes_max, v, 1); }},
    Key{"doors",
        "body_bytes_max",
        "one message over HTTP",
        [](ServeOptions& o, std::int64_t v) {
            return v <= std::int64_t{8} << 20 && store(o.doors.body_bytes_max, v, 1);
        }},
    Key{"doors",
        "frame_bytes_max",
        "one WebSocket message",
        [](ServeOptions& o, std::int64_t v) {
            return v <= std::int64_t{8} << 20 && store(o.doors.frame_bytes_max, v, 1);
        }},
    Key{"doors",
        "connections_max",
        "open connections",
        [](ServeOptions& o, std::int64_t v) { return store(o.doors.connections_max, v, 1); }},
    Key{"doors",
        "buffered_bytes_max",
        "bytes that all connections together hold, unsent or not read to the end",
        [](ServeOptions& o, std::int64_t v) {
            return store(o.doors.buffered_bytes_max, v, std::int64_t{16} << 20);
        }},
    Key{"journal",
        "segment_bytes",
        "size of one file of the journal",
        [](ServeOptions& o, std::int64_t v) { return store(o.journal.segment_bytes, v, 65536); }},
    Key{"journal",
        "snapshot_records_min",
        "records between two snapshots, at least",
        [](ServeOptions& o, std::int64_t v) { return store(o.snapshot_records_min, v, 1); }},
    Key{"journal",
        "scrub_bytes_per_second",
        "how fast the journal is read again to find damage; 0: not at all",
        [](ServeOptions& o, std::int64_t v) { return store(o.scrub_bytes_per_second, v, 0); }},
    Key{"journal",
        "scrub_pause_ms",
        "between two readings of the whole journal",
        [](ServeOptions& o, std::int64_t v) { return store(o.scrub_pause, v, 0); }},
};

struct PathKey {
    std::string_view section;
    std::string_view name;
    std::string_view meaning;
    std::string TlsFiles::*member;
};

constexpr std::array kPathKeys{
    PathKey{"tls", "certificate", "the hub's certificate", &TlsFiles::certificate},
    PathKey{"tls", "key", "the key of the certificate", &TlsFiles::key},
    PathKey{"tls", "client_ca", "whose certificates agents may show", &TlsFiles::authority},
};

/// The value as written in the file, on one line and shortened.
std::string shown(const toml::node& node) {
    static constexpr std::size_t kShownBytesMax = 60;
    std::ostringstream out;
    out << toml::node_view<const toml::node>{node};
    auto text = out.str();
    std::ranges::replace(text, '\n', ' ');
    if (text.size() > kShownBytesMax) text = text.substr(0, kShownBytesMax) + "…";
    return text;
}

Result<void> read_value(const std::string& path,
                        std::string_view section,
                        std::string_view name,
                        const toml::node& node,
                        ServeOptions& options) {
    for (const auto& key : kKeys) {
        if (key.section != section || key.name != name) continue;
        const auto value = node.value<std::int64_t>();
        if (node.is_integer() && value && key.set(options, *value)) return {};
        return fail(Fault::Malformed,
                    fmt::format("{}:{}: {}.{} does not take {} ({}: a whole number)",
                                path,
                                node.source().begin.line,
                                section,
                                name,
                                shown(node),
                                key.meaning));
    }
    for (const auto& key : kPathKeys) {
        if (key.section != section || key.name != name) continue;
        if (const auto value = node.value<std::string>(); node.is_string() && !value->empty()) {
            options.tls.*key.member = *value;
            return {};
        }
        return fail(Fault::Malformed,
                    fmt::format("{}:{}: {}.{} does not take {} ({}: a path, in quotes)",
                                path,
                                node.source().begin.line,
                                section,
                                name,
                                shown(node),
                                key.meaning));
    }
    return fail(Fault::Malformed,
                fmt::format("{}:{}: there is no setting {}.{}; see docs/reference/configuration.md",
                            path,
                            node.source().begin.line,
                            section,
                            name));
}

std::string known_names(const std::vector<std::string_view>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

/// A list of names; `add` returns false for an unknown name.
Result<void> read_names(std::string_view place,
                        const toml::node& node,
                        const std::vector<std::string_view>& known,
                        const std::function<bool(const std::string&)>& add) {
    const auto* list = node.as_array();
    if (list == nullptr)
        return fail(Fault::Malformed, fmt::format("{} takes a list, not {}", place, shown(node)));
    for (const auto& item : *list) {
        const auto name = item.value<std::string>();
        if (name && add(*name)) continue;
        return fail(Fault::Malformed,
                    fmt::format("{} takes a list of {}; {} is none of them",
                                place,
                                known_names(known),
                                shown(item)));
    }
    return {};
}

Result<personal::Kinds> read_kinds(std::string_view place, const toml::node& node) {
    std::vector<std::string_view> known;
    for (const auto& row : personal::kind_rows()) known.push_back(row.name);
    personal::Kinds kinds;
    TRY(read_names(place, node, known, [&kinds](const std::string& name) {
        const auto kind = personal::kind_named(name);
        if (kind) kinds.add(*kind);
        return kind.has_value();
    }));
    return kinds;
}

Result<std::vector<Dialect>> read_dialects(std::string_view place, const toml::node& node) {
    std::vector<Dialect> dialects;
    TRY(read_names(place,
                   node,
                   {"taskwire", "kessel", "delegation", "sam", "correlation"},
                   [&dialects](const std::string& name) {
                       const auto dialect = dialects::dialect_named(name);
                       if (dialect) dialects.push_back(*dialect);
                       return dialect.has_value();
                   }));
    return dialects;
}

Result<void> read_reveal(std::string_view place, const toml::node& node, PersonalPolicy& policy) {
    const auto* agents = node.as_table();
    if (agents == nullptr) {
        return fail(Fault::Malformed,
                    fmt::format("{} takes kinds by agent, not {}", place, shown(node)));
    }
    for (const auto& [agent, kinds] : *agents) {
        policy.reveal[std::string{agent.str()}] =
            TRY(read_kinds(fmt::format("{}.{}", place, agent.str()), kinds));
    }
    return {};
}

/// [personal]: the policy of hiding personal data.
Result<void> read_personal(const std::string& path,
                           std::string_view name,
                           const toml::node& node,
                           PersonalPolicy& policy) {
    const auto place = fmt::format("{}:{}: personal.{}", path, node.source().begin.line, name);
    if (name == "dialects") {
        policy.dialects = TRY(read_dialects(place, node));
    } else if (name == "kinds") {
        policy.kinds = TRY(read_kinds(place, node));
    } else if (name == "reveal") {
        TRY(read_reveal(place, node, policy));
    } else if (name == "fields_exempt") {
        policy.fields_exempt.clear();
        TRY(read_names(place, node, {"JSON pointers"}, [&policy](const std::string& pointer) {
            policy.fields_exempt.push_back(pointer);
            return pointer.starts_with('/');
        }));
    } else {
        return fail(Fault::Malformed,
                    fmt::format("{} is no setting; see docs/reference/configuration.md", place));
    }
    return {};
}

// --- people ----------------------------------------------------------------------------------

/// A text on one line, as a mail header requires.
bool store_line(std::string& member, const toml::node& node) {
    const auto text = node.value<std::string>();
    if (!node.is_string() || text->empty()) return false;
    member = *text;
    return std::ranges::none_of(member, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

bool store_lines(std::vector<std::string>& member, const toml::node& node) {
    const auto* list = node.as_array();
    if (list == nullptr) return false;
    member.clear();
    return std::ranges::all_of(
        *list, [&](const toml::node& item) { return store_line(member.emplace_back(), item); });
}

template <class Member>
bool store_whole(Member& member, const toml::node& node, std::int64_t least) {
    const auto value = node.value<std::int64_t>();
    return node.is_integer() && value && store(member, *value, least);
}

struct Role {
    RoleRules& rules;
    gateway::Contact& contact;
};

struct RoleKey {
    std::string_view name;
    std::string_view meaning;
    bool (*set)(const Role&, const toml::node&);
};

constexpr std::array kRoleKeys{
    RoleKey{"operators",
            "who has the role: a list of names",
            [](const Role& r, const toml::node& n) { return store_lines(r.rules.operators, n); }},
    RoleKey{"email",
            "who is written to: a list of addresses",
            [](const Role& r, const toml::node& n) { return store_lines(r.contact.email, n); }},
    RoleKey{
        "slack_webhook",
        "where Slack hears of it: an address",
        [](const Role& r, const toml::node& n) { return store_line(r.contact.slack_webhook, n); }},
    RoleKey{"deadline_ms",
            "how long they have",
            [](const Role& r, const toml::node& n) { return store_whole(r.rules.deadline, n, 1); }},
    RoleKey{"reminder_ms",
            "when they are reminded; 0: never",
            [](const Role& r, const toml::node& n) { return store_whole(r.rules.reminder, n, 0); }},
    RoleKey{"escalate_to",
            "which role is asked then",
            [](const Role& r, const toml::node& n) { return store_line(r.rules.escalation, n); }},
    RoleKey{"if_nobody",
            "what follows in the end: fail, reject, approve, escalate or wait",
            [](const Role& r, const toml::node& n) {
                const auto named = enum_named<IfNobody>(n.value_or(std::string{}));
                if (named) r.rules.if_nobody = *named;
                return named.has_value();
            }},
    RoleKey{"approvals_needed",
            "how many people must approve: 1 or 2",
            [](const Role& r, const toml::node& n) {
                return store_whole(r.rules.approvals_needed, n, 1) &&
                       r.rules.approvals_needed <= kApprovalsMax;
            }},
};

auto no_value(const std::string& path,
              const toml::node& node,
              std::string_view name,
              std::string_view meaning) {
    return fail(Fault::Malformed,
                fmt::format("{}:{}: {} does not take {} ({})",
                            path,
                            node.source().begin.line,
                            name,
                            shown(node),
                            meaning));
}

auto no_setting(const std::string& path, const toml::node& node, std::string_view name) {
    return fail(Fault::Malformed,
                fmt::format("{}:{}: {} is no setting; see docs/reference/configuration.md",
                            path,
                            node.source().begin.line,
                            name));
}

/// [people.ROLE], and the private hosts permitted for webhooks.
Result<void> read_people(const std::string& path,
                         std::string_view name,
                         const toml::node& node,
                         ServeOptions& options) {
    if (name == "hosts_allowed") {
        if (store_lines(options.notifier.hosts_allowed, node)) return {};
        return no_value(path, node, "people.hosts_allowed", "a list of hosts");
    }
    const auto* table = node.as_table();
    if (table == nullptr) return no_setting(path, node, fmt::format("people.{}", name));
    const Role role{options.limits.people[std::string{name}],
                    options.notifier.roles[std::string{name}]};
    for (const auto& [key_name, value] : *table) {
        const auto whole = fmt::format("people.{}.{}", name, key_name.str());
        const auto key = std::ranges::find(kRoleKeys, key_name.str(), &RoleKey::name);
        if (key == kRoleKeys.end()) return no_setting(path, value, whole);
        if (!key->set(role, value)) return no_value(path, value, whole, key->meaning);
    }
    return {};
}

/// Accepted host names of the hub.
Result<void> read_hosts(const std::string& path, const toml::node& node, ServeOptions& options) {
    if (store_lines(options.hosts, node)) return {};
    return no_value(path, node, "doors.hosts", "a list of names of the hub, without ports");
}

struct MailKey {
    std::string_view name;
    std::string_view meaning;
    std::string gateway::MailServer::*member;
};

constexpr std::array kMailKeys{
    MailKey{"server", "smtp://HOST:PORT or smtps://HOST:PORT", &gateway::MailServer::server},
    MailKey{"from", "the sender's address", &gateway::MailServer::from},
    MailKey{"user", "who the server knows the hub as", &gateway::MailServer::user},
};

/// [mail]. The password is in a separate file, so that the configuration can be shown.
Result<void> read_mail(const std::string& path,
                       std::string_view name,
                       const toml::node& node,
                       gateway::MailServer& mail) {
    const auto whole = fmt::format("mail.{}", name);
    if (name == "password_file") {
        std::string file;
        if (!store_line(file, node)) return no_value(path, node, whole, "a path, in quotes");
        const auto text = TRY(read_file(file));
        mail.password = text.substr(0, text.find('\n'));
        if (!mail.password.empty()) return {};
        return fail(Fault::NotFound, fmt::format("{}: there is no password in '{}'", path, file));
    }
    const auto key = std::ranges::find(kMailKeys, name, &MailKey::name);
    if (key == kMailKeys.end()) return no_setting(path, node, whole);
    if (!store_line(mail.*key->member, node)) return no_value(path, node, whole, key->meaning);
    return {};
}

/// Checks between settings.
Result<void> check_people(const std::string& path, const ServeOptions& options) {
    const auto& roles = options.limits.people;
    for (const auto& [name, rules] : roles) {
        if (rules.escalation.empty() || roles.contains(rules.escalation)) continue;
        return fail(Fault::Malformed,
                    fmt::format("{}: people.{} escalates to '{}', and there is no such role",
                                path,
                                name,
                                rules.escalation));
    }
    const auto& mail = options.notifier.mail;
    if (mail.server.empty() || !mail.from.empty()) return {};
    return fail(Fault::Malformed, fmt::format("{}: mail.server needs mail.from", path));
}

Result<toml::table> parse(const std::string& path) {
    const auto text = TRY(read_file(path));
    try {
        return toml::parse(text, path);
    } catch (const toml::parse_error& error) {
        return fail(Fault::Malformed,
                    fmt::format("{}:{}: {}", path, error.source().begin.line, error.description()));
    }
}

}  // namespace

Result<std::string> read_toml(const std::string& path) {
    const toml::table table = TRY(parse(path));
    std::ostringstream out;
    out << toml::json_formatter{table};
    return out.str();
}

Result<void> read_config(const std::string& path, ServeOptions& options) {
    const toml::table config = TRY(parse(path));
    for (const auto& [section, node] : config) {
        const auto* table = node.as_table();
        if (table == nullptr) {
            return fail(
                Fault::Malformed,
                fmt::format(
                    "{}: '{}' should be a section, and is {}", path, section.str(), shown(node)));
        }
        for (const auto& [name, value] : *table) {
            if (section.str() == "personal") {
                TRY(read_personal(path, name.str(), value, options.personal));
            } else if (section.str() == "people") {
                TRY(read_people(path, name.str(), value, options));
            } else if (section.str() == "doors" && name.str() == "hosts") {
                TRY(read_hosts(path, value, options));
            } else if (section.str() == "mail") {
                TRY(read_mail(path, name.str(), value, options.notifier.mail));
            } else {
                TRY(read_value(path, section.str(), name.str(), value, options));
            }
        }
    }
    return check_people(path, options);
}

}  // namespace parlance::app
