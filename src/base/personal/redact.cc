#include "base/personal/redact.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/personal/characters.h"
#include "base/personal/detectors.h"
#include "base/personal/fold.h"
#include "base/sha256.h"

namespace parlance::personal {

namespace {

constexpr std::size_t kHexDigits = 8;
/// A shorter number is an amount or a count.
constexpr std::size_t kNumberDigitsMin = 8;
constexpr std::string_view kAnyPlaceholder = "[X_00000000]";
constexpr int kRoundsMax = 4;

/// The end, after the closing quote, of the string whose inside begins here.
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

/// The settings for searching a string.
struct Search {
    Kinds kinds;
    const Label& label;
    bool is_path;
    Patience& patience;
};

/// The text with a dummy placeholder at each finding.
std::string masked(std::string_view text, std::span<const Finding> findings) {
    std::string out;
    out.reserve(text.size() + findings.size() * kAnyPlaceholder.size());
    std::size_t done = 0;
    for (const Finding& finding : findings) {
        out += text.substr(done, finding.begin - done);
        out += kAnyPlaceholder;
        done = finding.end;
    }
    out += text.substr(done);
    return out;
}

/// Maps findings in the masked text to the unmasked text.
void unmask(std::span<const Finding> findings, std::vector<Finding>& more) {
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

/// A path or a JSON pointer: a step between two slashes may be a key with personal data, though the
/// same bytes in prose would not match.
void find_in_steps(std::string_view path, const Search& search, std::vector<Finding>& findings) {
    const std::vector<Finding> in_all = findings;
    auto next = in_all.begin();
    std::vector<Finding> in_step;
    for (std::size_t begin = path.find('/') + 1; begin < path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        if (!search.patience.has(end - begin)) break;
        in_step.clear();
        find_escaped(
            path.substr(begin, end - begin), search.kinds, search.label, in_step, &search.patience);
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

void find_once(std::string_view text, const Search& search, std::vector<Finding>& findings) {
    find_escaped(text, search.kinds, search.label, findings, &search.patience);
    if (search.is_path) find_in_steps(text, search, findings);
}

/// A longer text is searched again only around findings: kAround bytes to each side. Findings
/// within kEdge of the stretch's edge are ignored, because text beyond the edge could change their
/// meaning.
constexpr std::size_t kWholeMax = 2'048;
constexpr std::size_t kAround = 256;
constexpr std::size_t kEdge = 128;

/// The stretch around the first finding, extended over nearby findings.
TextRange around(std::string_view text, std::span<const Finding> fresh) {
    if (text.size() <= kWholeMax) return {0, text.size()};
    TextRange span{fresh[0].begin - std::min(fresh[0].begin, kAround), 0};
    for (const Finding& finding : fresh) {
        if (span.end != 0 && finding.begin > span.end + kAround) break;
        span.end = std::min(finding.end + kAround, text.size());
    }
    return span;
}

/// The findings inside the stretch, which is extended to end between findings.
std::span<const Finding> inside(const std::vector<Finding>& findings, TextRange& span) {
    const auto first =
        std::ranges::upper_bound(findings, span.begin, {}, &Finding::end) - findings.begin();
    const auto behind =
        std::ranges::lower_bound(findings, span.end, {}, &Finding::begin) - findings.begin();
    const auto found = std::span{findings}.subspan(static_cast<std::size_t>(first),
                                                   static_cast<std::size_t>(behind - first));
    span.begin = std::min(span.begin, found.front().begin);
    span.end = std::max(span.end, found.back().end);
    return found;
}

/// The findings in one stretch after its known findings are masked.
void look_again_at(std::string_view text,
                   const TextRange& span,
                   std::span<const Finding> found,
                   const Search& search,
                   std::vector<Finding>& more) {
    std::vector<Finding> known{found.begin(), found.end()};
    for (Finding& finding : known) {
        finding.begin -= span.begin;
        finding.end -= span.begin;
    }
    const std::string_view stretch = text.substr(span.begin, span.end - span.begin);
    std::vector<Finding> here;
    find_once(masked(stretch, known), search, here);
    unmask(known, here);
    const std::size_t least = span.begin == 0 ? 0 : kEdge;
    const std::size_t most = stretch.size() - (span.end == text.size() ? 0 : kEdge);
    for (const Finding& finding : here) {
        if (finding.begin < least || finding.end > most) continue;
        more.push_back({finding.kind, finding.begin + span.begin, finding.end + span.begin});
    }
}

/// Searches until nothing new is found: masking can expose a number that matches only then, and
/// redacting a redacted text must change nothing.
void find_settled(std::string_view text, const Search& search, std::vector<Finding>& findings) {
    find_once(text, search, findings);
    std::vector<Finding> fresh = findings;
    std::vector<Finding> more;
    for (int round = 0; round < kRoundsMax && !fresh.empty(); ++round) {
        more.clear();
        for (std::span<const Finding> left = fresh; !left.empty();) {
            TextRange span = around(text, left);
            const auto found = inside(findings, span);
            if (!search.patience.has(span.end - span.begin)) break;
            look_again_at(text, span, found, search, more);
            while (!left.empty() && left[0].begin < span.end) left = left.subspan(1);
        }
        findings.insert(findings.end(), more.begin(), more.end());
        std::ranges::sort(findings, {}, &Finding::begin);
        std::swap(fresh, more);
    }
}

/// A finding in JSON.
struct Place {
    Kind kind;
    std::size_t begin;
    std::size_t end;
    bool is_number = false;
    bool is_in_key = false;
    bool is_in_path = false;
};

/// Walks the keys, strings and numbers of a stretch of JSON, each with its key as label.
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

    void under(std::string_view label) { label_ = {label}; }

  private:
    void open() {
        if (depth_ < around_.size()) around_[depth_] = label_;
        ++depth_;
    }

    void close() {
        label_ = label_around();
        if (depth_ > 0) --depth_;
    }

    /// The label of the open object.
    const Label& label_around() const {
        static const Label none{.cues = 0};
        return depth_ > 0 && depth_ <= around_.size() ? around_[depth_ - 1] : none;
    }

    std::size_t look_at_string(std::size_t begin) {
        const std::size_t end = string_end(json_, begin);
        const std::string_view inside = json_.substr(begin, end - 1 - begin);
        const bool names = is_key(json_, end);
        const Search search{.kinds = kinds_,
                            .label = names ? label_around() : label_,
                            .is_path = is_path(inside),
                            .patience = patience_};
        findings_.clear();
        find_settled(inside, search, findings_);
        for (const Finding& finding : findings_) {
            places_.push_back({.kind = finding.kind,
                               .begin = begin + finding.begin,
                               .end = begin + finding.end,
                               .is_in_key = names,
                               .is_in_path = search.is_path});
        }
        if (names) label_ = {inside};
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
        find(json_.substr(begin, end - begin), kinds_, label_, findings_);
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
    Label label_;
    std::array<Label, 16> around_{};  ///< The labels of the open objects.
    std::size_t depth_ = 0;
    std::vector<Finding> findings_;
    Patience patience_;
};

/// The key before a value: the string before a colon.
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

/// Distinguishes placeholders: the first bits of a keyed hash.
using Tag = std::uint32_t;

void append_placeholder(std::string& out, Kind kind, Tag tag) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += '[';
    out += row_of(kind).word;
    out += '_';
    for (std::size_t n = kHexDigits; n-- > 0;) out += kDigits[tag >> (4 * n) & 0xFU];
    out += ']';
}

/// Whether the text may read differently than written.
bool may_be_disguised(std::string_view written) {
    return std::ranges::any_of(written, [](char c) {
        return is_beyond_ascii(c) || c == '\\' || c == '%' || c == '&' || c == '~';
    });
}

/// The decoded text; valid until the next call.
std::string_view meant(std::string_view written) {
    if (!may_be_disguised(written)) return written;
    thread_local Folded folded;
    thread_local Folded decoded;
    fold(written, true, folded);
    if (!has_codes(folded.view())) return folded.view();
    decode(folded, decoded);
    return decoded.view();
}

/// Computes tags of values. The common prefix is hashed once.
class Tags {
  public:
    explicit Tags(const Masking& masking)
        : hash_{masking.key, std::string{masking.scope}.append(1, '\0')} {}

    /// A `salt` changes the tag.
    Tag of(Kind kind, std::string_view value, std::string_view salt = {}) {
        text_.assign(row_of(kind).word).append(1, '\0');
        append_normalised(kind, value, text_);
        if (!salt.empty()) text_.append(1, '\0').append(salt);
        const Digest digest = hash_.of(text_);
        Tag tag = 0;
        for (std::size_t i = 0; i < sizeof tag; ++i) tag = tag << 8U | digest[i];
        return tag;
    }

  private:
    KeyedSha256 hash_;
    std::string text_;
};

/// The findings and placeholders of a redacted text.
class Mask {
  public:
    Mask(std::string_view json, Parts parts, const Masking& masking)
        : json_(json), places_(places_in(json, parts, masking.kinds)) {
        if (places_.empty()) return;
        name(masking, {});
        const bool has_keys = std::ranges::any_of(places_, &Place::is_in_key);
        if (!has_keys) return;
        // Two spellings of one value can be two keys of one object, and a key can equal a
        // placeholder. All keys then get placeholders that the author cannot predict.
        for (int round = 1; round <= kRoundsMax && !json::check(text(), json::kDepthMadeMax);
             ++round) {
            const KeyedSha256 hash{masking.key, json};
            name(masking, std::to_string(round) + to_hex(hash.of({})));
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
            append_placeholder(out, place.kind, tags_[i]);
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
            found.push_back({.placeholder = {},
                             .written = written_at(place),
                             .is_number = place.is_number,
                             .is_in_path = place.is_in_path});
            append_placeholder(found.back().placeholder, place.kind, tags_[i]);
        }
        std::ranges::stable_sort(found, {}, &Original::placeholder);
        return found;
    }

  private:
    std::string_view written_at(const Place& place) const {
        return json_.substr(place.begin, place.end - place.begin);
    }

    /// With a salt only keys get new tags.
    void name(const Masking& masking, const std::string& salt) {
        Tags tags{masking};
        tags_.resize(places_.size());
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const std::string_view written = written_at(places_[i]);
            if (salt.empty()) {
                tags_[i] = tags.of(places_[i].kind, meant(written));
            } else if (places_[i].is_in_key) {
                tags_[i] = tags.of(places_[i].kind, meant(written), salt + std::string{written});
            }
        }
    }

    std::string_view json_;
    std::vector<Place> places_;
    std::vector<Tag> tags_;  ///< One for each place.
};

/// The text outside of a JSON pointer.
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

/// The text inside of a JSON pointer.
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

/// "[LICENCE_1f9c03ab]", and room for longer words.
constexpr std::size_t kPlaceholderMax = 24;

/// The placeholder that begins here, in its issued case, since repeating agents may change the
/// case. Empty if none.
std::string placeholder_at(std::string_view text, std::size_t place) {
    std::string name{text.substr(place, text.substr(place, kPlaceholderMax).find(']') + 1)};
    const std::size_t digits = name.find('_');
    if (digits == std::string::npos) return {};
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        if (i < digits && c >= 'a' && c <= 'z') name[i] = static_cast<char>(c - 'a' + 'A');
        if (i > digits && c >= 'A' && c <= 'Z') name[i] = static_cast<char>(c - 'A' + 'a');
    }
    return placeholder_begins(name, 0) ? name : std::string{};
}

/// One pass over JSON with placeholders.
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
            const std::string name = placeholder_at(json_, i);
            if (name.empty()) continue;
            const std::size_t end = i + name.size();
            const Original* const original = original_of(name);
            if (original == nullptr) continue;
            const bool is_in_key = stands_in_key(end);
            has_keys_ = has_keys_ || is_in_key;
            if (is_in_key && !with_keys) continue;
            // A string that holds only a number's placeholder becomes a number again.
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

