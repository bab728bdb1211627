// The certificates issued to agents, and which of them are revoked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "identity/folder.h"

namespace parlance::identity {

inline constexpr std::string_view kCertificateFile = "certificates.json";

struct CertificateRecord {
    std::string serial{};  ///< Lower-case hexadecimal, without leading zeros.
    std::string agent{};   ///< Empty if another authority issued the certificate.
    Time expires{};
    std::optional<Time> revoked{};
    bool operator==(const CertificateRecord&) const = default;
};

/// "valid", "expired" or "revoked".
std::string_view standing_of(const CertificateRecord& record, Time now);

std::string write_certificates(const std::vector<CertificateRecord>& records);
Result<std::vector<CertificateRecord>> read_certificates(std::string_view text);
Result<std::vector<CertificateRecord>> list_certificates(const Folder& folder);

/// Records a certificate. Needs the lock.
Result<void> add_certificate(const Folder& folder, CertificateRecord record);
/// Revokes all unrevoked certificates of an agent, or the certificate with this serial, whoever
/// issued it. Returns the newly revoked ones; Fault::NotFound if there are none. Durable on return.
Result<std::vector<CertificateRecord>> revoke_certificates(const Folder& folder,
                                                           std::string_view agent_or_serial,
                                                           Time now);

}  // namespace parlance::identity
