// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/schema_watch.h"

#include "core/config/schema_bind.h"

namespace mantissa::schema {

namespace {

using S = Settings;
using W = WatchConfig;
using D = DebugConfig;

void addDebug(std::vector<KeySpec>& keys)
{
    auto locate = bind<&S::debug, &D::locate>("debug.locate");
    locate.help =
        "Replay a step that goes wrong and name its first tensor that is not finite, and why";
    auto every = bind<&S::debug, &D::locateEvery>("debug.locate_every");
    every.range = closed(1, 1e7);
    every.unit = "steps";
    every.help = "Steps from one such replay to the next for the same trouble at least";
    auto anomaly = bind<&S::debug, &D::anomaly>("debug.anomaly");
    anomaly.help = "LibTorch's anomaly mode: the run ends at the first NaN of a backward pass and "
                   "names the operation; slow";
    for (const auto& spec : {locate, every, anomaly})
        keys.push_back(spec);
}

} // namespace

void addWatch(std::vector<KeySpec>& keys)
{
    auto enabled = bind<&S::watch, &W::enabled>("watch.enabled");
    enabled.help = "Whether a run raises alerts; each carries a hypothesis of the cause";
    keys.push_back(enabled);
    const auto add = [&keys](KeySpec spec, double most, std::string_view unit, const char* help) {
        spec.range = closed(0, most);
        spec.unit = unit;
        spec.zeroMeans = "off";
        spec.help = help;
        keys.push_back(spec);
    };
    add(bind<&S::watch, &W::consecutiveSkips>("watch.consecutive_skips"), 1e6, "steps",
        "Alert after so many skipped steps in a row");
    add(bind<&S::watch, &W::scaleLow>("watch.scale_low"), 1e30, "",
        "Alert when the loss scale falls below this");
    add(bind<&S::watch, &W::scaleHigh>("watch.scale_high"), 1e38, "",
        "Alert when the loss scale rises above this");
    add(bind<&S::watch, &W::skipPercent>("watch.skip_percent"), 100, "%",
        "Alert when more of the last 1,000 steps were skipped");
    add(bind<&S::watch, &W::skipsPerEpoch>("watch.skips_per_epoch"), 1e6, "steps",
        "Alert when more steps of an epoch were skipped");
    add(bind<&S::watch, &W::freeGrowths>("watch.free_growths"), 1000, "growths",
        "Alert when a scale that bf16 or fp32 does not need has grown so often without a skip");
    add(bind<&S::watch, &W::memoryGain>("watch.memory_gain"), 100, "%",
        "Alert when a 16-bit variant saves less memory than this against the first variant in "
        "fp32 or tf32");
    add(bind<&S::watch, &W::speedGain>("watch.speed_gain"), 1000, "%",
        "Alert when a 16-bit variant is not this much faster than the first variant in fp32 or "
        "tf32");
    addDebug(keys);
}

} // namespace mantissa::schema
