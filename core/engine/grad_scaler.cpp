// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/grad_scaler.h"

#include "core/engine/optimizer.h"
#include "core/engine/tensor_value.h"
#include "core/numerics/loss_scale_policy.h"
#include "core/numerics/scaler_setting.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace mantissa {

namespace {

tl::unexpected<Error> notScaledYet(const char* function)
{
    return fail(fmt::format(
        "{}() was called before scale(): the scaler has no scale yet (_scale is None)", function));
}

} // namespace

GradScaler::GradScaler(const ScalerConfig& config, bool enabled, Decision decision)
    : m_config(config)
    , m_enabled(enabled)
    , m_decision(decision)
    , m_initScale(makeLossScalePolicy(config)->state().scale)
{
}

GradScaler::~GradScaler() = default;

at::Tensor GradScaler::scale(const at::Tensor& output)
{
    if (!m_enabled)
        return output;
    if (!m_scale.defined())
        createTensors(output);
    if (output.device() == m_scale.device())
        return output * m_scale;
    return output * m_scale.to(output.device(), true);
}

Result<void> GradScaler::unscale(Optimizer& optimizer)
{
    if (!m_enabled)
        return {};
    if (!m_scale.defined())
        return notScaledYet("unscale");
    auto& state = stateOf(optimizer);
    if (state.stage == Stage::Unscaled)
        return fail("unscale() has already been called on this optimizer since the last update()");
    if (state.stage == Stage::Stepped)
        return fail("unscale() is being called after step()");
    auto checked = check(optimizer, state, true, false);
    if (checked)
        state.stage = Stage::Unscaled;
    return checked;
}

Result<StepOutcome> GradScaler::step(Optimizer& optimizer)
{
    if (!m_enabled) {
        optimizer.step();
        return StepOutcome::Stepped;
    }
    if (!m_scale.defined())
        return notScaledYet("step");
    auto& state = stateOf(optimizer);
    if (state.stage == Stage::Stepped)
        return fail("step() has already been called since the last update()");
    const bool onDevice = m_decision == Decision::Device
        || (m_decision == Decision::Auto && m_scale.device().is_cuda());
    auto outcome = onDevice ? stepOnDevice(optimizer, state) : stepOnHost(optimizer, state);
    if (outcome)
        state.stage = Stage::Stepped;
    return outcome;
}

Result<StepOutcome> GradScaler::stepOnHost(Optimizer& optimizer, OptimizerState& state)
{
    if (state.stage == Stage::Ready) {
        const auto unscaled = unscale(optimizer);
        if (!unscaled)
            return tl::unexpected(unscaled.error());
    }
    if (!state.recorded)
        return fail("No inf checks were recorded for this optimizer: none of its parameters has a "
                    "gradient");
    if (floatValue(state.foundInf) != 0)
        return StepOutcome::Skipped;
    optimizer.step();
    return StepOutcome::Stepped;
}

Result<StepOutcome> GradScaler::stepOnDevice(Optimizer& optimizer, OptimizerState& state)
{
    StepControl control;
    if (state.stage == Stage::Ready) {
        // The gradients stay scaled: the optimizer's kernel divides them.
        const auto checked = check(optimizer, state, false, true);
        if (!checked)
            return tl::unexpected(checked.error());
        control.gradScale = m_scale;
    }
    if (state.recorded)
        control.foundInf = state.foundInf;
    optimizer.step(control);
    return StepOutcome::FoundInfDecides;
}

