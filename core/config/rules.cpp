// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/number_text.h"
#include "core/config/draft.h"
#include "core/config/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace mantissa {

namespace {

using Finding = std::optional<Complaint>;

/// A check of one variant's settings. The problem is shown at the first of `keys` that was given.
struct Rule {
    Severity severity;
    std::vector<std::string_view> keys;
    Finding (*check)(const Variant&);
};

Finding floorAboveCeiling(const Variant& v)
{
    const auto& s = v.settings.scaler;
    const auto floor = s.floor();
    if (!floor || !s.maxScale || *floor <= *s.maxScale)
        return std::nullopt;
    const auto whose =
        s.minScale ? std::string("min_scale") : fmt::format("the floor of {}", word(s.policy));
    return Complaint{
        fmt::format("{} {} is above max_scale {}", whose, toText(*floor), toText(*s.maxScale)),
        "min_scale at most max_scale", {}};
}

Finding startBelowFloor(const Variant& v)
{
    const auto& s = v.settings.scaler;
    const auto floor = s.floor();
    if (!floor || s.initScale >= *floor)
        return std::nullopt;
    const auto whose =
        s.minScale ? std::string("min_scale") : fmt::format("the floor of {}", word(s.policy));
    return Complaint{
        fmt::format("init_scale {} is below {} {}", toText(s.initScale), whose, toText(*floor)),
        "init_scale from min_scale to max_scale", toText(*floor)};
}

Finding startAboveCeiling(const Variant& v)
{
    const auto& s = v.settings.scaler;
    if (!s.maxScale || s.initScale <= *s.maxScale)
        return std::nullopt;
    return Complaint{fmt::format("init_scale {} is above max_scale {}", toText(s.initScale),
                         toText(*s.maxScale)),
        "init_scale from min_scale to max_scale", toText(*s.maxScale)};
}

Finding scalerWithoutNeed(const Variant& v)
{
    if (v.settings.scaler.enabled != ScalerEnabled::On || v.precision == Precision::Fp16)
        return std::nullopt;
    return Complaint{
        fmt::format("{} does not need a GradScaler: its range is that of fp32", word(v.precision)),
        {}, "auto"};
}

Finding scalerMissing(const Variant& v)
{
    if (v.settings.scaler.enabled != ScalerEnabled::Off || v.precision != Precision::Fp16)
        return std::nullopt;
    return Complaint{"fp16 without a GradScaler: gradients below 6e-8 become 0", {}, "auto"};
}

Finding warmupTooLong(const Variant& v)
{
    const auto& t = v.settings.train;
    if (t.epochs > 0 || t.warmupSteps <= t.steps)
        return std::nullopt;
    return Complaint{fmt::format("warmup_steps {} is more than steps {}", t.warmupSteps, t.steps),
        fmt::format("0 to {}", t.steps), {}};
}

Finding nesterovWithoutMomentum(const Variant& v)
{
    const auto& t = v.settings.train;
    if (!t.nesterov || t.optimizer != OptimizerKind::Sgd || t.momentum > 0)
        return std::nullopt;
    return Complaint{
        "nesterov needs a momentum above 0", "momentum above 0, or nesterov = false", {}};
}

Finding headsDoNotDivide(const Variant& v)
{
    const auto& m = v.settings.model;
    const bool attends = m.kind == ModelKind::Vit || m.kind == ModelKind::Gpt;
    if (!attends || m.dim % m.heads == 0)
        return std::nullopt;
    return Complaint{fmt::format("dim {} is not a multiple of heads {}", m.dim, m.heads),
        "a dim that heads divides", {}};
}

Finding idxFilesMissing(const Variant& v)
{
    const auto& d = v.settings.data;
    if (d.source != DataSource::Idx || (!d.images.empty() && !d.labels.empty()))
        return std::nullopt;
    return Complaint{"idx needs the training images and labels", "data.images and data.labels", {}};
}

Finding idxValidationMissing(const Variant& v)
{
    const auto& d = v.settings.data;
    if (d.source != DataSource::Idx || d.validationImages.empty() == d.validationLabels.empty())
        return std::nullopt;
    return Complaint{"validation images and labels belong together",
        "both data.validation_images and data.validation_labels, or neither", {}};
}

Finding pathMissing(const Variant& v)
{
    const auto& d = v.settings.data;
    if ((d.source != DataSource::Text && d.source != DataSource::Csv) || !d.path.empty())
        return std::nullopt;
    return Complaint{fmt::format("{} needs a file", word(d.source)), "data.path", {}};
}

Finding tf32OnCpu(const Variant& v)
{
    if (v.precision != Precision::Tf32 || v.settings.device.kind != "cpu")
        return std::nullopt;
    return Complaint{
        "tf32 exists on CUDA devices only: this variant will be refused on the CPU", {}, "fp32"};
}

Finding benchmarkAgainstDeterminism(const Variant& v)
{
    const auto& d = v.settings.device;
    if (!d.cudnnBenchmark || !d.deterministic)
        return std::nullopt;
    return Complaint{"cudnn_benchmark may choose another algorithm each time, deterministic "
                     "forbids that",
        {}, {}};
}

const std::vector<Rule>& rules()
{
    using enum Severity;
    static const std::vector<Rule> all{
        {Error, {"scaler.min_scale", "scaler.max_scale", "scaler.policy"}, floorAboveCeiling},
        {Error, {"scaler.init_scale", "scaler.min_scale", "scaler.policy"}, startBelowFloor},
        {Error, {"scaler.init_scale", "scaler.max_scale"}, startAboveCeiling},
        {Warning, {"scaler.enabled"}, scalerWithoutNeed},
        {Warning, {"scaler.enabled"}, scalerMissing},
        {Error, {"train.warmup_steps", "train.steps"}, warmupTooLong},
        {Error, {"train.nesterov", "train.momentum"}, nesterovWithoutMomentum},
        {Error, {"model.heads", "model.dim"}, headsDoNotDivide},
        {Error, {"data.source", "data.images", "data.labels"}, idxFilesMissing},
        {Error, {"data.validation_images", "data.validation_labels"}, idxValidationMissing},
        {Error, {"data.source", "data.path"}, pathMissing},
        {Warning, {"precision", "device.kind"}, tf32OnCpu},
        {Warning, {"device.cudnn_benchmark", "device.deterministic"}, benchmarkAgainstDeterminism},
    };
    return all;
}

/// Where the first of `keys` was given: by the variant itself, else for all.
const Given* placeOf(
    const std::vector<std::string_view>& keys, const Layer* own, const Layer& shared)
{
    for (const auto* layer : {own, &shared}) {
        for (const auto key : keys) {
            const auto* given = layer ? layer->find(key) : nullptr;
            if (given)
                return given;
        }
    }
    return nullptr;
}

/// Adds a problem once: a shared setting is checked again for each variant.
void report(Draft& draft, ConfigProblem problem)
{
    if (std::ranges::find(draft.problems, problem) == draft.problems.end())
        draft.problems.push_back(std::move(problem));
}

void checkVariantRules(Draft& draft, const Variant& variant, const Layer* own)
{
    for (const auto& rule : rules()) {
        const auto finding = rule.check(variant);
        // Without a valid precision a warning about it would mislead.
        const bool isGuess = rule.severity == Severity::Warning && own && !own->find("precision");
        if (!finding || isGuess)
            continue;
        ConfigProblem problem{rule.severity, draft.file, 0, std::string(rule.keys.front()), {},
            finding->message, finding->allowed, finding->suggestion};
        if (const auto* given = placeOf(rule.keys, own, draft.shared)) {
            problem.file = given->file;
            problem.line = given->line;
            problem.key = given->key;
            problem.value = given->text;
        }
        report(draft, std::move(problem));
    }
}

void checkLength(Draft& draft, const Layer& layer)
{
    const auto* steps = layer.find("train.steps");
    const auto* epochs = layer.find("train.epochs");
    if (!steps || !epochs || epochs->value == SettingValue(std::int64_t{0}))
        return;
    report(draft,
        {Severity::Error, epochs->file, epochs->line, epochs->key, epochs->text,
            fmt::format("steps and epochs are both given (steps on line {})", steps->line),
            "one of the two", {}});
}

/// Steps beside epochs have an error of their own.
bool isWorthAWarning(const Given& given)
{
    return given.spec->set && given.spec->path != "train.steps";
}

ConfigProblem unusedProblem(const Given& given, const std::string& why)
{
    return {Severity::Warning, given.file, given.line, given.key, given.text,
        fmt::format("has no effect here: {}", why), {}, {}};
}

void warnUnused(Draft& draft, const ExperimentConfig& config)
{
    for (const auto& given : draft.shared.given) {
        // Spelling out a default is no mistake even where it has no effect.
        if (!isWorthAWarning(given) || given.value == given.spec->get(Settings{}))
            continue;
        if (const auto why = whyUnused(*given.spec, config); !why.empty())
            report(draft, unusedProblem(given, why));
    }
    for (std::size_t i = 0; i < config.variants.size(); ++i) {
        const auto& variant = config.variants[i];
        for (const auto& given : draft.variants[i].layer.given) {
            if (!isWorthAWarning(given))
                continue;
            const auto why = whyUnused(*given.spec, variant.settings, variant.precision);
            if (!why.empty())
                report(draft, unusedProblem(given, why));
        }
    }
}

/// `--set train.lr=...` does not reach a variant that has its own train.lr: say so.
void warnHidden(Draft& draft)
{
    for (const auto& given : draft.shared.given) {
        for (std::size_t i = 0; given.file == "--set" && i < draft.variants.size(); ++i) {
            const auto* own =
                given.spec->set ? draft.variants[i].layer.find(given.spec->path) : nullptr;
            if (own)
                report(draft,
                    {Severity::Warning, given.file, 0, given.key, given.text,
                        fmt::format(
                            "variant[{}] keeps its own {} = {}", i, given.spec->path, own->text),
                        {}, variantPath(i, given.spec->path)});
        }
    }
}

} // namespace

void checkRules(Draft& draft, const ExperimentConfig& config)
{
    checkLength(draft, draft.shared);
    for (const auto& variant : draft.variants)
        checkLength(draft, variant.layer);
    for (std::size_t i = 0; i < config.variants.size(); ++i)
        checkVariantRules(draft, config.variants[i], &draft.variants[i].layer);
    if (config.variants.empty()) {
        // Nothing to train is an error of its own; the rest is still checked, as for fp16.
        Variant any;
        any.precision = Precision::Fp16;
        any.settings = config.settings;
        checkVariantRules(draft, any, nullptr);
    }
    warnUnused(draft, config);
    warnHidden(draft);
}

} // namespace mantissa
