// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>
#include <optional>
#include <string>

namespace mantissa {

/// An autocast region of the calling thread for one device type: from construction to
/// destruction the listed operators run in `dtype` (or, with `enabled` false, autocast is off).
/// Restores enabled, dtype and cache flag, also when an exception passes; nests, and clears the
/// cast cache when the last region ends, so that no step trains on casts of old weights.
///
/// One region per forward pass; never around the optimizer's step. Must be destroyed on the thread
/// that created it, in reverse order of creation. A new thread starts outside every region: give
/// it a guard of its own. Backward needs none: it repeats the casts that forward recorded.
///
/// As torch.autocast in Python: a type that the device's autocast does not take (see
/// autocastProblem()) warns and leaves the region off; a device without autocast throws c10::Error.
class AutocastGuard {
public:
    AutocastGuard(
        c10::DeviceType device, c10::ScalarType dtype, bool cache = true, bool enabled = true);
    ~AutocastGuard();
    AutocastGuard(const AutocastGuard&) = delete;
    AutocastGuard& operator=(const AutocastGuard&) = delete;

private:
    c10::DeviceType m_device;
    c10::ScalarType m_oldDtype;
    bool m_oldEnabled;
    bool m_oldCache;
};

/// Why autocast of `device` cannot run in `dtype` on this machine: the CPU takes bf16 and fp16,
/// CUDA any type where there is a CUDA device. Nothing if it can.
std::optional<std::string> autocastProblem(c10::DeviceType device, c10::ScalarType dtype);

} // namespace mantissa
