#include "base/personal/redact.h"

#include <algorithm>
#include <array>
#include <memory>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "base/check.h"
#include "base/json.h"
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
/// An event has the message that it is about inside of it.
constexpr std::size_t kDepthMax = 2 * json::kDepthMax;

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

/// Takes what was found in the masked text to where it stands in the text itself.
void unmask(const std::vector<Finding>& findings, std::vector<Finding>& more) {
    std::size_t next = 0;
    std::size_t shift = 0;
    const auto place = [&](std::size_t masked) {
        while (next < findings.size() && masked + shift >= findings[next].begin) {
            shift += findings[next].end - findings[next].begin - kAnyPlaceholder.size();
            ++next;
        }
        return masked + shift;
    };
    for (Finding& finding : more) {
        finding.begin = place(finding.begin);
        finding.end = place(finding.end - 1) + 1;
    }
}

/// A path or a pointer: what stands alone between two of its slashes is a key of somebody's, though
/// it would be none in a line of text.
void find_in_steps(std::string_view path,
                   Kinds kinds,
                   Label label,
                   std::vector<Finding>& findings) {
    const std::vector<Finding> in_all = findings;
    auto next = in_all.begin();
    std::vector<Finding> in_step;
    for (std::size_t begin = path.find('/') + 1; begin < path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        in_step.clear();
        find_escaped(path.substr(begin, end - begin), kinds, label, in_step);
        for (Finding& finding : in_step) {
            finding.begin += begin;
            finding.end += begin;
            while (next != in_all.end() && next->end <= finding.begin) ++next;
            if (next == in_all.end() || next->begin >= finding.end) findings.push_back(finding);
        }
        begin = end + 1;
    }
    std::ranges::sort(findings, {}, &Finding::begin);
}

bool is_path(std::string_view inside) {
    return inside.starts_with('/') || inside.starts_with("\\/");
}

void find_once(std::string_view text, Kinds kinds, Label label, std::vector<Finding>& findings) {
    find_escaped(text, kinds, label, findings);
    if (is_path(text)) find_in_steps(text, kinds, label, findings);
}

/// Finds until there is nothing more to find: what is taken out can leave a number behind that
/// reads as one only then, and what was redacted once must not be redacted again.
void find_settled(std::string_view text, Kinds kinds, Label label, std::vector<Finding>& findings) {
    find_once(text, kinds, label, findings);
    std::vector<Finding> more;
    for (int round = 0; round < kRoundsMax && !findings.empty(); ++round) {
        more.clear();
        find_once(masked(text, findings), kinds, label, more);
        if (more.empty()) return;
        unmask(findings, more);
        findings.insert(findings.end(), more.begin(), more.end());
        std::ranges::sort(findings, {}, &Finding::begin);
    }
}

/// One thing found in JSON.
struct Place {
    Kind kind;
    std::size_t begin;
    std::size_t end;
    bool is_number = false;
    bool is_in_key = false;
    bool is_in_path = false;
};

