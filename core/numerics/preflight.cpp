// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/preflight.h"

#include "core/base/human_text.h"
#include "core/base/number_text.h"
#include "core/config/config_io.h"
#include "core/numerics/number_format.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace mantissa {

namespace {

using Level = PreflightFinding::Severity;
using Finding = std::optional<PreflightFinding>;

/// The optimizers' kernels compute in fp32 whatever the variant's format is.
constexpr auto kOptimizerFormat = Precision::Fp32;

Finding scalerWithoutNeed(const Variant& variant)
{
    if (!variant.usesScaler() || variant.precision == Precision::Fp16)
        return std::nullopt;
    return PreflightFinding{Level::Note, "scaler", "scaler.enabled",
        std::string(toString(variant.settings.scaler.enabled)),
        fmt::format("{} has the range of fp32: nothing overflows, no step is ever skipped and the "
                    "scale grows without end.",
            toString(variant.precision)),
        "scaler.enabled = \"auto\" uses a GradScaler in fp16 variants only."};
}

Finding scalerMissing(const Variant& variant)
{
    if (variant.usesScaler() || variant.precision != Precision::Fp16)
        return std::nullopt;
    return PreflightFinding{Level::Warning, "scaler", "scaler.enabled",
        std::string(toString(variant.settings.scaler.enabled)),
        "without a GradScaler gradients below 2^-25 become 0 in fp16.",
        "scaler.enabled = \"auto\"."};
}

Finding optimizerEps(const Variant& variant)
{
    const auto& train = variant.settings.train;
    if (train.optimizer == OptimizerKind::Sgd)
        return std::nullopt;
    if (train.eps > 0)
        return checkConstant("optimizer", "train.eps", train.eps, kOptimizerFormat);
    return PreflightFinding{Level::Warning, "optimizer", "train.eps", "0",
        "a parameter whose gradient has always been 0 is divided by 0 and becomes NaN.",
        "Use train.eps = 1e-8."};
}

/// Someone who clipped scaled gradients elsewhere brings the scale along in the threshold.
Finding scaledThreshold(const Variant& variant)
{
    const double clip = variant.settings.train.clipNorm;
    const double scale = variant.settings.scaler.initScale;
    if (!variant.usesScaler() || clip < scale || scale < 16)
        return std::nullopt;
    return PreflightFinding{Level::Warning, "optimizer", "train.clip_norm", toText(clip),
        fmt::format("gradients are clipped after unscaling, in true units; a threshold of at least "
                    "the loss scale ({}) looks as if it were meant for scaled ones and will hardly "
                    "ever act.",
            scaleText(scale)),
        fmt::format("The same threshold in true units is {}.", significantText(clip / scale, 4))};
}

/// Many skipped steps at the start.
Finding startScale(const Variant& variant)
{
    constexpr double kUsual = 65536;
    constexpr double kMany = 10;
    const auto& scaler = variant.settings.scaler;
    if (!variant.usesScaler() || variant.precision != Precision::Fp16
        || scaler.policy == ScalerPolicy::Static)
        return std::nullopt;
    const double skips = std::log2(scaler.initScale / kUsual) / -std::log2(scaler.backoffFactor);
    if (skips < kMany)
        return std::nullopt;
    return PreflightFinding{Level::Note, "scaler", "scaler.init_scale", scaleText(scaler.initScale),
        fmt::format("about {} steps will be skipped until the scale is near 65,536.",
            groupedText(std::llround(skips))),
        "A lower scaler.init_scale saves them."};
}

} // namespace

std::string_view toString(PreflightFinding::Severity severity)
{
    constexpr std::array<std::string_view, 3> words{"note", "warning", "error"};
    return words.at(static_cast<std::size_t>(severity));
}

std::string PreflightFinding::text() const
{
    std::string place = module;
    if (!parameter.empty())
        place += (place.empty() ? "" : ", ") + parameter;
    if (!value.empty())
        place += " = " + value;
    return fmt::format("{}: {} {}", place, problem, remedy);
}