    /// Whether the string that contains `place` is a key.
    bool stands_in_key(std::size_t place) {
        if (place >= string_end_) {
            string_end_ = string_end(json_, place);
            // Computed once per string: a megabyte of spaces may follow, and the string may hold
            // thousands of placeholders.
            is_in_key_ = is_key(json_, string_end_);
        }
        return is_in_key_;
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

    /// Whether the string examined last is a path.
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
    std::size_t string_end_ = 0;  ///< End of the string examined last.
    std::size_t path_end_ = 0;    ///< End of the string that is_path_ describes.
    bool is_in_key_ = false;
    bool is_path_ = false;
    bool has_keys_ = false;
};

}  // namespace

std::string placeholder(Kind kind, std::string_view value, const Masking& masking) {
    std::string out;
    append_placeholder(out, kind, Tags{masking}.of(kind, value));
    return out;
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
    Patience patience;
    const Label none;
    find_settled(
        text,
        {.kinds = masking.kinds, .label = none, .is_path = is_path(text), .patience = patience},
        findings);
    if (findings.empty()) return std::string{text};
    Tags tags{masking};
    std::string out;
    std::size_t done = 0;
    for (const Finding& finding : findings) {
        out += text.substr(done, finding.begin - done);
        const std::string_view written = text.substr(finding.begin, finding.end - finding.begin);
        append_placeholder(out, finding.kind, tags.of(finding.kind, meant(written)));
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
    // An answer may contain a value beside its placeholder: two keys must not become equal.
    const bool is_json = !way.has_keys() || json::check(out, json::kDepthMadeMax);
    if (!is_json) out = way.text(false);
    if (out.empty()) return {};
    return out;
}

}  // namespace parlance::personal
