// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/step_events.h"

#include "core/base/number_text.h"

#include <cmath>
#include <fmt/format.h>

namespace mantissa {

namespace {

constexpr int kMostPerSecond = 50;

} // namespace

std::vector<LifecycleEvent> StepEvents::of(const StepRecord& record, bool ramp)
{
    std::vector<LifecycleEvent> events;
    const nlohmann::json scales{
        {"scale", numberToJson(record.scale)}, {"new_scale", numberToJson(record.newScale)}};
    const auto change = fmt::format("{} to {}", toText(record.scale), toText(record.newScale));
    if (!std::isfinite(record.loss))
        add(events, event_kind::kNonFiniteLoss, record,
            fmt::format("The loss is {}.", toText(record.loss)),
            {{"loss", numberToJson(record.loss)}});
    if (record.foundInf != 0)
        add(events, event_kind::kStepSkipped, record, "Step skipped: a gradient is inf or NaN.",
            scales);
    if (record.newScale > record.scale && !ramp)
        add(events, event_kind::kScaleGrew, record, "Loss scale grew: " + change + ".", scales);
    if (record.newScale < record.scale)
        add(events, event_kind::kScaleBackedOff, record, "Loss scale backed off: " + change + ".",
            scales);
    return events;
}

void StepEvents::add(std::vector<LifecycleEvent>& events, std::string_view kind,
    const StepRecord& record, std::string message, nlohmann::json data)
{
    auto& rate = m_rates[std::string(kind)];
    if (rate.second < 0 || record.timeS - rate.second >= 1) {
        rate.second = record.timeS;
        rate.count = 0;
    }
    if (++rate.count > kMostPerSecond) {
        ++rate.suppressed;
        return;
    }
    if (rate.suppressed > 0)
        data["suppressed"] = std::exchange(rate.suppressed, 0);
    events.push_back(
        {std::string(kind), record.step, record.timeS, std::move(message), std::move(data)});
}

} // namespace mantissa
