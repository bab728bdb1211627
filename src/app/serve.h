// `parlance serve`: builds the rooms, joins them, and runs the hub until stopped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/desk.h"
#include "gateway/notifier.h"
#include "journal/journal.h"
#include "model/limits.h"
#include "model/personal.h"
#include "transport/transport.h"

namespace parlance::app {

struct ServeOptions {
    std::string data = "./.parlance";
    std::string host = "127.0.0.1";
    std::uint16_t port = 7420;
    bool is_dev = false;
    bool is_quiet = false;
    std::vector<std::string> hosts{};  ///< Accepted host names, in addition to known names.
    TlsFiles tls{};                    ///< Empty: the files of `parlance cert init`, if any.
    Limits limits;
    bool has_hub_bytes_max = false;  ///< Configured; else a share of the machine's memory.
    PersonalPolicy personal;
    gateway::NotifierOptions notifier;  ///< How people are notified of human tasks.
    transport::DoorLimits doors;
    std::size_t outgoing_max = 1024;  ///< Concurrent calls to endpoints.
    journal::Options journal;
    std::uint64_t snapshot_records_min = 500'000;
    std::uint64_t scrub_bytes_per_second = std::uint64_t{4} << 20;  ///< 0: no scrub.
    Duration scrub_pause{std::chrono::minutes{10}};                 ///< Between two rounds.
};

/// Reads parlance.toml over the defaults. The error for an unknown key or a bad value names the
/// key.
Result<void> read_config(const std::string& path, ServeOptions& options);

/// A TOML file as JSON, for data that either format may hold.
Result<std::string> read_toml(const std::string& path);

/// Returns the exit code of the process.
int serve(ServeOptions options);

}  // namespace parlance::app
