// `parlance serve`: builds each room, joins them, and runs until it is told to stop.
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
    std::vector<std::string> hosts{};  ///< What callers may call the hub, beside what it knows.
    TlsFiles tls{};                    ///< Empty: those of `parlance cert init`, if it made any.
    Limits limits;
    bool has_hub_bytes_max = false;  ///< Configured; else a share of the machine's memory is taken.
    PersonalPolicy personal;
    gateway::NotifierOptions notifier;  ///< How people hear of what waits for them.
    transport::DoorLimits doors;
    std::size_t outgoing_max = 1024;  ///< Calls to endpoints at a time.
    journal::Options journal;
    std::uint64_t snapshot_records_min = 500'000;
    std::uint64_t scrub_bytes_per_second = std::uint64_t{4} << 20;  ///< 0: no scrub.
    Duration scrub_pause{std::chrono::minutes{10}};                 ///< Between two rounds.
};

/// Reads parlance.toml over the defaults. Unknown keys and bad values are errors that name them.
Result<void> read_config(const std::string& path, ServeOptions& options);

/// A TOML file as JSON, for what is the same in both.
Result<std::string> read_toml(const std::string& path);

/// The exit code of the process.
int serve(ServeOptions options);

}  // namespace parlance::app
