// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/custom_function.h"

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

namespace mantissa {

namespace autocast = at::autocast;
using torch::autograd::AutogradContext;

namespace {

constexpr const char* kDevice = "mantissa_autocast_device";
constexpr const char* kType = "mantissa_autocast_dtype";
constexpr const char* kUsed = "mantissa_autocast_used";

} // namespace

CustomForward::CustomForward(
    AutogradContext* context, c10::DeviceType device, std::optional<c10::ScalarType> castInputs)
    : m_device(device)
{
    const bool inRegion = autocast::is_autocast_enabled(device);
    const auto type = autocast::get_autocast_dtype(device);
    auto& saved = context->saved_data;
    saved[kDevice] = static_cast<std::int64_t>(device);
    saved[kType] = static_cast<std::int64_t>(type);
    saved[kUsed] = inRegion && !castInputs;
    if (!inRegion || !castInputs)
        return;
    m_type = castInputs;
    m_off.emplace(device, type, autocast::is_autocast_cache_enabled(), false);
}

at::Tensor CustomForward::cast(const at::Tensor& input) const
{
    const bool eligible = m_type && input.defined() && input.is_floating_point()
        && input.device().type() == m_device && input.scalar_type() != at::kDouble;
    return eligible ? input.to(*m_type) : input;
}

CustomBackward::CustomBackward(AutogradContext* context)
{
    const auto& saved = context->saved_data;
    const auto device = saved.find(kDevice);
    TORCH_CHECK(device != saved.end(),
        "CustomBackward: forward() must begin with a CustomForward on the same context");
    m_region.emplace(static_cast<c10::DeviceType>(device->second.toInt()),
        static_cast<c10::ScalarType>(saved.at(kType).toInt()),
        autocast::is_autocast_cache_enabled(), saved.at(kUsed).toBool());
}

} // namespace mantissa
