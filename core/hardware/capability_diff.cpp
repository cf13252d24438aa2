// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/capability_diff.h"

#include "core/base/human_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace mantissa {

namespace {

using Json = nlohmann::json;

constexpr double kNoise = 0.05;

/// Facts that change from minute to minute say nothing about the machine. A PCIe link slows down
/// while it rests.
constexpr std::array<std::string_view, 13> kVolatile{"foreign_load", "available_memory_bytes",
    "free_bytes", "memory_used_bytes", "temperature_c", "power_w", "clocks", "sm_mhz", "memory_mhz",
    "utilisation_percent", "cpu_mhz", "pcie_generation", "pcie_width"};

bool isVolatile(const std::string& path)
{
    const auto key = path.substr(path.rfind('/') + 1);
    return std::find(kVolatile.begin(), kVolatile.end(), key) != kVolatile.end();
}

/// "/machine/kernel" -> its text; lists stay whole.
void flatten(const Json& json, const std::string& path, std::map<std::string, std::string>& facts)
{
    if (json.is_object()) {
        for (const auto& [key, value] : json.items())
            flatten(value, path.empty() ? key : fmt::format("{}/{}", path, key), facts);
    } else if (!isVolatile(path)) {
        facts[path] = json.is_string() ? json.get<std::string>() : json.dump();
    }
}

void compareFacts(const CapabilityCard& before, const CapabilityCard& after,
    std::vector<CapabilityChange>& changes)
{
    std::map<std::string, std::string> old;
    std::map<std::string, std::string> now;
    flatten(before.facts, {}, old);
    flatten(after.facts, {}, now);
    old["device"] = before.device.name;
    now["device"] = after.device.name;
    old["threads"] = std::to_string(before.threads);
    now["threads"] = std::to_string(after.threads);
    std::set<std::string> keys;
    for (const auto* facts : {&old, &now}) {
        for (const auto& [key, value] : *facts)
            keys.insert(key);
    }
    const auto textOf = [](const auto& facts, const std::string& key) {
        const auto found = facts.find(key);
        return found == facts.end() ? std::string("not told") : found->second;
    };
    for (const auto& key : keys) {
        const auto was = textOf(old, key);
        const auto is = textOf(now, key);
        if (was != is)
            changes.push_back({key, was, is, std::nullopt});
    }
}

/// The largest shape that both measured.
const CheckPoint* samePoint(const CheckCell& cell, const CheckPoint& point)
{
    const auto found = std::find_if(cell.points.begin(), cell.points.end(),
        [&](const CheckPoint& other) { return other.shape == point.shape; });
    return found == cell.points.end() ? nullptr : &*found;
}

bool overNoise(const Quartiles& before, const Quartiles& after)
{
    const bool apart = before.upper < after.lower || after.upper < before.lower;
    return apart && std::abs(after.median / before.median - 1.0) > kNoise;
}

std::string figure(const CheckPoint& point, CheckWork work)
{
    return fmt::format("{} ({})", rateText(point.rate(), isBandwidth(work)), point.shape);
}

void compareCell(
    const CheckCell& before, const CheckCell& after, std::vector<CapabilityChange>& changes)
{
    const auto what = fmt::format("{}, {}", title(after.work), toString(after.format));
    if (before.formatClass != after.formatClass)
        changes.push_back({what, std::string(toString(before.formatClass)),
            std::string(toString(after.formatClass)), std::nullopt});
    for (auto point = after.points.rbegin(); point != after.points.rend(); ++point) {
        const auto* old = samePoint(before, *point);
        if (!old)
            continue;
        if (overNoise(old->ms, point->ms))
            changes.push_back({what, figure(*old, after.work), figure(*point, after.work),
                point->ms.median / old->ms.median});
        return;
    }
}

} // namespace

std::vector<CapabilityChange> compareCards(
    const CapabilityCard& before, const CapabilityCard& after)
{
    std::vector<CapabilityChange> changes;
    compareFacts(before, after, changes);
    for (const auto& cell : after.cells) {
        if (const auto* old = before.find(cell.work, cell.format))
            compareCell(*old, cell, changes);
    }
    return changes;
}

} // namespace mantissa
