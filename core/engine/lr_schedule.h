// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"

#include <cstdint>

namespace mantissa {

/// The learning rate as a function of the applied steps: a skipped step never advances it.
/// With k applied steps so far, w warm-up steps and n steps in all:
///   k < w:     lr * (k + 1) / w
///   constant:  lr
///   step:      lr * gamma^floor((k - w) / step_size)
///   cosine:    lr * (1 + cos(pi * (k - w) / max(1, n - w))) / 2, 0 from k = n on.
class LrScheduleFunction {
public:
    LrScheduleFunction(const TrainConfig& config, std::int64_t totalSteps);

    double at(std::int64_t appliedSteps) const;

    double gamma() const { return m_gamma; }
    std::int64_t stepSize() const { return m_stepSize; }
    LrSchedule kind() const { return m_kind; }
    double base() const { return m_base; }
    std::int64_t warmup() const { return m_warmup; }
    std::int64_t decaySteps() const { return m_decaySteps; } ///< max(1, n - w)

private:
    LrSchedule m_kind;
    double m_base;
    double m_gamma;
    std::int64_t m_stepSize;
    std::int64_t m_warmup;
    std::int64_t m_decaySteps;
};

} // namespace mantissa
