// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/lr_schedule.h"

#include <ATen/core/Tensor.h>

namespace mantissa {

/// The applied-step counter and the learning rate as tensors, for a scaler whose found_inf the host
/// does not read. The same formula as LrScheduleFunction, in double. One thread.
class DeviceSchedule {
public:
    DeviceSchedule(const LrScheduleFunction& schedule, at::Device device);

    /// The rate of the next step, fp32, 0-dim.
    at::Tensor rate() const;
    /// The applied steps so far: a 0-dim double on the device (a handle).
    const at::Tensor& applied() const { return m_applied; }
    /// Counts a step unless `foundInf` (0 or 1) says that it was skipped.
    void advance(const at::Tensor& foundInf);

private:
    LrScheduleFunction m_schedule;
    at::Tensor m_applied;
};

} // namespace mantissa
