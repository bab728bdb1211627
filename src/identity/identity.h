// Authentication: checks tokens and certificates against the files in DATA/identity on every call.
//
// The room knows which credentials were issued and which were revoked; other rooms decide what a
// caller may do. The command line changes the files while the hub runs; the guard notices.
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

/// Why a credential was refused, and the credential's owner as far as the hub can tell.
struct Denial {
    std::string message{};
    std::optional<Caller> whose{};
};
using Proof = tl::expected<Caller, Denial>;

/// For a caller with two credentials: the identity of the second, valid as long as both hold.
Caller proved_by_both(const Caller& first, Caller second);

using SteadyTime = std::chrono::steady_clock::time_point;

/// A changed file that the hub cannot read for lack of descriptors or memory is tried again at most
/// this often.
inline constexpr std::chrono::milliseconds kReadAgainAfter{250};

class Guard {
  public:
    /// `log` receives unreadable files. A damaged file authenticates nobody. A file that the hub
    /// cannot read for lack of descriptors or memory is read again as soon as possible; until then
    /// the guard uses the contents read before.
    Guard(const std::string& data,
          std::function<void(const std::string&)> log,
          std::function<SteadyTime()> steady_clock = &std::chrono::steady_clock::now);

    Proof by_token(std::string_view token, Time now);
    Proof by_certificate(const TlsCertificate& certificate, Time now);
    /// Reads files that changed since the last look; true if any did.
    bool look();
    /// True if all of the caller's credentials still hold, as of the last look.
    bool stands(const Caller& caller, Time now) const;

  private:
    /// A token's entry in the book.
    struct Entry {
        std::string hash;
        bool is_revoked = false;
    };

    /// The files that are read together.
    using Stamps = std::array<Stamp, 2>;
    /// The state of the last read.
    struct Reading {
        std::optional<Stamps> stamps{};  ///< None: nothing was read yet.
        bool is_lost = true;             ///< No usable contents.
        bool is_short = false;           ///< The changed files are unread, for lack of resources.
        SteadyTime tried_at{};
    };

    /// Reads the files if their stamps changed; true if it read them.
    bool refresh(Reading& reading, const Stamps& stamps, Result<void> (Guard::*read)());
    // Both replace the earlier contents as a whole, or keep them.
    Result<void> read_tokens();
    Result<void> read_revoked();
    /// Why the credential does not hold; empty if it holds.
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
