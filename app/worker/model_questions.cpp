// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/model_questions.h"

#include "app/worker/memory_limit.h"
#include "core/base/json_object.h"
#include "core/config/config_io.h"

#include <fstream>
#include <iostream>

namespace mantissa {

namespace {

Result<Variant> readVariant()
{
    std::string line;
    std::getline(std::cin, line);
    const auto json = parseObject(line);
    if (!json)
        return fail("stdin must give the variant as one line of JSON: " + json.error().message);
    auto variant = variantFromJson(*json);
    if (!variant)
        return fail("the variant on stdin: " + variant.error().front().text());
    return std::move(*variant);
}

/// Told before the work, not after it.
Result<void> checkTrace(const std::filesystem::path& trace)
{
    if (trace.empty() || std::ofstream(trace, std::ios::app))
        return {};
    return fail(
        "cannot write the trace " + trace.string() + ": the folder must exist and be writable");
}

} // namespace

Result<nlohmann::json> askProbe(
    const ModelProbeOptions& options, double memoryBytes, const CudaPlugin& plugin)
{
    const auto variant = readVariant();
    if (!variant)
        return tl::unexpected(variant.error());
    if (memoryBytes > 0)
        limitMemory(memoryBytes);
    return toJson(probeModel(*variant, plugin, options));
}

Result<nlohmann::json> askProfile(const Trainer::ProfileOptions& options, const CudaPlugin& plugin)
{
    const auto variant = readVariant();
    if (!variant)
        return tl::unexpected(variant.error());
    if (auto writable = checkTrace(options.trace); !writable)
        return tl::unexpected(writable.error());
    Trainer::Options trainerOptions;
    trainerOptions.probe = false;
    auto trainer =
        Trainer::create(*variant, plugin, std::chrono::steady_clock::now(), trainerOptions);
    if (!trainer)
        return fail(trainer.error().reason);
    return (*trainer)->profile(options).map(
        [](const StepProfile& profile) { return toJson(profile); });
}

} // namespace mantissa
