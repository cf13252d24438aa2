// SPDX-License-Identifier: GPL-3.0-or-later
// The fused operator against ATen's own two.
#include "core/engine/bias_gelu.h"

#include "core/engine/autocast_guard.h"
#include "tests/support/test_program.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <QTest>

using namespace mantissa;
using at::Tensor;

namespace {

/// Values over the whole bend of the curve, and its tails.
Tensor sample(at::IntArrayRef sizes, at::ScalarType type)
{
    return (at::randn(sizes) * 3).to(type);
}

/// Largest difference in units of the type's last place at the reference; of fp32 at `size`, the
/// largest number of the formula, for 1 + erf(z) cancels where z is far below 0.
double placesApart(
    const Tensor& value, const Tensor& reference, const Tensor& size, at::ScalarType type)
{
    const double epsilon = type == at::kFloat ? 0x1p-23 : type == at::kHalf ? 0x1p-10 : 0x1p-7;
    const auto difference = (value.to(at::kDouble) - reference).abs();
    const auto unit = (type == at::kFloat ? size : reference).abs().clamp_min(1e-2) * epsilon;
    return (difference / unit).max().item<double>();
}

Tensor leaf(const Tensor& tensor)
{
    return tensor.detach().clone().set_requires_grad(true);
}

} // namespace

class TestBiasGelu : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { at::manual_seed(3); }

    void values_data()
    {
        QTest::addColumn<int>("type");
        QTest::addColumn<std::vector<std::int64_t>>("sizes");
        // Sizes around the vectors' (8 to 32 numbers), a column, several dimensions, many rows.
        const std::vector<std::vector<std::int64_t>> all{
            {1}, {7}, {64, 1}, {3, 33}, {2, 5, 31}, {1, 1000}, {700, 96}, {0, 4}};
        for (const auto type : {at::kFloat, at::kBFloat16, at::kHalf}) {
            for (const auto& sizes : all)
                QTest::newRow(c10::str(type, at::IntArrayRef(sizes)).c_str()) << int(type) << sizes;
        }
    }

    void values()
    {
        QFETCH(int, type);
        QFETCH(std::vector<std::int64_t>, sizes);
        const auto scalar = static_cast<at::ScalarType>(type);
        const auto x = sample(sizes, scalar);
        const auto b = sample({sizes.back()}, scalar);
        const auto y = biasGelu(x, b);
        QVERIFY(y.scalar_type() == scalar);
        QVERIFY(y.sizes() == x.sizes());
        if (x.numel() == 0)
            return;
        // The sum in fp32, rounded once: half a place, and fp32's erf some.
        const auto z = x.to(at::kDouble) + b.to(at::kDouble);
        const auto places = placesApart(y, at::gelu(z), z, scalar);
        QVERIFY2(places < (scalar == at::kFloat ? 4 : 0.51), qPrintable(QString::number(places)));
    }

    void gradients_data() { values_data(); }

    void gradients()
    {
        QFETCH(int, type);
        QFETCH(std::vector<std::int64_t>, sizes);
        const auto scalar = static_cast<at::ScalarType>(type);
        const auto x = leaf(sample(sizes, scalar));
        const auto b = leaf(sample({sizes.back()}, scalar));
        const auto seed = sample(sizes, scalar);
        biasGelu(x, b).backward(seed);
        const auto x64 = leaf(x.to(at::kDouble));
        const auto b64 = leaf(b.to(at::kDouble));
        const auto z = x64 + b64;
        at::gelu(z).backward(seed.to(at::kDouble));
        QVERIFY(x.grad().scalar_type() == scalar && b.grad().scalar_type() == scalar);
        QVERIFY(b.grad().sizes() == b.sizes());
        if (x.numel() == 0)
            return;
        const auto size = seed.to(at::kDouble) * (1 + z.detach().abs());
        const auto places = placesApart(x.grad(), x64.grad(), size, scalar);
        QVERIFY2(places < (scalar == at::kFloat ? 4 : 0.51), qPrintable(QString::number(places)));
        // The bias's gradient adds rows of rounded numbers, as ATen's sum does.
        const auto summed = x.grad().dim() > 1 ? x.grad().flatten(0, -2).sum(0) : x.grad();
        QVERIFY(at::equal(b.grad(), summed));
    }

    void stridedInputIsTakenAsItIs()
    {
        const auto x = at::randn({6, 10}).t();
        const auto b = at::randn({12}).slice(0, 0, 12, 2);
        QVERIFY(at::allclose(biasGelu(x, b), at::gelu(x + b), 1e-5, 1e-6));
    }

    /// Which of the two depends on the vector unit's erf, in ATen too.
    void nonFiniteNumbersStayNonFinite()
    {
        const auto inf = std::numeric_limits<float>::infinity();
        for (const auto type : {at::kFloat, at::kBFloat16, at::kHalf}) {
            const auto x = at::tensor({inf, std::nanf(""), 1.0F}).to(type);
            const auto y = biasGelu(x, at::zeros({3}, type)).to(at::kFloat);
            QVERIFY(!std::isfinite(y[0].item<float>()));
            QVERIFY(std::isnan(y[1].item<float>()));
            QVERIFY(std::abs(y[2].item<float>() - 0.8413F) < 4e-3F);
        }
    }

    void doublesTakeATensPath()
    {
        const auto x = at::randn({3, 4}, at::kDouble);
        const auto b = at::randn({4}, at::kDouble);
        QVERIFY(at::equal(biasGelu(x, b), at::gelu(x + b)));
    }

    /// What an own operator is for: cast by a rule, gradients in the parameters' type.
    void autocastCastsBoth_data()
    {
        QTest::addColumn<int>("type");
        QTest::newRow("bf16") << int(at::kBFloat16);
        QTest::newRow("fp16") << int(at::kHalf);
    }

    void autocastCastsBoth()
    {
        QFETCH(int, type);
        const auto scalar = static_cast<at::ScalarType>(type);
        const auto x = leaf(at::randn({4, 8}));
        const auto b = leaf(at::randn({8}));
        Tensor y;
        {
            const AutocastGuard region(at::kCPU, scalar);
            y = biasGelu(x, b);
        }
        QVERIFY(y.scalar_type() == scalar);
        QVERIFY(at::equal(y.detach(), biasGelu(x.detach().to(scalar), b.detach().to(scalar))));
        y.sum().backward();
        QVERIFY(x.grad().scalar_type() == at::kFloat && b.grad().scalar_type() == at::kFloat);
    }

    void gradientsOfGradients()
    {
        const auto x = leaf(at::randn({3, 4}, at::kDouble));
        const auto b = leaf(at::randn({4}, at::kDouble));
        const auto twice = [&](const Tensor& y) {
            const auto first = torch::autograd::grad({y.sum()}, {x}, {}, true, true);
            return torch::autograd::grad({first[0].pow(2).sum()}, {x, b});
        };
        const auto ours = twice(biasGelu(x, b));
        const auto atens = twice(at::gelu(x + b));
        QVERIFY(at::allclose(ours[0], atens[0]) && at::allclose(ours[1], atens[1]));
    }

    void sizesThatDoNotFitAreNamed()
    {
        try {
            biasGelu(at::zeros({2, 3}), at::zeros({4}));
            QFAIL("accepted");
        } catch (const c10::Error& error) {
            const std::string text = error.what_without_backtrace();
            QVERIFY2(text.find("input [2, 3], bias [4]") != std::string::npos, text.c_str());
        }
    }
};

MANTISSA_TEST(TestBiasGelu)
#include "tst_bias_gelu.moc"
