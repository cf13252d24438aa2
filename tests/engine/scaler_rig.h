// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/grad_scaler.h"
#include "core/engine/optimizer.h"

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>

/// What GradScaler's tests scale.
namespace mantissa {

inline ScalerConfig scalerConfig(double init, double growth, double backoff, std::int64_t interval)
{
    ScalerConfig config;
    config.initScale = init;
    config.growthFactor = growth;
    config.backoffFactor = backoff;
    config.growthInterval = interval;
    return config;
}

/// One parameter of ones with a gradient, and SGD of rate 1 without anything else.
struct Rig {
    explicit Rig(double gradient = 4.0, OptimizerKind kind = OptimizerKind::Sgd)
    {
        parameter = at::ones({4}).set_requires_grad(true);
        TrainConfig config;
        config.optimizer = kind;
        config.lr = 1;
        config.momentum = 0;
        config.weightDecay = 0;
        optimizer = makeOptimizer(config, {parameter});
        setGradient(gradient);
    }

    void setGradient(double value) { parameter.mutable_grad() = at::full({4}, value); }
    float value() const { return parameter.const_data_ptr<float>()[0]; }

    at::Tensor parameter;
    std::unique_ptr<Optimizer> optimizer;
};

inline at::Tensor loss()
{
    return at::full({}, 4.0);
}

} // namespace mantissa
