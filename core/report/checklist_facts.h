// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numerics/skip_pattern.h"
#include "core/report/checklist.h"

/// What the NaN checklist's checks share. Pure, any thread.
namespace mantissa {

/// Looked up once; `input` must outlive it.
struct ChecklistFacts {
    explicit ChecklistFacts(const ChecklistInput& checked);

    /// Of a series; null where it has no values.
    const std::vector<double>* values(std::string_view name) const;
    /// Values of a series that are NaN or infinite.
    std::int64_t nonFiniteIn(std::string_view name) const;

    const ChecklistInput& input;
    Variant variant; ///< defaults where the stored settings cannot be read
    SkipReport skips;
    std::vector<const LifecycleEvent*> located; ///< the first of each kind of trouble
};

CheckResult nanCheck(
    std::string_view id, std::string_view question, CheckAnswer answer, std::string evidence);

// Of the loss scale, in checklist_scale.cpp.
CheckResult checkSkips(const ChecklistFacts& facts);
CheckResult checkScaleLow(const ChecklistFacts& facts);
CheckResult checkRecovery(const ChecklistFacts& facts);
CheckResult checkScaleHigh(const ChecklistFacts& facts);

} // namespace mantissa
