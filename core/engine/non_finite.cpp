// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/non_finite.h"

#include "core/base/human_text.h"
#include "core/base/number_text.h"
#include "core/config/config_io.h"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mantissa {

namespace {

constexpr std::array<std::string_view, 9> kPlaceWords{"parameter", "input", "output", "loss",
    "scaled_loss", "output_gradient", "input_gradient", "parameter_gradient", "gradient_sum"};
constexpr std::array<std::string_view, 8> kCauseWords{"scale_overflow", "intrinsic",
    "forward_overflow", "forward_format", "backward_format", "not_reproduced", "weights_lost",
    "norm_overflow"};

std::string countText(const NonFiniteTensor& tensor)
{
    std::string what;
    if (tensor.infs > 0)
        what = groupedText(tensor.infs) + " inf";
    if (tensor.nans > 0)
        what += (what.empty() ? "" : " and ") + groupedText(tensor.nans) + " NaN";
    what += " of " + groupedText(tensor.elements) + " values";
    if (tensor.infs + tensor.nans < tensor.elements)
        what +=
            fmt::format(", the largest finite one is {}", significantText(tensor.largestFinite, 6));
    return what;
}

/// "fp16", or "the step's precision" of a 32-bit one.
std::string nameOf(const NonFiniteFinding& finding)
{
    return finding.precision ? std::string(toString(*finding.precision)) : "the step's precision";
}

/// A parameter that is too large says more than the output that it spoils.
std::string parameterText(const NonFiniteFinding& finding)
{
    if (!finding.overflowing)
        return {};
    return fmt::format(" Its parameter {} has a magnitude of {}, which is infinite in {}.",
        finding.overflowing->name, significantText(finding.overflowing->largest, 4),
        nameOf(finding));
}

std::string forwardText(const NonFiniteFinding& finding, const std::string& inFp32)
{
    if (finding.cause == NonFiniteCause::ForwardFormat)
        return fmt::format("The forward pass is finite in fp32{}: a constant or an intermediate "
                           "value does not fit {}. Scaling cannot help; keep this module in fp32.",
            inFp32, nameOf(finding));
    const bool bf16 = finding.precision == Precision::Bf16;
    return fmt::format("A value over the range of {} in the forward pass{}.{} Scaling cannot help: "
                       "{}keep this module in fp32.",
        nameOf(finding), inFp32, parameterText(finding), bf16 ? "" : "bf16 has the range, or ");
}

/// The cause in words, and what helps.
std::string causeText(const NonFiniteFinding& finding)
{
    const std::string inFp32 = finding.largestInFp32
        ? fmt::format(" (largest magnitude there in fp32 at scale 1: {})",
            significantText(*finding.largestInFp32, 6))
        : std::string();
    switch (finding.cause) {
    case NonFiniteCause::ScaleOverflow:
        return fmt::format("Overflow caused by the scale: {} is too high for this step{}. Backing "
                           "off helps.",
            scaleText(finding.scale), inFp32);
    case NonFiniteCause::Intrinsic:
        return !finding.precision
            ? "Intrinsic: the step was in 32 bits. Look at the data, the weights and the learning "
              "rate."
            : "Intrinsic: it is not finite in fp32 at scale 1 either. Look at the data, the "
              "weights and the learning rate; no precision and no scale helps.";
    case NonFiniteCause::ForwardOverflow:
    case NonFiniteCause::ForwardFormat:
        return forwardText(finding, inFp32);
    case NonFiniteCause::BackwardFormat:
        return fmt::format("The gradient is not finite at scale 1 either, but is in fp32{}: the "
                           "precision, not the scale. Keep this module in fp32.",
            inFp32);
    case NonFiniteCause::WeightsLost:
        return "The weights are not finite any more: this step's update came before its loss was "
               "known, so that it cannot be replayed. On a CPU (device.kind = \"cpu\") it can.";
    case NonFiniteCause::NormOverflow:
        return "Every gradient is finite; only the square of their norm is over the range of fp32. "
               "The weights were updated.";
    case NonFiniteCause::NotReproduced:
        break;
    }
    return "The replay of the step was finite: the values came from something that does not "
           "repeat (dropout, or weights that have moved on).";
}

} // namespace

std::string_view toString(NonFiniteCause cause)
{
    return kCauseWords.at(static_cast<std::size_t>(cause));
}

std::string NonFiniteTensor::where() const
{
    const std::string name = module.empty() ? "the network" : module;
    switch (place) {
    case TensorPlace::Parameter:
        return "the weight " + parameter;
    case TensorPlace::Input:
        return module.empty() ? "the network's input (the data)" : "the input of " + name;
    case TensorPlace::Output:
        return "the output of " + name
            + (hasChildren ? " (its own arithmetic: the parts it is made of were finite)" : "");
    case TensorPlace::Loss:
        return "the loss";
    case TensorPlace::ScaledLoss:
        return "the loss times the scale";
    case TensorPlace::OutputGradient:
        return "the gradient at the output of " + name;
    case TensorPlace::InputGradient:
        return "the gradient at the input of " + name;
    case TensorPlace::ParameterGradient:
        return "the gradient of " + parameter;
    case TensorPlace::GradientSum:
        break;
    }
    return "the gradient of " + parameter + ", summed over the micro-batches";
}

std::string NonFiniteFinding::text() const
{
    if (!first)
        return causeText(*this);
    const auto batch = microBatches > 1
        ? fmt::format(" in micro-batch {} of {}", microBatch, microBatches)
        : std::string();
    return fmt::format("First non-finite tensor: {} ({}){}: {}. {}", first->where(), first->type,
        batch, countText(*first), causeText(*this));
}

nlohmann::json NonFiniteFinding::toJson() const
{
    nlohmann::json json{{"cause", toString(cause)}, {"scale", numberToJson(scale)}};
    if (!first)
        return json;
    json["module"] = first->module;
    json["place"] = kPlaceWords.at(static_cast<std::size_t>(first->place));
    json["parameter"] = first->parameter;
    json["dtype"] = first->type;
    json["elements"] = first->elements;
    json["nan"] = first->nans;
    json["inf"] = first->infs;
    json["largest_finite"] = first->largestFinite;
    json["micro_batch"] = microBatch;
    json["micro_batches"] = microBatches;
    if (largestInFp32)
        json["largest_in_fp32"] = *largestInFp32;
    if (overflowing) {
        json["overflowing_parameter"] = overflowing->name;
        json["overflowing_value"] = overflowing->largest;
    }
    return json;
}

} // namespace mantissa
