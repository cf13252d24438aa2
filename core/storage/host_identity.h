// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace mantissa {

/// Which process ran something: enough to tell later whether that very process still lives.
struct HostIdentity {
    std::int64_t pid = 0;
    std::int64_t startTicks = 0; ///< start time of the process in clock ticks since boot
    std::string bootId;
    std::string pidNamespace; ///< containers count processes on their own
    std::string hostName;

    bool operator==(const HostIdentity&) const = default;
};

/// This process.
HostIdentity currentHost();

/// Whether the process of `host` is gone, seen from this process. Where that cannot be known
/// (another machine or container) it counts as gone once its heartbeat is `kForeignTimeoutMs` old.
bool isGone(const HostIdentity& host, std::int64_t heartbeatMs, std::int64_t nowMs);

inline constexpr std::int64_t kForeignTimeoutMs = 60'000;

} // namespace mantissa
