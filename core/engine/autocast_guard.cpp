// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/autocast_guard.h"

#include <ATen/autocast_mode.h>

namespace mantissa {

namespace autocast = at::autocast;

AutocastGuard::AutocastGuard(
    c10::DeviceType device, c10::ScalarType dtype, bool cache, bool enabled)
    : m_device(device)
    , m_oldDtype(autocast::get_autocast_dtype(device))
    , m_oldEnabled(autocast::is_autocast_enabled(device))
    , m_oldCache(autocast::is_autocast_cache_enabled())
{
    autocast::set_autocast_dtype(device, dtype);
    autocast::set_autocast_enabled(device, enabled);
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
