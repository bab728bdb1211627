// Who is at the door: tokens and certificates, held against what DATA/identity says at this moment.
//
// The room knows what was given to whom and what was taken back; what a caller may do with it is
// decided elsewhere. The command line changes the files while the hub runs; the guard notices.
#pragma once

#include <functional>
#include <map>
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

class Guard {
  public:
    /// `log` hears of files that cannot be read. Nobody comes in by those.
    Guard(const std::string& data, std::function<void(const std::string&)> log);

    Result<Caller> by_token(std::string_view token, Time now);
    Result<Caller> by_certificate(const TlsCertificate& certificate, Time now);
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
    Result<void> check_token(std::string_view id) const;

    Folder folder_;
    std::function<void(const std::string&)> log_;
    Stamp key_stamp_;
    Stamp token_stamp_;
    Stamp certificate_stamp_;
    std::string key_;
    std::map<std::string, Entry, std::less<>> tokens_;
    std::set<std::string, std::less<>> revoked_serials_;
};

}  // namespace parlance::identity
