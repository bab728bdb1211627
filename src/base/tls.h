// TLS 1.3 as a transformation of bytes: what came on the wire goes in, what was said comes out, and
// the other way round. It has no socket and waits for nothing. OpenSSL is behind this header.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

extern "C" {
struct ssl_ctx_st;
struct ssl_st;
}

namespace parlance {

/// Paths of PEM files.
struct TlsFiles {
    std::string certificate{};  ///< With the chain behind it. A client need not have one.
    std::string key{};
    /// Whom the other side's certificate must come from. For a server: empty, and no client is
    /// asked for one; else a client may have one. For a client: empty for those the system trusts.
    std::string authority{};
    bool operator==(const TlsFiles&) const = default;
};

/// What matters of the other side's certificate, whose chain and dates are right.
struct TlsCertificate {
    std::string serial{};              ///< Lower-case hexadecimal, without leading zeros.
    std::vector<std::string> names{};  ///< Subject alternative names: "URI:…", "DNS:…", "OTHER:".
    Time until{};
};

/// What all connections of one door, or of one client, have in common.
class TlsContext {
  public:
    static Result<std::shared_ptr<const TlsContext>> for_server(const TlsFiles& files);
    static Result<std::shared_ptr<const TlsContext>> for_client(const TlsFiles& files);
    ssl_ctx_st* get() const { return context_.get(); }

  private:
    struct Free {
        void operator()(ssl_ctx_st* context) const;
    };
    std::unique_ptr<ssl_ctx_st, Free> context_;
};

class TlsSession {
  public:
    enum class Outcome {
        Fine,
        Ended,  ///< The other side has said that nothing more comes.
        Broken,
    };

    static TlsSession of_server(const TlsContext& context);
    /// `host` is whom the certificate must name: a name or an address.
    static TlsSession of_client(const TlsContext& context, const std::string& host);

    /// A client begins; what it says first is appended to `wire`.
    Outcome begin(std::string& wire);
    /// Appends what was said to `plain`, and what must be sent in return to `wire`.
    Outcome take(std::string_view sealed, std::string& plain, std::string& wire);
    /// Appends `plain` to `wire`, sealed. Not before is_open().
    Outcome seal(std::string_view plain, std::string& wire);
    /// Says that nothing more comes.
    void say_goodbye(std::string& wire);

    bool is_open() const;  ///< Hands are shaken.
    /// Of the other side; nothing if it showed none.
    std::shared_ptr<const TlsCertificate> certificate() const;
    /// Why it is broken, for people.
    std::string trouble() const;

  private:
    struct Free {
        void operator()(ssl_st* session) const;
    };
    /// What OpenSSL reads from and writes to during one call.
    struct Ends {
        std::string_view sealed{};
        std::string* wire = nullptr;
        bool is_out_of_memory = false;
    };
    class Call;
    friend class Call;
    struct Callbacks;

    explicit TlsSession(const TlsContext& context);
    Outcome outcome_of(int result);

    std::unique_ptr<Ends> ends_;  ///< Behind a pointer, because OpenSSL knows where it is.
    std::unique_ptr<ssl_st, Free> session_;
    unsigned long error_ = 0;
};

}  // namespace parlance
