#include "identity/authority.h"

#include <algorithm>
#include <memory>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/check.h"
#include "base/json.h"
#include "base/secret.h"
#include "identity/token.h"

namespace parlance::identity {

namespace {

template <auto Function>
struct FreeBy {
    template <class Thing>
    void operator()(Thing* thing) const {
        Function(thing);
    }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, FreeBy<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, FreeBy<X509_free>>;
using BioPtr = std::unique_ptr<BIO, FreeBy<BIO_free_all>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, FreeBy<X509_EXTENSION_free>>;

constexpr auto kAuthorityLife = std::chrono::hours{3650 * 24};
constexpr auto kHubLife = std::chrono::hours{825 * 24};
/// Clocks differ: a certificate is valid from shortly before its creation.
constexpr auto kSlack = std::chrono::minutes{5};
constexpr std::size_t kSerialBytes = 16;

struct Pair {
    KeyPtr key;
    CertificatePtr certificate;
};

struct CertificateFields {
    std::string common_name;
    std::string usage;  ///< The extensions, in OpenSSL's syntax.
    std::string extended_usage;
    std::string names;
    bool is_authority = false;
    Time from;
    Time until;
};

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
    if (value.empty()) return;
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const ExtensionPtr extension{X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str())};
    CHECK(extension != nullptr);  // Callers have checked the names.
    CHECK(X509_add_ext(certificate, extension.get(), -1) == 1);
}

void set_time(ASN1_TIME* at, Time time) {
    CHECK(ASN1_TIME_set(
              at, std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count()) !=
          nullptr);
}

void set_serial(X509* certificate) {
    auto bytes = random_bytes(kSerialBytes);
    bytes.front() =
        static_cast<char>((bytes.front() & 0x7F) | 0x40);  // Positive, and of full size.
    BIGNUM* const number = BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()),
                                     nullptr);
    CHECK(BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nullptr);
    BN_free(number);
}

std::string serial_of(const X509* certificate) {
    BIGNUM* const number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr);
    char* const text = BN_bn2hex(number);
    std::string hex{text};
    OPENSSL_free(text);
    BN_free(number);
    std::ranges::transform(hex, hex.begin(), [](char c) {
        return c >= 'A' && c <= 'F' ? static_cast<char>(c + ('a' - 'A')) : c;
    });
    hex.erase(0, std::min(hex.find_first_not_of('0'), hex.size()));
    return hex;
}

/// Signed by the issuer, or self-signed without an issuer.
Pair make_pair(const CertificateFields& fields, const Pair* issuer) {
    Pair made{.key = KeyPtr{EVP_EC_gen("P-256")}, .certificate = CertificatePtr{X509_new()}};
    CHECK(made.key != nullptr && made.certificate != nullptr);
    X509* const certificate = made.certificate.get();
    X509* const signer = issuer != nullptr ? issuer->certificate.get() : certificate;
    CHECK(X509_set_version(certificate, X509_VERSION_3) == 1);
    set_serial(certificate);
    set_time(X509_getm_notBefore(certificate), fields.from);
    set_time(X509_getm_notAfter(certificate), fields.until);
    CHECK(X509_set_pubkey(certificate, made.key.get()) == 1);
    CHECK(X509_NAME_add_entry_by_txt(
              X509_get_subject_name(certificate),
              "CN",
              MBSTRING_UTF8,
              reinterpret_cast<const unsigned char*>(fields.common_name.data()),
              static_cast<int>(fields.common_name.size()),
              -1,
              0) == 1);
    CHECK(X509_set_issuer_name(certificate, X509_get_subject_name(signer)) == 1);
    add_extension(certificate,
                  signer,
                  NID_basic_constraints,
                  fields.is_authority ? "critical,CA:TRUE,pathlen:0" : "critical,CA:FALSE");
    add_extension(certificate, signer, NID_key_usage, fields.usage);
    add_extension(certificate, signer, NID_ext_key_usage, fields.extended_usage);
    add_extension(certificate, signer, NID_subject_alt_name, fields.names);
    add_extension(certificate, signer, NID_subject_key_identifier, "hash");
    if (issuer != nullptr) {
        add_extension(certificate, signer, NID_authority_key_identifier, "keyid:always");
    }
    EVP_PKEY* const signing = issuer != nullptr ? issuer->key.get() : made.key.get();
    CHECK(X509_sign(certificate, signing, EVP_sha256()) > 0);
    return made;
}

std::string contents_of(BIO* bio) {
    char* bytes = nullptr;
    const auto count = BIO_get_mem_data(bio, &bytes);
    return {bytes, static_cast<std::size_t>(count)};
}

std::string pem_of(X509* certificate) {
    const BioPtr out{BIO_new(BIO_s_mem())};
    CHECK(PEM_write_bio_X509(out.get(), certificate) == 1);
    return contents_of(out.get());
}

