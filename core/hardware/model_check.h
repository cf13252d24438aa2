// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/config/experiment_config.h"
#include "core/hardware/format_class.h"
#include "core/stats/run_summary.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

/// What a few real steps of a chosen model told about each precision. Plain values, any thread.
namespace mantissa {

/// Bytes by what they are for.
struct MemoryRoles {
    double weights = 0, gradients = 0, optimizer = 0, castCache = 0, activations = 0, workspace = 0;
    double sum() const;
};

/// One precision of a model.
struct ModelProbe {
    std::string variant; ///< of the experiment, or the word of a precision that it lacks
    Precision precision = Precision::Fp32;
    std::string key; ///< predictionKey(); equal for the runs that this predicts
    std::string device; ///< where it ran: "cpu", "cuda:0"; empty if that was not found out
    std::string reason; ///< why it cannot run here; empty = measured
    Quartiles stepMs; ///< of the measured steps
    std::int64_t steps = 0; ///< behind stepMs
    double samplesPerSecond = 0;
    double runSeconds = 0; ///< predicted training time of the whole run
    double peakMemoryBytes = 0; ///< measured in the probe: predicted for the run
    MemoryRoles predicted; ///< computed from the model's sizes and types
    MemoryRoles measured;
    double flops = 0; ///< floating-point operations of one step's matrix work, counted
    double bytes = 0; ///< read and written by one step's operators at least once
    std::optional<double> factor; ///< stepMs.median / fp32's
    std::int64_t batchSize = 0; ///< samples of a micro-batch
    std::int64_t trainSamples = 0; ///< the data has so many
};

/// What determines a variant's step time, as text: everything but its name, its length, its
/// learning rate and what is only watched. Equal keys on one machine predict each other.
std::string predictionKey(const Variant& variant);

struct ModelCheck {
    std::string experiment;
    std::string device; ///< where it was measured; as asked for ("auto") where nothing ran
    std::int64_t measuredMs = 0; ///< Unix time in ms
    std::vector<ModelProbe> probes;
};

nlohmann::json toJson(const ModelProbe& probe);
[[nodiscard]] Result<ModelProbe> modelProbeFromJson(const nlohmann::json& json);
nlohmann::json toJson(const ModelCheck& check);
[[nodiscard]] Result<ModelCheck> modelCheckFromJson(const nlohmann::json& json);

} // namespace mantissa
