#include "base/personal/redact.h"

#include <algorithm>
#include <array>
#include <memory>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "base/check.h"
#include "base/personal/characters.h"
#include "base/personal/fold.h"
#include "base/sha256.h"

namespace parlance::personal {

namespace {

constexpr std::size_t kHexDigits = 8;
/// A shorter number is an amount or a count.
constexpr std::size_t kNumberDigitsMin = 8;
constexpr std::string_view kAnyPlaceholder = "[X_00000000]";
constexpr int kRoundsMax = 4;

/// HMAC-SHA-256, with a key that is set up once: that takes longer than hashing a short text by it,
/// and a message may have a hundred thousand of them.
class KeyedHash {
  public:
    KeyedHash() : context_{new_context()} { CHECK(context_ != nullptr); }

    Digest of(std::string_view key, std::string_view text) {
        const bool is_known = is_set_ && key == key_;
        CHECK(is_known ? EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1 : set(key));
        Digest digest{};
        std::size_t size = 0;
        const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
        CHECK(EVP_MAC_update(context_.get(), bytes, text.size()) == 1);
        CHECK(EVP_MAC_final(context_.get(), digest.data(), &size, digest.size()) == 1);
        return digest;
    }

  private:
    struct Free {
        void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
    };

    static EVP_MAC_CTX* new_context() {
        static EVP_MAC* const hmac = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
        CHECK(hmac != nullptr);
        return EVP_MAC_CTX_new(hmac);
    }

    bool set(std::string_view key) {
        std::string algorithm = "SHA256";
        const std::array parameters{
            OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, algorithm.data(), 0),
            OSSL_PARAM_construct_end()};
        key_ = key;
        is_set_ = true;
        const auto* const bytes = reinterpret_cast<const unsigned char*>(key_.data());
        return EVP_MAC_init(context_.get(), bytes, key_.size(), parameters.data()) == 1;
    }

    std::unique_ptr<EVP_MAC_CTX, Free> context_;
    std::string key_;
    bool is_set_ = false;
};

Digest keyed_hash(std::string_view key, std::string_view text) {
    thread_local KeyedHash hash;
    return hash.of(key, text);
}

/// Behind the closing quote of a string whose inside begins here.
std::size_t string_end(std::string_view json, std::size_t inside) {
    std::size_t i = inside;
    for (;;) {
        i = json.find('"', i);
        if (i == std::string_view::npos) return json.size();
        std::size_t slashes = 0;
        while (i - slashes > inside && json[i - slashes - 1] == '\\') ++slashes;
        ++i;
        if (slashes % 2 == 0) return i;
    }
}

bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_key(std::string_view json, std::size_t behind) {
    while (is_json_space(at(json, behind))) ++behind;
    return at(json, behind) == ':';
}

/// The text with something in the shape of a placeholder at each finding.
std::string masked(std::string_view text, const std::vector<Finding>& findings) {
    std::string out;
    std::size_t done = 0;
    for (const Finding& finding : findings) {
        out += text.substr(done, finding.begin - done);
        out += kAnyPlaceholder;
        done = finding.end;
    }
    out += text.substr(done);
    return out;
}

/// Where places of the masked text, outside of its placeholders, stand in the text itself. They are
/// asked for in order, so that all of them together cost one walk over the findings.
class Unmasking {
  public:
    explicit Unmasking(const std::vector<Finding>& findings)
        : next_{findings.begin()}, end_{findings.end()} {}

    std::size_t operator()(std::size_t place) {
        for (; next_ != end_ && place + shift_ >= next_->begin; ++next_) {
            shift_ += next_->end - next_->begin;
            shift_ -= kAnyPlaceholder.size();
        }
        return place + shift_;
    }

  private:
    std::vector<Finding>::const_iterator next_;
    std::vector<Finding>::const_iterator end_;
    std::size_t shift_ = 0;  ///< Wraps around below zero where placeholders are the longer ones.
};

/// Finds until there is nothing more to find: what is taken out can leave a number behind that
/// reads as one only then, and what was redacted once must not be redacted again.
void find_settled(std::string_view text, Kinds kinds, Label label, std::vector<Finding>& findings) {
    find_escaped(text, kinds, label, findings);
    std::vector<Finding> more;
    for (int round = 0; round < kRoundsMax && !findings.empty(); ++round) {
        more.clear();
        find_escaped(masked(text, findings), kinds, label, more);
        if (more.empty()) return;
        Unmasking unmasked{findings};
        for (Finding& finding : more) {
            finding.begin = unmasked(finding.begin);
            finding.end = unmasked(finding.end - 1) + 1;
        }
        findings.insert(findings.end(), more.begin(), more.end());
        std::ranges::sort(findings, {}, &Finding::begin);
    }
}

/// One thing found in JSON.
struct Place {
    Kind kind;
    std::size_t begin;
    std::size_t end;
    bool is_number;
};

/// Walks over the strings and numbers of a stretch of JSON, each under the key it stands at.
class Look {
  public:
    Look(std::string_view json, Kinds kinds, std::vector<Place>& places)
        : json_(json), kinds_(kinds), places_(places) {}

    void into(std::string_view part) {
        auto i = static_cast<std::size_t>(part.data() - json_.data());
        const std::size_t end = i + part.size();
        while (i < end) {
            const char c = json_[i];
            if (c == '"') {
                i = look_at_string(i + 1);
            } else if (is_digit(c) || c == '-') {
                i = look_at_number(i);
            } else {
                if (c == '}') label_ = {};
                ++i;
            }
        }
    }

    void under(std::string_view label) { label_ = label; }

