// SPDX-License-Identifier: GPL-3.0-or-later
// The locator on networks whose first non-finite tensor is known by construction.
#include "core/engine/buffer_guard.h"
#include "tests/engine/non_finite_rig.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace mantissa;
using namespace mantissa::test;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

at::Tensor row(std::vector<float> values)
{
    return at::tensor(values).reshape({1, -1});
}

bool contains(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

/// Linear, then statistics over the batch as batch normalisation keeps them.
class WithStatistics : public Module {
public:
    WithStatistics()
    {
        registerBuffer("bn.running_mean", mean);
        registerBuffer("bn.running_var", variance);
    }
    at::Tensor mean = at::zeros({10});
    at::Tensor variance = at::ones({10});

protected:
    at::Tensor forward(const at::Tensor& input) override
    {
        return at::batch_norm(m_fc(input), {}, {}, mean, variance, isTraining(), 0.1, 1e-5, false);
    }

private:
    Linear& m_fc = add<Linear>("fc", 10, 10);
};

} // namespace

/// Compares the place, the cause and the type of what was found.
#define COMPARE_FINDING(finding, path, where, why)                                                 \
    QVERIFY((finding).first.has_value());                                                          \
    QCOMPARE((finding).first->module, std::string(path));                                          \
    QCOMPARE(int((finding).first->place), int(TensorPlace::where));                                \
    QCOMPARE(toString((finding).cause), toString(NonFiniteCause::why))

