// SPDX-License-Identifier: GPL-3.0-or-later
// Alerts on series written by hand: what must be raised, when, and what must not.
#include "core/run/watchers.h"

#include "core/numerics/loss_scale_policy.h"
#include "core/run/gain_alerts.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace mantissa;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Raised {
    std::int64_t step;
    Alert alert;
};

/// Feeds `steps` steps; `make` fills in what it likes (loss 1 and scale 1024 are the rest).
std::vector<Raised> feed(
    Watchers& watchers, std::int64_t steps, const std::function<void(WatchedStep&)>& make)
{
    std::vector<Raised> raised;
    for (std::int64_t i = 1; i <= steps; ++i) {
        WatchedStep step;
        step.step = i;
        step.hasLoss = true;
        step.loss = 1;
        step.gradNorm = 0.5;
        step.scale = 1024;
        make(step);
        for (auto& alert : watchers.step(step))
            raised.push_back({i, std::move(alert)});
    }
    return raised;
}

/// Steps at which an alert of `kind` was raised.
std::vector<std::int64_t> stepsOf(const std::vector<Raised>& raised, std::string_view kind)
{
    std::vector<std::int64_t> steps;
    for (const auto& one : raised) {
        if (one.alert.kind == kind)
            steps.push_back(one.step);
    }
    return steps;
}

Variant variantOf(Precision precision = Precision::Fp16)
{
    Variant variant;
    variant.name = "v";
    variant.precision = precision;
    return variant;
}

using Steps = std::vector<std::int64_t>;

} // namespace

