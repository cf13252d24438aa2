// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/format_advice.h"

#include "core/base/human_text.h"
#include "core/hardware/system_monitor.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace mantissa {

namespace {

constexpr double kWorthIt = 1.1; ///< times faster than fp32 from which a format is recommended
constexpr double kHopeless = 2.0; ///< times slower from which it is warned of
constexpr double kClockLimit = 0.05;

/// Matrix work: what the choice of a format is about.
constexpr std::array kMatrixWork{CheckWork::MatMul, CheckWork::MatMulTall, CheckWork::Convolution,
    CheckWork::LinearStep, CheckWork::Attention};

/// What was measured of a format: multiples of fp32's time, one a kind of matrix work, ascending.
struct Measured {
    std::vector<double> factors;
    std::string unsupported; ///< the first reason, where nothing ran

    bool any() const { return !factors.empty(); }
    double best() const { return factors.front(); }
    double worst() const { return factors.back(); }
    /// One fast kind of work does not make a format fast, nor one slow kind a slow one.
    double typical() const { return factors[factors.size() / 2]; }
    bool faster() const { return any() && typical() * kWorthIt <= 1.0; }
};

Measured measuredOf(const CapabilityCard& card, CheckFormat format)
{
    Measured result;
    for (const auto work : kMatrixWork) {
        const auto* cell = card.find(work, format);
        if (!cell)
            continue;
        if (cell->points.empty()) {
            if (result.unsupported.empty())
                result.unsupported = cell->reason;
            continue;
        }
        if (const auto ratio = cell->largest().ratio)
            result.factors.push_back(*ratio);
    }
    std::sort(result.factors.begin(), result.factors.end());
    return result;
}

/// What the hardware's own rule recommends, before any measurement; fp32 where it has none.
struct Rule {
    CheckFormat choice = CheckFormat::Fp32;
    std::string because;
};

Rule ruleForGpu(const CapabilityCard& card)
{
    const auto& gpu = card.facts.at("gpu");
    const int major = gpu.value("compute_major", 0);
    const int minor = gpu.value("compute_minor", 0);
    const auto model = gpuModel(major, minor, card.device.name);
    const auto name = fmt::format("compute capability {}.{}", major, minor);
    if (gpuComputesIn(CheckFormat::Bf16, model))
        return {CheckFormat::Bf16, fmt::format("{}: bf16 tensor cores", name)};
    if (gpuComputesIn(CheckFormat::Fp16, model))
        return {CheckFormat::Fp16,
            fmt::format("{}: tensor cores for fp16 only, bf16 is computed by conversion", name)};
    return {CheckFormat::Fp32, fmt::format("{}: no tensor cores", name)};
}

std::vector<std::string> cpuFlagsOf(const CapabilityCard& card)
{
    const nlohmann::json::json_pointer path("/machine/cpu_flags");
    std::vector<std::string> flags;
    if (!card.facts.contains(path) || !card.facts[path].is_array())
        return flags;
    for (const auto& flag : card.facts[path]) {
        if (flag.is_string())
            flags.push_back(flag.get<std::string>());
    }
    return flags;
}

Rule ruleForCpu(const CapabilityCard& card)
{
    const auto flags = cpuFlagsOf(card);
    const auto has = [&flags](std::string_view flag) {
        return std::find(flags.begin(), flags.end(), flag) != flags.end();
    };
    if (cpuComputesIn(CheckFormat::Bf16, flags))
        return {CheckFormat::Bf16,
            has("amx_bf16") ? "amx_bf16: the CPU multiplies bf16 in tiles"
                            : "avx512_bf16: the CPU multiplies bf16"};
    return {CheckFormat::Fp32, "the CPU has no bf16 or fp16 arithmetic"};
}

std::string precisionAdvice(CheckFormat format)
{
    if (format == CheckFormat::Fp16)
        return "Use it with GradScaler: its range is small.";
    return format == CheckFormat::Bf16 ? "It needs no loss scaler." : "";
}

/// "1.8x faster to 3.8x faster in matrix work, typically 2.7x faster".
std::string measuredWords(const Measured& measured)
{
    const auto typical = speedText(measured.typical());
    if (measured.factors.size() == 1)
        return fmt::format("{} than fp32 in matrix work", typical);
    return fmt::format("typically {} than fp32 in matrix work, {} to {}", typical,
        speedText(measured.worst()), speedText(measured.best()));
}

/// The fastest 16-bit format that is worth it, bf16 where both are alike.
CheckFormat fastest(const Measured& bf16, const Measured& fp16)
{
    if (bf16.faster() && (!fp16.faster() || bf16.typical() <= fp16.typical() * kWorthIt))
        return CheckFormat::Bf16;
    return fp16.faster() ? CheckFormat::Fp16 : CheckFormat::Fp32;
}

Advice choice(const Rule& rule, CheckFormat chosen, const Measured& measured)
{
    const bool agrees = rule.choice == chosen;
    Advice advice{Advice::Sign::Good, fmt::format("Use {}.", toString(chosen)), {}, !agrees};
    const auto& because = rule.because;
    if (chosen == CheckFormat::Fp32) {
        advice.reason = agrees
            ? fmt::format("By the hardware ({}), and no 16-bit format was measured at least 1.1x "
                          "faster in matrix work.",
                because)
            : fmt::format("The hardware promises {} ({}), but no 16-bit format was measured at "
                          "least 1.1x faster in matrix work.",
                toString(rule.choice), because);
        return advice;
    }
    advice.reason = agrees
        ? fmt::format("By the hardware ({}) and as measured ({}). {}", because,
            measuredWords(measured), precisionAdvice(chosen))
        : fmt::format("Measured against the rule: by the hardware ({}) it would be {}, but {}. {}",
            because, toString(rule.choice), measuredWords(measured), precisionAdvice(chosen));
    return advice;
}

std::optional<Advice> avoid(CheckFormat format, const Measured& measured)
{
    if (!measured.any()) {
        if (measured.unsupported.empty())
            return std::nullopt;
        return Advice{Advice::Sign::Info, fmt::format("{} cannot run here.", toString(format)),
            measured.unsupported, false};
    }
    if (measured.worst() <= kHopeless)
        return std::nullopt;
    const auto best = ratioText(measured.best());
    const auto worst = ratioText(measured.worst());
    const auto range = best == worst  ? worst
        : measured.best() > kHopeless ? fmt::format("{} to {}", best, worst)
                                      : fmt::format("up to {}", worst);
    return Advice{Advice::Sign::Warn, fmt::format("Avoid {}.", toString(format)),
        fmt::format("Emulated: {} slower than fp32 in matrix work. Useful only to study the format "
                    "with a small network and a time limit.",
            range),
        false};
}

void addChecksOfTheCheck(const CapabilityCard& card, std::vector<Advice>& list)
{
    for (const auto& row : card.theory) {
        if (row.utilisation().value_or(0) > 1.0)
            list.push_back({Advice::Sign::Warn, "The table is wrong for this device.",
                fmt::format("{} was measured at {} of the published peak ({}): no success, the "
                            "published figure is of another device or counts otherwise.",
                    row.bandwidth ? "Memory bandwidth" : std::string(toString(row.format)),
                    percentText(*row.utilisation()), row.source),
                false});
    }
    const auto load = card.facts.find("foreign_load");
    if (load != card.facts.end() && load->is_number() && load->get<double>() > kForeignLoadLimit)
        list.push_back({Advice::Sign::Warn, "The machine was not free.",
            fmt::format("Other programs had {} of it during the check: work shared by threads "
                        "waits for them, so that times are too long. Run it again without them.",
                percentText(load->get<double>())),
            false});
    if (card.clock.expectedMs > 0 && card.clock.difference() > kClockLimit)
        list.push_back({Advice::Sign::Warn, "The times are doubtful.",
            fmt::format("Work of {} was timed as {}, {} off: another program or a change of clock "
                        "disturbed the check. Run it again.",
                durationText(card.clock.expectedMs), durationText(card.clock.measuredMs),
                percentText(card.clock.difference())),
            false});
}

} // namespace

