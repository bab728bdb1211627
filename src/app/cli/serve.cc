// `parlance serve`: the command line of the hub; app/serve.h runs the hub.
#include "app/serve.h"

#include <memory>
#include <optional>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "app/cli/cli.h"

namespace parlance::cli {

namespace {

/// Typed options; the configuration file and the defaults supply the rest.
struct ServeFlags {
    std::string config{};
    std::optional<std::string> data{};
    std::optional<std::string> listen{};
    TlsFiles tls{};
    bool is_dev = false;
    bool is_quiet = false;
};

/// Checked before anything is opened: host names are not resolved here.
Result<void> check_host(const std::string& typed, const std::string& host) {
    in_addr v4{};
    in6_addr v6{};
    const auto bare =
        host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
    if (bare == "localhost" || ::inet_pton(AF_INET, bare.c_str(), &v4) == 1 ||
        ::inet_pton(AF_INET6, bare.c_str(), &v6) == 1) {
        return {};
    }
    return fail(Fault::Malformed,
                fmt::format("--listen '{}' names no address: HOST is an IPv4 or IPv6 address, or "
                            "localhost",
                            typed));
}

Result<app::ServeOptions> options_of(const ServeFlags& flags) {
    app::ServeOptions options;
    if (!flags.config.empty()) TRY(app::read_config(flags.config, options));
    if (flags.data) options.data = *flags.data;
    if (flags.listen) {
        const auto address = TRY(sdk::HubAddress::parse(*flags.listen));
        TRY(check_host(*flags.listen, address.host));
        options.host = address.host;
        options.port = address.port;
    }
    if (!flags.tls.certificate.empty()) options.tls.certificate = flags.tls.certificate;
    if (!flags.tls.key.empty()) options.tls.key = flags.tls.key;
    if (!flags.tls.authority.empty()) options.tls.authority = flags.tls.authority;
    if (flags.is_dev) options.is_dev = true;
    if (flags.is_quiet) options.is_quiet = true;
    return options;
}

}  // namespace

void add_serve(CLI::App& app, Context& context) {
    auto flags = std::make_shared<ServeFlags>();
    CLI::App* const verb =
        add_verb(app,
                 {"serve",
                  "Run the hub",
                  "  parlance serve --dev\n"
                  "  parlance serve --config parlance.toml --data /var/lib/parlance"});
    verb->add_option("--data", flags->data, "Where it keeps its journal (default: ./.parlance)")
        ->type_name("DIR");
    verb->add_option("--listen", flags->listen, "Where it listens (default: 127.0.0.1:7420)")
        ->type_name("HOST:PORT");
    verb->add_option("--config", flags->config, "Its configuration, in TOML")->type_name("FILE");
    verb->add_option("--tls-cert", flags->tls.certificate, "Its certificate, if not of `cert init`")
        ->type_name("FILE");
    verb->add_option("--tls-key", flags->tls.key, "The key of --tls-cert")->type_name("FILE");
    verb->add_option("--tls-client-ca", flags->tls.authority, "Whose certificates agents may show")
        ->type_name("FILE");
    verb->add_flag("--dev", flags->is_dev, "On this machine only, and without proof of identity");
    verb->add_flag("--quiet", flags->is_quiet, "Say only what is wrong");
    verb->callback(leave(context, [flags, &context] {
        const auto options = options_of(*flags);
        if (!options) return complain(context, Misused, options.error().message);
        return app::serve(*options);
    }));
}

}  // namespace parlance::cli
