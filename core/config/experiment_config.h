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
enum class ModelKind { Mlp, Cnn, Resnet18, Vit, Gpt, Lstm, Dcgan };
enum class ResnetStem { Cifar, Imagenet };
enum class DataSource { FashionMnist, Idx, Shapes, Cifar10, Text, Csv };
enum class TargetWord { Class, Value };
enum class OptimizerKind { Sgd, Adam, AdamW, RmsProp };
enum class LrSchedule { Constant, Step, Cosine };
enum class RunSchedule { Sequential, Interleaved };
enum class ScalerEnabled { Auto, On, Off };
enum class ScalerPolicy { Static, Pytorch, Hysteresis, Deepspeed, Fairseq, Smooth };
enum class HysteresisRefill { Growth, Step };

struct ModelConfig {
    ModelKind kind = ModelKind::Mlp;
    std::vector<std::int64_t> hidden{128}; ///< mlp: units of each hidden layer
    std::int64_t width = 16; ///< cnn: channels of the first convolution
    ResnetStem stem = ResnetStem::Cifar; ///< resnet18
    std::int64_t channels = 64; ///< resnet18, dcgan: channels of the narrowest stage
    std::int64_t patch = 4; ///< vit: side of a patch in pixels
    std::int64_t dim = 64; ///< vit, gpt, lstm: values of a token
    std::int64_t depth = 4; ///< vit, gpt, lstm: blocks or layers
    std::int64_t heads = 4; ///< vit, gpt: attention heads; dim is a multiple of it
    std::int64_t latent = 100; ///< dcgan: random values an image is made from
    std::string init; ///< safetensors file of the first weights; empty = from the seed
    std::vector<std::string> keepFp32; ///< modules outside autocast, by path ("fc2", "layer1.0")

    bool operator==(const ModelConfig&) const = default;
};

struct DataConfig {
    DataSource source = DataSource::FashionMnist;
    std::string root; ///< fashion-mnist, cifar10: folder of the files; empty = the system's places
    std::string path; ///< text, csv: the file
    std::int64_t sequence = 64; ///< text: characters of a sample
    std::string target; ///< csv: name of the target's column; empty = the last one
    TargetWord targetKind = TargetWord::Class; ///< csv
    double validationShare = 0.1; ///< text, csv: part that is held back for validation
    std::string images; ///< idx: training images (.gz or raw)
    std::string labels; ///< idx: training labels
    std::string validationImages; ///< idx: validation images
    std::string validationLabels; ///< idx: validation labels
    std::int64_t batchSize = 64; ///< samples of a micro-batch
    bool shuffle = true;
    std::int64_t padCrop = 0; ///< images: pixels; 0 = off
    bool flip = false; ///< images
    std::int64_t prefetch = 2; ///< steps whose batches are made ahead; 0 = none
    std::int64_t trainLimit = 0; ///< samples, 0 = all
    std::int64_t validationLimit = 2000; ///< samples, 0 = all

    bool operator==(const DataConfig&) const = default;
};

struct TrainConfig {
    std::int64_t steps = 300; ///< applied + skipped optimizer steps
    std::int64_t epochs = 0; ///< 0 = use steps; else passes over the training data
    OptimizerKind optimizer = OptimizerKind::AdamW;
    double lr = 1e-3;
    double momentum = 0.9; ///< sgd and rmsprop
    bool nesterov = false; ///< sgd only
    double beta1 = 0.9; ///< adam and adamw
    double beta2 = 0.999; ///< adam and adamw
    double alpha = 0.99; ///< rmsprop only
    double eps = 1e-8; ///< all but sgd
    double weightDecay = 0.01;
    LrSchedule schedule = LrSchedule::Cosine;
    std::int64_t stepSize = 100; ///< step only: applied steps between two drops
    double gamma = 0.1; ///< step only: factor of a drop
    std::int64_t warmupSteps = 0; ///< applied steps of linear warm-up
    std::int64_t accumulate = 1; ///< micro-batches of a step
    double clipNorm = 0.0; ///< 0 = off
    bool rollbackBuffers = false; ///< a skipped step leaves running statistics as they were

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
    std::int64_t checkpointEvery = 0; ///< steps; 0 = none
    bool saveWeights = false; ///< at the end, as safetensors

    bool operator==(const RunConfig&) const = default;
};

struct ScalerConfig {
    ScalerEnabled enabled = ScalerEnabled::Auto; ///< Auto: fp16 variants only
    bool perOptimizer = false; ///< dcgan: a scaler for each optimizer
    ScalerPolicy policy = ScalerPolicy::Pytorch;
    double initScale = 65536.0;
    double growthFactor = 2.0;
    double backoffFactor = 0.5;
    std::int64_t growthInterval = 2000; ///< consecutive applied steps before the scale grows
    std::optional<double> minScale; ///< floor
    std::optional<double> maxScale; ///< ceiling
    std::int64_t hysteresis = 2; ///< hysteresis, deepspeed: overflows until the scale backs off
    HysteresisRefill hysteresisRefill = HysteresisRefill::Growth; ///< what makes it full again
    double tolerance = 0; ///< fairseq: share of overflows that is put up with
    bool recheck = false; ///< look at the gradients again between unscale and step

    /// The floor in force: deepspeed and fairseq have one of their own.
    std::optional<double> floor() const
    {
        if (minScale)
            return minScale;
        if (policy == ScalerPolicy::Deepspeed)
            return 1.0;
        if (policy == ScalerPolicy::Fairseq)
            return 1e-4;
        return std::nullopt;
    }

    bool operator==(const ScalerConfig&) const = default;
};

/// When a run raises an alert. 0 switches that alert off.
struct WatchConfig {
    bool enabled = true;
    std::int64_t consecutiveSkips = 5; ///< skipped steps in a row
    double scaleLow = 100; ///< a loss scale below is unusual
    double scaleHigh = 1e6; ///< a loss scale above is unusual
    double skipPercent = 1; ///< share of the last 1,000 steps that may be skipped
    std::int64_t skipsPerEpoch = 2; ///< skipped steps an epoch may have
    std::int64_t freeGrowths = 5; ///< growths without a skip where the format needs no scaler
    double memoryGain = 30; ///< percent that a 16-bit variant usually saves at least
    double speedGain = 10; ///< percent that a 16-bit variant is usually faster at least

    bool operator==(const WatchConfig&) const = default;
};

struct DebugConfig {
    bool locate = true; ///< replay a step that goes wrong; name its first non-finite tensor
    std::int64_t locateEvery = 100; ///< steps from one replay to the next of a kind at least
    bool anomaly = false; ///< LibTorch's anomaly mode around every step: slow

    bool operator==(const DebugConfig&) const = default;
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
    WatchConfig watch;
    DebugConfig debug;

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
