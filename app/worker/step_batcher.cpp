// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/step_batcher.h"

#include "app/worker/event_sender.h"
#include "core/run/series_info.h"

namespace mantissa {

namespace {

constexpr std::chrono::milliseconds kInterval{50};
constexpr std::int64_t kMostSteps = 256;

} // namespace

StepBatcher::StepBatcher(EventSender& sender, const Layout& layout)
    : m_sender(sender)
{
    const auto column = [this](std::string_view name, double StepRecord::*field) {
        m_columns.push_back({field, {std::string(name), {}}});
    };
    column(series::kLoss, &StepRecord::loss);
    if (layout.scaler) {
        column(series::kScale, &StepRecord::scale);
        column(series::kGrowthTracker, &StepRecord::growthTracker);
        column(series::kFoundInf, &StepRecord::foundInf);
    }
    if (layout.gradNorm)
        column(series::kGradNorm, &StepRecord::gradNorm);
    column(series::kLr, &StepRecord::lr);
    column(series::kStepMs, &StepRecord::stepMs);
    column(series::kDataWaitMs, &StepRecord::dataWaitMs);
    column(series::kSamplesPerSecond, &StepRecord::samplesPerSecond);
    column(series::kTimeS, &StepRecord::timeS);
    column(series::kMemoryBytes, &StepRecord::memoryBytes);
    column(series::kPeakMemoryBytes, &StepRecord::peakMemoryBytes);
    if (layout.cuda)
        column(series::kReservedBytes, &StepRecord::reservedBytes);
}

void StepBatcher::add(const StepRecord& record)
{
    if (m_count == 0)
        m_firstStep = record.step;
    ++m_count;
    for (auto& column : m_columns)
        column.series.values.push_back(record.*column.field);
}

void StepBatcher::add(LifecycleEvent event)
{
    m_events.push_back(std::move(event));
}

void StepBatcher::tick(std::chrono::steady_clock::time_point now)
{
    if (m_count < kMostSteps && now - m_lastFlush < kInterval)
        return;
    m_lastFlush = now;
    flush();
}

void StepBatcher::flush()
{
    if (m_count > 0) {
        Samples samples{m_firstStep, m_count, {}};
        for (auto& column : m_columns) {
            samples.series.push_back({column.series.name, {}});
            samples.series.back().values.swap(column.series.values);
            column.series.values.reserve(kMostSteps);
        }
        m_count = 0;
        m_sender.send(std::move(samples));
    }
    for (auto& event : m_events)
        m_sender.send(std::move(event));
    m_events.clear();
}

} // namespace mantissa