std::string pem_of(EVP_PKEY* key) {
    const BioPtr out{BIO_new(BIO_s_mem())};
    CHECK(PEM_write_bio_PKCS8PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr) ==
          1);
    return contents_of(out.get());
}

BioPtr reader_of(const std::string& text) {
    return BioPtr{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
}

/// Nothing if the folder holds no authority.
Result<std::optional<Pair>> read_authority(const Folder& folder) {
    const auto key = TRY(folder.read_secret(kAuthorityKeyFile));
    const auto certificate = TRY(folder.read(kAuthorityFile));
    if (!key || !certificate) return std::nullopt;
    Pair pair{
        .key = KeyPtr{PEM_read_bio_PrivateKey(reader_of(*key).get(), nullptr, nullptr, nullptr)},
        .certificate = CertificatePtr{
            PEM_read_bio_X509(reader_of(*certificate).get(), nullptr, nullptr, nullptr)}};
    ERR_clear_error();
    if (pair.key && pair.certificate &&
        X509_check_private_key(pair.certificate.get(), pair.key.get()) == 1) {
        return pair;
    }
    return fail(Fault::Corrupt,
                fmt::format("{} and {} are no certificate and its key; restore them from a backup",
                            folder.path_of(kAuthorityFile),
                            folder.path_of(kAuthorityKeyFile)));
}

Result<void> write_pair(const Folder& folder,
                        const Pair& pair,
                        std::string_view certificate,
                        std::string_view key) {
    TRY(folder.write(key, pem_of(pair.key.get())));
    return folder.write(certificate, pem_of(pair.certificate.get()));
}

bool is_address(const std::string& host) {
    in6_addr address{};
    return ::inet_pton(AF_INET, host.c_str(), &address) == 1 ||
           ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

/// "DNS:localhost,IP:127.0.0.1". A host with other characters could add names of its own.
Result<std::string> names_of(const std::vector<std::string>& hosts) {
    constexpr std::string_view kAllowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-*";
    std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";
    for (const auto& host : hosts) {
        const bool is_number = is_address(host);
        const bool is_name = !host.empty() && host.size() <= 253 &&
                             host.find_first_not_of(kAllowed) == std::string::npos;
        if (!is_number && !is_name) {
            return fail(
                Fault::Malformed,
                fmt::format("'{}' is neither a host name nor an address", json::shortened(host)));
        }
        names += (is_number ? ",IP:" : ",DNS:") + host;
    }
    return names;
}

/// An agent's id as a file name: characters other than letters, digits and -_. are escaped like
/// %2F.
std::string file_name_of(const std::string& agent) {
    std::string name = "agent-";
    for (const char c : agent) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
        name +=
            is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return name;
}

}  // namespace

Result<void> make_authority(const Folder& folder, const std::vector<std::string>& hosts, Time now) {
    const auto names = TRY(names_of(hosts));
    const auto lock = TRY(folder.lock());
    auto authority = TRY(read_authority(folder));
    if (!authority) {
        authority = make_pair({.common_name = "Parlance CA",
                               .usage = "critical,keyCertSign,cRLSign",
                               .is_authority = true,
                               .from = now - kSlack,
                               .until = now + kAuthorityLife},
                              nullptr);
        TRY(write_pair(folder, *authority, kAuthorityFile, kAuthorityKeyFile));
    }
    const auto hub = make_pair({.common_name = "Parlance hub",
                                .usage = "critical,digitalSignature",
                                .extended_usage = "serverAuth",
                                .names = names,
                                .from = now - kSlack,
                                .until = now + kHubLife},
                               &*authority);
    return write_pair(folder, hub, kHubFile, kHubKeyFile);
}

Result<Issued> issue_certificate(const Folder& folder,
                                 const std::string& agent,
                                 Duration ttl,
                                 Time now) {
    TRY(check_free_name(agent));
    TRY(check_agent_name(agent));
    const auto lock = TRY(folder.lock());
    const auto authority = TRY(read_authority(folder));
    if (!authority) {
        return fail(
            Fault::Unavailable,
            "there is no authority that could issue one; make it with `parlance cert init`");
    }
    const auto until = now + ttl;
    const auto pair = make_pair({.common_name = "Parlance agent",
                                 .usage = "critical,digitalSignature",
                                 .extended_usage = "clientAuth",
                                 .names = "URI:parlance://agent/" + agent,
                                 .from = now - kSlack,
                                 .until = until},
                                &*authority);
    const auto name = file_name_of(agent);
    Issued issued{.record = {.serial = serial_of(pair.certificate.get()),
                             .agent = agent,
                             .expires = std::chrono::floor<std::chrono::seconds>(until)},
                  .certificate = folder.path_of(name + ".pem"),
                  .key = folder.path_of(name + ".key")};
    // On record first: a certificate without a record could not be revoked.
    TRY(add_certificate(folder, issued.record));
    TRY(write_pair(folder, pair, name + ".pem", name + ".key"));
    return issued;
}

}  // namespace parlance::identity
