// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What can be said about a run's numbers before its first step. Pure, any thread.
namespace mantissa {

/// One thing that will go wrong, or will not do what it seems to.
struct PreflightFinding {
    enum class Severity {
        Note, ///< works, but not as it looks
        Warning, ///< numbers will be lost
        Error, ///< cannot train
    };
    Severity severity = Severity::Warning;
    std::string module; ///< "scaler", "optimizer", "loss", "input", or a module's path
    std::string parameter; ///< setting, constant or parameter: "train.eps", "fc1.weight"
    std::string value; ///< as a person reads it
    std::string problem; ///< a sentence
    std::string remedy; ///< a sentence

    /// "optimizer, train.eps = 1e-50: PROBLEM REMEDY"
    std::string text() const;
    /// {"severity", "module", "parameter", "value", "problem", "remedy"}
    nlohmann::json toJson() const;

    bool operator==(const PreflightFinding&) const = default;
};
std::string_view toString(PreflightFinding::Severity severity);

/// `value` rounded to nearest even in what `precision` computes in; infinity beyond its range.
double roundedTo(double value, Precision precision);

/// A constant that `precision` cannot hold: it overflows, becomes 0, or becomes 1 although it is
/// not (so that log(1 - p) is infinite). Nothing if it can.
std::optional<PreflightFinding> checkConstant(
    std::string_view module, std::string_view name, double value, Precision precision);

/// A sum (or mean) of `count` values as large as `magnitude`, accumulated in `precision`.
std::optional<PreflightFinding> checkSum(
    std::string_view module, std::int64_t count, double magnitude, Precision precision);

/// A clipping threshold no gradient can reach: with a loss scale, an fp16 gradient of
/// `parameters` values that long would have overflowed before.
std::optional<PreflightFinding> checkClipNorm(
    double clipNorm, double scale, std::int64_t parameters, Precision precision);

/// What the settings alone tell.
std::vector<PreflightFinding> preflight(const Variant& variant);

} // namespace mantissa