/// Walks over the keys, strings and numbers of a stretch of JSON, each under the key it stands at.
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
                if (c == '{') open();
                if (c == '}') close();
                ++i;
            }
        }
    }

    void under(std::string_view label) { label_ = label; }

  private:
    void open() {
        if (depth_ < around_.size()) around_[depth_] = label_;
        ++depth_;
    }

    void close() {
        label_ = label_around();
        if (depth_ > 0) --depth_;
    }

    /// Of the object that is open.
    std::string_view label_around() const {
        return depth_ > 0 && depth_ <= around_.size() ? around_[depth_ - 1] : std::string_view{};
    }

    std::size_t look_at_string(std::size_t begin) {
        const std::size_t end = string_end(json_, begin);
        const std::string_view inside = json_.substr(begin, end - 1 - begin);
        const bool names = is_key(json_, end);
        findings_.clear();
        find_settled(inside, kinds_, {names ? label_around() : label_}, findings_);
        for (const Finding& finding : findings_) {
            places_.push_back({.kind = finding.kind,
                               .begin = begin + finding.begin,
                               .end = begin + finding.end,
                               .is_in_key = names,
                               .is_in_path = is_path(inside)});
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
        if (is_all) {
            places_.push_back(
                {.kind = findings_[0].kind, .begin = begin, .end = end, .is_number = true});
        }
        return end;
    }

    std::string_view json_;
    Kinds kinds_;
    std::vector<Place>& places_;
    std::string_view label_;
    std::array<std::string_view, 16> around_{};  ///< The labels of the objects that are open.
    std::size_t depth_ = 0;
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

/// `salt` makes it another one.
std::string placeholder_salted(Kind kind,
                               std::string_view value,
                               const Masking& masking,
                               std::string_view salt) {
    const std::string_view word = row_of(kind).word;
    std::string text{masking.scope};
    text += '\0';
    text += word;
    text += '\0';
    text += normalised(kind, value);
    if (!salt.empty()) text.append(1, '\0').append(salt);
    const std::string hex = to_hex(keyed_hash(masking.key, text));
    return "[" + std::string{word} + "_" + hex.substr(0, kHexDigits) + "]";
}

std::string placeholder_for(Kind kind,
                            std::string_view written,
                            const Masking& masking,
                            std::string_view salt = {}) {
    thread_local Folded folded;
    thread_local Folded decoded;
    fold(written, true, folded);
    if (!has_codes(folded.view())) return placeholder_salted(kind, folded.view(), masking, salt);
    decode(folded, decoded);
    return placeholder_salted(kind, decoded.view(), masking, salt);
}

/// What stands where in the redacted text.
class Mask {
  public:
    Mask(std::string_view json, Parts parts, const Masking& masking)
        : json_(json), places_(places_in(json, parts, masking.kinds)) {
        name(masking, {});
        const bool has_keys = std::ranges::any_of(places_, &Place::is_in_key);
        if (!has_keys) return;
        // Two spellings of one value can be two keys of one object, and a key can be the very text
        // of a placeholder. Then keys have placeholders that nothing in the message can know.
        for (int round = 1; round <= kRoundsMax && !json::check(text(), kDepthMax); ++round) {
            name(masking, std::to_string(round) + to_hex(keyed_hash(masking.key, json)));
        }
    }

    bool is_empty() const { return places_.empty(); }

    std::string text() const {
        std::string out;
        out.reserve(json_.size() + 16 * places_.size());
        std::size_t done = 0;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const Place& place = places_[i];
            out += json_.substr(done, place.begin - done);
            if (place.is_number) out += '"';
            out += names_[i];
            if (place.is_number) out += '"';
            done = place.end;
        }
        out += json_.substr(done);
        return out;
    }

    std::vector<Original> originals() const {
        std::vector<Original> found;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const Place& place = places_[i];
            found.push_back({.placeholder = names_[i],
                             .written = written_at(place),
                             .is_number = place.is_number,
                             .is_in_path = place.is_in_path});
        }
        std::ranges::stable_sort(found, {}, &Original::placeholder);
        return found;
    }

  private:
    std::string_view written_at(const Place& place) const {
        return json_.substr(place.begin, place.end - place.begin);
    }

    void name(const Masking& masking, const std::string& salt) {
        names_.clear();
        for (const Place& place : places_) {
            const std::string_view written = written_at(place);
            const bool is_salted = place.is_in_key && !salt.empty();
            const std::string own = is_salted ? salt + std::string{written} : std::string{};
            names_.push_back(placeholder_for(place.kind, written, masking, own));
        }
    }

    std::string_view json_;
    std::vector<Place> places_;
    std::vector<std::string> names_;  ///< One for each place.
};

/// As it would stand outside of a JSON pointer.
std::string without_tildes(std::string_view written) {
    std::string out;
    for (std::size_t i = 0; i < written.size(); ++i) {
        const char next = at(written, i + 1);
        const bool is_code = written[i] == '~' && (next == '0' || next == '1');
        if (is_code) ++i;
        out += !is_code ? written[i] : (next == '1' ? '/' : '~');
    }
    return out;
}

/// As it must stand inside of a JSON pointer.
std::string with_tildes(std::string_view written) {
    std::string out;
    for (std::size_t i = 0; i < written.size(); ++i) {
        const char c = written[i];
        if (c == '\\' && at(written, i + 1) != '/') {
            out.append(written.substr(i++, 2));
        } else if (c == '~') {
            out += "~0";
        } else if (c == '/') {
            out += "~1";
        } else if (c != '\\') {
            out += c;
        }
    }
    return out;
}

/// One way through JSON with placeholders in it.
class Return {
  public:
    Return(std::string_view json, std::span<const Original> originals, Parts pointers)
        : json_(json), originals_(originals), pointers_(pointers) {}

    bool has_keys() const { return has_keys_; }