class TestWatchers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aQuietRunRaisesNothing()
    {
        Watchers watchers(variantOf(), 100);
        QVERIFY(feed(watchers, 5000, [](WatchedStep&) {}).empty());
    }

    /// The data hold a NaN: every step is skipped and the scale falls without end.
    void case2_persistentSkipsAreToldEarly()
    {
        auto variant = variantOf();
        variant.settings.scaler.initScale = 1024;
        LossScalePolicy policy(variant.settings.scaler);
        Watchers watchers(variant);
        const auto raised = feed(watchers, 200, [&](WatchedStep& step) {
            step.skipped = true;
            step.loss = kNan;
            step.scale = policy.state().scale;
            policy.update(true);
        });
        QCOMPARE(stepsOf(raised, alert_kind::kConsecutiveSkips), Steps{5});
        // 1024 = 2^10 is below 100 from the 5th step on (2^6) and below 1 from the 12th (2^-1).
        QCOMPARE(stepsOf(raised, alert_kind::kScaleLow), Steps{5});
        QCOMPARE(stepsOf(raised, alert_kind::kScaleBelowOne), Steps{12});
        QCOMPARE(stepsOf(raised, alert_kind::kNonFiniteLoss), Steps{1});
        for (const auto& one : raised) {
            QVERIFY(!one.alert.text.empty() && !one.alert.hypothesis.empty());
            const auto event = alertEvent(one.alert, one.step, 1.5);
            QCOMPARE(event.kind, std::string(event_kind::kAlert));
            QVERIFY(event.message.find("Hypothesis: ") != std::string::npos);
            QVERIFY(event.data["evidence"].is_object());
        }
    }

    /// The loss is multiplied by a million: the scale that fits lies below 1. A warning, no error.
    void case7_aScaleBelowOneIsAnAlertOnly()
    {
        auto variant = variantOf();
        variant.settings.scaler.minScale = 0.001;
        Watchers watchers(variant);
        const auto raised = feed(watchers, 100, [](WatchedStep& step) { step.scale = 0.0625; });
        QCOMPARE(stepsOf(raised, alert_kind::kScaleBelowOne), Steps{1});
        QVERIFY(raised.back().alert.evidence["scale"] == 0.0625);
        QVERIFY(stepsOf(raised, alert_kind::kScaleAtFloor).empty());
    }

    /// Thousands of good steps, then NaN: the alert marks the last finite step.
    void case10_theLastFiniteStepIsMarked()
    {
        Watchers watchers(variantOf());
        const auto raised = feed(watchers, 3000, [](WatchedStep& step) {
            step.loss = step.step < 2501 ? 0.25 : kNan;
            step.gradNorm = step.step == 2500 ? 77 : 1;
            step.scale = 4096;
        });
        QCOMPARE(raised.size(), std::size_t{1});
        QCOMPARE(raised[0].step, std::int64_t{2501});
        const auto& evidence = raised[0].alert.evidence;
        QVERIFY(evidence["last_finite_step"] == 2500);
        QVERIFY(evidence["grad_norm_before"] == 77.0);
        QVERIFY(evidence["scale_before"] == 4096.0);
        QVERIFY(raised[0].alert.text.find("2,500") != std::string::npos);
    }

    /// A tiny loss at a growth_interval of 1: the scale grows long before a gradient overflows.
    void case13_aScaleThatGrowsFarIsToldAndStaysFinite()
    {
        auto variant = variantOf();
        variant.settings.scaler.growthInterval = 1;
        LossScalePolicy policy(variant.settings.scaler);
        Watchers watchers(variant);
        const auto raised = feed(watchers, 200, [&](WatchedStep& step) {
            step.loss = 1e-4;
            step.scale = policy.state().scale;
            policy.update(false);
        });
        // 2^16 at step 1, over 1e6 = 2^19.9 from step 5 on; at most 2^127.
        QCOMPARE(stepsOf(raised, alert_kind::kScaleHigh), Steps{5});
        QVERIFY(raised.front().alert.hypothesis.find("scaler.max_scale") != std::string::npos);
        QCOMPARE(double(policy.state().scale), std::ldexp(1.0, 127));
    }

    /// Nothing overflows in bf16: the scale doubles for ever.
    void case14_aScalerOnBf16HasNoEffect()
    {
        const auto growing = [](WatchedStep& step) {
            step.scale = std::ldexp(1.0, static_cast<int>(7 + (step.step - 1) / 10));
        };
        Watchers bf16(variantOf(Precision::Bf16));
        const auto raised = feed(bf16, 100, growing);
        // Growths at steps 11, 21, ..., the fifth at 51.
        QCOMPARE(stepsOf(raised, alert_kind::kFreeGrowth), Steps{51});
        QVERIFY(raised.front().alert.hypothesis.find("scaler.enabled") != std::string::npos);
        Watchers fp16(variantOf());
        QVERIFY(stepsOf(feed(fp16, 100, growing), alert_kind::kFreeGrowth).empty());
    }

    void aScaleFarAboveTheUsualIsTold()
    {
        Watchers watchers(variantOf());
        const auto raised = feed(watchers, 400, [](WatchedStep& step) {
            step.scale = std::ldexp(1.0, static_cast<int>(15 + step.step / 100));
        });
        QCOMPARE(stepsOf(raised, alert_kind::kScaleHigh), Steps({}));
        Watchers again(variantOf());
        const auto more = feed(again, 700, [](WatchedStep& step) {
            step.scale = std::ldexp(1.0, static_cast<int>(15 + step.step / 100));
        });
        // 2^20 = 1,048,576 from step 500 on.
        QCOMPARE(stepsOf(more, alert_kind::kScaleHigh), Steps{500});
    }

    void theScaleStuckAtItsFloor()
    {
        auto variant = variantOf();
        variant.settings.scaler.minScale = 128;
        Watchers watchers(variant);
        const auto raised = feed(watchers, 60, [](WatchedStep& step) {
            step.scale = 128;
            step.skipped = step.step % 10 == 0;
        });
        QCOMPARE(stepsOf(raised, alert_kind::kScaleAtFloor), Steps{30});
    }

    void theFloorInForceIsWatched()
    {
        auto variant = variantOf();
        variant.settings.scaler.minScale = 128;
        Watchers watchers(variant);
        watchers.setScaler("min_scale", 16);
        watchers.setScaler("min_scale", "not a number");
        watchers.setScaler("unheard_of", 5);
        const auto raised = feed(watchers, 60, [](WatchedStep& step) {
            step.scale = step.step <= 30 ? 128 : 16;
            step.skipped = step.step % 10 == 0;
        });
        QCOMPARE(stepsOf(raised, alert_kind::kScaleAtFloor), Steps{60});
    }

    void moreThanOnePercentOfAThousandSteps()
    {
        Watchers watchers(variantOf());
        // 10 skips in any 1,000 steps are 1 %: allowed. Then one in 50: the 11th within 1,000.
        const auto raised = feed(watchers, 6000, [](WatchedStep& step) {
            step.skipped = step.step % (step.step <= 3000 ? 100 : 50) == 0;
        });
        const auto steps = stepsOf(raised, alert_kind::kSkipRate);
        QCOMPARE(steps, Steps{3050});
        QVERIFY(raised.front().alert.evidence["skips"] == 11);
    }

    void moreThanTwoSkipsAnEpoch()
    {
        auto variant = variantOf();
        variant.settings.watch.skipPercent = 0;
        const auto skips = [](WatchedStep& step) {
            // Epochs of 100 steps: two in the first, three in the second, none, four.
            const auto s = step.step;
            step.skipped = s == 3 || s == 50 || s == 101 || s == 150 || s == 200 || s == 301
                || s == 303 || s == 305 || s == 307;
        };
        Watchers watchers(variant, 100);
        QCOMPARE(
            stepsOf(feed(watchers, 400, skips), alert_kind::kSkipsPerEpoch), (Steps{200, 305}));
        Watchers unknown(variant);
        QVERIFY(stepsOf(feed(unknown, 400, skips), alert_kind::kSkipsPerEpoch).empty());
    }

    void thresholdsAreSettings()
    {
        auto variant = variantOf();
        variant.settings.watch.consecutiveSkips = 2;
        const auto skipAll = [](WatchedStep& step) { step.skipped = true; };
        Watchers two(variant);
        QCOMPARE(stepsOf(feed(two, 4, skipAll), alert_kind::kConsecutiveSkips), Steps{2});
        variant.settings.watch.consecutiveSkips = 0;
        Watchers off(variant);
        QVERIFY(stepsOf(feed(off, 9, skipAll), alert_kind::kConsecutiveSkips).empty());
        variant.settings.watch.enabled = false;
        Watchers none(variant);
        QVERIFY(feed(none, 100, skipAll).empty());
    }

    void anAlertComesOnceAnEpisodeAndNotForEver()
    {
        Watchers watchers(variantOf());
        const auto raised =
            feed(watchers, 1000, [](WatchedStep& step) { step.skipped = step.step % 10 >= 4; });
        // Six skips in every ten steps: each row of them is an episode, the first ten are told.
        const auto steps = stepsOf(raised, alert_kind::kConsecutiveSkips);
        QCOMPARE(steps.size(), std::size_t{Watchers::kMostOfAKind});
        QCOMPARE(steps[0], std::int64_t{8});
        QCOMPARE(steps[1], std::int64_t{18});
    }

    void gainsBelowTheUsual()
    {
        RunFigures base{"fp32", Precision::Fp32, 100, 1000, 8, 2e9, {}};
        RunFigures run{"bf16", Precision::Bf16, 100, 1050, 7.6, 1.5e9, "native"};
        const auto gains = gainsOf(base, run);
        QVERIFY(std::abs(*gains.speed - 5) < 1e-9 && std::abs(*gains.memory - 25) < 1e-9);
        auto alerts = gainAlerts(base, run, {});
        QCOMPARE(alerts.size(), std::size_t{2});
        QCOMPARE(alerts[0].kind, alert_kind::kSpeedGain);
        QVERIFY(alerts[0].text.find("5 % faster") != std::string::npos);
        QCOMPARE(alerts[1].kind, alert_kind::kMemoryGain);
        run.samplesPerSecond = 1200;
        run.peakMemoryBytes = 1.3e9;
        QVERIFY(gainAlerts(base, run, {}).empty());
        run.stepsMeasured = 5;
        run.samplesPerSecond = 1;
        QVERIFY(gainAlerts(base, run, {}).empty());
    }

    void anEmulatedFormatIsNamedAsTheReason()
    {
        RunFigures base{"fp32", Precision::Fp32, 100, 1000, 8, 0, {}};
        RunFigures run{"fp16", Precision::Fp16, 100, 10, 800, 0, "emulated"};
        const auto alerts = gainAlerts(base, run, {});
        QCOMPARE(alerts.size(), std::size_t{1});
        QVERIFY(alerts[0].text.find("99 % slower") != std::string::npos);
        QVERIFY(alerts[0].hypothesis.find("emulated") != std::string::npos);
    }
};

MANTISSA_TEST(TestWatchers)
#include "tst_watchers.moc"
