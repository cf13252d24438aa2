// SPDX-License-Identifier: GPL-3.0-or-later
// Documentation/ABI/testing/sysfs-devices-system-cpu and sysfs-devices-node tell these files.
#include "core/base/number_text.h"
#include "core/hardware/machine.h"
#include "core/hardware/open_file.h"

#include <algorithm>
#include <fmt/format.h>

namespace mantissa {

namespace fs = std::filesystem;

namespace {

/// The numbers behind `prefix` of the names in a folder ("index0", "index1"), in order.
std::vector<int> numbered(const fs::path& folder, std::string_view prefix)
{
    std::vector<int> numbers;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const auto name = at->path().filename().string();
        const auto number =
            name.starts_with(prefix) ? parseInt(name.substr(prefix.size())) : std::nullopt;
        if (number)
            numbers.push_back(static_cast<int>(*number));
    }
    std::ranges::sort(numbers);
    return numbers;
}

/// "32K", "8M"; 0 if it is neither.
std::int64_t cacheBytes(std::string text)
{
    std::int64_t unit = 1;
    if (text.ends_with('K') || text.ends_with('M')) {
        unit = text.ends_with('K') ? 1024 : 1024 * 1024;
        text.pop_back();
    }
    return parseInt(text).value_or(0) * unit;
}

/// How many "0-3,8" names: 5; 0 if it cannot be read.
int countOf(const std::string& list)
{
    std::int64_t count = 0;
    for (std::size_t begin = 0; begin < list.size();) {
        const auto end = std::min(list.find(',', begin), list.size());
        const auto part = list.substr(begin, end - begin);
        const auto dash = part.find('-');
        const auto first = parseInt(part.substr(0, dash));
        const auto last = dash == std::string::npos ? first : parseInt(part.substr(dash + 1));
        if (!first || !last || *last < *first)
            return 0;
        count += *last - *first + 1;
        begin = end + 1;
    }
    return static_cast<int>(count);
}

/// "l1d", "l1i", "l2"; empty where a file is not there.
std::string cacheName(const fs::path& folder)
{
    const auto level = parseInt(firstLine(folder / "level"));
    const auto type = firstLine(folder / "type");
    if (!level || type.empty())
        return {};
    return fmt::format("l{}{}", *level, type == "Data" ? "d" : type == "Instruction" ? "i" : "");
}

} // namespace

std::vector<CpuCache> cpuCaches(const fs::path& root)
{
    std::vector<CpuCache> caches;
    const auto folder = root / "sys/devices/system/cpu/cpu0/cache";
    for (const int index : numbered(folder, "index")) {
        const auto cache = folder / fmt::format("index{}", index);
        const auto name = cacheName(cache);
        const auto bytes = cacheBytes(firstLine(cache / "size"));
        if (!name.empty() && bytes > 0)
            caches.push_back({name, bytes, countOf(firstLine(cache / "shared_cpu_list"))});
    }
    std::ranges::sort(caches, {}, &CpuCache::name);
    return caches;
}

std::vector<NumaNode> numaNodes(const fs::path& root)
{
    std::vector<NumaNode> nodes;
    const auto folder = root / "sys/devices/system/node";
    for (const int id : numbered(folder, "node")) {
        const auto node = folder / fmt::format("node{}", id);
        const auto memory = OpenFile(node / "meminfo").read();
        const auto kib =
            memory ? numberAfter(*memory, fmt::format("Node {} MemTotal:", id)) : std::nullopt;
        nodes.push_back(
            {id, firstLine(node / "cpulist"), static_cast<std::int64_t>(kib.value_or(0)) * 1024});
    }
    return nodes;
}

} // namespace mantissa
