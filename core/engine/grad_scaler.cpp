// SPDX-License-Identifier: GPL-3.0-or-later
// GradScaler's calls in their order. The check of the gradients is in grad_scaler_check.cpp,
// settings and state in grad_scaler_state.cpp.
#include "core/engine/grad_scaler.h"

#include "core/engine/optimizer.h"
#include "core/engine/tensor_value.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace mantissa {

namespace {

tl::unexpected<Error> notScaledYet(const char* function)
{
    return fail(
        fmt::format("{}() was called before scale(): the scaler has no scale yet (_scale is "
                    "None). First scale(loss) and its backward()",
            function));
}

} // namespace

GradScaler::GradScaler(const ScalerConfig& config, bool enabled, Decision decision)
    : m_policy(config)
    , m_enabled(enabled)
    , m_decision(decision)
{
}

GradScaler::~GradScaler() = default;

bool GradScaler::readsFoundInf() const
{
    const auto policy = config().policy;
    return m_enabled && policy != ScalerPolicy::Static && policy != ScalerPolicy::Pytorch;
}

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

std::vector<at::Tensor> GradScaler::scale(const std::vector<at::Tensor>& outputs)
{
    std::vector<at::Tensor> scaled;
    scaled.reserve(outputs.size());
    for (const auto& output : outputs)
        scaled.push_back(scale(output));
    return scaled;
}

Result<void> GradScaler::unscale(Optimizer& optimizer)
{
    if (!m_enabled)
        return {};
    if (!m_scale.defined())
        return notScaledYet("unscale");
    auto& state = stateOf(optimizer);
    if (state.stage == Stage::Unscaled)
        return fail("unscale() has already been called on this optimizer since the last update(): "
                    "the gradients would be divided twice. Call it once a step, after the last "
                    "micro-batch's backward()");
    if (state.stage == Stage::Stepped)
        return fail("unscale() is being called after step(): the gradients are used up. Call it "
                    "before step(), or update() first");
    auto checked = check(optimizer, state, Check::Unscale);
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
        return fail("step() has already been called since the last update(): call update() at the "
                    "end of every iteration");
    const bool onDevice = optimizer.obeysStepControl()
        && (m_decision == Decision::Device
            || (m_decision == Decision::Auto && m_scale.device().is_cuda()));
    auto outcome = onDevice ? stepOnDevice(optimizer, state) : stepOnHost(optimizer, state);
    if (outcome)
        state.stage = Stage::Stepped;
    return outcome;
}

/// `first`: what a step without an unscale() before it does with the gradients.
Result<void> GradScaler::checkBeforeStep(Optimizer& optimizer, OptimizerState& state, Check first)
{
    Result<void> checked;
    if (state.stage == Stage::Ready)
        checked = check(optimizer, state, first);
    else if (config().recheck)
        checked = check(optimizer, state, Check::LookAgain);
    if (checked && !state.recorded)
        return fail("No inf checks were recorded for this optimizer: " + whyNoGradient(optimizer));
    return checked;
}

Result<StepOutcome> GradScaler::stepOnHost(Optimizer& optimizer, OptimizerState& state)
{
    if (auto checked = checkBeforeStep(optimizer, state, Check::Unscale); !checked)
        return tl::unexpected(checked.error());
    for (const auto& found : state.found) {
        if (floatValue(found.value) != 0)
            return StepOutcome::Skipped;
    }
    optimizer.step();
    return StepOutcome::Stepped;
}

Result<StepOutcome> GradScaler::stepOnDevice(Optimizer& optimizer, OptimizerState& state)
{
    const bool wasReady = state.stage == Stage::Ready;
    // Without an unscale() before, the gradients stay scaled: the optimizer's kernel divides them.
    if (auto checked = checkBeforeStep(optimizer, state, Check::LookOnly); !checked)
        return tl::unexpected(checked.error());
    if (state.found.size() > 1)
        return fail("this optimizer's gradients lie on several devices; the fused path takes one "
                    "device. Use an optimizer for each device");
    const auto& found = state.found.front();
    StepControl control;
    control.foundInf = found.value;
    if (wasReady)
        control.gradScale =
            found.device == m_scale.device() ? m_scale : m_scale.to(found.device, true);
    optimizer.step(control);
    return StepOutcome::FoundInfDecides;
}

Result<void> GradScaler::update()
{
    if (!m_enabled)
        return {};
    if (!m_scale.defined())
        return notScaledYet("update");
    const auto all = allFoundInfs();
    if (all.empty())
        return fail(
            "No inf checks were recorded prior to update(): call step() or unscale() for at "
            "least one optimizer first");
    const auto found = combineFoundInf(all, m_scale.device());
    if (readsFoundInf()) {
        m_policy.update(floatValue(found) != 0);
        writeTensors();
    } else if (config().policy == ScalerPolicy::Pytorch) {
        at::_amp_update_scale_(m_scale, m_tracker, found, config().growthFactor,
            config().backoffFactor, config().growthInterval);
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
    const SettingChange change{"scale", newScale};
    if (auto changed = set({&change, 1}); !changed)
        return fail(changed.error().reason);
    endIteration();
    return {};
}

Result<void> GradScaler::update(const at::Tensor& newScale)
{
    if (!m_enabled)
        return {};
    if (!newScale.defined() || newScale.numel() != 1 || newScale.scalar_type() != at::kFloat
        || newScale.requires_grad())
        return fail("update(new_scale): the tensor is not allowed; allowed: one float32 number "
                    "without requires_grad");
    return update(newScale.item<double>());
}

std::vector<at::Tensor> GradScaler::allFoundInfs() const
{
    std::vector<at::Tensor> all;
    for (const auto& state : m_states) {
        for (const auto& found : state.found) {
            if (state.recorded)
                all.push_back(found.value);
        }
    }
    return all;
}

at::Tensor combineFoundInf(const std::vector<at::Tensor>& found, at::Device device)
{
    at::Tensor sum = found.front().to(device, true);
    if (found.size() == 1)
        return sum;
    for (std::size_t i = 1; i < found.size(); ++i)
        sum = sum + found[i].to(device, true);
    return sum.clamp_max_(1);
}

void GradScaler::bound()
{
    if (config().minScale)
        m_scale.clamp_min_(*config().minScale);
    if (config().maxScale)
        m_scale.clamp_max_(*config().maxScale);
}

void GradScaler::endIteration()
{
    for (auto& state : m_states) {
        state.stage = Stage::Ready;
        state.recorded = false;
    }
}

GradScaler::OptimizerState& GradScaler::stateOf(const Optimizer& optimizer)
{
    for (auto& state : m_states) {
        if (state.optimizer == &optimizer)
            return state;
    }
    m_states.push_back({&optimizer, Stage::Ready, {}, false});
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
    if (!state || !state->recorded)
        return {};
    if (state->found.size() == 1)
        return state->found.front().value;
    std::vector<at::Tensor> found;
    for (const auto& one : state->found)
        found.push_back(one.value);
    return combineFoundInf(found, m_scale.device());
}

GradScaler::Stage GradScaler::stage(const Optimizer& optimizer) const
{
    const auto* state = findState(optimizer);
    return state ? state->stage : Stage::Ready;
}

} // namespace mantissa
