// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/stats/profiled_call.h"

#include <filesystem>
#include <functional>
#include <vector>

namespace mantissa {

/// Runs `work` under LibTorch's profiler and gives the operators that it called on this thread and
/// on those of its backward passes, with the scopes of kStepScope that it opened. With `cuda` also
/// their kernels' times; wait for the device at the end of `work`. A Chrome trace goes to `trace`
/// unless that is empty.
///
/// Takes LibTorch's memory-reporting slot: suspend a MemoryMeter of this thread before. Throws what
/// LibTorch throws. For windows of some thousand calls: reading them out takes 4 us each.
[[nodiscard]] Result<std::vector<ProfiledCall>> recordCalls(
    const std::function<Result<void>()>& work, bool cuda, const std::filesystem::path& trace);

} // namespace mantissa
