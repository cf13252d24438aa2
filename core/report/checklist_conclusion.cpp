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
constexpr std::size_t kMostGrown = 3;
constexpr std::size_t kMostFixed = 2;
/// The profile and the run tell different stories when their speeds differ by more.
constexpr double kDisagreement = 1.25;
/// A step with less matrix work than this cannot become twice as fast by it.
constexpr double kBoundWorthNaming = 0.5;

struct Cause {
    double share = 0; ///< of a step of the run
    std::string text;
};

std::string percent(double share)
{
    return fixedText(share * 100, 0) + " %";
}

/// The largest first, without those that are not worth naming.
std::vector<std::string> largest(std::vector<Cause> causes, std::size_t most)
{
    std::ranges::stable_sort(causes, std::greater{}, &Cause::share);
    std::erase_if(causes, [](const Cause& cause) { return cause.share < kWorthNaming; });
    causes.resize(std::min(causes.size(), most));
    std::vector<std::string> texts;
    for (auto& cause : causes)
        texts.push_back(std::move(cause.text));
    return texts;
}

/// What a step of the window takes outside of operators.
double betweenMs(const StepProfile& profile)
{
    const double step =
        profile.windowMs / static_cast<double>(std::max<std::int64_t>(1, profile.steps));
    return profile.onGpu() ? 0 : std::max(0.0, step - profile.operatorMs());
}

/// What takes longer than in 32 bits. The times of both windows carry the profiler's cost, so that
/// only they are compared with each other.
std::vector<std::string> grownParts(const StepProfile& run, const StepProfile& base)
{
    std::vector<Cause> causes;
    const auto add = [&](const char* name, double own, double before) {
        causes.push_back({run.share(own - before),
            fmt::format("{} {} instead of {}", name, durationText(own), durationText(before))});
    };
    static constexpr std::pair<OperatorKind, const char*> kNames[] = {
        {OperatorKind::Matrix, "matrix work takes"},
        {OperatorKind::Elementwise, "elementwise work takes"},
        {OperatorKind::Reduction, "sums and normalisation take"},
        {OperatorKind::Optimizer, "the optimizer takes"}, {OperatorKind::Movement, "copies take"}};
    for (const auto& [kind, name] : kNames)
        add(name, run.operatorMs(kind), base.operatorMs(kind));
    add("the work between operators takes", betweenMs(run), betweenMs(base));
    const double casts = run.operatorMs(OperatorKind::Cast) - base.operatorMs(OperatorKind::Cast);
    causes.push_back({run.share(casts),
        fmt::format("{} casts between formats add {}", fixedText(run.calls(OperatorKind::Cast), 0),
            durationText(casts))});
    return largest(std::move(causes), kMostGrown);
}

/// What a format does not shorten, as shares of the run's own step.
std::vector<std::string> fixedParts(const StepProfile& run, bool withCasts)
{
    std::vector<Cause> causes;
    const auto add = [&causes](double share, const std::string& text) {
        causes.push_back({share, fmt::format("{} {}", percent(share), text)});
    };
    if (withCasts)
        add(run.share(OperatorKind::Cast),
            fmt::format(
                "are {} casts between formats", fixedText(run.calls(OperatorKind::Cast), 0)));
    const auto calls = fixedText(run.calls(), 0);
    add(run.launchShare(),
        run.onGpu() ? fmt::format("no kernel ran while {} operators were started", calls)
                    : fmt::format("is starting {} operators", calls));
    const double wait = run.stepMs + run.dataWaitMs;
    add(wait > 0 ? run.dataWaitMs / wait : 0,
        fmt::format("is waiting for data ({})", durationText(run.dataWaitMs)));
    add(run.share(OperatorKind::Optimizer),
        fmt::format("is the optimizer ({}), in fp32",
            durationText(run.operatorMs(OperatorKind::Optimizer))));
    add(run.share(OperatorKind::Elementwise) + run.share(OperatorKind::Reduction)
            + run.share(OperatorKind::Movement),
        "is elementwise work, sums and copies");
    return largest(std::move(causes), kMostFixed);
}

/// "casts add 0.9 ms; of its step 34 % is starting 140 operators"
std::string causesText(const RunProfiles& profiles)
{
    std::vector<std::string> parts;
    if (profiles.baseline) {
        if (const auto grown = grownParts(profiles.run, *profiles.baseline); !grown.empty())
            parts.push_back(fmt::format("{}", fmt::join(grown, ", ")));
    }
    if (const auto fixed = fixedParts(profiles.run, !profiles.baseline); !fixed.empty())
        parts.push_back(fmt::format("of its step {}", fmt::join(fixed, ", ")));
    return parts.empty() ? "no part of it stands out" : fmt::format("{}", fmt::join(parts, "; "));
}

/// How much of it can gain at all. What 32 bits spend on products bounds the gain (Amdahl's law).
std::string matrixText(const RunProfiles& profiles)
{
    const auto& run = profiles.run;
    auto text = fmt::format("matrix work is {} of it", percent(run.share(OperatorKind::Matrix)));
    if (!profiles.baseline)
        return text;
    const auto& base = *profiles.baseline;
    const double saved =
        base.operatorMs(OperatorKind::Matrix) - run.operatorMs(OperatorKind::Matrix);
    if (saved > 0)
        text += fmt::format(" and saves {}", durationText(saved));
    if (const double casts = run.operatorMs(OperatorKind::Cast); saved > 0 && casts > saved)
        text += fmt::format(", less than the casts cost ({})", durationText(casts));
    const double share = base.share(OperatorKind::Matrix);
    if (share < kBoundWorthNaming)
        text += fmt::format("; in {} it is {}: were it free, a step would be {} as fast",
            base.precision, percent(share), ratioText(1 / (1 - share)));
    return text;
}

/// Why the profile may not tell what happened in the run; empty if nothing speaks against it.
std::string doubtText(const RunProfiles& profiles, double speedUp)
{
    if (profiles.run.isDisturbed() || (profiles.baseline && profiles.baseline->isDisturbed()))
        return "; another program had the processor during the profile: repeat it";
    if (!profiles.baseline || !(profiles.run.stepMs > 0))
        return {};
    const double seen = profiles.baseline->stepMs / profiles.run.stepMs;
    const double apart = std::max(seen / speedUp, speedUp / seen);
    return apart > kDisagreement
        ? fmt::format("; the profile's own steps ran at {}, so it does not show what slowed the "
                      "run: repeat it, or the run",
            ratioText(seen))
        : std::string();
}

std::string adviceOf(const RunProfiles& profiles)
{
    const auto& run = profiles.run;
    const double slower = profiles.baseline ? run.share(run.operatorMs(OperatorKind::Matrix)
                              - profiles.baseline->operatorMs(OperatorKind::Matrix))
                                            : 0;
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
        check.evidence = fmt::format("{} runs at {} the speed of {}: {}; {}{}", run.precision,
            ratioText(*speedUp),
            profiles->baseline ? profiles->baseline->precision : std::string("32 bits"),
            causesText(*profiles), matrixText(*profiles), doubtText(*profiles, *speedUp));
        check.advice = adviceOf(*profiles);
    }
    return check;
}

} // namespace mantissa