Result<void> GradScaler::check(
    Optimizer& optimizer, OptimizerState& state, bool unscale, bool allowFp16)
{
    const at::NoGradGuard noGrad;
    const auto gradients = optimizer.gradients();
    for (const auto& gradient : gradients) {
        if (gradient.layout() != at::kStrided)
            return fail("a gradient is sparse; allowed: dense gradients");
        if (gradient.scalar_type() == at::kHalf && !allowFp16)
            return fail("Attempting to unscale FP16 gradients: keep the parameters in fp32");
        if (gradient.device() != gradients.front().device())
            return fail("an optimizer's gradients lie on different devices; allowed: one device");
    }
    if (gradients.empty())
        return {};
    if (!state.foundInf.defined())
        state.foundInf = at::zeros({}, m_scale.options());
    else
        state.foundInf.zero_();
    const auto one = unscale ? inverseScale() : at::ones({}, m_scale.options());
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, state.foundInf, one);
    state.recorded = true;
    return {};
}

const at::Tensor& GradScaler::inverseScale()
{
    // The reciprocal is formed in double and rounded once, as PyTorch does.
    if (m_scale.device().is_cpu()) {
        const double scale = *m_scale.const_data_ptr<float>();
        *m_inverse.mutable_data_ptr<float>() = static_cast<float>(1.0 / scale);
    } else {
        m_inverse = m_scale.to(at::kDouble).reciprocal_().to(at::kFloat);
    }
    return m_inverse;
}

Result<void> GradScaler::update()
{
    if (!m_enabled)
        return {};
    if (!m_scale.defined())
        return notScaledYet("update");
    const auto found = combinedFoundInf();
    if (!found.defined())
        return fail("No inf checks were recorded prior to update()");
    if (m_config.policy == ScalerPolicy::Pytorch) {
        at::_amp_update_scale_(m_scale, m_tracker, found, m_config.growthFactor,
            m_config.backoffFactor, m_config.growthInterval);
        bound();
    }
    endIteration();
    return {};
}

Result<void> GradScaler::update(double newScale)
{
    if (!m_enabled)
        return {};
    if (!m_scale.defined())
        return notScaledYet("update");
    const auto scale = checkedScale(m_config, newScale);
    if (!scale)
        return tl::unexpected(scale.error());
    m_scale.fill_(*scale);
    endIteration();
    return {};
}

at::Tensor GradScaler::combinedFoundInf() const
{
    at::Tensor sum;
    for (const auto& state : m_states) {
        if (!state.recorded)
            continue;
        const auto found = state.foundInf.device() == m_scale.device()
            ? state.foundInf
            : state.foundInf.to(m_scale.device(), true);
        sum = sum.defined() ? sum + found : found;
    }
    return sum;
}

void GradScaler::bound()
{
    if (m_config.minScale)
        m_scale.clamp_min_(*m_config.minScale);
    if (m_config.maxScale)
        m_scale.clamp_max_(*m_config.maxScale);
}

void GradScaler::endIteration()
{
    for (auto& state : m_states) {
        state.stage = Stage::Ready;
        state.recorded = false;
    }
}

void GradScaler::createTensors(const at::Tensor& like)
{
    const auto options = like.options().requires_grad(false);
    m_scale = at::full({}, m_initScale, options.dtype(at::kFloat));
    m_tracker = at::full({}, m_initTracker, options.dtype(at::kInt));
    m_inverse = at::ones({}, options.dtype(at::kFloat));
}

GradScaler::OptimizerState& GradScaler::stateOf(const Optimizer& optimizer)
{
    for (auto& state : m_states) {
        if (state.optimizer == &optimizer)
            return state;
    }
    m_states.push_back({&optimizer, Stage::Ready, false, {}});
    return m_states.back();
}

const GradScaler::OptimizerState* GradScaler::findState(const Optimizer& optimizer) const
{
    for (const auto& state : m_states) {
        if (state.optimizer == &optimizer)
            return &state;
    }
    return nullptr;
}

at::Tensor GradScaler::foundInf(const Optimizer& optimizer) const
{
    const auto* state = findState(optimizer);
    return state && state->recorded ? state->foundInf : at::Tensor();
}

GradScaler::Stage GradScaler::stage(const Optimizer& optimizer) const
{
    const auto* state = findState(optimizer);
    return state ? state->stage : Stage::Ready;
}

} // namespace mantissa
