// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/profile_query.h"
#include "core/storage/run_store.h"

#include <functional>
#include <stop_token>
#include <string_view>

namespace mantissa {

/// Profiles of a stored run's settings and of its 32-bit twin's, taken one after the other after
/// the run: none of their steps is in the run's figures.
struct RunProfiles {
    StepProfile run;
    std::optional<StepProfile> baseline; ///< none for a run in 32 bits
};

/// Kind of the event that holds them: data "profile" and "baseline".
inline constexpr std::string_view kProfiledEvent = "profiled";

/// Takes them now, each in a worker of its own (see profileVariant()), and stores them with the
/// run. The baseline is the run that fp32TwinOf() gives, else the run's own settings in fp32.
/// Refused while the run is on. `tell` is called with what is being done. Blocks, some 10 s.
[[nodiscard]] Result<RunProfiles> profileStoredRun(RunStore& store, std::int64_t run,
    const WorkerProgram& worker, const std::function<void(const std::string&)>& tell,
    std::stop_token stop = {});

/// The newest ones among a run's events; nothing if there are none that can be read.
std::optional<RunProfiles> profilesOf(const std::vector<LifecycleEvent>& events);

} // namespace mantissa
