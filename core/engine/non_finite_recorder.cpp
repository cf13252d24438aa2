// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/non_finite_recorder.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <utility>

namespace mantissa {

namespace {

bool isFinite(const at::Tensor& tensor)
{
    return at::isfinite(tensor).all().item<bool>();
}

/// Largest magnitude of what is finite.
double largestFinite(const at::Tensor& tensor)
{
    const auto values = tensor.detach().to(at::kDouble);
    const auto finite = at::where(at::isfinite(values), values.abs(), at::zeros_like(values));
    return finite.numel() > 0 ? finite.max().item<double>() : 0;
}

} // namespace

NonFiniteRecorder::NonFiniteRecorder(
    const std::vector<NamedTensor>& parameters, std::optional<NonFiniteTensor> watched)
    : m_parameters(parameters)
    , m_watched(std::move(watched))
{
    for (const auto& [name, tensor] : m_parameters) {
        look({{}, TensorPlace::Parameter, name}, tensor);
        if (!tensor.requires_grad())
            continue;
        m_hooks.push_back(
            tensor.register_hook([this, spot = Spot{{}, TensorPlace::ParameterGradient, name}](
                                     const at::Tensor& gradient) { look(spot, gradient); }));
    }
}

NonFiniteRecorder::~NonFiniteRecorder()
{
    auto hook = m_hooks.begin();
    for (const auto& [name, tensor] : m_parameters) {
        if (tensor.requires_grad() && hook != m_hooks.end())
            tensor.remove_hook(*hook++);
    }
}

void NonFiniteRecorder::before(const Module& module, const at::Tensor& input)
{
    look({module.path(), TensorPlace::Input}, input);
    hook({module.path(), TensorPlace::InputGradient}, input);
}

void NonFiniteRecorder::after(
    const Module& module, const at::Tensor& /*input*/, const at::Tensor& output)
{
    look({module.path(), TensorPlace::Output, {}, !module.children().empty()}, output);
    hook({module.path(), TensorPlace::OutputGradient}, output);
}

void NonFiniteRecorder::look(TensorPlace place, const at::Tensor& tensor)
{
    look(Spot{{}, place}, tensor);
}

void NonFiniteRecorder::lookAtGradientSums()
{
    for (const auto& [name, tensor] : m_parameters) {
        if (tensor.grad().defined())
            look({{}, TensorPlace::GradientSum, name}, tensor.grad());
    }
}

void NonFiniteRecorder::hook(const Spot& spot, const at::Tensor& tensor)
{
    if (tensor.requires_grad() && !tensor.is_leaf())
        tensor.register_hook([this, spot](const at::Tensor& gradient) { look(spot, gradient); });
}

/// Two modules share a border, and a border may be that of a module and of its first part: the
/// module whose backward made the gradient is the better name.
bool NonFiniteRecorder::isBetterName(const Spot& spot, const at::Tensor& tensor) const
{
    return spot.place == TensorPlace::InputGradient && m_firstTensor.is_same(tensor)
        && (m_first->place == TensorPlace::OutputGradient
            || (m_first->place == TensorPlace::InputGradient
                && spot.module.starts_with(m_first->module)));
}

void NonFiniteRecorder::look(const Spot& spot, const at::Tensor& tensor)
{
    if (!tensor.defined() || !tensor.is_floating_point())
        return;
    if (m_watched && !m_watchedLargest && m_watched->module == spot.module
        && m_watched->place == spot.place && m_watched->parameter == spot.parameter)
        m_watchedLargest = largestFinite(tensor);
    if (m_first) {
        if (isBetterName(spot, tensor))
            m_first->module = spot.module, m_first->place = spot.place;
        return;
    }
    if (!isFinite(tensor))
        note(spot, tensor);
}

void NonFiniteRecorder::note(const Spot& spot, const at::Tensor& tensor)
{
    NonFiniteTensor found;
    found.module = spot.module;
    found.place = spot.place;
    found.parameter = spot.parameter;
    found.hasChildren = spot.hasChildren;
    found.type = c10::toString(tensor.scalar_type());
    found.elements = tensor.numel();
    found.nans = at::isnan(tensor).sum().item<std::int64_t>();
    found.infs = at::isinf(tensor).sum().item<std::int64_t>();
    found.largestFinite = largestFinite(tensor);
    m_first = std::move(found);
    m_firstTensor = tensor;
    m_microBatchOfFirst = m_microBatch;
}

} // namespace mantissa
