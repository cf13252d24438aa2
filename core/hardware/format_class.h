// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// What a device makes of a number format: names, classes and the one rule. Pure, any thread.
namespace mantissa {

/// A format that the hardware check measures. fp64 is the reference of accuracy.
enum class CheckFormat { Fp64, Fp32, Tf32, Bf16, Fp16 };
inline constexpr std::array kCheckFormats{
    CheckFormat::Fp64, CheckFormat::Fp32, CheckFormat::Tf32, CheckFormat::Bf16, CheckFormat::Fp16};
std::string_view toString(CheckFormat format); ///< "fp64", "fp32", ...
std::optional<CheckFormat> checkFormatFromString(std::string_view text);

/// How a format runs. Stored by name: never rename one.
enum class FormatClass { Native, Conversion, Emulated, Unsupported };
std::string_view toString(FormatClass value);
std::optional<FormatClass> formatClassFromString(std::string_view text);

/// The one rule: ratio <= 1.1 with the hardware flag is native; <= 1.1 without it, or up to 2, is
/// conversion; above 2 is emulated. `ratio` = median time / median time of fp32.
FormatClass classifyFormat(double ratio, bool hardwareFlag);

/// Whether a CPU with these flags (cpuFlagNames()) computes in the format: bf16 with avx512_bf16 or
/// amx_bf16, fp16 with amx_fp16 (with avx512_fp16 alone the libraries only convert), fp32 and fp64
/// always, tf32 never.
bool cpuComputesIn(CheckFormat format, std::span<const std::string> cpuFlags);

/// A GPU as far as its formats go.
struct GpuModel {
    int computeMajor = 0; ///< compute capability, 7 of 7.5
    int computeMinor = 0;
    bool tensorCores = false;
};
/// From compute capability and name: 7.0 and above have tensor cores, but for the GTX 16 series and
/// its relatives (MX450, MX550, T400 to T1200 are 7.5 without them).
GpuModel gpuModel(int computeMajor, int computeMinor, std::string_view name);
/// Whether the GPU's arithmetic knows the format: fp16 from 7.0 with tensor cores on, tf32 and bf16
/// from 8.0 on.
bool gpuComputesIn(CheckFormat format, const GpuModel& gpu);

} // namespace mantissa
