// An authority of one's own: makes the certificate of the hub and those of its agents, in
// DATA/identity. Whoever has one already gives the hub its files instead.
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

/// Makes the authority, if there is none yet, and a fresh certificate of the hub for these hosts;
/// localhost, 127.0.0.1 and ::1 are always among them.
Result<void> make_authority(const Folder& folder, const std::vector<std::string>& hosts, Time now);

struct Issued {
    CertificateRecord record;
    std::string certificate;  ///< The files, inside the folder.
    std::string key;
};
/// A certificate by which its holder is this agent. Durable, and on record, on return.
Result<Issued> issue_certificate(const Folder& folder,
                                 const std::string& agent,
                                 Duration ttl,
                                 Time now);

}  // namespace parlance::identity
