#include "base/tls.h"

#include <array>
#include <ctime>
#include <limits>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/check.h"

namespace parlance {

namespace {

/// OpenSSL's first complaint, which is the one that names the cause; the rest is forgotten.
std::string first_complaint() {
    const auto code = ERR_get_error();
    ERR_clear_error();
    const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
    return reason == nullptr ? "it cannot be used" : reason;
}

auto unusable(const std::string& file) {
    return fail(Fault::Malformed, "cannot use " + file + ": " + first_complaint());
}

Result<void> load_own(SSL_CTX* context, const TlsFiles& files) {
    if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
        return unusable(files.certificate);
    }
    if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(context) != 1) {
        return unusable(files.key);
    }
    return {};
}

SSL_CTX* make_context(const SSL_METHOD* method) {
    SSL_CTX* const context = SSL_CTX_new(method);
    CHECK(context != nullptr);
    CHECK(SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1);
    CHECK(SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    // Nothing is resumed: who was revoked since could come in by an old session.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    CHECK(SSL_CTX_set_num_tickets(context, 0) == 1);
    return context;
}

std::string_view text_of(const ASN1_STRING* text) {
    return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
            static_cast<std::size_t>(ASN1_STRING_length(text))};
}

std::string name_of(const GENERAL_NAME* name) {
    int type = 0;
    const auto* const value = static_cast<const ASN1_STRING*>(GENERAL_NAME_get0_value(name, &type));
    if (type == GEN_URI) return "URI:" + std::string{text_of(value)};
    if (type == GEN_DNS) return "DNS:" + std::string{text_of(value)};
    return "OTHER:";
}

/// None if they cannot be read, or if there is more than one list of them.
std::vector<std::string> names_of(const X509* certificate) {
    std::vector<std::string> names;
    auto* const list = static_cast<GENERAL_NAMES*>(
        X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
    if (list == nullptr) return names;
    for (int i = 0; i < sk_GENERAL_NAME_num(list); ++i) {
        names.push_back(name_of(sk_GENERAL_NAME_value(list, i)));
    }
    GENERAL_NAMES_free(list);
    return names;
}

std::string serial_of(const X509* certificate) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    for (const char c : text_of(X509_get0_serialNumber(certificate))) {
        const auto byte = static_cast<unsigned char>(c);
        hex.push_back(kDigits[byte >> 4U]);
        hex.push_back(kDigits[byte & 0xFU]);
    }
    hex.erase(0, std::min(hex.find_first_not_of('0'), hex.size()));
    return hex;
}

/// The epoch, which is over, if it cannot be read.
Time end_of(const X509* certificate) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) != 1) return {};
    return Time{std::chrono::seconds{::timegm(&parts)}};
}

}  // namespace

void TlsContext::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

Result<std::shared_ptr<const TlsContext>> TlsContext::for_server(const TlsFiles& files) {
    auto made = std::make_shared<TlsContext>();
    made->context_.reset(make_context(TLS_server_method()));
    auto* const context = made->get();
    TRY(load_own(context, files));
    if (!files.authority.empty()) {
        auto* const names = SSL_load_client_CA_file(files.authority.c_str());
        if (names == nullptr || SSL_CTX_load_verify_file(context, files.authority.c_str()) != 1) {
            return unusable(files.authority);
        }
        SSL_CTX_set_client_CA_list(context, names);
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    }
    return made;
}

Result<std::shared_ptr<const TlsContext>> TlsContext::for_client(const TlsFiles& files) {
    auto made = std::make_shared<TlsContext>();
    made->context_.reset(make_context(TLS_client_method()));
    auto* const context = made->get();
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    if (files.authority.empty()) {
        SSL_CTX_set_default_verify_paths(context);
    } else if (SSL_CTX_load_verify_file(context, files.authority.c_str()) != 1) {
        return unusable(files.authority);
    }
    if (!files.certificate.empty()) TRY(load_own(context, files));
    return made;
}

void TlsSession::Free::operator()(ssl_st* session) const { SSL_free(session); }

