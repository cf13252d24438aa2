// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/checklist.h"
#include "core/report/run_profiles.h"

/// Parts of speedChecklist(). Pure, any thread.
namespace mantissa {

/// A variant that gains less than this is one without a speed-up.
inline constexpr double kLeastSpeedUp = 1.1;

CheckResult speedCheck(std::string_view id, std::string_view question);
bool isSixteenBit(const RunRecord& run);
/// Speed of the run over its 32-bit twin's, 1.25 = a quarter more samples a second; by the run's
/// own figures, else by the profiles'. Nothing where neither tells.
std::optional<double> speedUpOf(
    const ChecklistInput& input, const std::optional<RunProfiles>& profiles);

/// "why": the causes in one sentence, the largest first.
CheckResult speedConclusion(
    const ChecklistInput& input, const std::optional<RunProfiles>& profiles);
/// What only a profile tells, one question each; cannot tell without one.
std::vector<CheckResult> profileChecks(
    const RunRecord& run, const std::optional<RunProfiles>& profiles);

} // namespace mantissa
