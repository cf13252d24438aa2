// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/train_step.h"

#include "core/engine/autocast_guard.h"
#include "core/engine/clip.h"
#include "core/engine/module.h"
#include "core/engine/optimizer.h"
#include "core/engine/precision_setup.h"

namespace mantissa {

EvaluationMode::EvaluationMode(Module& module)
    : m_module(module)
{
    m_module.setTraining(false);
}

EvaluationMode::~EvaluationMode()
{
    m_module.setTraining(true);
}

TrainStep::TrainStep(const Options& options)
    : m_options(options)
{
}

TrainStep::~TrainStep() = default;

void TrainStep::enter(std::optional<AutocastGuard>& region) const
{
    if (const auto type = autocastType(m_options.precision))
        region.emplace(m_options.device, *type, m_options.autocastCache);
}

Result<at::Tensor> TrainStep::treatGradients(GradScaler& scaler, Optimizer& optimizer) const
{
    if (!m_options.gradNorm && m_options.clipNorm <= 0)
        return at::Tensor();
    if (auto unscaled = scaler.unscale(optimizer); !unscaled)
        return tl::unexpected(unscaled.error());
    auto gradients = optimizer.gradients();
    auto norm = globalNorm(gradients);
    if (m_options.clipNorm > 0)
        clipByNorm(gradients, norm, m_options.clipNorm);
    return norm;
}

} // namespace mantissa
