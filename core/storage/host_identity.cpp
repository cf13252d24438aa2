// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/host_identity.h"

#include "core/base/number_text.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <unistd.h>

namespace mantissa {

namespace {

std::string readLine(const std::string& file)
{
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

/// Start time of a process that still runs; nothing for none and for a zombie.
std::optional<std::int64_t> startTicksOf(std::int64_t pid)
{
    const auto stat = readLine("/proc/" + std::to_string(pid) + "/stat");
    // The program's name stands in parentheses and may contain anything, also parentheses.
    const auto nameEnd = stat.rfind(')');
    if (nameEnd == std::string::npos)
        return std::nullopt;
    std::istringstream rest(stat.substr(nameEnd + 1));
    std::string field;
    rest >> field;
    if (field == "Z" || field == "X")
        return std::nullopt;
    // The state is field 3 of proc(5), the start time field 22.
    for (int number = 4; number <= 22; ++number)
        rest >> field;
    return parseInt(field);
}

} // namespace

HostIdentity currentHost()
{
    HostIdentity host;
    host.pid = ::getpid();
    host.startTicks = startTicksOf(host.pid).value_or(0);
    host.bootId = readLine("/proc/sys/kernel/random/boot_id");
    std::error_code error;
    host.pidNamespace = std::filesystem::read_symlink("/proc/self/ns/pid", error).string();
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) == 0)
        host.hostName = name.data();
    return host;
}

bool isGone(const HostIdentity& host, std::int64_t heartbeatMs, std::int64_t nowMs)
{
    const auto here = currentHost();
    if (host.bootId == here.bootId && host.pidNamespace == here.pidNamespace)
        return startTicksOf(host.pid) != host.startTicks;
    if (host.hostName == here.hostName && host.bootId != here.bootId)
        return true; // this machine has been started again since
    return nowMs - heartbeatMs > kForeignTimeoutMs;
}

} // namespace mantissa
