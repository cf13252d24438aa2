// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/machine_basis.h"

#include "core/hardware/model_check.h"

#include <fmt/format.h>

namespace mantissa::ui {

Basis measureBasis(const ExperimentConfig& config)
{
    Variant shared;
    shared.settings = config.settings;
    Basis basis{predictionKey(shared)};
    for (const auto& variant : config.variants) {
        const auto& settings = variant.settings;
        basis.push_back(fmt::format("{} {} {} {} {} {}", variant.name, settings.train.steps,
            settings.train.epochs, settings.run.maxSteps, settings.run.maxSeconds,
            predictionKey(variant)));
    }
    return basis;
}

Basis fitBasis(const ExperimentConfig& config)
{
    Basis basis;
    for (auto variant : config.variants) {
        variant.settings.data.batchSize = 1;
        basis.push_back(variant.name + ' ' + predictionKey(variant));
    }
    return basis;
}

std::set<std::string> keysOf(const std::vector<Variant>& variants)
{
    std::set<std::string> keys;
    for (const auto& variant : variants)
        keys.insert(predictionKey(variant));
    return keys;
}

} // namespace mantissa::ui
