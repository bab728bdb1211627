// SHA-256 by OpenSSL, with the context and the algorithm looked up once and used again.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

extern "C" {
struct evp_md_ctx_st;
}

namespace parlance {

using Digest = std::array<std::uint8_t, 32>;

/// add() pieces, then finish(); it is empty again after that. Not for two threads at once.
class Sha256 {
  public:
    Sha256();
    void add(std::string_view bytes);
    Digest finish();

  private:
    struct Free {
        void operator()(evp_md_ctx_st* context) const;
    };
    std::unique_ptr<evp_md_ctx_st, Free> context_;
};

Digest sha256(std::string_view bytes);

/// Lower-case hexadecimal.
std::string to_hex(const Digest& digest);

}  // namespace parlance
