// SPDX-License-Identifier: GPL-3.0-or-later
// How GradScaler looks at an optimizer's gradients, and what it says of those it cannot take.
#include "core/engine/grad_scaler.h"
#include "core/engine/module.h"
#include "core/engine/optimizer.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mantissa {

namespace {

constexpr std::size_t kMostNames = 8;

std::string listed(std::vector<std::string> names)
{
    const auto count = names.size();
    if (count > kMostNames)
        names.resize(kMostNames);
    return fmt::format("{}{}", fmt::join(names, ", "),
        count > kMostNames ? fmt::format(" and {} more", count - kMostNames) : std::string());
}

/// The numbers of a sparse gradient. Two fp16 entries of one index may overflow only when added:
/// the sum takes the gradient's place first, as in PyTorch.
at::Tensor valuesOf(at::Tensor parameter)
{
    auto gradient = parameter.grad();
    if (gradient.scalar_type() == at::kHalf) {
        gradient = gradient.coalesce();
        parameter.mutable_grad() = gradient;
    }
    return gradient._values();
}

} // namespace

Result<std::vector<at::Tensor>> GradScaler::gradientsOf(Optimizer& optimizer, Check purpose)
{
    std::vector<at::Tensor> gradients;
    gradients.reserve(optimizer.parameters().size());
    for (const auto& parameter : optimizer.parameters()) {
        const auto& gradient = parameter.grad();
        if (!gradient.defined())
            continue;
        if (gradient.scalar_type() == at::kHalf && purpose == Check::Unscale)
            return fail(fp16Message(optimizer));
        if (gradient.layout() == at::kStrided)
            gradients.push_back(gradient);
        else if (gradient.layout() == at::kSparse)
            gradients.push_back(valuesOf(parameter));
        else
            return fail(fmt::format("the gradient of {} has a layout that is not allowed; allowed: "
                                    "dense, or sparse in coordinates (COO)",
                nameOf(parameter, gradients.size())));
    }
    return gradients;
}

Result<void> GradScaler::check(Optimizer& optimizer, OptimizerState& state, Check purpose)
{
    const at::NoGradGuard noGrad;
    const auto gradients = gradientsOf(optimizer, purpose);
    if (!gradients)
        return tl::unexpected(gradients.error());
    if (gradients->empty())
        return {};
    if (auto usable = checkScale(purpose); !usable)
        return usable;
    const auto device = gradients->front().device();
    const auto isThere = [&](const at::Tensor& one) { return one.device() == device; };
    if (std::all_of(gradients->begin(), gradients->end(), isThere)) {
        checkOnDevice(*gradients, state, device, purpose);
    } else {
        std::vector<std::pair<at::Device, std::vector<at::Tensor>>> groups;
        for (const auto& gradient : *gradients) {
            auto group = std::find_if(groups.begin(), groups.end(),
                [&](const auto& one) { return one.first == gradient.device(); });
            if (group == groups.end())
                group = groups.insert(groups.end(), {gradient.device(), {}});
            group->second.push_back(gradient);
        }
        for (const auto& [where, list] : groups)
            checkOnDevice(list, state, where, purpose);
    }
    state.recorded = true;
    return {};
}

/// 1 / scale is infinite below 2^-128: finite gradients would become inf after they were found
/// clean, and the optimizer would step with them. On a CUDA device nobody can look without waiting.
Result<void> GradScaler::checkScale(Check purpose) const
{
    if (purpose != Check::Unscale || !m_scale.device().is_cpu())
        return {};
    const double scale = *m_scale.const_data_ptr<float>();
    if (std::isfinite(static_cast<float>(1.0 / scale)))
        return {};
    return fail(
        fmt::format("the loss scale has fallen to {}: gradients cannot be divided by it. "
                    "They overflowed step after step, whatever the scale; look at the loss, "
                    "and give scaler.min_scale a value, for example 0.0001",
            scale));
}

void GradScaler::checkOnDevice(const std::vector<at::Tensor>& gradients, OptimizerState& state,
    at::Device device, Check purpose)
{
    auto found = std::find_if(state.found.begin(), state.found.end(),
        [&](const FoundInf& one) { return one.device == device; });
    if (found == state.found.end())
        found = state.found.insert(
            state.found.end(), {device, at::zeros({}, m_scale.options().device(device))});
    else if (purpose != Check::LookAgain)
        found->value.zero_();
    at::_amp_foreach_non_finite_check_and_unscale_(
        gradients, found->value, factorFor(device, purpose));
}

/// What the kernel multiplies by. With 1 it only looks.
at::Tensor GradScaler::factorFor(at::Device device, Check purpose)
{
    if (purpose != Check::Unscale)
        return device == m_scale.device() ? m_one : m_one.to(device, true);
    // The reciprocal is formed in double and rounded once, as PyTorch does.
    if (m_scale.device().is_cpu()) {
        const double scale = *m_scale.const_data_ptr<float>();
        *m_inverse.mutable_data_ptr<float>() = static_cast<float>(1.0 / scale);
    } else {
        m_inverse = m_scale.to(at::kDouble).reciprocal_().to(at::kFloat);
    }
    return device == m_scale.device() ? m_inverse : m_inverse.to(device, true);
}

void GradScaler::nameParameters(const std::vector<NamedTensor>& parameters)
{
    for (const auto& parameter : parameters)
        m_names[parameter.tensor.unsafeGetTensorImpl()] = parameter.name;
}

std::string GradScaler::nameOf(const at::Tensor& parameter, std::size_t index) const
{
    const auto found = m_names.find(parameter.unsafeGetTensorImpl());
    return found != m_names.end() ? found->second : fmt::format("number {}", index);
}

std::string GradScaler::fp16Message(const Optimizer& optimizer) const
{
    std::vector<std::string> names;
    const auto& parameters = optimizer.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].grad().defined() && parameters[i].grad().scalar_type() == at::kHalf)
            names.push_back(nameOf(parameters[i], i));
    }
    return fmt::format("Attempting to unscale FP16 gradients of {} parameters ({}): their small "
                       "values are lost already. Keep these parameters in fp32 and let autocast "
                       "cast them, or give the optimizer an fp32 master copy",
        names.size(), listed(names));
}

std::string GradScaler::whyNoGradient(const Optimizer& optimizer) const
{
    std::vector<std::string> frozen;
    std::vector<std::string> unreached;
    const auto& parameters = optimizer.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].grad().defined())
            continue;
        (parameters[i].requires_grad() ? unreached : frozen).push_back(nameOf(parameters[i], i));
    }
    if (unreached.empty() && frozen.empty())
        return "it holds no parameters";
    std::string text =
        fmt::format("none of its {} parameters has a gradient.", unreached.size() + frozen.size());
    if (!frozen.empty())
        text += fmt::format(" Frozen (requires_grad is false): {}.", listed(frozen));
    if (!unreached.empty())
        text +=
            fmt::format(" Trainable, but backward() did not reach them: {}. Either the loss has "
                        "no path to them (it was detached, or rebuilt as a new tensor), or the "
                        "optimizer holds other tensors than the model (it was made before the "
                        "model was moved)",
                listed(unreached));
    return text;
}

} // namespace mantissa
