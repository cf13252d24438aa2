// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/gpu_table.h"

#include <algorithm>
#include <array>

namespace mantissa {

namespace {

constexpr std::string_view kEngineering =
    "dense peaks as collected in Machine Learning Engineering (S. Bekman)";
constexpr std::string_view kLightning = "dense peaks of PyTorch Lightning's throughput table";
constexpr std::string_view kNanochat = "dense peaks of nanochat's table";

struct Entry {
    std::string_view name; ///< part of the GPU's name
    std::string_view also; ///< a second part that must be in it; may be empty
    double fp32, tf32, fp16, bf16; ///< TFLOP/s
    double bandwidth; ///< GB/s
    std::string_view source;
};

// More special names first.
constexpr std::array<Entry, 17> kEntries{{
    {"V100", "SXM2", 15.7, 0, 125, 0, 900, kLightning},
    {"V100", "PCIE", 14.0, 0, 112, 0, 900, kLightning},
    {"T4", "", 8.1, 0, 65, 0, 320, kLightning},
    {"RTX 2080 Ti", "", 14.2, 0, 57, 0, 616, kLightning},
    {"A100", "40GB", 19.5, 156, 312, 312, 1555, kEngineering},
    {"A100", "80GB PCIe", 19.5, 156, 312, 312, 1940, kEngineering},
    {"A100", "80GB", 19.5, 156, 312, 312, 2000, kEngineering},
    {"RTX 3090", "", 35.6, 35.6, 71, 71, 936, kNanochat},
    {"RTX 4090", "", 82.6, 82.6, 165.2, 165.2, 1010, kNanochat},
    {"L4", "", 30.3, 60, 121, 121, 300, kNanochat},
    {"L40S", "", 91.6, 183, 362, 362, 864, kEngineering},
    {"H100", "PCIe", 51, 378, 756, 756, 2000, kEngineering},
    {"H100", "80GB HBM3", 67, 494.5, 989, 989, 3350, kEngineering},
    {"H100", "SXM", 67, 494.5, 989, 989, 3350, kEngineering},
    {"H200", "", 67, 494.5, 989, 989, 4800, kEngineering},
    {"B200", "", 80, 1125, 2250, 2250, 8000, kEngineering},
    {"RTX 5090", "", 105, 105, 209.5, 209.5, 1790, kNanochat},
}};

/// Words after which it is another chip or clock: "RTX 3090 Ti", "RTX 4090 Laptop GPU".
constexpr std::array<std::string_view, 7> kVariants{
    " Ti", " Laptop", " SUPER", " Max-Q", " D", " NVL", " MIG"};

bool isWordEnd(std::string_view text, std::size_t at)
{
    return at >= text.size() || text[at] == ' ' || text[at] == '-';
}

bool hasWord(std::string_view text, std::string_view word)
{
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '-';
        if (begins && isWordEnd(text, at + word.size()))
            return true;
    }
    return false;
}

bool isVariant(std::string_view name, std::string_view entry)
{
    return std::any_of(kVariants.begin(), kVariants.end(), [&](std::string_view variant) {
        const auto at = name.find(variant);
        return entry.find(variant) == std::string_view::npos && at != std::string_view::npos
            && isWordEnd(name, at + variant.size());
    });
}

std::optional<double> known(double value)
{
    return value > 0 ? std::optional(value) : std::nullopt;
}

} // namespace

std::optional<double> GpuPeaks::of(CheckFormat format) const
{
    switch (format) {
    case CheckFormat::Fp64:
        return std::nullopt;
    case CheckFormat::Fp32:
        return known(fp32);
    case CheckFormat::Tf32:
        return known(tf32);
    case CheckFormat::Bf16:
        return known(bf16);
    case CheckFormat::Fp16:
        break;
    }
    return known(fp16);
}

std::optional<GpuPeaks> publishedPeaks(std::string_view gpuName)
{
    for (const auto& entry : kEntries) {
        if (!hasWord(gpuName, entry.name) || isVariant(gpuName, entry.name)
            || gpuName.find(entry.also) == std::string_view::npos)
            continue;
        return GpuPeaks{entry.fp32 * 1e12, entry.tf32 * 1e12, entry.fp16 * 1e12, entry.bf16 * 1e12,
            entry.bandwidth * 1e9, entry.source};
    }
    return std::nullopt;
}

} // namespace mantissa
