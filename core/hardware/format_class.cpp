// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/format_class.h"

#include <algorithm>
#include <array>

namespace mantissa {

namespace {

constexpr std::array<std::string_view, 5> kFormats{"fp64", "fp32", "tf32", "bf16", "fp16"};
constexpr std::array<std::string_view, 4> kClasses{
    "native", "conversion", "emulated", "unsupported"};

template <typename T, std::size_t N>
std::optional<T> fromWord(const std::array<std::string_view, N>& words, std::string_view text)
{
    const auto found = std::find(words.begin(), words.end(), text);
    return found == words.end() ? std::nullopt
                                : std::optional(static_cast<T>(found - words.begin()));
}

/// 7.5 without tensor cores: the GTX 16 series and what was made from its chips.
constexpr std::array<std::string_view, 10> kTuringWithoutTensorCores{
    "GTX 16", "MX450", "MX550", "T400", "T500", "T550", "T600", "T1000", "T1200", "Quadro T"};

} // namespace

std::string_view toString(CheckFormat format)
{
    return kFormats.at(static_cast<std::size_t>(format));
}

std::optional<CheckFormat> checkFormatFromString(std::string_view text)
{
    return fromWord<CheckFormat>(kFormats, text);
}

std::string_view toString(FormatClass value)
{
    return kClasses.at(static_cast<std::size_t>(value));
}

std::optional<FormatClass> formatClassFromString(std::string_view text)
{
    return fromWord<FormatClass>(kClasses, text);
}

FormatClass classifyFormat(double ratio, bool hardwareFlag)
{
    if (!(ratio <= 2.0))
        return FormatClass::Emulated;
    return ratio <= 1.1 && hardwareFlag ? FormatClass::Native : FormatClass::Conversion;
}

bool cpuComputesIn(CheckFormat format, std::span<const std::string> cpuFlags)
{
    const auto has = [cpuFlags](std::string_view flag) {
        return std::find(cpuFlags.begin(), cpuFlags.end(), flag) != cpuFlags.end();
    };
    switch (format) {
    case CheckFormat::Fp64:
    case CheckFormat::Fp32:
        return true;
    case CheckFormat::Tf32:
        return false;
    case CheckFormat::Bf16:
        return has("avx512_bf16") || has("amx_bf16");
    case CheckFormat::Fp16:
        break;
    }
    return has("amx_fp16");
}

GpuModel gpuModel(int computeMajor, int computeMinor, std::string_view name)
{
    GpuModel gpu{computeMajor, computeMinor, computeMajor >= 7};
    if (computeMajor == 7 && computeMinor == 5)
        gpu.tensorCores = std::none_of(kTuringWithoutTensorCores.begin(),
            kTuringWithoutTensorCores.end(),
            [name](std::string_view part) { return name.find(part) != std::string_view::npos; });
    return gpu;
}

bool gpuComputesIn(CheckFormat format, const GpuModel& gpu)
{
    switch (format) {
    case CheckFormat::Fp64:
    case CheckFormat::Fp32:
        return true;
    case CheckFormat::Tf32:
    case CheckFormat::Bf16:
        return gpu.tensorCores && gpu.computeMajor >= 8;
    case CheckFormat::Fp16:
        break;
    }
    return gpu.tensorCores;
}

} // namespace mantissa
