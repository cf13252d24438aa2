// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/autocast_guard.h"

#include "core/engine/type_name.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/util/Exception.h>

namespace mantissa {

namespace autocast = at::autocast;

namespace {

bool usable(c10::DeviceType device, c10::ScalarType dtype)
{
    const auto problem = autocastProblem(device, dtype);
    if (problem)
        TORCH_WARN(*problem);
    return !problem;
}

} // namespace

std::optional<std::string> autocastProblem(c10::DeviceType device, c10::ScalarType dtype)
{
    const auto name = c10::DeviceTypeName(device, false);
    if (device == c10::kCUDA) {
        if (!at::hasCUDA())
            return "CUDA is not there: autocast stays off";
        return std::nullopt;
    }
    if (dtype == c10::kBFloat16 || dtype == c10::kHalf)
        return std::nullopt;
    return name + " autocast takes bfloat16 and float16, not " + pythonTypeName(dtype)
        + ": autocast stays off";
}

AutocastGuard::AutocastGuard(
    c10::DeviceType device, c10::ScalarType dtype, bool cache, bool enabled)
    : m_device(device)
    , m_oldDtype(autocast::get_autocast_dtype(device))
    , m_oldEnabled(autocast::is_autocast_enabled(device))
    , m_oldCache(autocast::is_autocast_cache_enabled())
{
    // Before the first change, so that a throw leaves nothing to undo.
    const bool on = enabled && usable(device, dtype);
    autocast::set_autocast_dtype(device, dtype);
    autocast::set_autocast_enabled(device, on);
    autocast::set_autocast_cache_enabled(cache);
    autocast::increment_nesting();
}

AutocastGuard::~AutocastGuard()
{
    if (autocast::decrement_nesting() == 0)
        autocast::clear_cache();
    autocast::set_autocast_cache_enabled(m_oldCache);
    autocast::set_autocast_enabled(m_device, m_oldEnabled);
    autocast::set_autocast_dtype(m_device, m_oldDtype);
}

} // namespace mantissa
