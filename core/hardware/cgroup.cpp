// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/number_text.h"
#include "core/hardware/machine.h"
#include "core/hardware/open_file.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>

namespace mantissa {

namespace fs = std::filesystem;

namespace {

bool hasWord(const std::string& commaList, const std::string& word)
{
    return ("," + commaList + ",").find("," + word + ",") != std::string::npos;
}

/// A mounted hierarchy and this process's place in it.
struct Place {
    fs::path mount;
    std::string path; ///< "/a/b"
    bool isV2 = false;
};

std::vector<Place> placesOf(const fs::path& root, const std::string& controller)
{
    std::vector<Place> places;
    std::ifstream stream(root / "proc/self/cgroup");
    for (std::string line; std::getline(stream, line);) {
        // "0::/path" (version 2) or "4:cpu,cpuacct:/path" (version 1)
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
            continue;
        const auto controllers = line.substr(first + 1, second - first - 1);
        const auto path = line.substr(second + 1);
        const auto base = root / "sys/fs/cgroup";
        if (controllers.empty())
            places.push_back({base, path, true});
        else if (hasWord(controllers, controller))
            places.push_back({base / controller, path, false});
    }
    return places;
}

/// The lowest limit from the process's cgroup up to the mount point. In a container the path may
/// be the host's and not be there below the mount; then the mount point itself is ours.
template <typename T>
std::optional<T> lowest(
    const Place& place, const std::function<std::optional<T>(const fs::path&)>& read)
{
    std::optional<T> best;
    fs::path relative = fs::path(place.path).relative_path();
    for (;;) {
        if (const auto limit = read(place.mount / relative); limit && (!best || *limit < *best))
            best = limit;
        if (relative.empty())
            return best;
        relative = relative.parent_path();
    }
}

std::optional<double> cpuLimitV2(const fs::path& folder)
{
    std::istringstream words(firstLine(folder / "cpu.max"));
    std::string quota;
    std::string period;
    words >> quota >> period;
    const auto q = parseDouble(quota);
    const auto p = parseDouble(period);
    return q && p && *q > 0 && *p > 0 ? std::optional(*q / *p) : std::nullopt;
}

std::optional<double> cpuLimitV1(const fs::path& folder)
{
    const auto quota = parseDouble(firstLine(folder / "cpu.cfs_quota_us"));
    const auto period = parseDouble(firstLine(folder / "cpu.cfs_period_us"));
    return quota && period && *quota > 0 && *period > 0 ? std::optional(*quota / *period)
                                                        : std::nullopt;
}

std::optional<std::int64_t> memoryLimitV2(const fs::path& folder)
{
    return parseInt(firstLine(folder / "memory.max"));
}

std::optional<std::int64_t> memoryLimitV1(const fs::path& folder)
{
    const auto limit = parseInt(firstLine(folder / "memory.limit_in_bytes"));
    // "No limit" is the largest multiple of the page size.
    constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;
    return limit && *limit < kNoLimit ? limit : std::nullopt;
}

template <typename T>
std::optional<T> lowestOfAll(const fs::path& root, const std::string& controller,
    std::optional<T> (*v1)(const fs::path&), std::optional<T> (*v2)(const fs::path&))
{
    std::optional<T> best;
    for (const auto& place : placesOf(root, controller)) {
        const auto limit = lowest<T>(place, place.isV2 ? v2 : v1);
        if (limit && (!best || *limit < *best))
            best = limit;
    }
    return best;
}

} // namespace

std::optional<double> cgroupCpuLimit(const fs::path& root)
{
    return lowestOfAll<double>(root, "cpu", cpuLimitV1, cpuLimitV2);
}

std::optional<std::int64_t> cgroupMemoryLimit(const fs::path& root)
{
    return lowestOfAll<std::int64_t>(root, "memory", memoryLimitV1, memoryLimitV2);
}

} // namespace mantissa