    std::string text(bool with_keys) {
        std::string out;
        std::size_t done = 0;
        string_end_ = 0;
        path_end_ = 0;
        for (auto i = json_.find('['); i != std::string_view::npos; i = json_.find('[', i + 1)) {
            if (!placeholder_begins(json_, i)) continue;
            const std::size_t end = json_.find(']', i) + 1;
            const Original* const original = original_of(json_.substr(i, end - i));
            if (original == nullptr) continue;
            const bool is_in_key = stands_in_key(end);
            has_keys_ = has_keys_ || is_in_key;
            if (is_in_key && !with_keys) continue;
            // A number that is all of a string was a number.
            const bool is_all = before(json_, i) == '"' && before(json_, i - 1) != '\\' &&
                                at(json_, end) == '"' && !is_in_key;
            const std::size_t quote = original->is_number && is_all ? 1 : 0;
            out += json_.substr(done, i - quote - done);
            append_written(out, *original, i);
            done = end + quote;
        }
        if (done == 0) return {};
        out += json_.substr(done);
        return out;
    }

  private:
    const Original* original_of(std::string_view name) const {
        const auto found = std::ranges::lower_bound(originals_, name, {}, &Original::placeholder);
        return found != originals_.end() && found->placeholder == name ? &*found : nullptr;
    }

    /// Whether the string that a placeholder ends in here is a key.
    bool stands_in_key(std::size_t place) {
        if (place >= string_end_) string_end_ = string_end(json_, place);
        return is_key(json_, string_end_);
    }

    void append_written(std::string& out, const Original& original, std::size_t place) {
        const std::string_view written = original.written;
        const bool is_plain = written.find_first_of("~/") == std::string_view::npos;
        if (is_plain) {
            out += written;
        } else if (original.is_in_path) {
            out += is_in_pointer(place) || stands_in_path(place) ? std::string{written}
                                                                 : without_tildes(written);
        } else {
            out += is_in_pointer(place) ? with_tildes(written) : std::string{written};
        }
    }

    /// Whether the string that was looked at last is a path.
    bool stands_in_path(std::size_t place) {
        if (path_end_ == string_end_) return is_path_;
        path_end_ = string_end_;
        std::size_t begin = place;
        const auto is_escaped = [this](std::size_t quote) {
            std::size_t slashes = 0;
            while (slashes < quote && json_[quote - slashes - 1] == '\\') ++slashes;
            return slashes % 2 == 1;
        };
        while (begin > 0 && (json_[begin - 1] != '"' || is_escaped(begin - 1))) --begin;
        is_path_ = is_path(json_.substr(begin));
        return is_path_;
    }

    bool is_in_pointer(std::size_t place) const {
        const auto begin_of = [](std::string_view pointer) { return pointer.data(); };
        const char* const byte = json_.data() + place;
        const auto above = std::ranges::upper_bound(pointers_, byte, {}, begin_of);
        return above != pointers_.begin() && byte < (above - 1)->data() + (above - 1)->size();
    }

    std::string_view json_;
    std::span<const Original> originals_;
    Parts pointers_;
    std::size_t string_end_ = 0;  ///< Of the string that was looked at last.
    std::size_t path_end_ = 0;    ///< Of the one that was last asked whether it is a path.
    bool is_path_ = false;
    bool has_keys_ = false;
};

}  // namespace

std::string placeholder(Kind kind, std::string_view value, const Masking& masking) {
    return placeholder_salted(kind, value, masking, {});
}

std::optional<std::string> redact(std::string_view json, Parts parts, const Masking& masking) {
    const Mask mask{json, parts, masking};
    if (mask.is_empty()) return {};
    return mask.text();
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
        const std::string_view written = text.substr(finding.begin, finding.end - finding.begin);
        out += placeholder_for(finding.kind, written, masking);
        done = finding.end;
    }
    out += text.substr(done);
    return out;
}

std::vector<Original> originals(std::string_view json, Parts parts, const Masking& masking) {
    return Mask{json, parts, masking}.originals();
}

std::vector<Original> originals(std::string_view json, const Masking& masking) {
    return originals(json, {&json, 1}, masking);
}

std::optional<std::string> restore(std::string_view json,
                                   std::span<const Original> originals,
                                   Parts pointers) {
    if (originals.empty()) return {};
    Return way{json, originals, pointers};
    std::string out = way.text(true);
    // Who answers may have written a value beside its placeholder: two keys must not become one.
    const bool is_json = !way.has_keys() || json::check(out, kDepthMax);
    if (!is_json) out = way.text(false);
    if (out.empty()) return {};
    return out;
}

}  // namespace parlance::personal
