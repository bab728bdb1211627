#include "identity/identity.h"

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

}  // namespace

Result<std::string> agent_named_by(const std::vector<std::string>& names) {
    if (names.size() != 1 || !names.front().starts_with(kAgentName)) {
        return fail(Fault::Malformed,
                    "a client certificate has exactly one name, the URI parlance://agent/ID");
    }
    auto agent = names.front().substr(kAgentName.size());
    if (check_agent_name(agent)) return agent;
    return fail(Fault::Malformed, "the certificate names an agent that cannot be called so");
}

Guard::Guard(const std::string& data, std::function<void(const std::string&)> log)
    : folder_(data), log_(std::move(log)) {}

/// The dates of three files cost about two microseconds: what was revoked is so at once.
bool Guard::look() {
    const auto key = folder_.stamp(kTokenKeyFile);
    const auto tokens = folder_.stamp(kTokenFile);
    const auto certificates = folder_.stamp(kCertificateFile);
    const bool has_new_tokens = key != key_stamp_ || tokens != token_stamp_;
    const bool has_new_certificates = certificates != certificate_stamp_;
    key_stamp_ = key;
    token_stamp_ = tokens;
    certificate_stamp_ = certificates;
    if (has_new_tokens) read_tokens();
    if (has_new_certificates) read_revoked();
    return has_new_tokens || has_new_certificates;
}

void Guard::read_tokens() {
    key_.clear();
    tokens_.clear();
    auto key = folder_.read_secret(kTokenKeyFile);
    auto records = list_tokens(folder_);
    if (!key) return log_(key.error().message);
    if (!records) return log_(records.error().message);
    key_ = std::move(*key).value_or("");
    for (auto& record : *records) {
        tokens_.insert_or_assign(
            std::move(record.claims.id),
            Entry{.hash = std::move(record.hash), .is_revoked = record.revoked.has_value()});
    }
}

/// A list that cannot be read stays as it was known: better too many refused than one let in.
void Guard::read_revoked() {
    auto records = list_certificates(folder_);
    if (!records) return log_(records.error().message);
    revoked_serials_.clear();
    for (auto& record : *records) {
        if (record.revoked) revoked_serials_.insert(std::move(record.serial));
    }
}

Result<void> Guard::check_token(std::string_view id) const {
    const auto found = tokens_.find(id);
    if (found == tokens_.end()) {
        return fail(Fault::NotFound, "the token is none that this hub minted");
    }
    if (found->second.is_revoked) return fail(Fault::NotFound, "the token was revoked");
    return {};
}

Result<Caller> Guard::by_token(std::string_view token, Time now) {
    look();
    // Without a key there are no tokens: an empty one would sign for everybody.
    if (key_.empty()) return fail(Fault::NotFound, "this hub has minted no token");
    const auto claims = TRY(read_token(token, key_));
    TRY(check_token(claims.id));
    if (!is_same_secret(tokens_.find(claims.id)->second.hash, to_hex(sha256(token)))) {
        return fail(Fault::Malformed, "the token is none that this hub minted");
    }
    if (now >= claims.expires) return fail(Fault::NotFound, "the token has expired");
    return caller_of(claims);
}

Result<Caller> Guard::by_certificate(const TlsCertificate& certificate, Time now) {
    look();
    auto agent = TRY(agent_named_by(certificate.names));
    Caller caller{.agent = {std::move(agent)},
                  .credential = std::string{kByCertificate} + certificate.serial,
                  .until = certificate.until};
    if (revoked_serials_.contains(certificate.serial)) {
        return fail(Fault::NotFound, "the certificate was revoked");
    }
    if (now >= certificate.until) return fail(Fault::NotFound, "the certificate has expired");
    return caller;
}

bool Guard::stands(const Caller& caller, Time now) const {
    if (now >= caller.until) return false;
    const std::string_view credential = caller.credential;
    if (credential.starts_with(kByToken)) {
        return check_token(credential.substr(kByToken.size())).has_value();
    }
    if (credential.starts_with(kByCertificate)) {
        return !revoked_serials_.contains(credential.substr(kByCertificate.size()));
    }
    return true;
}

}  // namespace parlance::identity
