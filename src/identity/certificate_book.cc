#include "identity/certificate_book.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_write.h"

namespace parlance::identity {

namespace {

std::int64_t ms_of(Time time) { return time.time_since_epoch().count(); }

Result<CertificateRecord> read_record(json::Value value) {
    std::string spare;
    const auto serial = json::find(value, "serial");
    const auto agent = json::find(value, "agent");
    const auto expires = json::find(value, "expires");
    const auto revoked = json::find(value, "revoked");
    const bool is_right = serial && serial->is_string() && agent && agent->is_string() && expires &&
                          expires->integer() && revoked &&
                          (revoked->is_null() || revoked->integer());
    if (!is_right) return fail(Fault::Corrupt, "a certificate lacks a member");
    CertificateRecord record{.serial = std::string{serial->text(spare)},
                             .agent = std::string{agent->text(spare)},
                             .expires = Time{Duration{*expires->integer()}}};
    if (!revoked->is_null()) record.revoked = Time{Duration{*revoked->integer()}};
    return record;
}

/// "00:AB:0C" and "ab0c" are the same number; nothing if the text is no serial number.
std::optional<std::string> serial_in(std::string_view text) {
    std::string serial;
    for (const char c : text) {
        if (c == ':') continue;
        const auto byte = static_cast<unsigned char>(c);
        if (std::isxdigit(byte) == 0) return std::nullopt;
        serial.push_back(static_cast<char>(std::tolower(byte)));
    }
    serial.erase(0, std::min(serial.find_first_not_of('0'), serial.size()));
    constexpr std::size_t kSerialDigitsMax = 40;  // RFC 5280: at most 20 bytes.
    if (serial.empty() || serial.size() > kSerialDigitsMax) return std::nullopt;
    return serial;
}

}  // namespace

std::string_view standing_of(const CertificateRecord& record, Time now) {
    if (record.revoked) return "revoked";
    return now >= record.expires ? "expired" : "valid";
}

std::string write_certificates(const std::vector<CertificateRecord>& records) {
    std::string out = "{\"certificates\":[";
    for (const auto& record : records) {
        out += out.back() == '[' ? "\n" : ",\n";
        out += json::ObjectWriter{}
                   .text("serial", record.serial)
                   .text("agent", record.agent)
                   .integer("expires", ms_of(record.expires))
                   .raw("revoked", record.revoked ? std::to_string(ms_of(*record.revoked)) : "null")
                   .done();
    }
    return out + "\n]}\n";
}

Result<std::vector<CertificateRecord>> read_certificates(std::string_view text) {
    if (const auto checked = json::check(text); !checked) {
        return fail(Fault::Corrupt, checked.error().message);
    }
    const auto root = json::root(text);
    const auto list = root.is_object() ? json::find(root, "certificates") : std::nullopt;
    if (!list || !list->is_array()) return fail(Fault::Corrupt, "it has no list of certificates");
    std::vector<CertificateRecord> records;
    for (json::Elements elements{*list}; elements.next();) {
        if (!elements.value.is_object()) return fail(Fault::Corrupt, "a certificate is no object");
        records.push_back(TRY(read_record(elements.value)));
    }
    return records;
}

Result<std::vector<CertificateRecord>> list_certificates(const Folder& folder) {
    const auto text = TRY(folder.read(kCertificateFile));
    if (!text) return std::vector<CertificateRecord>{};
    auto records = read_certificates(*text);
    if (records) return records;
    return fail(Fault::Corrupt,
                fmt::format("{} is damaged: {}; restore it from a backup",
                            folder.path_of(kCertificateFile),
                            records.error().message));
}

Result<void> add_certificate(const Folder& folder, CertificateRecord record) {
    auto records = TRY(list_certificates(folder));
    records.push_back(std::move(record));
    return folder.write(kCertificateFile, write_certificates(records));
}

Result<std::vector<CertificateRecord>> revoke_certificates(const Folder& folder,
                                                           std::string_view agent_or_serial,
                                                           Time now) {
    TRY(folder.check_is_there());
    const auto lock = TRY(folder.lock());
    auto records = TRY(list_certificates(folder));
    const auto serial = serial_in(agent_or_serial);
    std::vector<CertificateRecord> revoked;
    bool is_known = false;
    for (auto& record : records) {
        if (record.agent != agent_or_serial && record.serial != serial) continue;
        is_known = is_known || record.serial == serial;
        if (record.revoked) continue;
        record.revoked = now;
        revoked.push_back(record);
    }
    // An unknown serial may belong to another authority that the hub trusts.
    if (revoked.empty() && !is_known && serial) {
        records.push_back({.serial = *serial, .expires = Time{}, .revoked = now});
        revoked.push_back(records.back());
    }
    if (revoked.empty()) {
        return fail(Fault::NotFound,
                    fmt::format("'{}' has no certificate that could be revoked",
                                json::shortened(agent_or_serial)));
    }
    TRY(folder.write(kCertificateFile, write_certificates(records)));
    return revoked;
}

}  // namespace parlance::identity
