// SPDX-License-Identifier: GPL-3.0-or-later
// What a profile tells about a missing speed-up, question by question.
#include "core/base/human_text.h"
#include "core/report/checklist_speed.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mantissa {

namespace {

// Shares of a step from which on a thing is worth naming.
constexpr double kLeastMatrixShare = 0.5;
constexpr double kMostLaunchShare = 0.25;
constexpr double kMostCastShare = 0.1;
constexpr double kMostMemoryBoundShare = 0.4;
constexpr double kMostOddShare = 0.2; ///< of the matrix work

double gigaflops(const StepProfile& profile)
{
    const double ms = profile.operatorMs(OperatorKind::Matrix);
    return ms > 0 ? profile.flops() / ms / 1e6 : 0;
}

void find(CheckResult& check, bool found, std::string evidence, const char* advice)
{
    check.answer = found ? CheckAnswer::Found : CheckAnswer::NotFound;
    check.evidence = std::move(evidence);
    if (found)
        check.advice = advice;
}

CheckResult checkMatrixShare(const StepProfile& profile)
{
    auto check = speedCheck("matrix_share", "Is most of the step no matrix work?");
    const double share = profile.share(OperatorKind::Matrix);
    find(check, share < kLeastMatrixShare,
        fmt::format("products, convolutions and attention take {} of a step, {} FLOPs in it",
            percentText(share), significantText(profile.flops(), 3)),
        "Only matrix work gets faster in 16 bits; a larger model has a larger share of it.");
    return check;
}

CheckResult checkMatrixRate(const RunProfiles& profiles)
{
    auto check = speedCheck("matrix_rate", "Is the matrix work itself slower in the format?");
    if (!profiles.baseline) {
        check.evidence = "the profile has no 32-bit one beside it";
        return check;
    }
    const double own = gigaflops(profiles.run);
    const double base = gigaflops(*profiles.baseline);
    find(check, own < base,
        fmt::format("{} GFLOP/s in {}, {} GFLOP/s in {}", significantText(own, 3),
            profiles.run.precision, significantText(base, 3), profiles.baseline->precision),
        "This device computes the format slowly at these sizes: larger ones, or another format.");
    return check;
}

CheckResult checkLaunches(const StepProfile& profile)
{
    auto check = speedCheck("launch_bound", "Does starting operators take a large part?");
    const double share = profile.launchShare();
    const auto calls = fixedText(profile.calls(), 0);
    find(check, share > kMostLaunchShare,
        profile.onGpu() ? fmt::format("{} operators a step; kernels ran for {} of {}, the device "
                                      "was idle for {}",
            calls, durationText(profile.operatorMs()), durationText(profile.stepMs),
            percentText(share))
                        : fmt::format("{} operators a step at {} us each are {} of {}", calls,
                            significantText(profile.launchUs, 2), percentText(share),
                            durationText(profile.stepMs)),
        "A larger batch does more work for the same number of operators.");
    return check;
}

CheckResult checkCasts(const StepProfile& profile)
{
    auto check = speedCheck("cast_share", "Do casts between formats take a large part?");
    const double share = profile.share(OperatorKind::Cast);
    find(check, share > kMostCastShare,
        fmt::format("{} casts a step, {}, {} of it",
            fixedText(profile.calls(OperatorKind::Cast), 0),
            bytesText(profile.bytes(OperatorKind::Cast)), percentText(share)),
        "Weights are cast once a step, and their gradients back: a larger batch makes more of each "
        "cast. autocast.cache must be on.");
    return check;
}

CheckResult checkMemoryBound(const StepProfile& profile)
{
    auto check = speedCheck("memory_bound", "Do operators that only move data take a large part?");
    const double share = profile.share(OperatorKind::Elementwise)
        + profile.share(OperatorKind::Reduction) + profile.share(OperatorKind::Optimizer)
        + profile.share(OperatorKind::Movement);
    find(check, share > kMostMemoryBoundShare,
        fmt::format("elementwise {}, sums and normalisation {}, optimizer {}, copies {}",
            percentText(profile.share(OperatorKind::Elementwise)),
            percentText(profile.share(OperatorKind::Reduction)),
            percentText(profile.share(OperatorKind::Optimizer)),
            percentText(profile.share(OperatorKind::Movement))),
        "They gain by smaller tensors at best, those that autocast keeps in fp32 nothing.");
    return check;
}

CheckResult checkOddSizes(const StepProfile& profile)
{
    auto check = speedCheck("odd_sizes", "Do matrix units not fit the sizes (no multiples of 8)?");
    double odd = 0;
    double all = 0;
    std::vector<std::string> names;
    for (const auto& size : profile.matrices) {
        all += size.ms;
        if (!size.isOdd())
            continue;
        odd += size.ms;
        if (names.size() < 3)
            names.push_back(fmt::format("{} {}", size.name, fmt::join(size.sizes, " x ")));
    }
    if (all <= 0) {
        check.evidence = "no matrix work was seen";
        return check;
    }
    const double share = odd / all;
    find(check, share > kMostOddShare,
        names.empty()
            ? std::string("all sizes are multiples of 8")
            : fmt::format("{} of the matrix work: {}", percentText(share), fmt::join(names, ", ")),
        "Pad classes, channels and hidden sizes to multiples of 8; for images also try "
        "device.channels_last.");
    return check;
}

/// Work that does not grow with the batch against work that does.
CheckResult checkSmallBatch(const StepProfile& profile)
{
    auto check = speedCheck("small_batch", "Is the batch too small?");
    const double fixed = profile.share(OperatorKind::Cast) + profile.share(OperatorKind::Optimizer)
        + profile.launchShare();
    const double matrix = profile.share(OperatorKind::Matrix);
    find(check, fixed > matrix,
        fmt::format("{} samples a step; casts {}, optimizer {} and starting operators {}, which "
                    "hardly grow with the batch, against matrix work {}",
            groupedText(profile.samplesPerStep), percentText(profile.share(OperatorKind::Cast)),
            percentText(profile.share(OperatorKind::Optimizer)), percentText(profile.launchShare()),
            percentText(matrix)),
        "Try twice the batch, and again: mantissa-cli profile --set data.batch_size=N shows what "
        "it "
        "changes.");
    return check;
}

CheckResult checkBaseline(const RunProfiles& profiles)
{
    auto check = speedCheck("baseline_tf32", "Is the baseline fast already (TF32)?");
    if (!profiles.baseline) {
        check.evidence = "the profile has no 32-bit one beside it";
        return check;
    }
    find(check, profiles.baseline->tf32,
        fmt::format("the baseline ran in {}", profiles.baseline->precision),
        "TF32 uses the matrix units too: compare with precision = \"fp32\" to see their gain.");
    return check;
}

} // namespace

std::vector<CheckResult> profileChecks(
    const RunRecord& run, const std::optional<RunProfiles>& profiles)
{
    if (profiles) {
        const auto& own = profiles->run;
        return {checkMatrixShare(own), checkMatrixRate(*profiles), checkLaunches(own),
            checkCasts(own), checkMemoryBound(own), checkOddSizes(own), checkSmallBatch(own),
            checkBaseline(*profiles)};
    }
    const RunProfiles none;
    std::vector<CheckResult> checks{checkMatrixShare(none.run), checkMatrixRate(none),
        checkLaunches(none.run), checkCasts(none.run), checkMemoryBound(none.run),
        checkOddSizes(none.run), checkSmallBatch(none.run), checkBaseline(none)};
    for (auto& check : checks) {
        check.answer = CheckAnswer::CannotTell;
        check.evidence = fmt::format("run {} has no profile", run.id);
        check.advice.clear();
    }
    return checks;
}

} // namespace mantissa
