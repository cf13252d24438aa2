// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace mantissa {

/// A checkpoint that a run can go on from, as a host needs to know it.
struct ResumePoint {
    std::filesystem::path file;
    std::int64_t step = 0; ///< last completed step
    std::int64_t stepsApplied = 0;
    std::int64_t stepsSkipped = 0;
    double timeS = 0; ///< seconds since the run's start when it was written
    nlohmann::json variant; ///< variantToJson() of the run that wrote it
};

} // namespace mantissa
