// TLS 1.3 as a transformation of bytes: wire bytes in, plain bytes out, and the reverse. TLS here
// has no socket and never blocks. OpenSSL is hidden behind this header.
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
    std::string certificate{};  ///< Followed by its chain. Optional for a client.
    std::string key{};
    /// CA certificate that must have signed the peer's certificate. For a server: empty means that
    /// clients are not asked for a certificate; otherwise a client certificate is optional. For a
    /// client: empty means the system's trusted CAs.
    std::string authority{};
    bool operator==(const TlsFiles&) const = default;
};

/// The relevant parts of the peer's certificate, after chain and dates were verified.
struct TlsCertificate {
    std::string serial{};              ///< Lower-case hexadecimal, without leading zeros.
    std::vector<std::string> names{};  ///< Subject alternative names: "URI:…", "DNS:…", "OTHER:".
    Time until{};
};

/// Settings shared by all connections of a listener or of a client.
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
        Ended,  ///< The peer announced the end of its data.
        Broken,
    };

    static TlsSession of_server(const TlsContext& context);
    /// `host` is the name or address that the server's certificate must name.
    static TlsSession of_client(const TlsContext& context, const std::string& host);

    /// Starts the handshake; a client's first bytes are appended to `wire`.
    Outcome begin(std::string& wire);
    /// Appends decrypted data to `plain`, and bytes to be sent in return to `wire`.
    Outcome take(std::string_view sealed, std::string& plain, std::string& wire);
    /// Appends the encrypted `plain` to `wire`. Only after is_open().
    Outcome seal(std::string_view plain, std::string& wire);
    /// Announces the end of data to the peer.
    void say_goodbye(std::string& wire);

    bool is_open() const;  ///< The handshake is complete.
    /// The peer's certificate; null if the peer sent none.
    std::shared_ptr<const TlsCertificate> certificate() const;
    /// Why the session is broken, for people.
    std::string failure_reason() const;

  private:
    struct Free {
        void operator()(ssl_st* session) const;
    };
    /// OpenSSL's input and output during one call.
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

    std::unique_ptr<Ends> ends_;  ///< On the heap, because OpenSSL keeps the address.
    std::unique_ptr<ssl_st, Free> session_;
    unsigned long error_ = 0;
};

}  // namespace parlance
