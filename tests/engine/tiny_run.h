// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/trainer.h"

#include <QDebug>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mantissa::test {

/// A network of 8 units on 64 generated images, 20 steps of 4 samples, one thread.
inline Variant tinyVariant(Precision precision)
{
    Variant variant;
    variant.name = "tiny";
    variant.precision = precision;
    auto& settings = variant.settings;
    settings.model.hidden = {8};
    settings.data.source = DataSource::Shapes;
    settings.data.batchSize = 4;
    settings.data.trainLimit = 64;
    settings.data.validationLimit = 16;
    settings.train.steps = 20;
    settings.train.optimizer = OptimizerKind::Sgd;
    settings.train.lr = 0.1;
    settings.device.threads = 1;
    settings.scaler.growthInterval = 4;
    return variant;
}

/// Formats are not timed.
inline Trainer::Options quick()
{
    Trainer::Options options;
    options.probe = false;
    return options;
}

/// A trainer on the CPU; without one `why` says the reason, or a warning does.
inline std::unique_ptr<Trainer> create(
    const Variant& variant, const Trainer::Options& options = quick(), std::string* why = nullptr)
{
    auto created =
        Trainer::create(variant, CudaPlugin(), std::chrono::steady_clock::now(), options);
    if (created)
        return std::move(*created);
    if (why)
        *why = created.error().reason;
    else
        qWarning("%s", created.error().reason.c_str());
    return nullptr;
}

/// Records of at most `steps` steps; `error` is what ended them early.
inline std::vector<StepRecord> train(
    Trainer& trainer, std::int64_t steps, std::string* error = nullptr)
{
    std::vector<StepRecord> records;
    for (std::int64_t i = 0; i < steps; ++i) {
        const auto trained = trainer.step();
        if (trained)
            continue;
        if (!error)
            qFatal("%s", trained.error().message.c_str());
        *error = trained.error().message;
        break;
    }
    if (!trainer.collect(true, records))
        qFatal("the records could not be collected");
    return records;
}

} // namespace mantissa::test
