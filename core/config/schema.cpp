// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/schema.h"

#include "core/config/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mantissa {

namespace {

KeySpec textKey(std::string_view path, std::string_view help)
{
    KeySpec spec;
    spec.path = path;
    spec.help = help;
    return spec;
}

KeySpec precisionKey()
{
    auto spec = textKey("precision",
        "fp32 (IEEE: TF32 off), tf32 (CUDA only), fp16 and bf16 (autocast; fp16 with a "
        "GradScaler)");
    spec.type = ValueType::Choice;
    spec.choices = allWords<Precision>();
    spec.notBuilt = {"pure-bf16", "fp8"};
    return spec;
}

std::string whyTrainUnused(std::string_view path, const TrainConfig& train)
{
    const auto kind = train.optimizer;
    const bool adam = kind == OptimizerKind::Adam || kind == OptimizerKind::AdamW;
    if (path == "train.momentum" && adam)
        return "sgd and rmsprop only";
    if (path == "train.nesterov" && kind != OptimizerKind::Sgd)
        return "sgd only";
    if ((path == "train.beta1" || path == "train.beta2") && !adam)
        return "adam and adamw only";
    if (path == "train.alpha" && kind != OptimizerKind::RmsProp)
        return "rmsprop only";
    if (path == "train.eps" && kind == OptimizerKind::Sgd)
        return "not for sgd";
    if ((path == "train.step_size" || path == "train.gamma") && train.schedule != LrSchedule::Step)
        return "schedule step only";
    if (path == "train.steps" && train.epochs > 0)
        return "epochs are given";
    return {};
}

std::string whyModelUnused(std::string_view path, ModelKind kind)
{
    using enum ModelKind;
    const bool tokens = kind == Vit || kind == Gpt || kind == Lstm;
    if (path == "model.hidden" && kind != Mlp)
        return "mlp only";
    if (path == "model.width" && kind != Cnn)
        return "cnn only";
    if (path == "model.stem" && kind != Resnet18)
        return "resnet18 only";
    if (path == "model.channels" && kind != Resnet18 && kind != Dcgan)
        return "resnet18 and dcgan only";
    if (path == "model.patch" && kind != Vit)
        return "vit only";
    if ((path == "model.dim" || path == "model.depth") && !tokens)
        return "vit, gpt and lstm only";
    if (path == "model.heads" && kind != Vit && kind != Gpt)
        return "vit and gpt only";
    if (path == "model.latent" && kind != Dcgan)
        return "dcgan only";
    return {};
}

std::string whyDataUnused(std::string_view path, DataSource source)
{
    if (path == "data.root" && source != DataSource::FashionMnist && source != DataSource::Cifar10)
        return "fashion-mnist and cifar10 only";
    if (path == "data.sequence" && source != DataSource::Text)
        return "text only";
    if ((path == "data.target" || path == "data.target_kind") && source != DataSource::Csv)
        return "csv only";
    const bool isOneFile = source == DataSource::Text || source == DataSource::Csv;
    if ((path == "data.path" || path == "data.validation_share") && !isOneFile)
        return "text and csv only";
    if ((path == "data.pad_crop" || path == "data.flip") && isOneFile)
        return "images only";
    const bool isFile = path == "data.images" || path == "data.labels"
        || path == "data.validation_images" || path == "data.validation_labels";
    return isFile && source != DataSource::Idx ? "idx only" : "";
}

std::string whyScalerUnused(std::string_view path, const Settings& settings, Precision precision)
{
    Variant variant;
    variant.precision = precision;
    variant.settings.scaler = settings.scaler;
    if (!variant.usesScaler())
        return settings.scaler.enabled == ScalerEnabled::Auto ? "fp16 only" : "scaler is off";
    if (path == "scaler.per_optimizer" && settings.model.kind != ModelKind::Dcgan)
        return "dcgan only";
    const auto policy = settings.scaler.policy;
    const bool moves = path == "scaler.growth_factor" || path == "scaler.backoff_factor"
        || path == "scaler.growth_interval" || path == "scaler.min_scale"
        || path == "scaler.max_scale";
    if (moves && policy == ScalerPolicy::Static)
        return "a static scale never changes";
    const bool hasHysteresis =
        policy == ScalerPolicy::Hysteresis || policy == ScalerPolicy::Deepspeed;
    if (path.starts_with("scaler.hysteresis") && !hasHysteresis)
        return "policies hysteresis and deepspeed only";
    if (path == "scaler.tolerance" && policy != ScalerPolicy::Fairseq)
        return "policy fairseq only";
    return {};
}

std::string whyWatchUnused(std::string_view path, const Settings& settings, Precision precision)
{
    const bool low = precision == Precision::Fp16 || precision == Precision::Bf16;
    if (path == "watch.enabled")
        return {};
    if (!settings.watch.enabled)
        return "alerts are off";
    return path == "watch.memory_gain" || path == "watch.speed_gain"
        ? std::string(low ? "" : "fp16 and bf16 only")
        : std::string();
}

std::string whyDeviceUnused(std::string_view path, const Settings& settings)
{
    if (path == "device.cudnn_benchmark" && settings.device.kind == "cpu")
        return "CUDA only";
    using enum ModelKind;
    const auto kind = settings.model.kind;
    if (path == "device.channels_last" && kind != Cnn && kind != Resnet18 && kind != Dcgan)
        return "cnn, resnet18 and dcgan only";
    return {};
}

} // namespace

