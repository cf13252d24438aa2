// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/gain_alerts.h"

#include "core/base/human_text.h"
#include "core/base/number_text.h"
#include "core/config/config_io.h"

#include <cmath>
#include <fmt/format.h>

namespace mantissa {

namespace {

/// Steps below this are mostly the cost of starting operators.
constexpr double kShortStepMs = 5;

std::string moreOrLess(double percent, const char* more, const char* less)
{
    return fmt::format("{} % {}", fixedText(std::abs(percent), 0), percent < 0 ? less : more);
}

std::string speedHypothesis(const RunFigures& run)
{
    const auto format = toString(run.precision);
    if (run.formatClass == "emulated" || run.formatClass == "conversion")
        return fmt::format("this device has no fast arithmetic in {} (measured: {}); the format "
                           "costs time here whatever the model is.",
            format, run.formatClass);
    if (run.stepMs < kShortStepMs)
        return "the steps are so short that starting operators and casting weights cost more than "
               "the arithmetic: a larger batch or model shows the format's speed.";
    return "few of the model's operators run in the narrow format, or sizes are no multiples of 8.";
}

} // namespace

Gains gainsOf(const RunFigures& base, const RunFigures& run)
{
    Gains gains;
    if (base.stepsMeasured < kFewestMeasured || run.stepsMeasured < kFewestMeasured)
        return gains;
    if (base.peakMemoryBytes > 0 && run.peakMemoryBytes > 0)
        gains.memory = 100 * (1 - run.peakMemoryBytes / base.peakMemoryBytes);
    if (base.samplesPerSecond > 0 && run.samplesPerSecond > 0)
        gains.speed = 100 * (run.samplesPerSecond / base.samplesPerSecond - 1);
    return gains;
}

std::vector<Alert> gainAlerts(
    const RunFigures& base, const RunFigures& run, const WatchConfig& limits)
{
    std::vector<Alert> alerts;
    const auto gains = gainsOf(base, run);
    if (limits.speedGain > 0 && gains.speed && *gains.speed < limits.speedGain)
        alerts.push_back({alert_kind::kSpeedGain,
            fmt::format("{} is {} than {}; 10 to 30 % faster is usual.", run.variant,
                moreOrLess(*gains.speed, "faster", "slower"), base.variant),
            speedHypothesis(run),
            {{"percent", *gains.speed}, {"base", base.variant},
                {"samples_per_second", run.samplesPerSecond},
                {"base_samples_per_second", base.samplesPerSecond},
                {"format_class", run.formatClass}}});
    if (limits.memoryGain > 0 && gains.memory && *gains.memory < limits.memoryGain)
        alerts.push_back({alert_kind::kMemoryGain,
            fmt::format("{} needs {} memory than {}; 30 to 50 % less is usual.", run.variant,
                moreOrLess(*gains.memory, "less", "more"), base.variant),
            "weights, gradients and the optimizer's state stay in fp32 and autocast keeps 16-bit "
            "copies of the weights; only activations shrink. With a larger batch their share "
            "grows.",
            {{"percent", *gains.memory}, {"base", base.variant},
                {"peak_memory_bytes", run.peakMemoryBytes},
                {"base_peak_memory_bytes", base.peakMemoryBytes}}});
    return alerts;
}

} // namespace mantissa
