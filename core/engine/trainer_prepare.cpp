// SPDX-License-Identifier: GPL-3.0-or-later
// What a Trainer does before its first step, and what it says about itself.
#include "core/base/number_text.h"
#include "core/base/version.h"
#include "core/config/config_io.h"
#include "core/engine/format_probe.h"
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
{
}

Result<void> Trainer::Private::prepare(const CudaPlugin& plugin)
{
    applyPrecision(variant, device);
    auto loaded = loadDataset(variant.settings.data);
    if (!loaded)
        return tl::unexpected(loaded.error());
    data = std::move(*loaded);
    if (variant.settings.model.kind == ModelKind::Cnn
        && (data.train.height < 4 || data.train.width < 4))
        return fail(
            fmt::format("model.kind = \"cnn\" needs images of at least 4 x 4 pixels; these are "
                        "{} x {}",
                data.train.height, data.train.width));
    if (device.is_cuda()) {
        cudaApi = plugin.api;
        auto created = DeviceTelemetry::create(*cudaApi, device.index());
        if (!created)
            return tl::unexpected(created.error());
        telemetry = std::move(*created);
    }
    prepareTraining();
    describe(plugin);
    return {};
}

void Trainer::Private::prepareTraining()
{
    const auto& settings = variant.settings;
    at::manual_seed(settings.run.seed);
    model = makeModel(
        settings.model, {data.train.channels, data.train.height, data.train.width, data.classes});
    model->moveTo(device, settings.device.channelsLast);
    optimizer = makeOptimizer(settings.train, model->tensors());
    trainStep = std::make_unique<TrainStep>(
        TrainStep::Options{variant.precision, device.type(), settings.autocast.cache,
            settings.train.clipNorm, options.gradNorm},
        *model, *optimizer, scaler);
    const bool channelsLast = settings.device.channelsLast;
    trainBatches =
        std::make_unique<BatchMaker>(data.train, data.normalisation, device, channelsLast);
    validationBatches =
        std::make_unique<BatchMaker>(data.validation, data.normalisation, device, channelsLast);
    order = std::make_unique<TrainingOrder>(
        data.train.count, settings.data.batchSize, settings.data.shuffle, settings.run.seed);
    m_batches.resize(static_cast<std::size_t>(settings.train.accumulate));
    const auto stepsPerEpoch =
        std::max<std::int64_t>(1, order->batchesPerEpoch() / settings.train.accumulate);
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

nlohmann::json describeData(const Dataset& data, const DataConfig& config)
{
    return {{"source", toString(config.source)}, {"origin", data.origin},
        {"generated", data.generated}, {"train_images", data.train.count},
        {"validation_images", data.validation.count}, {"classes", data.classes},
        {"image", {data.train.channels, data.train.height, data.train.width}},
        {"normalisation_mean", asWritten(data.normalisation.mean)},
        {"normalisation_deviation", asWritten(data.normalisation.deviation)},
        {"order", config.shuffle ? "randperm of the seed, a new one each epoch" : "as in the file"},
        {"rest_of_epoch", "left out"}};
}

nlohmann::json describeScaler(const GradScaler& scaler)
{
    if (!scaler.isEnabled())
        return {{"enabled", false}};
    const auto& config = scaler.config();
    nlohmann::json json{{"enabled", true}, {"policy", toString(config.policy)},
        {"init_scale", scaler.scaleValue()}, {"growth_factor", config.growthFactor},
        {"backoff_factor", config.backoffFactor}, {"growth_interval", config.growthInterval}};
    if (config.minScale)
        json["min_scale"] = *config.minScale;
    if (config.maxScale)
        json["max_scale"] = *config.maxScale;
    return json;
}

} // namespace

void Trainer::Private::describe(const CudaPlugin& plugin)
{
    environment = precisionInForce(variant, device);
    environment["seed"] = variant.settings.run.seed;
    environment["data"] = describeData(data, variant.settings.data);
    environment["model"] = {{"kind", toString(variant.settings.model.kind)},
        {"parameters", model->parameterCount()}, {"initialisation", "as torch.nn's defaults"}};
    environment["optimizer"] = {{"kind", toString(variant.settings.train.optimizer)},
        {"kernel", "fused"}, {"samples_per_step", samplesPerStep()}};
    environment["scaler"] = describeScaler(scaler);
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

nlohmann::json engineEnvironment(const CudaPlugin& plugin)
{
    return {{"torch_version", TORCH_VERSION}, {"mantissa_version", kVersion},
        {"cpu_capability", at::get_cpu_capability()}, {"mkldnn", at::get_mkldnn_version()},
        {"openmp", at::get_openmp_version()}, {"cuda_plugin", plugin.message},
        {"cuda_devices", plugin.deviceCount}, {"machine", toJson(readMachine())}};
}

} // namespace mantissa