std::string_view KeySpec::group() const
{
    const auto dot = path.find('.');
    return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string_view KeySpec::key() const
{
    const auto dot = path.find('.');
    return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

std::string KeySpec::allowed() const
{
    if (!form.empty())
        return std::string(form);
    switch (type) {
    case ValueType::Bool:
        return "true, false";
    case ValueType::Integer:
    case ValueType::Number:
        return range.text();
    case ValueType::Choice:
        return fmt::format("{}", fmt::join(choices, ", "));
    case ValueType::IntegerList:
        return fmt::format("a list of at most 64 numbers, each {}", range.text());
    case ValueType::TextList:
        return "a list of at most 64 texts in quotes";
    case ValueType::Text:
        break;
    }
    return "text in quotes";
}

const std::vector<KeySpec>& experimentKeys()
{
    static const std::vector<KeySpec> keys{textKey("name", "Short name of the experiment"),
        textKey("description", "What the experiment shows")};
    return keys;
}

const std::vector<KeySpec>& variantKeys()
{
    static const std::vector<KeySpec> keys{
        textKey("name", "Name of the variant, unique in the experiment"), precisionKey()};
    return keys;
}

const KeySpec* findKey(std::string_view path)
{
    const auto& keys = schemaKeys();
    const auto found = std::ranges::find(keys, path, &KeySpec::path);
    return found == keys.end() ? nullptr : &*found;
}

std::string whyUnused(const KeySpec& key, const Settings& settings, Precision precision)
{
    const auto path = key.path;
    if (path == "run.block" && settings.run.schedule != RunSchedule::Interleaved)
        return "interleaved only";
    if ((path == "autocast.cache" || path == "model.keep_fp32")
        && (precision == Precision::Fp32 || precision == Precision::Tf32))
        return "fp16 and bf16 only";
    if (key.group() == "model")
        return whyModelUnused(path, settings.model.kind);
    if (key.group() == "train")
        return whyTrainUnused(path, settings.train);
    if (key.group() == "data")
        return whyDataUnused(path, settings.data.source);
    if (key.group() == "device")
        return whyDeviceUnused(path, settings);
    if (path == "debug.locate_every" && !settings.debug.locate)
        return "locate is off";
    if (key.group() == "watch")
        return whyWatchUnused(path, settings, precision);
    if (key.group() == "scaler" && path != "scaler.enabled")
        return whyScalerUnused(path, settings, precision);
    return {};
}

std::string whyUnused(const KeySpec& key, const ExperimentConfig& config)
{
    std::string why;
    for (const auto& variant : config.variants) {
        why = whyUnused(key, variant.settings, variant.precision);
        if (why.empty())
            return {};
    }
    return why;
}

} // namespace mantissa
