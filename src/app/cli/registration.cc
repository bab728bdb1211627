#include "app/cli/registration.h"

#include "base/json.h"
#include "base/json_write.h"

namespace parlance::cli {

namespace {

const std::vector<std::string> kDialects{"taskwire", "kessel", "delegation", "sam", "correlation"};

Result<std::string> write_capability(const std::string& typed) {
    if (!typed.starts_with('{')) return json::ObjectWriter{}.text("code", typed).done();
    const auto checked = json::check(typed);
    if (!checked) {
        return fail(Fault::Malformed, "--capability is not JSON: " + checked.error().message);
    }
    return typed;
}

}  // namespace

void add_registration_options(CLI::App& verb, Registration& registration) {
    verb.add_option("--dialect", registration.dialect, "The language it speaks")
        ->check(CLI::IsMember(kDialects))
        ->capture_default_str();
    verb.add_option("--role", registration.role, "What it is, in a word");
    verb.add_option("--domain", registration.domain, "What it is about");
    verb.add_option("--endpoint", registration.endpoint, "Where the hub posts its messages")
        ->type_name("URL");
    verb.add_option("--tool", registration.tools, "A tool it may use; may be repeated");
    verb.add_option("--capability",
                    registration.capabilities,
                    "A code it answers to, or its JSON object; may be repeated");
}

Result<std::string> write_registration(const Registration& registration) {
    json::ObjectWriter writer;
    writer.text("dialect", registration.dialect);
    if (!registration.role.empty()) writer.text("role", registration.role);
    if (!registration.domain.empty()) writer.text("domain", registration.domain);
    if (!registration.endpoint.empty()) writer.text("endpoint", registration.endpoint);
    if (!registration.tools.empty()) {
        std::string list;
        for (const auto& tool : registration.tools) {
            list.push_back(list.empty() ? '[' : ',');
            json::append_quoted(list, tool);
        }
        writer.raw("tools_allowed", list + "]");
    }
    if (!registration.capabilities.empty()) {
        std::string list;
        for (const auto& capability : registration.capabilities) {
            list.push_back(list.empty() ? '[' : ',');
            list += TRY(write_capability(capability));
        }
        writer.raw("capabilities", list + "]");
    }
    return writer.done();
}

}  // namespace parlance::cli
