// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"
#include "core/run/batch_fit.h"
#include "core/run/worker_process.h"

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace mantissa {

/// The largest batch of one variant.
struct VariantFit {
    std::string variant;
    Precision precision = Precision::Fp32;
    Result<BatchFit> fit = fail("not tried");
    /// The batch / fp32's at equal memory; none where one of them has none.
    std::optional<double> gain;
};

/// A memory limit as people write it ("2GiB"), from 1 MiB on; empty = what programs may take now.
/// The Error says what is allowed.
[[nodiscard]] Result<double> fitLimit(const std::string& text);

/// fitVariant() of one after the other within `limitBytes`; `tried` is told each trial. One that
/// cannot run has its reason in its fit; the Error is "cancelled". Blocks.
[[nodiscard]] Result<std::vector<VariantFit>> fitVariants(const WorkerProgram& worker,
    const std::vector<Variant>& variants, double limitBytes,
    const std::function<void(const Variant& variant, const FitTrial& trial)>& tried,
    std::stop_token stop = {});

/// "2.1x"; empty for fp32 itself and without a gain.
std::string gainText(const VariantFit& fit);
/// What has to be said beside the figures: why there are none, or what limited them; mostly empty.
std::string noteText(const VariantFit& fit);

} // namespace mantissa
