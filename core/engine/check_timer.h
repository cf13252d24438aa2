// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/engine/cuda_plugin.h"
#include "core/hardware/capability.h"

#include <c10/core/Device.h>
#include <functional>
#include <memory>

namespace mantissa {

/// Times work on a device: by the steady clock on a CPU, by events on CUDA. One thread.
class CheckTimer {
public:
    virtual ~CheckTimer() = default;
    [[nodiscard]] static Result<std::unique_ptr<CheckTimer>> create(
        c10::Device device, const CudaPlugin& plugin);

    /// Milliseconds from the start of `work` to the end of all it began on the device.
    virtual double milliseconds(const std::function<void()>& work) = 0;
    /// Times work of a length that a second clock knows: on a CPU a wait by the raw monotonic
    /// clock, on CUDA products between two full synchronisations.
    virtual ClockTest test() = 0;
};

} // namespace mantissa
