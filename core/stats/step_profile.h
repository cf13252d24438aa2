// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/stats/operator_cost.h"
#include "core/stats/profiled_call.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

/// Where the time of training steps goes, operator by operator. Plain values, any thread.
namespace mantissa {

/// Steps that one window takes at most: the profiler's own work grows with each.
inline constexpr int kMostProfiledSteps = 20;

/// All calls of an operator in one type. Counts are of the whole window; times are those of the
/// fastest quarter of its steps, times four: a step that another program disturbed does not count.
struct OperatorRow {
    std::string name; ///< as LibTorch's, without "aten::"
    std::string dtype; ///< really used: "bf16"; of a cast "fp32→bf16"; empty = no tensor
    OperatorKind kind = OperatorKind::Other;
    std::int64_t calls = 0;
    double ms = 0; ///< without the operators it calls; on a GPU the time of its kernels
    double hostMs = 0; ///< of the processor, the same as `ms` on the CPU
    double flops = 0;
    double bytes = 0;
};

/// Matrix work of one size.
struct MatrixSize {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> sizes; ///< see matrixSizes()
    std::int64_t calls = 0;
    double ms = 0;
    bool isOdd() const; ///< one of them is no multiple of 8
};

struct StepProfile {
    std::string variant;
    std::string precision;
    std::string device; ///< "cpu", "cuda:0"
    int threads = 0;
    std::int64_t samplesPerStep = 0;
    std::int64_t steps = 0; ///< in the window
    double stepMs = 0; ///< median of a step without the profiler
    std::int64_t timedSteps = 0; ///< behind stepMs
    double dataWaitMs = 0; ///< median before each of those
    double windowMs = 0; ///< of all steps, as the rows' times, with the profiler's own cost
    double launchUs = 0; ///< one call of an operator on a single number here: what starting costs
    bool tf32 = false; ///< products of fp32 ran in TF32
    std::vector<OperatorRow> rows; ///< slowest first
    std::vector<MatrixSize> matrices; ///< slowest first

    bool onGpu() const { return device.starts_with("cuda"); }
    // Per step.
    double operatorMs() const; ///< sum over all operators
    double operatorMs(OperatorKind kind) const;
    double calls() const;
    double calls(OperatorKind kind) const;
    double flops() const;
    double bytes() const;
    double bytes(OperatorKind kind) const;
    // As shares of a step's time. Of the window, not of stepMs: both carry the profiler's cost.
    double share(double msPerStep) const;
    double share(OperatorKind kind) const { return share(operatorMs(kind)); }
    /// The window's steps took far longer than those without the profiler, or less: another program
    /// had the processor, and the figures say little.
    bool isDisturbed() const;
    /// Starting operators: on the CPU calls times launchUs of stepMs, on a GPU the share of stepMs
    /// in which no kernel ran.
    double launchShare() const;
};

/// Adds up the calls within the scopes kStepScope among `roots`. Under autocast an operator is
/// recorded twice, the outer call with the types it was given and the inner one with those after
/// the casts: one call, of the inner type. Only steps, windowMs, rows and matrices are set.
StepProfile profileOf(const std::vector<ProfiledCall>& roots, bool onGpu);

nlohmann::json toJson(const StepProfile& profile);
[[nodiscard]] Result<StepProfile> stepProfileFromJson(const nlohmann::json& json);
/// One line an operator: operator, dtype, kind, calls, ms, share, flops, bytes; all per step.
std::string toCsv(const StepProfile& profile);

} // namespace mantissa
