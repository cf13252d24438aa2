// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/device_schedule.h"

#include <ATen/ATen.h>
#include <numbers>

namespace mantissa {

DeviceSchedule::DeviceSchedule(const LrScheduleFunction& schedule, at::Device device)
    : m_schedule(schedule)
    , m_applied(at::zeros({}, at::TensorOptions(device).dtype(at::kDouble)))
{
}

at::Tensor DeviceSchedule::rate() const
{
    const auto warmup = static_cast<double>(m_schedule.warmup());
    at::Tensor rate;
    if (m_schedule.kind() == LrSchedule::Constant) {
        rate = at::full_like(m_applied, m_schedule.base());
    } else if (m_schedule.kind() == LrSchedule::Step) {
        const auto drops = (m_applied - warmup)
                               .div_(static_cast<double>(m_schedule.stepSize()))
                               .floor_()
                               .clamp_min_(0.0);
        rate = at::pow(m_schedule.gamma(), drops).mul_(m_schedule.base());
    } else {
        const auto length = static_cast<double>(m_schedule.decaySteps());
        const auto share = ((m_applied - warmup) / length).clamp_(0.0, 1.0);
        rate = (share.mul_(std::numbers::pi).cos_() + 1.0).mul_(m_schedule.base() / 2.0);
    }
    if (m_schedule.warmup() > 0) {
        const auto rising = (m_applied + 1.0) * (m_schedule.base() / warmup);
        rate = at::where(m_applied < warmup, rising, rate);
    }
    return rate.to(at::kFloat);
}

void DeviceSchedule::advance(const at::Tensor& foundInf)
{
    m_applied.add_(1.0).sub_(foundInf);
}

} // namespace mantissa
