#include "base/tls_names.h"

#include <memory>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace parlance {

namespace {

template <auto Release>
struct Free {
    template <class Thing>
    void operator()(Thing* thing) const {
        Release(thing);
    }
};
using File = std::unique_ptr<BIO, Free<BIO_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>>;

std::vector<std::string> hosts_in(const X509* certificate) {
    const Names list{static_cast<GENERAL_NAMES*>(
        X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr))};
    std::vector<std::string> hosts;
    for (int i = 0; list && i < sk_GENERAL_NAME_num(list.get()); ++i) {
        int type = 0;
        const auto* const value = static_cast<const ASN1_STRING*>(
            GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(list.get(), i), &type));
        if (type != GEN_DNS) continue;
        hosts.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)),
                           static_cast<std::size_t>(ASN1_STRING_length(value)));
    }
    return hosts;
}

}  // namespace

std::vector<std::string> hosts_named_in(const std::string& certificate_file) {
    const File file{BIO_new_file(certificate_file.c_str(), "r")};
    const Certificate certificate{file ? PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr)
                                       : nullptr};
    ERR_clear_error();
    return certificate ? hosts_in(certificate.get()) : std::vector<std::string>{};
}

}  // namespace parlance
