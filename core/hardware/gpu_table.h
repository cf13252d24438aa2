// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/format_class.h"

#include <optional>
#include <string_view>

namespace mantissa {

/// Published dense peaks of a GPU; 0 = not published or not there.
struct GpuPeaks {
    double fp32 = 0, tf32 = 0, fp16 = 0, bf16 = 0; ///< FLOP/s; 16-bit formats accumulate in fp32
    double bandwidth = 0; ///< B/s
    std::string_view source;

    std::optional<double> of(CheckFormat format) const; ///< nothing for fp64
};

/// By the name that CUDA gives, "NVIDIA H200"; nothing for a GPU that is not in the table (also a
/// laptop, Ti or other variant of one that is). Dense figures: vendors' pages often print those
/// with sparsity, which are twice as high.
std::optional<GpuPeaks> publishedPeaks(std::string_view gpuName);

} // namespace mantissa
