// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace mantissa::test {

/// What the fake worker reports, so that tests can tell every sample's right value.
inline double fakeLoss(std::uint64_t seed, std::int64_t step)
{
    return static_cast<double>(seed) + 1.0 / static_cast<double>(step);
}

inline double fakeMetric(std::int64_t step)
{
    return 1.0 - 1.0 / static_cast<double>(step + 1);
}

} // namespace mantissa::test