class TestNonFinite : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void case2_aNanInTheDataIsNamedAsTheNetworksInput()
    {
        Chain net;
        net.linear("fc", at::ones({2, 3}));
        const auto finding = locateNonFinite(replayOf(net, {row({1, kNan, 3})}, 65536));
        COMPARE_FINDING(finding, "", Input, Intrinsic);
        QCOMPARE(finding.first->nans, std::int64_t{1});
        QCOMPARE(finding.first->infs, std::int64_t{0});
        QCOMPARE(finding.first->largestFinite, 3.0);
        QVERIFY(contains(finding.text(), "the data"));
    }

    void aNanInAWeightIsNamed()
    {
        Chain net;
        net.linear("fc1", at::ones({2, 2}));
        net.linear("fc2", at::full({2, 2}, kNan));
        const auto finding = locateNonFinite(replayOf(net, {row({1, 1})}, 2));
        COMPARE_FINDING(finding, "", Parameter, Intrinsic);
        QCOMPARE(finding.first->parameter, std::string("fc2.weight"));
    }

    void aScaleTooHighForTheGradient()
    {
        Chain net;
        net.linear("fc1", at::ones({2, 2}));
        net.linear("fc2", at::ones({1, 2}));
        const auto finding = locateNonFinite(replayOf(net, {row({1, 1})}, std::ldexp(1.0, 30)));
        COMPARE_FINDING(finding, "fc2", OutputGradient, ScaleOverflow);
        QCOMPARE(finding.first->type, std::string("Half"));
        // d sum / d output = 1.
        QCOMPARE(finding.largestInFp32.value_or(0), 1.0);
        QVERIFY(contains(finding.text(), "2³⁰"));
        QCOMPARE(finding.toJson()["cause"].get<std::string>(), std::string("scale_overflow"));
    }

    void theModuleWhoseBackwardOverflowsIsNamed()
    {
        Chain net;
        net.linear("fc1", at::ones({2, 2}));
        net.then("half", [](const at::Tensor& x) { return x * 0.5; });
        net.linear("fc2", at::full({1, 2}, 1000));
        // 128 fits at fc2's output; times its weight it does not.
        const auto finding = locateNonFinite(replayOf(net, {row({1, 1})}, 128));
        COMPARE_FINDING(finding, "fc2", InputGradient, ScaleOverflow);
        QCOMPARE(finding.first->infs, std::int64_t{2});
        QCOMPARE(finding.largestInFp32.value_or(0), 1000.0);
    }

    void case82_anOutputOver65504IsNamedWithItsValueInFp32()
    {
        Chain net;
        net.linear("dense", row({33123, 33123}));
        const auto finding = locateNonFinite(replayOf(net, {row({1, 1})}, 1024));
        COMPARE_FINDING(finding, "dense", Output, ForwardOverflow);
        QCOMPARE(finding.largestInFp32.value_or(0), 66246.0);
        QVERIFY(contains(finding.text(), "66,246"));
        QVERIFY(contains(finding.text(), "bf16"));
        // bf16 has the range.
        const auto inBf16 = locateNonFinite(replayOf(net, {row({1, 1})}, 1024, at::kBFloat16));
        QVERIFY(!inBf16.first.has_value());
    }

    /// Its bias is what does not fit: that is said, with its value.
    void aParameterThatIsInfiniteInThePrecisionIsNamed()
    {
        Chain net;
        net.linear("fc1", at::zeros({2, 2})).bias.detach().fill_(3.398e38);
        net.linear("fc2", at::full({1, 2}, 1e-38));
        const auto finding = locateNonFinite(replayOf(net, {row({1, 1})}, 1, at::kBFloat16));
        COMPARE_FINDING(finding, "fc1", Output, ForwardOverflow);
        QVERIFY(finding.overflowing.has_value());
        QCOMPARE(finding.overflowing->name, std::string("fc1.bias"));
        QVERIFY(contains(finding.text(), "fc1.bias has a magnitude of 3.398e+38"));
        QVERIFY(!contains(finding.text(), "bf16 has the range"));
    }

    void case83_aResidualSumIsNotBlamedOnItsParts()
    {
        Chain net;
        net.linear("stem", at::full({1, 1}, 40000));
        net.residual("block", 1);
        const auto finding = locateNonFinite(replayOf(net, {row({1})}, 1));
        COMPARE_FINDING(finding, "block", Output, ForwardOverflow);
        QVERIFY(finding.first->hasChildren);
        QCOMPARE(finding.largestInFp32.value_or(0), 80000.0);
        QVERIFY(contains(finding.text(), "its own arithmetic"));
    }

    void case86_aZeroVectorNormalisedInFp16()
    {
        Chain net;
        net.linear("fc", at::zeros({4, 2}));
        net.then("normalise",
            [](const at::Tensor& x) { return x / x.abs().sum(-1, true).clamp_min(1e-12); });
        const auto finding = locateNonFinite(replayOf(net, {row({1, 1})}, 1));
        COMPARE_FINDING(finding, "normalise", Output, ForwardFormat);
        QCOMPARE(finding.first->nans, std::int64_t{4});
        QCOMPARE(finding.largestInFp32.value_or(-1), 0.0);
    }

    void case88_aFullyMaskedRowIsNanInFp16Only()
    {
        Chain net;
        net.linear("scores", at::full({3, 1}, -16));
        net.then("attention", [](const at::Tensor& x) {
            // The mask of a model written for fp16: the lowest finite number, on every key.
            return at::softmax(x + at::full({}, -65504.0, x.options()), -1, x.scalar_type());
        });
        const auto finding = locateNonFinite(replayOf(net, {row({1})}, 1));
        COMPARE_FINDING(finding, "attention", Output, ForwardFormat);
        QCOMPARE(finding.first->nans, std::int64_t{3});
    }

    void case92_theNanOfABackwardPassThatNoScaleCures()
    {
        Chain net;
        net.linear("fc", at::full({1, 1}, 50));
        net.then("gate", [](const at::Tensor& x) {
            const auto p = at::sigmoid(x).clamp_max(1 - 1e-6);
            return at::where(p < 0.5, at::log1p(-p), at::zeros_like(p));
        });
        const auto finding = locateNonFinite(replayOf(net, {row({1})}, 1024));
        COMPARE_FINDING(finding, "gate", InputGradient, BackwardFormat);
        QVERIFY(contains(finding.text(), "the precision, not the scale"));
    }

    void case93_equalScoresAndAVanishedEps()
    {
        Chain net;
        net.linear("scores", at::full({4, 1}, 0.25));
        net.then("rescale", [](const at::Tensor& x) {
            const auto low = std::get<0>(x.min(-1, true));
            const auto high = std::get<0>(x.max(-1, true));
            return (x - low) / (high - low + 1e-8);
        });
        const auto finding = locateNonFinite(replayOf(net, {row({1})}, 1));
        COMPARE_FINDING(finding, "rescale", Output, ForwardFormat);
        const auto inBf16 = locateNonFinite(replayOf(net, {row({1})}, 1, at::kBFloat16));
        QVERIFY(!inBf16.first.has_value());
    }

    void case94_aSumOfManyOnesOverflowsInFp16()
    {
        Chain net;
        net.linear("ones", at::ones({70000, 1}));
        net.then("pool", [](const at::Tensor& x) { return x.sum(-1, true); });
        const auto finding = locateNonFinite(replayOf(net, {row({1})}, 1));
        COMPARE_FINDING(finding, "pool", Output, ForwardOverflow);
        QCOMPARE(finding.largestInFp32.value_or(0), 70000.0);
    }

    void theMicroBatchIsNamed()
    {
        Chain net;
        net.linear("fc", at::ones({1, 1}));
        const auto finding = locateNonFinite(replayOf(net, {row({1}), row({kNan}), row({1})}, 1));
        COMPARE_FINDING(finding, "", Input, Intrinsic);
        QCOMPARE(finding.microBatch, std::int64_t{2});
        QVERIFY(contains(finding.text(), "micro-batch 2 of 3"));
    }

    void aFiniteReplayIsSaidToBeOne()
    {
        Chain net;
        net.linear("fc", at::ones({1, 1}));
        const auto finding = locateNonFinite(replayOf(net, {row({1})}, 1));
        QVERIFY(!finding.first.has_value());
        QCOMPARE(toString(finding.cause), toString(NonFiniteCause::NotReproduced));
    }

    void everythingIsAsItWas()
    {
        WithStatistics net;
        const auto input = at::rand({4, 10});
        net(input).sum().backward();
        const auto parameters = net.parameters();
        std::vector<at::Tensor> gradients;
        for (const auto& parameter : parameters)
            gradients.push_back(parameter.tensor.grad().clone());
        const auto mean = net.mean.clone();
        at::manual_seed(5);
        const auto expected = at::rand({3});
        at::manual_seed(5);
        auto replay = replayOf(net, {input}, std::ldexp(1.0, 40));
        const auto plain = replay.loss;
        replay.loss = [&plain](std::int64_t index, bool low) {
            (void)at::rand({7}); // as dropout would
            return plain(index, low);
        };
        QVERIFY(locateNonFinite(replay).first.has_value());
        QVERIFY(at::equal(at::rand({3}), expected));
        QVERIFY(at::equal(net.mean, mean));
        for (std::size_t i = 0; i < parameters.size(); ++i)
            QVERIFY(at::equal(parameters[i].tensor.grad(), gradients[i]));
        // And after a replay that throws.
        replay.loss = [](std::int64_t, bool) -> at::Tensor { throw std::runtime_error("no"); };
        QVERIFY_EXCEPTION_THROWN(locateNonFinite(replay), std::runtime_error);
        for (std::size_t i = 0; i < parameters.size(); ++i)
            QVERIFY(at::equal(parameters[i].tensor.grad(), gradients[i]));
    }

    void case84_runningStatisticsOfASkippedStep()
    {
        at::manual_seed(1);
        WithStatistics net;
        BufferGuard guard(net.buffers());
        const auto step = [&net] {
            const AutocastGuard region(at::kCPU, at::kHalf);
            (void)net(at::rand({16, 10}) * 131070);
        };
        guard.beginStep();
        step();
        const auto change = guard.endSkipped(true);
        QCOMPARE(change.changed.size(), std::size_t{2});
        QVERIFY(!change.nonFinite.empty());
        QCOMPARE(change.nonFinite.front(), std::string("bn.running_mean"));
        QVERIFY(at::equal(net.mean, at::zeros({10})));
        QVERIFY(at::equal(net.variance, at::ones({10})));
        // Without rolling back they stay spoiled.
        guard.beginStep();
        step();
        QVERIFY(!guard.endSkipped(false).nonFinite.empty());
        QVERIFY(!at::isfinite(net.mean).all().item<bool>());
        // Where only the device knows.
        net.mean.zero_();
        guard.beginStep();
        net.mean.fill_(kNan);
        guard.rollBackIf(at::ones({}));
        QVERIFY(at::equal(net.mean, at::zeros({10})));
        net.mean.fill_(2);
        guard.rollBackIf(at::zeros({}));
        QVERIFY(at::equal(net.mean, at::full({10}, 2)));
    }
};

MANTISSA_TEST(TestNonFinite)
#include "tst_non_finite.moc"