nlohmann::json PreflightFinding::toJson() const
{
    return {{"severity", toString(severity)}, {"module", module}, {"parameter", parameter},
        {"value", value}, {"problem", problem}, {"remedy", remedy}};
}

double roundedTo(double value, Precision precision)
{
    if (!std::isfinite(value) || value == 0)
        return value;
    const auto& format = formatInfo(precision);
    if (std::abs(value) >= format.overflowFrom)
        return std::copysign(std::numeric_limits<double>::infinity(), value);
    int exponent = 0;
    std::frexp(value, &exponent);
    const double spacing =
        std::max(std::ldexp(1.0, exponent - 1 - format.mantissaBits), format.minSubnormal);
    return std::nearbyint(value / spacing) * spacing;
}

std::optional<PreflightFinding> checkConstant(
    std::string_view module, std::string_view name, double value, Precision precision)
{
    const double rounded = roundedTo(value, precision);
    PreflightFinding finding{
        Level::Warning, std::string(module), std::string(name), toText(value), {}, {}};
    const auto format = toString(precision);
    const auto& info = formatInfo(precision);
    if (std::isinf(rounded) && std::isfinite(value)) {
        finding.problem = fmt::format("it is {} in {}, whose largest value is {}.",
            rounded > 0 ? "infinite" : "minus infinity", format, toText(info.maxFinite));
        finding.remedy = fmt::format("Use at most {}, or keep this operation in fp32.",
            toText(std::copysign(info.maxFinite, value)));
    } else if (rounded == 0 && value != 0) {
        finding.problem = fmt::format("it rounds to 0 in {}, whose smallest value is {}: a guard "
                                      "against division by 0 is gone.",
            format, significantText(info.minSubnormal, 3));
        finding.remedy = fmt::format(
            "Use at least {}, or keep this operation in fp32.", significantText(info.minNormal, 3));
    } else if (std::abs(rounded) == 1 && std::abs(value) != 1) {
        finding.problem = fmt::format("it rounds to {} in {}: log(1 - p) and 1 / (1 - p) are no "
                                      "longer guarded.",
            toText(rounded), format);
        finding.remedy = fmt::format("Stay {} away from 1, or keep this operation in fp32.",
            significantText(info.epsilon, 3));
    } else {
        return std::nullopt;
    }
    return finding;
}

std::optional<PreflightFinding> checkSum(
    std::string_view module, std::int64_t count, double magnitude, Precision precision)
{
    const double sum = static_cast<double>(count) * std::abs(magnitude);
    const auto& info = formatInfo(precision);
    if (sum < info.overflowFrom)
        return std::nullopt;
    return PreflightFinding{Level::Warning, std::string(module), "sum",
        fmt::format("{} x {}", groupedText(count), significantText(magnitude, 4)),
        fmt::format("summed up in {} it passes {} and becomes infinite, the mean too.",
            toString(precision), toText(info.maxFinite)),
        "Sum in fp32 (autocast does so for sum, mean and losses)."};
}

std::optional<PreflightFinding> checkClipNorm(
    double clipNorm, double scale, std::int64_t parameters, Precision precision)
{
    if (clipNorm <= 0 || precision != Precision::Fp16)
        return std::nullopt;
    const double longest =
        formatInfo(precision).maxFinite / scale * std::sqrt(static_cast<double>(parameters));
    if (clipNorm <= longest)
        return std::nullopt;
    return PreflightFinding{Level::Note, "optimizer", "train.clip_norm", toText(clipNorm),
        fmt::format("with a loss scale of {} no gradient of {} values in fp16 is longer than {} "
                    "without an overflow: clipping cannot act before the step is skipped.",
            scaleText(scale), groupedText(parameters), significantText(longest, 3)),
        "Use a smaller threshold or a smaller scale."};
}

std::vector<PreflightFinding> preflight(const Variant& variant)
{
    std::vector<PreflightFinding> findings;
    for (const auto check :
        {scalerWithoutNeed, scalerMissing, optimizerEps, scaledThreshold, startScale}) {
        if (auto finding = check(variant))
            findings.push_back(std::move(*finding));
    }
    return findings;
}

} // namespace mantissa
