// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/experiment_fit.h"

#include "core/base/byte_text.h"
#include "core/base/human_text.h"
#include "core/hardware/machine.h"
#include "core/run/model_probe_host.h"

#include <algorithm>

namespace mantissa {

namespace {

bool hasBatch(const VariantFit& one)
{
    return one.fit && one.fit->batch > 0;
}

void addGains(std::vector<VariantFit>& fits)
{
    const auto baseline = std::find_if(fits.begin(), fits.end(),
        [](const VariantFit& one) { return one.precision == Precision::Fp32 && hasBatch(one); });
    if (baseline == fits.end())
        return;
    const auto batch = static_cast<double>(baseline->fit->batch);
    for (auto& one : fits) {
        if (hasBatch(one))
            one.gain = static_cast<double>(one.fit->batch) / batch;
    }
}

} // namespace

Result<double> fitLimit(const std::string& text)
{
    constexpr double kLeast = 1 << 20;
    const auto limit =
        text.empty() ? std::optional(static_cast<double>(availableMemory())) : parseBytes(text);
    if (!limit || !(*limit >= kLeast))
        return fail("allowed are bytes from 1MiB on, e.g. 2GiB, 512MiB or 1073741824");
    return *limit;
}

Result<std::vector<VariantFit>> fitVariants(const WorkerProgram& worker,
    const std::vector<Variant>& variants, double limitBytes,
    const std::function<void(const Variant& variant, const FitTrial& trial)>& tried,
    std::stop_token stop)
{
    std::vector<VariantFit> fits;
    for (const auto& variant : variants) {
        auto fit = fitVariant(
            worker, variant, limitBytes, [&](const FitTrial& trial) { tried(variant, trial); },
            stop);
        if (stop.stop_requested())
            return fail("cancelled");
        fits.push_back({variant.name, variant.precision, std::move(fit), std::nullopt});
    }
    addGains(fits);
    return fits;
}

std::string gainText(const VariantFit& fit)
{
    return fit.gain && fit.precision != Precision::Fp32 ? ratioText(*fit.gain) : "";
}

std::string noteText(const VariantFit& fit)
{
    if (!fit.fit)
        return fit.fit.error().message;
    if (fit.fit->limitedByData)
        return "all samples of the data in one batch";
    return fit.fit->batch > 0 ? "" : "not even one sample fits";
}

} // namespace mantissa
