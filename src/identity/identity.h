// Who is at the door: tokens and certificates, held against what DATA/identity says at this moment.
//
// The room knows what was given to whom and what was taken back; what a caller may do with it is
// decided elsewhere. The command line changes the files while the hub runs; the guard notices.
#pragma once

#include <array>
#include <chrono>
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

using SteadyTime = std::chrono::steady_clock::time_point;

/// While the system has no descriptor or no memory for it, a file that has changed is tried again
/// at most this often.
inline constexpr std::chrono::milliseconds kReadAgainAfter{250};

class Guard {
  public:
    /// `log` hears of files that cannot be read. Nobody comes in by a file that is damaged. A file
    /// that the system has no descriptor or no memory for is read again as soon as it has; until
    /// then the guard goes by what it read before.
    Guard(const std::string& data,
          std::function<void(const std::string&)> log,
          std::function<SteadyTime()> steady_clock = &std::chrono::steady_clock::now);

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

    /// As many as belong together.
    using Stamps = std::array<Stamp, 2>;
    /// What was read last: of which files, whether it can be gone by, and how a shortage goes.
    struct Reading {
        std::optional<Stamps> stamps{};  ///< None: nothing was read yet.
        bool is_lost = true;             ///< There is nothing to go by.
        bool is_short = false;           ///< The files have changed, and there was no descriptor.
        SteadyTime tried_at{};
    };

    /// Reads the files if they are others than those that were read; says whether it did.
    bool refresh(Reading& reading, const Stamps& stamps, Result<void> (Guard::*read)());
    // Either replaces what was read before as a whole, or leaves it.
    Result<void> read_tokens();
    Result<void> read_revoked();
    /// Why it does not hold; empty if it does.
    std::string_view flaw_of_token(std::string_view id) const;
    std::string_view flaw_of_certificate(std::string_view serial) const;
    std::string_view flaw_of(std::string_view credential) const;

    Folder folder_;
    std::function<void(const std::string&)> log_;
    std::function<SteadyTime()> steady_clock_;
    Reading token_reading_;
    Reading certificate_reading_;
    std::string key_;
    std::map<std::string, Entry, std::less<>> tokens_;
    std::set<std::string, std::less<>> revoked_serials_;
};

}  // namespace parlance::identity
