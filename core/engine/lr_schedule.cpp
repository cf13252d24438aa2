// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/lr_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mantissa {

LrScheduleFunction::LrScheduleFunction(const TrainConfig& config, std::int64_t totalSteps)
    : m_kind(config.schedule)
    , m_base(config.lr)
    , m_gamma(config.gamma)
    , m_stepSize(config.stepSize)
    , m_warmup(config.warmupSteps)
    , m_decaySteps(std::max<std::int64_t>(1, totalSteps - config.warmupSteps))
{
}

double LrScheduleFunction::at(std::int64_t appliedSteps) const
{
    if (appliedSteps < m_warmup)
        return m_base * static_cast<double>(appliedSteps + 1) / static_cast<double>(m_warmup);
    if (m_kind == LrSchedule::Constant)
        return m_base;
    if (m_kind == LrSchedule::Step)
        return m_base
            * std::pow(m_gamma, static_cast<double>((appliedSteps - m_warmup) / m_stepSize));
    const double share = static_cast<double>(std::min(appliedSteps - m_warmup, m_decaySteps))
        / static_cast<double>(m_decaySteps);
    return m_base * (1.0 + std::cos(std::numbers::pi * share)) / 2.0;
}

} // namespace mantissa
