// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

namespace mantissa {

/// An autocast region of the calling thread for one device type: from construction to
/// destruction the listed operators run in `dtype` (or, with `enabled` false, autocast is off).
/// Restores enabled, dtype and cache flag, also when an exception passes; nests, and clears the
/// cast cache when the last region ends, so that no step trains on casts of old weights.
///
/// One region per forward pass; never around the optimizer's step. Must be destroyed on the thread
/// that created it, in reverse order of creation.
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

} // namespace mantissa
