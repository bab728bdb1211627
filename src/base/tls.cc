#include "base/tls.h"

#include <array>
#include <ctime>
#include <new>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/check.h"

namespace parlance {

namespace {

constexpr std::size_t kRecordBytesMax = 16'384;
constexpr std::size_t kRecordOverheadMax = 32;

/// OpenSSL's first error, which names the cause; later errors are dropped.
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
    // No session is resumed: a client revoked meanwhile could return through an old session.
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

/// Empty if the names are unreadable, or if the certificate has several lists of names.
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

/// If unreadable: the epoch, which is in the past.
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

/// OpenSSL reads from and writes to the strings of the current call directly. OpenSSL's memory BIO
/// would keep a buffer as large as the largest amount it ever held.
struct TlsSession::Callbacks {
    static int read(BIO* bio, char* bytes, int bytes_max) {
        auto& sealed = ends_of(bio).sealed;
        BIO_clear_retry_flags(bio);
        if (sealed.empty()) {
            BIO_set_retry_read(bio);
            return -1;
        }
        const auto count = sealed.copy(bytes, static_cast<std::size_t>(bytes_max));
        sealed.remove_prefix(count);
        return static_cast<int>(count);
    }

    /// No exception may pass through OpenSSL: Call::end() throws bad_alloc instead.
    static int write(BIO* bio, const char* bytes, int count) {
        auto& ends = ends_of(bio);
        BIO_clear_retry_flags(bio);
        try {
            ends.wire->append(bytes, static_cast<std::size_t>(count));
            return count;
        } catch (const std::bad_alloc&) {
            ends.is_out_of_memory = true;
            return -1;
        }
    }

    static long control(BIO*, int command, long, void*) {
        return command == BIO_CTRL_FLUSH ? 1 : 0;
    }

    static int create(BIO* bio) {
        BIO_set_init(bio, 1);
        return 1;
    }

    static const BIO_METHOD* method() {
        static const BIO_METHOD* const made = [] {
            BIO_METHOD* const fresh =
                BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "strings");
            CHECK(fresh != nullptr);
            CHECK(BIO_meth_set_read(fresh, read) == 1 && BIO_meth_set_write(fresh, write) == 1);
            CHECK(BIO_meth_set_ctrl(fresh, control) == 1 &&
                  BIO_meth_set_create(fresh, create) == 1);
            return fresh;
        }();
        return made;
    }

  private:
    static Ends& ends_of(BIO* bio) { return *static_cast<Ends*>(BIO_get_data(bio)); }
};

TlsSession::TlsSession(const TlsContext& context)
    : ends_(std::make_unique<Ends>()), session_(SSL_new(context.get())) {
    CHECK(session_ != nullptr);
    BIO* const bio = BIO_new(Callbacks::method());
    CHECK(bio != nullptr);
    BIO_set_data(bio, ends_.get());
    SSL_set_bio(session_.get(), bio, bio);  // The session owns the BIO now.
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

/// Lends OpenSSL the strings of one call.
class TlsSession::Call {
  public:
    Call(TlsSession& session, std::string_view sealed, std::string& wire) : ends_{*session.ends_} {
        ERR_clear_error();
        ends_ = {.sealed = sealed, .wire = &wire, .is_out_of_memory = false};
    }
    ~Call() { ends_ = {}; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    Outcome end(Outcome outcome) const {
        if (ends_.is_out_of_memory) throw std::bad_alloc{};
        return outcome;
    }

  private:
    Ends& ends_;
};

TlsSession::Outcome TlsSession::begin(std::string& wire) {
    const Call call{*this, {}, wire};
    return call.end(outcome_of(SSL_do_handshake(session_.get())));
}

TlsSession::Outcome TlsSession::take(std::string_view sealed,
                                     std::string& plain,
                                     std::string& wire) {
    const Call call{*this, sealed, wire};
    std::array<char, kRecordBytesMax> piece{};
    for (;;) {
        const int count = SSL_read(session_.get(), piece.data(), piece.size());
        if (count <= 0) return call.end(outcome_of(count));
        plain.append(piece.data(), static_cast<std::size_t>(count));
    }
}

TlsSession::Outcome TlsSession::seal(std::string_view plain, std::string& wire) {
    const Call call{*this, {}, wire};
    if (plain.empty()) return Outcome::Fine;
    const auto records = plain.size() / kRecordBytesMax + 1;
    if (records > 1) wire.reserve(wire.size() + plain.size() + records * kRecordOverheadMax);
    std::size_t written = 0;
    // A write into memory is never partial.
    if (SSL_write_ex(session_.get(), plain.data(), plain.size(), &written) == 1) {
        return Outcome::Fine;
    }
    error_ = ERR_peek_error();
    return call.end(Outcome::Broken);
}

void TlsSession::say_goodbye(std::string& wire) {
    const Call call{*this, {}, wire};
    if (is_open()) SSL_shutdown(session_.get());
    static_cast<void>(call.end(Outcome::Fine));
}

std::shared_ptr<const TlsCertificate> TlsSession::certificate() const {
    const X509* const certificate = SSL_get0_peer_certificate(session_.get());
    if (certificate == nullptr) return nullptr;
    return std::make_shared<TlsCertificate>(TlsCertificate{.serial = serial_of(certificate),
                                                           .names = names_of(certificate),
                                                           .until = end_of(certificate)});
}

std::string TlsSession::failure_reason() const {
    const auto verified = SSL_get_verify_result(session_.get());
    if (verified != X509_V_OK) return X509_verify_cert_error_string(verified);
    const char* const reason = error_ == 0 ? nullptr : ERR_reason_error_string(error_);
    return reason == nullptr ? "it was broken off" : reason;
}

}  // namespace parlance
