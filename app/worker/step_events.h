// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/step_record.h"
#include "core/run/run_event.h"

#include <map>
#include <string>
#include <vector>

namespace mantissa {

/// The events a step gives rise to: skipped, scale grew or backed off, loss not finite. At most 50
/// of a kind in a second (the samples hold every step anyway); the next one that is sent says in
/// data.suppressed how many were left out. One thread.
class StepEvents {
public:
    /// `ramp`: the scale grows a little every step (policy smooth), which is no event.
    std::vector<LifecycleEvent> of(const StepRecord& record, bool ramp);

private:
    struct Rate {
        double second = -1; ///< time_s at which the counted second began
        int count = 0;
        int suppressed = 0;
    };

    void add(std::vector<LifecycleEvent>& events, std::string_view kind, const StepRecord& record,
        std::string message, nlohmann::json data);

    std::map<std::string, Rate, std::less<>> m_rates;
};

} // namespace mantissa