  private:
    std::size_t look_at_string(std::size_t begin) {
        const std::size_t end = string_end(json_, begin);
        const std::string_view inside = json_.substr(begin, end - 1 - begin);
        const bool names = is_key(json_, end);
        findings_.clear();
        find_settled(inside, kinds_, names ? Label{} : Label{label_}, findings_);
        for (const Finding& finding : findings_) {
            places_.push_back({finding.kind, begin + finding.begin, begin + finding.end, false});
        }
        if (names) label_ = inside;
        return end;
    }

    std::size_t look_at_number(std::size_t begin) {
        std::size_t end = begin;
        bool is_whole = true;
        while (std::string_view{"+-.eE0123456789"}.find(at(json_, end)) != std::string_view::npos &&
               end < json_.size()) {
            is_whole = is_whole && is_digit(json_[end]);
            ++end;
        }
        if (!is_whole || end - begin < kNumberDigitsMin) return end;
        findings_.clear();
        find(json_.substr(begin, end - begin), kinds_, {label_}, findings_);
        const bool is_all =
            findings_.size() == 1 && findings_[0].begin == 0 && findings_[0].end == end - begin;
        if (is_all) places_.push_back({findings_[0].kind, begin, end, true});
        return end;
    }

    std::string_view json_;
    Kinds kinds_;
    std::vector<Place>& places_;
    std::string_view label_;
    std::vector<Finding> findings_;
};

/// The key before a value: what stands between the last quotes, if a colon follows them.
std::string_view key_before(std::string_view json, std::size_t place) {
    while (place > 0 && is_json_space(json[place - 1])) --place;
    if (before(json, place) != ':') return {};
    --place;
    while (place > 0 && is_json_space(json[place - 1])) --place;
    if (before(json, place) != '"') return {};
    const std::size_t end = place - 1;
    const std::size_t quote = json.rfind('"', end == 0 ? 0 : end - 1);
    if (end == 0 || quote == std::string_view::npos) return {};
    return json.substr(quote + 1, end - quote - 1);
}

std::vector<Place> places_in(std::string_view json, Parts parts, Kinds kinds) {
    std::vector<Place> places;
    if (kinds.is_empty()) return places;
    Look look{json, kinds, places};
    for (const std::string_view part : parts) {
        look.under(key_before(json, static_cast<std::size_t>(part.data() - json.data())));
        look.into(part);
    }
    return places;
}

std::string placeholder_of(std::string_view json, const Place& place, const Masking& masking) {
    thread_local Folded folded;
    fold(json.substr(place.begin, place.end - place.begin), true, folded);
    return placeholder(place.kind, folded.view(), masking);
}

}  // namespace

std::string placeholder(Kind kind, std::string_view value, const Masking& masking) {
    const std::string_view word = row_of(kind).word;
    std::string text{masking.scope};
    text += '\0';
    text += word;
    text += '\0';
    text += normalised(kind, value);
    const std::string hex = to_hex(keyed_hash(masking.key, text));
    return "[" + std::string{word} + "_" + hex.substr(0, kHexDigits) + "]";
}

std::optional<std::string> redact(std::string_view json, Parts parts, const Masking& masking) {
    const auto places = places_in(json, parts, masking.kinds);
    if (places.empty()) return {};
    std::string out;
    out.reserve(json.size() + 16 * places.size());
    std::size_t done = 0;
    for (const Place& place : places) {
        out += json.substr(done, place.begin - done);
        if (place.is_number) out += '"';
        out += placeholder_of(json, place, masking);
        if (place.is_number) out += '"';
        done = place.end;
    }
    out += json.substr(done);
    return out;
}

std::optional<std::string> redact(std::string_view json, const Masking& masking) {
    return redact(json, {&json, 1}, masking);
}

std::string redact_words(std::string_view text, const Masking& masking) {
    std::vector<Finding> findings;
    find_settled(text, masking.kinds, {}, findings);
    std::string out;
    std::size_t done = 0;
    for (const Finding& finding : findings) {
        out += text.substr(done, finding.begin - done);
        Folded folded;
        fold(text.substr(finding.begin, finding.end - finding.begin), true, folded);
        out += placeholder(finding.kind, folded.view(), masking);
        done = finding.end;
    }
    out += text.substr(done);
    return out;
}

std::vector<Original> originals(std::string_view json, Parts parts, const Masking& masking) {
    std::vector<Original> found;
    for (const Place& place : places_in(json, parts, masking.kinds)) {
        found.push_back({placeholder_of(json, place, masking),
                         json.substr(place.begin, place.end - place.begin),
                         place.is_number});
    }
    std::ranges::stable_sort(found, {}, &Original::placeholder);
    return found;
}

std::vector<Original> originals(std::string_view json, const Masking& masking) {
    return originals(json, {&json, 1}, masking);
}

std::optional<std::string> restore(std::string_view json, std::span<const Original> originals) {
    if (originals.empty()) return {};
    std::string out;
    std::size_t done = 0;
    for (auto i = json.find('['); i != std::string_view::npos; i = json.find('[', i + 1)) {
        if (!placeholder_begins(json, i)) continue;
        const std::size_t end = json.find(']', i) + 1;
        const std::string_view name = json.substr(i, end - i);
        const auto original = std::ranges::lower_bound(originals, name, {}, &Original::placeholder);
        if (original == originals.end() || original->placeholder != name) continue;
        // A number that is all of a string was a number.
        const bool is_all = before(json, i) == '"' && before(json, i - 1) != '\\' &&
                            at(json, end) == '"' && !is_key(json, end + 1);
        const std::size_t quote = original->is_number && is_all ? 1 : 0;
        out += json.substr(done, i - quote - done);
        out += original->written;
        done = end + quote;
    }
    if (done == 0) return {};
    out += json.substr(done);
    return out;
}

}  // namespace parlance::personal
