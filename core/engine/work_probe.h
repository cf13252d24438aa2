// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/capability.h"

#include <c10/core/Device.h>
#include <functional>
#include <vector>

namespace mantissa {

class CheckTimer;

/// Measures one kind of work in all formats within about `budgetMs`, size by size; at each size the
/// formats take turns, forward then backward, so that what disturbs the machine disturbs all of
/// them. The smallest size runs in any case. Gives a cell for each CheckFormat, in its order; what
/// throws is an unsupported cell. `computesIn` tells the hardware flag of a format.
std::vector<CheckCell> probeWork(CheckWork work, c10::Device device, CheckTimer& timer,
    double budgetMs, const std::function<bool(CheckFormat)>& computesIn);

} // namespace mantissa
