// Which certificates were issued to agents, and which of them are taken back.
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
    std::string agent{};   ///< Empty for one that another authority issued.
    Time expires{};
    std::optional<Time> revoked{};
    bool operator==(const CertificateRecord&) const = default;
};

/// "valid", "expired" or "revoked".
std::string_view standing_of(const CertificateRecord& record, Time now);

std::string write_certificates(const std::vector<CertificateRecord>& records);
Result<std::vector<CertificateRecord>> read_certificates(std::string_view text);
Result<std::vector<CertificateRecord>> list_certificates(const Folder& folder);

/// Puts one on record. Needs the lock.
Result<void> add_certificate(const Folder& folder, CertificateRecord record);
/// All of an agent that are not revoked yet, or the one with this serial, whoever issued it. Says
/// which; Fault::NotFound if there is none. Durable on return.
Result<std::vector<CertificateRecord>> revoke_certificates(const Folder& folder,
                                                           std::string_view agent_or_serial,
                                                           Time now);

}  // namespace parlance::identity
