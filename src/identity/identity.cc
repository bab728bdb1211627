#include "identity/identity.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/secret.h"
#include "base/sha256.h"
#include "identity/certificate_book.h"
#include "identity/token_book.h"

namespace parlance::identity {

namespace {

constexpr std::string_view kByToken = "token ";
constexpr std::string_view kByCertificate = "certificate ";
constexpr std::string_view kAgentName = "URI:parlance://agent/";
constexpr std::string_view kNoTokenOfOurs = "the token is none that this hub minted";

auto denied(std::string_view why, std::optional<Caller> whose = {}) {
    return tl::unexpected(Denial{.message = std::string{why}, .whose = std::move(whose)});
}

Caller caller_of(const Claims& claims) {
    Caller caller{.credential = std::string{kByToken} + claims.id, .until = claims.expires};
    switch (claims.kind) {
        case Kind::Agent:
            caller.agent = {claims.name};
            caller.users = claims.users;
            break;
        case Kind::Operator:
            caller.agent = {claims.name};
            caller.role = claims.role;
            caller.groups = claims.groups;
            caller.is_operator = claims.role >= OperatorRole::Operator;
            break;
        case Kind::User:
            caller.user = claims.name;
            break;
    }
    return caller;
}

auto no_memory_for(const std::string& path) {
    return fail(Fault::Exhausted, "cannot read " + path + ": the hub is out of memory");
}

}  // namespace

Result<std::string> agent_named_by(const std::vector<std::string>& names) {
    if (names.size() != 1 || !names.front().starts_with(kAgentName)) {
        return fail(Fault::Malformed,
                    "a client certificate has exactly one name, the URI parlance://agent/ID");
    }
    auto agent = names.front().substr(kAgentName.size());
    if (check_agent_name(agent) && check_free_name(agent)) return agent;
    return fail(Fault::Malformed, "the certificate names an agent that cannot be called so");
}

Caller proved_by_both(const Caller& first, Caller second) {
    second.credential += "\n" + first.credential;
    second.until = std::min(first.until, second.until);
    return second;
}

Guard::Guard(const std::string& data,
             std::function<void(const std::string&)> log,
             std::function<SteadyTime()> steady_clock)
    : folder_(data), log_(std::move(log)), steady_clock_(std::move(steady_clock)) {}

/// Stamping three files costs about two microseconds, so a revocation takes effect at once.
bool Guard::look() {
    const bool has_new_tokens = refresh(token_reading_,
                                        {folder_.stamp(kTokenKeyFile), folder_.stamp(kTokenFile)},
                                        &Guard::read_tokens);
    const bool has_new_certificates =
        refresh(certificate_reading_, {folder_.stamp(kCertificateFile)}, &Guard::read_revoked);
    return has_new_tokens || has_new_certificates;
}

bool Guard::refresh(Reading& reading, const Stamps& stamps, Result<void> (Guard::*read)()) {
    if (stamps == reading.stamps) return false;
    if (reading.is_short && steady_clock_() - reading.tried_at < kReadAgainAfter) return false;
    const auto done = (this->*read)();
    // Callers keep the access granted by the contents read before: otherwise a flood of connections
    // that takes every descriptor would shut out all callers. The stamps stay too, so that a
    // revocation takes effect once its file can be read.
    if (!done && done.error().fault == Fault::Exhausted) {
        if (!reading.is_short) {
            log_(done.error().message +
                 (reading.is_lost ? "; until it can be read nobody comes in by it"
                                  : "; until it can be read, what was read before holds"));
        }
        reading.is_short = true;
        reading.tried_at = steady_clock_();
        return false;
    }
    if (!done) log_(done.error().message);
    reading = {.stamps = stamps, .is_lost = !done};
    return true;
}

Result<void> Guard::read_tokens() {
    try {
        auto key = folder_.read_secret(kTokenKeyFile);
        auto records = list_tokens(folder_);
        // Damage in one file takes precedence over a shortage of descriptors in the other.
        if (!records && records.error().fault != Fault::Exhausted) {
            return tl::unexpected(std::move(records).error());
        }
        auto new_key = TRY(std::move(key)).value_or("");
        decltype(tokens_) tokens;
        for (auto& record : TRY(std::move(records))) {
            tokens.insert_or_assign(
                std::move(record.claims.id),
                Entry{.hash = std::move(record.hash), .is_revoked = record.revoked.has_value()});
        }
        key_ = std::move(new_key);
        tokens_ = std::move(tokens);
        return {};
    } catch (const std::bad_alloc&) {
        return no_memory_for(folder_.path_of(kTokenFile));
    }
}

/// While the list is damaged, every certificate is refused: any certificate may be revoked in the
/// list.
Result<void> Guard::read_revoked() {
    try {
        auto records = list_certificates(folder_);
        if (!records && records.error().fault != Fault::Exhausted) {
            return fail(records.error().fault,
                        records.error().message + "; until then nobody comes in by a certificate");
        }
        decltype(revoked_serials_) serials;
        for (auto& record : TRY(std::move(records))) {
            if (record.revoked) serials.insert(std::move(record.serial));
        }
        revoked_serials_ = std::move(serials);
        return {};
    } catch (const std::bad_alloc&) {
        return no_memory_for(folder_.path_of(kCertificateFile));
    }
}

std::string_view Guard::flaw_of_token(std::string_view id) const {
    if (token_reading_.is_lost) {
        return "this hub cannot read its tokens, and takes none until it can; its log says why";
    }
    const auto found = tokens_.find(id);
    if (found == tokens_.end()) return kNoTokenOfOurs;
    return found->second.is_revoked ? "the token was revoked" : std::string_view{};
}

std::string_view Guard::flaw_of_certificate(std::string_view serial) const {
    if (certificate_reading_.is_lost) {
        return "this hub cannot read which certificates were revoked, and takes none until it can; "
               "its log says why";
    }
    return revoked_serials_.contains(serial) ? "the certificate was revoked" : std::string_view{};
}

std::string_view Guard::flaw_of(std::string_view credential) const {
    if (credential.starts_with(kByToken)) return flaw_of_token(credential.substr(kByToken.size()));
    return flaw_of_certificate(credential.substr(kByCertificate.size()));
}

Proof Guard::by_token(std::string_view token, Time now) {
    look();
    if (token_reading_.is_lost) return denied(flaw_of_token({}));
    // Without a key there are no tokens: an empty key would accept anybody's signature.
    if (key_.empty()) return denied("this hub has minted no token");
    const auto claims = read_token(token, key_);
    if (!claims) return denied(claims.error().message);
    // Signed by this hub: denials from here on name the token's owner.
    auto caller = caller_of(*claims);
    if (const auto flaw = flaw_of_token(claims->id); !flaw.empty()) return denied(flaw, caller);
    if (!is_same_secret(tokens_.find(claims->id)->second.hash, to_hex(sha256(token)))) {
        return denied(kNoTokenOfOurs, caller);
    }
    if (now >= claims->expires) return denied("the token has expired", caller);
    return caller;
}

/// TLS has verified the chain: an authority that the hub trusts issued the certificate to its
/// holder.
Proof Guard::by_certificate(const TlsCertificate& certificate, Time now) {
    look();
    const auto credential = std::string{kByCertificate} + certificate.serial;
    auto agent = agent_named_by(certificate.names);
    // No agent has such a name: the credential contains a space.
    if (!agent) return denied(agent.error().message, Caller{.agent = {credential}});
    Caller caller{
        .agent = {*std::move(agent)}, .credential = credential, .until = certificate.until};
    if (const auto flaw = flaw_of_certificate(certificate.serial); !flaw.empty()) {
        return denied(flaw, caller);
    }
    if (now >= certificate.until) return denied("the certificate has expired", caller);
    return caller;
}

bool Guard::stands(const Caller& caller, Time now) const {
    if (now >= caller.until) return false;
    for (std::string_view rest = caller.credential; !rest.empty();) {
        const auto credential = rest.substr(0, rest.find('\n'));
        if (!flaw_of(credential).empty()) return false;
        rest.remove_prefix(std::min(credential.size() + 1, rest.size()));
    }
    return true;
}

}  // namespace parlance::identity
