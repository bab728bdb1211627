// The hub's own certificate authority: issues the certificates of the hub and of its agents, in
// DATA/identity. Operators with an authority of their own give the hub its certificate files
// instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "identity/certificate_book.h"
#include "identity/folder.h"

namespace parlance::identity {

inline constexpr std::string_view kAuthorityFile = "ca.pem";
inline constexpr std::string_view kAuthorityKeyFile = "ca.key";
inline constexpr std::string_view kHubFile = "hub.pem";
inline constexpr std::string_view kHubKeyFile = "hub.key";

/// Makes the authority unless it exists, and a fresh hub certificate for these hosts; localhost,
/// 127.0.0.1 and ::1 are always included.
Result<void> make_authority(const Folder& folder, const std::vector<std::string>& hosts, Time now);

struct Issued {
    CertificateRecord record;
    std::string certificate;  ///< Paths of the files, inside the folder.
    std::string key;
};
/// A certificate whose holder is authenticated as this agent. Durable and on record on return.
Result<Issued> issue_certificate(const Folder& folder,
                                 const std::string& agent,
                                 Duration ttl,
                                 Time now);

}  // namespace parlance::identity
