// SPDX-License-Identifier: GPL-3.0-or-later
// What a Trainer does before its first step, and what it says about itself.
#include "core/base/number_text.h"
#include "core/base/version.h"
#include "core/config/config_io.h"
#include "core/engine/autocast_guard.h"
#include "core/engine/format_probe.h"
#include "core/engine/keep_fp32.h"
#include "core/engine/tensor_file.h"
#include "core/engine/trainer_private.h"
#include "core/hardware/machine.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <fmt/format.h>
#include <torch/headeronly/version.h>

namespace mantissa {

Trainer::Private::Private(
    const Variant& variant_, at::Device device_, TimePoint start_, const Options& options_)
    : variant(variant_)
    , device(device_)
    , start(start_)
    , options(options_)
    , scaler(variant.settings.scaler, variant.usesScaler())
    , m_troubles(variant.settings.debug.locateEvery)
{
}

Result<void> Trainer::Private::prepare(const CudaPlugin& plugin)
{
    applyPrecision(variant, device);
    auto loaded = loadDataset(variant.settings.data);
    if (!loaded)
        return tl::unexpected(loaded.error());
    data = std::move(*loaded);
    if (device.is_cuda()) {
        cudaApi = plugin.api;
        auto created = DeviceTelemetry::create(*cudaApi, device.index());
        if (!created)
            return tl::unexpected(created.error());
        telemetry = std::move(*created);
    }
    if (auto prepared = prepareModel(); !prepared)
        return prepared;
    prepareTraining();
    watchUpdates();
    checkBeforeFirstStep();
    describe(plugin);
    return {};
}

Result<void> Trainer::Private::prepareModel()
{
    const auto& settings = variant.settings;
    at::manual_seed(settings.run.seed);
    auto made = makeModel(settings.model, data.shape());
    if (!made)
        return tl::unexpected(made.error());
    model = std::move(*made);
    if (!settings.model.init.empty()) {
        if (auto loaded = loadWeights(model->root(), settings.model.init); !loaded)
            return fail("model.init: " + loaded.error().message);
    }
    if (auto kept = keepInFp32(model->root(), settings.model.keepFp32); !kept)
        return kept;
    model->root().moveTo(device, settings.device.channelsLast);
    scaler.nameParameters(model->parameters());
    const TrainStep::Options stepOptions{variant.precision, device.type(), settings.autocast.cache,
        settings.train.clipNorm, options.gradNorm};
    if (auto* dcgan = dynamic_cast<Dcgan*>(&model->root())) {
        prepareContest(*dcgan, stepOptions);
        return {};
    }
    optimizers.push_back(makeOptimizer(settings.train, model->tensors()));
    trainStep = std::make_unique<SupervisedStep>(stepOptions, *model, *optimizers.front(), scaler);
    return {};
}

void Trainer::Private::prepareContest(Dcgan& dcgan, const TrainStep::Options& stepOptions)
{
    const auto& settings = variant.settings;
    for (auto* player : {&dcgan.discriminator(), &dcgan.generator()}) {
        std::vector<at::Tensor> tensors;
        for (const auto& parameter : player->parameters())
            tensors.push_back(parameter.tensor);
        optimizers.push_back(makeOptimizer(settings.train, std::move(tensors)));
    }
    if (settings.scaler.perOptimizer) {
        secondScaler = std::make_unique<GradScaler>(settings.scaler, variant.usesScaler());
        secondScaler->nameParameters(model->parameters());
    }
    trainStep = std::make_unique<AdversarialStep>(stepOptions, dcgan,
        AdversarialStep::Player{optimizers[0].get(), &scaler},
        AdversarialStep::Player{optimizers[1].get(), secondScaler ? secondScaler.get() : &scaler},
        settings.run.seed);
}

void Trainer::Private::prepareTraining()
{
    const auto& settings = variant.settings;
    if (scaler.isEnabled() && !model->root().buffers().empty())
        bufferGuard.emplace(model->root().buffers());
    trainSamples = makeSampleMaker(data, DataPart::Train, settings.data, settings.run.seed);
    validationSamples =
        makeSampleMaker(data, DataPart::Validation, settings.data, settings.run.seed);
    loader = std::make_unique<BatchLoader>(*trainSamples,
        TrainingOrder(trainSamples->count(), settings.data.batchSize, settings.data.shuffle,
            settings.run.seed),
        BatchLoader::Options{device, settings.device.channelsLast, settings.data.batchSize,
            settings.train.accumulate, settings.data.prefetch});
    const auto stepsPerEpoch =
        std::max<std::int64_t>(1, loader->batchesPerEpoch() / settings.train.accumulate);
    scheduledSteps =
        settings.train.epochs > 0 ? settings.train.epochs * stepsPerEpoch : settings.train.steps;
    schedule.emplace(settings.train, scheduledSteps);
    if (device.is_cuda() && scaler.isEnabled())
        deviceSchedule = std::make_unique<DeviceSchedule>(*schedule, device);
}

namespace {

/// The shortest decimal that is this float: 0.33, not 0.33000001311302185.
double asWritten(float value)
{
    return parseDouble(fmt::format("{}", value)).value_or(value);
}

/// One figure, or one per channel.
nlohmann::json asWritten(const std::vector<float>& values)
{
    if (values.size() == 1)
        return asWritten(values.front());
    auto list = nlohmann::json::array();
    for (const auto value : values)
        list.push_back(asWritten(value));
    return list;
}

nlohmann::json describeData(const Dataset& data, const DataConfig& config)
{
    nlohmann::json json{{"source", toString(config.source)}, {"origin", data.origin},
        {"generated", data.generated}, {"classes", data.classes},
        {"order", config.shuffle ? "randperm of the seed, a new one each epoch" : "as in the file"},
        {"rest_of_epoch", "left out"}, {"prefetched_steps", config.prefetch}};
    json.update(data.details);
    const std::string samples = data.train.count > 0 ? "images" : "samples";
    json["train_" + samples] = data.trainCount();
    json["validation_" + samples] = data.validationCount();
    if (data.train.count > 0) {
        json["image"] = {data.train.channels, data.train.height, data.train.width};
        json["normalisation_mean"] = asWritten(data.normalisation.mean);
        json["normalisation_deviation"] = asWritten(data.normalisation.deviation);
        json["pad_crop"] = config.padCrop;
        json["flip"] = config.flip;
    }
    return json;
}

/// What the policy uses, and where it is decided.
nlohmann::json describeScaler(const GradScaler& scaler)
{
    if (!scaler.isEnabled())
        return {{"enabled", false}};
    const auto& config = scaler.config();
    nlohmann::json json{{"enabled", true}, {"policy", toString(config.policy)},
        {"init_scale", scaler.scaleValue()}, {"growth_factor", config.growthFactor},
        {"backoff_factor", config.backoffFactor}, {"growth_interval", config.growthInterval},
        {"recheck", config.recheck},
        {"found_inf",
            scaler.readsFoundInf() ? "read by the host once a step"
                                   : "stays on the device: the policy runs in ATen's kernel"}};
    if (const auto floor = config.floor())
        json["min_scale"] = *floor;
    if (config.maxScale)
        json["max_scale"] = *config.maxScale;
    const bool deepspeed = config.policy == ScalerPolicy::Deepspeed;
    if (deepspeed || config.policy == ScalerPolicy::Hysteresis) {
        json["hysteresis"] = config.hysteresis;
        json["hysteresis_refill"] = toString(config.hysteresisRefill);
    }
    if (config.policy == ScalerPolicy::Fairseq)
        json["tolerance"] = config.tolerance;
    if (deepspeed || config.policy == ScalerPolicy::Fairseq)
        json["at_min_scale"] = "stop";
    return json;
}

} // namespace

void Trainer::Private::describe(const CudaPlugin& plugin)
{
    environment = precisionInForce(variant, device);
    environment["anomaly_mode"] = variant.settings.debug.anomaly;
    environment["seed"] = variant.settings.run.seed;
    environment["steps_per_epoch"] =
        std::max<std::int64_t>(1, loader->batchesPerEpoch() / variant.settings.train.accumulate);
    const bool twoPlayers = optimizers.size() > 1; // as many images are generated as are real
    environment["validation_rows"] = validationSamples->count() * (twoPlayers ? 2 : 1);
    environment["data"] = describeData(data, variant.settings.data);
    environment["model"] = {{"kind", toString(variant.settings.model.kind)},
        {"parameters", model->parameterCount()}, {"metric", model->metric()},
        {"initialisation",
            variant.settings.model.init.empty() ? "as the Python twin's, from the seed"
                                                : variant.settings.model.init}};
    environment["optimizer"] = {{"kind", toString(variant.settings.train.optimizer)},
        {"kernel", optimizers.front()->obeysStepControl() ? "fused" : "foreach"},
        {"count", optimizers.size()}, {"samples_per_step", samplesPerStep()}};
    environment["scaler"] = describeScaler(scaler);
    environment["scaler"]["count"] = secondScaler ? 2 : 1;
    describeFallbacks();
    if (options.probe) {
        environment["formats"] =
            toJson(probeFormats(variant.settings.model.kind, device), variant.settings.model.kind);
        applyPrecision(variant, device); // the probe changes the TF32 flags
    }
    cuda::DeviceFacts facts{};
    if (device.is_cuda() && plugin.api->deviceFacts(device.index(), &facts) == cuda::kCudaOk)
        environment["gpu"] = {{"name", facts.name},
            {"compute_capability", fmt::format("{}.{}", facts.computeMajor, facts.computeMinor)},
            {"total_bytes", facts.totalBytes}, {"pci_bus_id", facts.pciBusId}};
}

void Trainer::Private::describeFallbacks()
{
    // Only an LSTM's kernels are known to be missing on some machines; one forward pass tells.
    if (variant.settings.model.kind == ModelKind::Lstm) {
        const auto sample = trainSamples->allocate(1, false);
        trainSamples->fill({0}, 1, sample);
        // With a graph, as in training: some kernels exist for inference alone.
        std::optional<AutocastGuard> region;
        if (const auto type = autocastType(variant.precision))
            region.emplace(device.type(), *type, variant.settings.autocast.cache);
        (*model)(onDevice(sample, device, false).input);
    }
    auto list = nlohmann::json::array();
    for (const auto* module : model->root().subtree()) {
        if (const auto fallback = module->fallback(); !fallback.empty())
            list.push_back({{"module", module->path()}, {"reason", fallback}});
    }
    environment["fallbacks"] = std::move(list);
}

nlohmann::json engineEnvironment(const CudaPlugin& plugin)
{
    return {{"torch_version", TORCH_VERSION}, {"mantissa_version", kVersion},
        {"cpu_capability", at::get_cpu_capability()}, {"mkldnn", at::get_mkldnn_version()},
        {"openmp", at::get_openmp_version()}, {"cuda_plugin", plugin.message},
        {"cuda_devices", plugin.deviceCount}, {"machine", toJson(readMachine())}};
}

} // namespace mantissa
