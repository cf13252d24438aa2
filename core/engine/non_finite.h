// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mantissa {

/// Where in a step a tensor stands.
enum class TensorPlace {
    Parameter, ///< a weight, before the forward pass
    Input, ///< what a module is given
    Output, ///< what a module returns
    Loss,
    ScaledLoss, ///< loss x scale
    OutputGradient, ///< of the loss with respect to a module's output
    InputGradient, ///< with respect to its input: made by the module's own backward
    ParameterGradient,
    GradientSum, ///< a parameter's gradient over all micro-batches
};

/// A tensor with values that are not finite.
struct NonFiniteTensor {
    std::string module; ///< path as in Python; "" = the network as a whole
    TensorPlace place = TensorPlace::Output;
    std::string parameter; ///< of Parameter, ParameterGradient, GradientSum: "fc1.weight"
    bool hasChildren = false; ///< the module is made of others, whose outputs were finite
    std::string type; ///< LibTorch's name: "Half", "BFloat16", "Float"
    std::int64_t elements = 0;
    std::int64_t nans = 0;
    std::int64_t infs = 0;
    double largestFinite = 0; ///< magnitude; 0 if nothing is finite

    bool isGradient() const { return place >= TensorPlace::OutputGradient; }
    /// "the gradient at the output of fc2".
    std::string where() const;
};

/// Why a step had values that are not finite, found by replaying it.
enum class NonFiniteCause {
    ScaleOverflow, ///< finite at scale 1: the scale was too high
    Intrinsic, ///< not finite in fp32 at scale 1 either
    ForwardOverflow, ///< a value over the precision's largest in the forward pass
    ForwardFormat, ///< forward, the values fit: a constant or an intermediate does not
    BackwardFormat, ///< backward, not finite at scale 1 either, but finite in fp32
    NotReproduced, ///< the replay was finite
    WeightsLost, ///< the step's update has spoilt the weights before it was known
    NormOverflow, ///< every gradient is finite, the norm's square is not
};
std::string_view toString(NonFiniteCause cause);

/// A parameter that has no finite value in the step's precision.
struct OverflowingParameter {
    std::string name; ///< "fc1.bias"
    double largest = 0; ///< magnitude in fp32
};

/// What the locator found out about one step.
struct NonFiniteFinding {
    std::optional<NonFiniteTensor> first; ///< in the order of computation
    std::optional<Precision> precision; ///< of the step: fp16 or bf16; nothing = 32 bits
    std::optional<OverflowingParameter> overflowing; ///< of the module that `first` is of
    NonFiniteCause cause = NonFiniteCause::NotReproduced;
    double scale = 1;
    std::int64_t microBatch = 1; ///< 1-based
    std::int64_t microBatches = 1;
    std::optional<double> largestInFp32; ///< magnitude at the same place in fp32 at scale 1

    /// Two or three sentences for a person: where, how many, why, what helps.
    std::string text() const;
    /// {"module", "place", "parameter", "dtype", "elements", "nan", "inf", "largest_finite",
    /// "cause", "scale", "micro_batch", "largest_in_fp32", "overflowing_parameter",
    /// "overflowing_value"}
    nlohmann::json toJson() const;
};

} // namespace mantissa
