// SPDX-License-Identifier: GPL-3.0-or-later
// Why there is no speed-up, in one sentence.
#include "core/base/human_text.h"
#include "core/report/checklist_speed.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mantissa {

namespace {

constexpr double kWorthNaming = 0.05; ///< of a step
constexpr std::size_t kMostCauses = 3;

/// Something that takes a part of a step which the format does not shorten.
struct Cause {
    double share = 0; ///< of a step
    std::string text;
};

std::string percent(double share)
{
    return fixedText(share * 100, 0) + " %";
}

Cause slowerMatrixWork(const StepProfile& run, const StepProfile& base)
{
    const double more =
        run.operatorMs(OperatorKind::Matrix) - base.operatorMs(OperatorKind::Matrix);
    if (more <= 0)
        return {};
    const double share = run.share(more);
    return {share,
        fmt::format("{} of its step is that matrix work takes {} instead of {}", percent(share),
            durationText(run.operatorMs(OperatorKind::Matrix)),
            durationText(base.operatorMs(OperatorKind::Matrix)))};
}

std::vector<Cause> causesOf(const RunProfiles& profiles)
{
    const auto& run = profiles.run;
    std::vector<Cause> causes;
    const auto add = [&causes](double share, const char* text, const std::string& what) {
        causes.push_back(
            {share, fmt::format("{} {}", percent(share), fmt::format(fmt::runtime(text), what))});
    };
    add(run.share(OperatorKind::Cast), "are {} casts between formats",
        fixedText(run.calls(OperatorKind::Cast), 0));
    add(run.launchShare(),
        run.onGpu() ? "no kernel ran while {} operators were started" : "is starting {} operators",
        fixedText(run.calls(), 0));
    const double wait = run.stepMs + run.dataWaitMs;
    add(wait > 0 ? run.dataWaitMs / wait : 0, "is waiting for data ({})",
        durationText(run.dataWaitMs));
    add(run.share(OperatorKind::Optimizer), "is the optimizer ({}), in fp32",
        durationText(run.operatorMs(OperatorKind::Optimizer)));
    add(run.share(OperatorKind::Elementwise) + run.share(OperatorKind::Reduction)
            + run.share(OperatorKind::Movement),
        "is elementwise work, sums and copies{}", "");
    if (profiles.baseline)
        causes.push_back(slowerMatrixWork(run, *profiles.baseline));
    std::ranges::stable_sort(causes, std::greater{}, &Cause::share);
    std::erase_if(causes, [](const Cause& cause) { return cause.share < kWorthNaming; });
    causes.resize(std::min(causes.size(), kMostCauses));
    return causes;
}

std::string matrixText(const RunProfiles& profiles)
{
    const auto& run = profiles.run;
    auto text = fmt::format("matrix work is {} of it", percent(run.share(OperatorKind::Matrix)));
    if (!profiles.baseline)
        return text;
    const double saved =
        profiles.baseline->operatorMs(OperatorKind::Matrix) - run.operatorMs(OperatorKind::Matrix);
    if (saved > 0)
        text += fmt::format(" and saves {}", durationText(saved));
    if (const double casts = run.operatorMs(OperatorKind::Cast); saved > 0 && casts > saved)
        text += fmt::format(", less than the casts cost ({})", durationText(casts));
    return text;
}

std::string adviceOf(const RunProfiles& profiles)
{
    const auto& run = profiles.run;
    const double slower = profiles.baseline ? slowerMatrixWork(run, *profiles.baseline).share : 0;
    const double fixed = run.share(OperatorKind::Cast) + run.launchShare();
    if (slower > fixed)
        return "This device computes the format slowly: use another format here.";
    return fixed > run.share(OperatorKind::Matrix)
        ? "The format cannot help at this size: a larger batch or a wider model, or fp32."
        : "The checks below say what can be changed.";
}

} // namespace

CheckResult speedConclusion(const ChecklistInput& input, const std::optional<RunProfiles>& profiles)
{
    auto check = speedCheck("why", "Why is there no speed-up?");
    const auto& run = input.run;
    const auto speedUp = speedUpOf(input, profiles);
    if (!isSixteenBit(run)) {
        check.answer = CheckAnswer::NotFound;
        check.evidence = "precision " + run.precision + ": nothing to be faster than";
    } else if (speedUp && *speedUp >= kLeastSpeedUp) {
        check.answer = CheckAnswer::NotFound;
        check.evidence =
            fmt::format("{} runs at {} the speed of 32 bits", run.precision, ratioText(*speedUp));
    } else if (!profiles || !speedUp) {
        check.evidence = fmt::format("{}: a profile tells (mantissa-cli checklist {} --profile)",
            speedUp ? fmt::format(
                "{} runs at {} the speed of 32 bits", run.precision, ratioText(*speedUp))
                    : std::string("it is not known how fast 32 bits are"),
            run.id);
    } else {
        check.answer = CheckAnswer::Found;
        std::vector<std::string> causes;
        for (const auto& cause : causesOf(*profiles))
            causes.push_back(cause.text);
        check.evidence =
            fmt::format("{} runs at {} the speed of {}: {}; {}", run.precision, ratioText(*speedUp),
                profiles->baseline ? profiles->baseline->precision : std::string("32 bits"),
                fmt::join(causes, ", "), matrixText(*profiles));
        if (profiles->run.isDisturbed()
            || (profiles->baseline && profiles->baseline->isDisturbed()))
            check.evidence += "; another program had the processor during the profile: repeat it";
        check.advice = adviceOf(*profiles);
    }
    return check;
}

} // namespace mantissa
