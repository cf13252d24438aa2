// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The experiment file as plain structs. Field `fooBar` of group `train` is the key
/// `train.foo_bar`. Defaults here are the program's defaults; ranges, choices and help texts live
/// in schema.h.
namespace mantissa {

enum class Precision { Fp32, Tf32, Fp16, Bf16 };
enum class ModelKind { Mlp, Cnn };
enum class DataSource { FashionMnist, Idx, Shapes };
enum class OptimizerKind { Sgd, AdamW };
enum class LrSchedule { Constant, Cosine };
enum class RunSchedule { Sequential, Interleaved };
enum class ScalerEnabled { Auto, On, Off };
enum class ScalerPolicy { Static, Pytorch };

struct ModelConfig {
    ModelKind kind = ModelKind::Mlp;
    std::vector<std::int64_t> hidden{128}; ///< mlp: units of each hidden layer
    std::int64_t width = 16; ///< cnn: channels of the first convolution

    bool operator==(const ModelConfig&) const = default;
};

struct DataConfig {
    DataSource source = DataSource::FashionMnist;
    std::string root; ///< fashion-mnist: folder of the four IDX files; empty = the system's places
    std::string images; ///< idx: training images (.gz or raw)
    std::string labels; ///< idx: training labels
    std::string validationImages; ///< idx: validation images
    std::string validationLabels; ///< idx: validation labels
    std::int64_t batchSize = 64; ///< samples of a micro-batch
    bool shuffle = true;
    std::int64_t trainLimit = 0; ///< samples, 0 = all
    std::int64_t validationLimit = 2000; ///< samples, 0 = all

    bool operator==(const DataConfig&) const = default;
};

struct TrainConfig {
    std::int64_t steps = 300; ///< applied + skipped optimizer steps
    std::int64_t epochs = 0; ///< 0 = use steps; else passes over the training data
    OptimizerKind optimizer = OptimizerKind::AdamW;
    double lr = 1e-3;
    double momentum = 0.9; ///< sgd only
    bool nesterov = false; ///< sgd only
    double beta1 = 0.9; ///< adamw only
    double beta2 = 0.999; ///< adamw only
    double eps = 1e-8; ///< adamw only
    double weightDecay = 0.01;
    LrSchedule schedule = LrSchedule::Cosine;
    std::int64_t warmupSteps = 0; ///< applied steps of linear warm-up
    std::int64_t accumulate = 1; ///< micro-batches of a step
    double clipNorm = 0.0; ///< 0 = off

    bool operator==(const TrainConfig&) const = default;
};

struct EvalConfig {
    std::int64_t every = 100; ///< steps; always once at the end; 0 = at the end only

    bool operator==(const EvalConfig&) const = default;
};

struct DeviceConfig {
    std::string kind = "auto"; ///< auto, cpu, cuda:N
    std::int64_t threads = 0; ///< 0 = all usable cores
    bool deterministic = false;
    bool cudnnBenchmark = false;
    bool channelsLast = false;

    bool operator==(const DeviceConfig&) const = default;
};

struct AutocastConfig {
    bool cache = true;

    bool operator==(const AutocastConfig&) const = default;
};

struct RunConfig {
    std::uint64_t seed = 1; ///< repetition r uses seed + r
    std::int64_t repeat = 1;
    RunSchedule schedule = RunSchedule::Interleaved;
    std::int64_t block = 20; ///< steps of a block when interleaved
    double maxSeconds = 0; ///< per variant, training time only; 0 = no limit
    std::int64_t maxSteps = 0; ///< per variant, stops early on the same lr schedule; 0 = no limit

    bool operator==(const RunConfig&) const = default;
};

struct ScalerConfig {
    ScalerEnabled enabled = ScalerEnabled::Auto; ///< Auto: fp16 variants only
    ScalerPolicy policy = ScalerPolicy::Pytorch;
    double initScale = 65536.0;
    double growthFactor = 2.0;
    double backoffFactor = 0.5;
    std::int64_t growthInterval = 2000; ///< consecutive applied steps before the scale grows
    std::optional<double> minScale; ///< floor
    std::optional<double> maxScale; ///< ceiling

    bool operator==(const ScalerConfig&) const = default;
};

/// Everything one run is made from except its precision and seed.
struct Settings {
    ModelConfig model;
    DataConfig data;
    TrainConfig train;
    EvalConfig eval;
    DeviceConfig device;
    AutocastConfig autocast;
    RunConfig run;
    ScalerConfig scaler;

    bool operator==(const Settings&) const = default;
};

struct Variant {
    std::string name;
    Precision precision = Precision::Fp32;
    /// Dotted path and value as TOML text, in file order, e.g. {"train.lr", "3e-4"}.
    std::vector<std::pair<std::string, std::string>> overrides;
    Settings settings; ///< the experiment's settings with the overrides applied

    /// Whether this variant trains with a GradScaler.
    bool usesScaler() const
    {
        return settings.scaler.enabled == ScalerEnabled::On
            || (settings.scaler.enabled == ScalerEnabled::Auto && precision == Precision::Fp16);
    }

    bool operator==(const Variant&) const = default;
};

struct ExperimentConfig {
    std::string name;
    std::string description;
    Settings settings; ///< shared by all variants
    std::vector<Variant> variants; ///< at least one; the first is the baseline

    bool operator==(const ExperimentConfig&) const = default;
};

} // namespace mantissa