std::vector<Advice> adviceFor(const CapabilityCard& card)
{
    const bool isGpu = card.facts.contains("gpu") && card.facts["gpu"].is_object();
    const auto rule = isGpu ? ruleForGpu(card) : ruleForCpu(card);
    const auto bf16 = measuredOf(card, CheckFormat::Bf16);
    const auto fp16 = measuredOf(card, CheckFormat::Fp16);
    // The rule where the measurement allows it, else what was measured.
    const auto& ruled = rule.choice == CheckFormat::Bf16 ? bf16 : fp16;
    const bool ruleHolds =
        rule.choice == CheckFormat::Fp32 ? !bf16.faster() && !fp16.faster() : ruled.faster();
    const auto chosen = ruleHolds ? rule.choice : fastest(bf16, fp16);
    std::vector<Advice> list{choice(rule, chosen, chosen == CheckFormat::Fp16 ? fp16 : bf16)};
    for (const auto& [format, measured] :
        {std::pair(CheckFormat::Bf16, &bf16), std::pair(CheckFormat::Fp16, &fp16)}) {
        if (format == chosen)
            continue;
        if (auto advice = avoid(format, *measured))
            list.push_back(std::move(*advice));
    }
    const auto tf32 = measuredOf(card, CheckFormat::Tf32);
    if (tf32.faster())
        list.push_back({Advice::Sign::Info, "Baseline: say fp32 or tf32.",
            fmt::format("tf32 is {}: a comparison with fp32 and one with tf32 differ by that.",
                measuredWords(tf32)),
            false});
    addChecksOfTheCheck(card, list);
    return list;
}

} // namespace mantissa
