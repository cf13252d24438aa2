// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/capability.h"
#include "core/hardware/model_check.h"

#include <optional>
#include <string>
#include <vector>

namespace mantissa::ui {

/// The roofline model (Williams, Waterman, Patterson 2009): rate <= min(peak, bandwidth x
/// arithmetic intensity), with roofs as measured. Pure values.
struct Roofline {
    struct Roof {
        CheckFormat format = CheckFormat::Fp32;
        FormatClass formatClass = FormatClass::Native;
        double rate = 0; ///< FLOP/s, the largest measured
        std::optional<double> published; ///< FLOP/s
    };
    struct Point {
        CheckFormat format = CheckFormat::Fp32;
        double intensity = 0; ///< FLOP a byte
        double rate = 0; ///< FLOP/s
        double share = 0; ///< of its roof at this intensity
    };
    double bandwidth = 0; ///< B/s of the memory, as measured; 0 = none
    std::vector<Roof> roofs; ///< by format
    std::vector<Point> points; ///< one step of the model in each precision
    std::string experiment; ///< of the points

    /// What a format could reach at an intensity; 0 where it has no roof.
    double limitAt(CheckFormat format, double intensity) const;
};

/// `model` may be null: no points.
Roofline rooflineOf(const CapabilityCard& card, const ModelCheck* model);

} // namespace mantissa::ui
