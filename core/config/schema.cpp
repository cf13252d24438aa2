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
    const bool sgd = train.optimizer == OptimizerKind::Sgd;
    if (!sgd && (path == "train.momentum" || path == "train.nesterov"))
        return "sgd only";
    if (sgd && (path == "train.beta1" || path == "train.beta2" || path == "train.eps"))
        return "adamw only";
    if (path == "train.steps" && train.epochs > 0)
        return "epochs are given";
    return {};
}

std::string whyDataUnused(std::string_view path, DataSource source)
{
    if (path == "data.root" && source != DataSource::FashionMnist)
        return "fashion-mnist only";
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
    const bool moves = path == "scaler.growth_factor" || path == "scaler.backoff_factor"
        || path == "scaler.growth_interval" || path == "scaler.min_scale"
        || path == "scaler.max_scale";
    return moves && settings.scaler.policy == ScalerPolicy::Static ? "a static scale never changes"
                                                                   : "";
}

std::string whyDeviceUnused(std::string_view path, const Settings& settings)
{
    if (path == "device.cudnn_benchmark" && settings.device.kind == "cpu")
        return "CUDA only";
    if (path == "device.channels_last" && settings.model.kind != ModelKind::Cnn)
        return "cnn only";
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

const std::vector<PlannedKey>& plannedKeys()
{
    static const std::vector<PlannedKey> keys{
        {"model.init", "", "none: weights start from the seed"},
        {"model.keep_fp32", "[]", "[]: autocast's own list decides what stays in fp32"},
        {"data.path", "", "data.root for fashion-mnist; data.images and data.labels for idx"},
        {"run.checkpoint_every", "0", "0: runs are stored without checkpoints"},
        {"scaler.hysteresis", "", "none: it belongs to policies other than static and pytorch"},
        {"scaler.tolerance", "", "none: it belongs to policies other than static and pytorch"},
    };
    return keys;
}

std::string whyUnused(const KeySpec& key, const Settings& settings, Precision precision)
{
    const auto path = key.path;
    if (path == "model.hidden" && settings.model.kind != ModelKind::Mlp)
        return "mlp only";
    if (path == "model.width" && settings.model.kind != ModelKind::Cnn)
        return "cnn only";
    if (path == "run.block" && settings.run.schedule != RunSchedule::Interleaved)
        return "interleaved only";
    if (path == "autocast.cache" && (precision == Precision::Fp32 || precision == Precision::Tf32))
        return "fp16 and bf16 only";
    if (key.group() == "train")
        return whyTrainUnused(path, settings.train);
    if (key.group() == "data")
        return whyDataUnused(path, settings.data.source);
    if (key.group() == "device")
        return whyDeviceUnused(path, settings);
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
