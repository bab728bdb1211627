// Writes the hostile texts into a folder; door.py sends them to a hub.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "hostile.h"

namespace parlance::dialects {
namespace {

void write(const std::filesystem::path& folder, const std::string& name, const std::string& text) {
    std::filesystem::create_directories(folder);
    std::ofstream{folder / name, std::ios::binary} << text;
}

void write_all(const std::filesystem::path& folder) {
    for (const auto& each : hostile_requests()) write(folder / "request", each.name, each.text);
    for (const auto& each : hostile_persons()) write(folder / "person", each.name, each.text);
    for (const auto& each : hostile_strangers()) write(folder / "stranger", each.name, each.text);
    for (const auto& each : hostile_blocks()) write(folder / "block", each.name, each.text);
    for (const auto& each : hostile_instances()) {
        write(folder / "schema", each.name, each.schema);
        write(folder / "instance", each.name, each.text);
    }
}

}  // namespace
}  // namespace parlance::dialects

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "parlance_hostile_texts FOLDER\n";
        return 2;
    }
    parlance::dialects::write_all(argv[1]);
}