TlsSession::TlsSession(const TlsContext& context) : session_(SSL_new(context.get())) {
    CHECK(session_ != nullptr);
    BIO* const in = BIO_new(BIO_s_mem());
    BIO* const out = BIO_new(BIO_s_mem());
    CHECK(in != nullptr && out != nullptr);
    SSL_set_bio(session_.get(), in, out);  // They are the session's now.
}

TlsSession TlsSession::of_server(const TlsContext& context) {
    TlsSession session{context};
    SSL_set_accept_state(session.session_.get());
    return session;
}

TlsSession TlsSession::of_client(const TlsContext& context, const std::string& host) {
    TlsSession session{context};
    auto* const ssl = session.session_.get();
    SSL_set_connect_state(ssl);
    const bool is_address = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
    if (!is_address) {
        CHECK(SSL_set1_host(ssl, host.c_str()) == 1);
        SSL_set_tlsext_host_name(ssl, host.c_str());
    }
    ERR_clear_error();
    return session;
}

bool TlsSession::is_open() const { return SSL_is_init_finished(session_.get()) == 1; }

TlsSession::Outcome TlsSession::outcome_of(int result) {
    switch (SSL_get_error(session_.get(), result)) {
        case SSL_ERROR_NONE:
        case SSL_ERROR_WANT_READ:
            return Outcome::Fine;
        case SSL_ERROR_ZERO_RETURN:
            return Outcome::Ended;
        default:
            error_ = ERR_peek_error();
            return Outcome::Broken;
    }
}

void TlsSession::drain(std::string& wire) {
    BIO* const out = SSL_get_wbio(session_.get());
    char* bytes = nullptr;
    const auto count = BIO_get_mem_data(out, &bytes);
    if (count > 0) wire.append(bytes, static_cast<std::size_t>(count));
    (void)BIO_reset(out);
}

TlsSession::Outcome TlsSession::begin(std::string& wire) {
    ERR_clear_error();
    const auto outcome = outcome_of(SSL_do_handshake(session_.get()));
    drain(wire);
    return outcome;
}

TlsSession::Outcome TlsSession::take(std::string_view sealed,
                                     std::string& plain,
                                     std::string& wire) {
    ERR_clear_error();
    CHECK(sealed.size() <= std::size_t{std::numeric_limits<int>::max()});
    BIO* const in = SSL_get_rbio(session_.get());
    CHECK(sealed.empty() || BIO_write(in, sealed.data(), static_cast<int>(sealed.size())) ==
                                static_cast<int>(sealed.size()));
    std::array<char, 16384> piece{};  // A record has no more.
    for (;;) {
        const int count = SSL_read(session_.get(), piece.data(), piece.size());
        if (count > 0) {
            plain.append(piece.data(), static_cast<std::size_t>(count));
            continue;
        }
        const auto outcome = outcome_of(count);
        drain(wire);
        return outcome;
    }
}

TlsSession::Outcome TlsSession::seal(std::string_view plain, std::string& wire) {
    ERR_clear_error();
    std::size_t written = 0;
    // Into memory all of it goes at once.
    const int result =
        plain.empty() ? 1 : SSL_write_ex(session_.get(), plain.data(), plain.size(), &written);
    const auto outcome = result == 1 ? Outcome::Fine : Outcome::Broken;
    if (result != 1) error_ = ERR_peek_error();
    drain(wire);
    return outcome;
}

void TlsSession::say_goodbye(std::string& wire) {
    ERR_clear_error();
    if (is_open()) SSL_shutdown(session_.get());
    drain(wire);
}

std::shared_ptr<const TlsCertificate> TlsSession::certificate() const {
    const X509* const certificate = SSL_get0_peer_certificate(session_.get());
    if (certificate == nullptr) return nullptr;
    return std::make_shared<TlsCertificate>(TlsCertificate{.serial = serial_of(certificate),
                                                           .names = names_of(certificate),
                                                           .until = end_of(certificate)});
}

std::string TlsSession::trouble() const {
    const auto verified = SSL_get_verify_result(session_.get());
    if (verified != X509_V_OK) return X509_verify_cert_error_string(verified);
    const char* const reason = error_ == 0 ? nullptr : ERR_reason_error_string(error_);
    return reason == nullptr ? "it was broken off" : reason;
}

}  // namespace parlance
