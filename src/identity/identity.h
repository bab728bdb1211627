// Who is at the door: tokens and certificates, held against what DATA/identity says at this moment.
//
// The room knows what was given to whom and what was taken back; what a caller may do with it is
// decided elsewhere. The command line changes the files while the hub runs; the guard notices.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/tls.h"
#include "identity/folder.h"
#include "identity/token.h"
#include "model/caller.h"

namespace parlance::identity {

/// "parlance://agent/planner" names the agent "planner". Exactly one name, and nothing else.
Result<std::string> agent_named_by(const std::vector<std::string>& names);

/// Why nobody comes in by what was shown, and whose it is, where the hub can tell.
struct Denial {
    std::string message{};
    std::optional<Caller> whose{};
};
using Proof = tl::expected<Caller, Denial>;

/// One caller that was proved twice: what the second proof says of it, as long as both hold.
Caller proved_by_both(const Caller& first, Caller second);

class Guard {
  public:
    /// `log` hears of files that cannot be read. Nobody comes in by those.
    Guard(const std::string& data, std::function<void(const std::string&)> log);

    Proof by_token(std::string_view token, Time now);
    Proof by_certificate(const TlsCertificate& certificate, Time now);
    /// Reads what has changed since the last look; says whether anything has.
    bool look();
    /// Whether what proved the caller holds, as of the last look.
    bool stands(const Caller& caller, Time now) const;

  private:
    /// What the book says of a token.
    struct Entry {
        std::string hash;
        bool is_revoked = false;
    };

    void read_tokens();
    void read_revoked();
    /// Why it does not hold; empty if it does.
    std::string_view flaw_of_token(std::string_view id) const;
    std::string_view flaw_of_certificate(std::string_view serial) const;
    std::string_view flaw_of(std::string_view credential) const;

    Folder folder_;
    std::function<void(const std::string&)> log_;
    Stamp key_stamp_;
    Stamp token_stamp_;
    Stamp certificate_stamp_;
    std::string key_;
    std::map<std::string, Entry, std::less<>> tokens_;
    std::set<std::string, std::less<>> revoked_serials_;
    bool has_lost_tokens_ = false;        ///< What there is of tokens cannot be read.
    bool has_lost_certificates_ = false;  ///< Nor which certificates were revoked.
};

}  // namespace parlance::identity
