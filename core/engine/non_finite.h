// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

/// Why a step was skipped, found by replaying it.
enum class NonFiniteCause {
    ScaleOverflow, ///< finite at scale 1: the scale was too high
    Intrinsic, ///< not finite in fp32 at scale 1 either
    ForwardOverflow, ///< a value over the format's largest in the forward pass
    ForwardFormat, ///< forward, the values fit: a constant or an intermediate does not
    BackwardFormat, ///< backward, not finite at scale 1 either, but finite in fp32
    NotReproduced, ///< the replay was finite
};
std::string_view toString(NonFiniteCause cause);

/// What the locator found out about one skipped step.
struct NonFiniteFinding {
    std::optional<NonFiniteTensor> first; ///< in the order of computation
    NonFiniteCause cause = NonFiniteCause::NotReproduced;
    double scale = 1;
    std::int64_t microBatch = 1; ///< 1-based
    std::int64_t microBatches = 1;
    std::optional<double> largestInFp32; ///< magnitude at the same place in fp32 at scale 1

    /// Two or three sentences for a person: where, how many, why, what helps.
    std::string text() const;
    /// {"module", "place", "parameter", "dtype", "elements", "nan", "inf", "largest_finite",
    /// "cause", "scale", "micro_batch", "largest_in_fp32"}
    nlohmann::json toJson() const;
};

} // namespace mantissa
