// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/slow_formats.h"

#include "core/base/human_text.h"
#include "core/config/config_io.h"
#include "core/storage/host_identity.h"

#include <algorithm>
#include <fmt/format.h>

namespace mantissa {

namespace {

constexpr double kSlow = 3;

struct Evidence {
    double factor = 0;
    std::string source;
    double runSeconds = 0; ///< 0 = not known
    std::string faster;
};

/// "fp32, bf16 (2.2x slower)": what takes less than half of `factor`.
std::string fasterIn(const ModelCheck& check, double factor)
{
    std::string text;
    for (const auto& probe : check.probes) {
        if (!probe.factor || *probe.factor * 2 > factor)
            continue;
        text += fmt::format("{}{}", text.empty() ? "" : ", ", toString(probe.precision));
        if (probe.precision != Precision::Fp32)
            text += fmt::format(" ({})", speedText(*probe.factor));
    }
    return text;
}

std::optional<Evidence> fromModel(const Variant& variant, const std::vector<ModelCheck>& models)
{
    const auto key = predictionKey(variant);
    for (const auto& check : models) {
        for (const auto& probe : check.probes) {
            if (probe.key == key && probe.factor)
                return Evidence{*probe.factor, "this model's check", probe.runSeconds,
                    fasterIn(check, *probe.factor)};
        }
    }
    return std::nullopt;
}

CheckWork workOf(ModelKind kind)
{
    return kind == ModelKind::Cnn || kind == ModelKind::Resnet18 || kind == ModelKind::Dcgan
        ? CheckWork::Convolution
        : CheckWork::LinearStep;
}

std::optional<Evidence> fromHardware(
    const Variant& variant, const std::vector<StoredCheck>& checks, const std::string& host)
{
    const auto& device = variant.settings.device.kind;
    const auto work = workOf(variant.settings.model.kind);
    for (const auto& check : checks) {
        if (check.machine != host || (device != "auto" && device != check.card.device.id))
            continue;
        // "auto" takes a GPU where there is one.
        if (device == "auto" && check.card.devices.size() > 1 && check.card.device.id == "cpu")
            continue;
        const auto format = checkFormatFromString(toString(variant.precision));
        const auto* cell = format ? check.card.find(work, *format) : nullptr;
        if (!cell || cell->points.empty() || !cell->largest().ratio)
            return std::nullopt;
        return Evidence{
            *cell->largest().ratio, fmt::format("the hardware check, {}", title(work)), 0, "fp32"};
    }
    return std::nullopt;
}

std::string sentence(const Variant& variant, const Evidence& evidence)
{
    auto text = fmt::format("{}: {} was measured {} than fp32 here ({}).", variant.name,
        toString(variant.precision), speedText(evidence.factor), evidence.source);
    if (evidence.runSeconds > 0)
        text += fmt::format(" Expect about {}.", durationText(evidence.runSeconds * 1000));
    if (!evidence.faster.empty())
        text += fmt::format(" Faster here: {}.", evidence.faster);
    return text;
}

} // namespace

std::vector<std::string> slowFormatWarnings(const ExperimentConfig& config,
    const std::vector<ModelCheck>& models, const std::vector<StoredCheck>& checks,
    const std::string& host)
{
    std::vector<std::string> warnings;
    for (const auto& variant : config.variants) {
        if (variant.precision == Precision::Fp32)
            continue;
        auto evidence = fromModel(variant, models);
        if (!evidence)
            evidence = fromHardware(variant, checks, host);
        if (evidence && evidence->factor > kSlow)
            warnings.push_back(sentence(variant, *evidence));
    }
    return warnings;
}

std::vector<std::string> slowFormatWarnings(
    const ExperimentConfig& config, const std::filesystem::path& store)
{
    std::error_code error;
    if (!std::filesystem::exists(store, error))
        return {};
    const auto opened = CapabilityStore::open(store, RunStore::Mode::ReadOnly);
    if (!opened)
        return {};
    const auto models = (*opened)->modelChecks(currentHost().hostName);
    const auto checks = (*opened)->checks();
    if (!models || !checks)
        return {};
    return slowFormatWarnings(config, *models, *checks, currentHost().hostName);
}

} // namespace mantissa
