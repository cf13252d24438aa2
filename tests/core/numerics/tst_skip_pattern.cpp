// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/skip_pattern.h"

#include "core/numerics/loss_scale_policy.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <functional>
#include <vector>

using namespace mantissa;

namespace {

struct Trace {
    std::vector<double> foundInf;
    std::vector<double> scale;
};

/// PyTorch's policy on a model that overflows above `limit(step)`.
Trace simulate(const ScalerConfig& config, std::int64_t steps,
    const std::function<double(std::int64_t)>& limit)
{
    Trace trace;
    LossScalePolicy policy(config);
    for (std::int64_t step = 1; step <= steps; ++step) {
        const double scale = policy.state().scale;
        const bool inf = scale > limit(step);
        trace.scale.push_back(scale);
        trace.foundInf.push_back(inf ? 1 : 0);
        policy.update(inf);
    }
    return trace;
}

SkipReport classify(const Trace& trace)
{
    return classifySkips(trace.foundInf, trace.scale);
}

} // namespace

class TestSkipPattern : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void case8_calibrationProbingOrPersistent()
    {
        ScalerConfig config;
        config.growthInterval = 2000;
        const auto fits = [](std::int64_t) { return 4096.0; };
        // 65536 = 2^16 to 2^12: four skips, then nothing until it grows.
        const auto calibration = classify(simulate(config, 1000, fits));
        QCOMPARE(toString(calibration.pattern), toString(SkipPattern::Calibration));
        QCOMPARE(calibration.calibration, std::int64_t{4});
        // One skip each 2,000 steps, right after a growth.
        const auto probing = classify(simulate(config, 20000, fits));
        QCOMPARE(toString(probing.pattern), toString(SkipPattern::Probing));
        QCOMPARE(probing.probing, std::int64_t{9});
        QCOMPARE(probing.skipped, std::int64_t{13});
        // Every step.
        const auto persistent = classify(simulate(config, 200, [](std::int64_t) { return -1.0; }));
        QCOMPARE(toString(persistent.pattern), toString(SkipPattern::Persistent));
        // Good for long, then never again.
        const auto late = classify(
            simulate(config, 1000, [](std::int64_t step) { return step < 900 ? 4096.0 : 0.0; }));
        QCOMPARE(toString(late.pattern), toString(SkipPattern::Persistent));
        QCOMPARE(late.longestRow, std::int64_t{101});
        // Single overflows without a growth before them.
        const auto scattered = classify(
            simulate(config, 1000, [](std::int64_t step) { return step % 300 == 0 ? 0.0 : 1e9; }));
        QCOMPARE(toString(scattered.pattern), toString(SkipPattern::Scattered));
        QCOMPARE(scattered.scattered, std::int64_t{3});
        QCOMPARE(
            toString(classify(simulate(config, 100, [](std::int64_t) { return 1e9; })).pattern),
            toString(SkipPattern::None));
        QCOMPARE(toString(classifySkips({}, {}).pattern), toString(SkipPattern::None));
    }

    void case1_theWayBackIsPredicted()
    {
        // Five skips in the first 20 steps: 65536 to 2048, and five growths of 2,000 steps back.
        ScalerConfig config;
        const auto trace =
            simulate(config, 20, [](std::int64_t step) { return step % 4 == 0 ? 0.0 : 1e9; });
        const double now = trace.scale.back() * 0.5;
        QCOMPARE(now, 2048.0);
        QCOMPARE(recoverySteps(now, 65536, config.growthFactor, config.growthInterval),
            std::int64_t{10000});
        // The policy agrees: simulated from there on, it is back exactly then.
        config.initScale = now;
        LossScalePolicy policy(config);
        std::int64_t steps = 0;
        while (policy.state().scale < 65536) {
            policy.update(false);
            ++steps;
        }
        QCOMPARE(steps, std::int64_t{10000});
        QCOMPARE(recoverySteps(65536, 65536, 2, 2000), std::int64_t{0});
        QCOMPARE(recoverySteps(100, 1000, 10, 7), std::int64_t{7});
    }
};

MANTISSA_TEST(TestSkipPattern)
#include "tst_skip_pattern.moc"
