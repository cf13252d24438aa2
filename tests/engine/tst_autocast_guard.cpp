// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/autocast_guard.h"

#include "core/engine/layers.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>

#include <QTest>
#include <stdexcept>
#include <thread>

using namespace mantissa;
namespace autocast = at::autocast;

namespace {

bool enabled()
{
    return autocast::is_autocast_enabled(at::kCPU);
}

at::ScalarType outputType(const Linear& layer)
{
    return layer(at::ones({2, 4})).scalar_type();
}

} // namespace

class TestAutocastGuard : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void castsInsideAndNotOutside_data()
    {
        QTest::addColumn<int>("type");
        QTest::newRow("bf16") << int(at::kBFloat16);
        QTest::newRow("fp16") << int(at::kHalf);
    }

    void castsInsideAndNotOutside()
    {
        QFETCH(int, type);
        const Linear layer(4, 4);
        QVERIFY(outputType(layer) == at::kFloat);
        {
            const AutocastGuard region(at::kCPU, static_cast<at::ScalarType>(type));
            QVERIFY(outputType(layer) == static_cast<at::ScalarType>(type));
        }
        QVERIFY(outputType(layer) == at::kFloat);
    }

    void nestsAndRestores()
    {
        const auto before = autocast::get_autocast_dtype(at::kCPU);
        {
            const AutocastGuard outer(at::kCPU, at::kHalf);
            {
                const AutocastGuard inner(at::kCPU, at::kBFloat16, false);
                QVERIFY(autocast::get_autocast_dtype(at::kCPU) == at::kBFloat16);
                QVERIFY(!autocast::is_autocast_cache_enabled());
                {
                    const AutocastGuard off(at::kCPU, at::kBFloat16, true, false);
                    QVERIFY(!enabled());
                }
                QVERIFY(enabled());
            }
            QVERIFY(autocast::get_autocast_dtype(at::kCPU) == at::kHalf);
            QVERIFY(autocast::is_autocast_cache_enabled());
            QVERIFY(enabled());
        }
        QVERIFY(!enabled());
        QVERIFY(autocast::get_autocast_dtype(at::kCPU) == before);
        QVERIFY(autocast::is_autocast_cache_enabled());
        QCOMPARE(autocast::increment_nesting(), 1);
        QCOMPARE(autocast::decrement_nesting(), 0);
    }

    void anExceptionRestoresToo()
    {
        try {
            const AutocastGuard region(at::kCPU, at::kHalf, false);
            throw std::runtime_error("in the region");
        } catch (const std::runtime_error&) {
        }
        QVERIFY(!enabled());
        QVERIFY(autocast::is_autocast_cache_enabled());
        QCOMPARE(autocast::increment_nesting(), 1);
        QCOMPARE(autocast::decrement_nesting(), 0);
    }

    void isOfOneThread()
    {
        const AutocastGuard region(at::kCPU, at::kBFloat16);
        bool enabledThere = true;
        std::thread([&] { enabledThere = enabled(); }).join();
        QVERIFY(!enabledThere);
        QVERIFY(enabled());
    }

    // Without the clearing, the next forward would still use the old cast: an old LibTorch trap.
    void theNextRegionSeesNewWeights()
    {
        Linear layer(4, 4);
        const auto forward = [&layer] {
            const AutocastGuard region(at::kCPU, at::kBFloat16);
            return layer(at::ones({2, 4})).abs().sum().item<float>();
        };
        QVERIFY(forward() > 0);
        {
            const at::NoGradGuard noGrad;
            layer.weight.zero_();
            layer.bias.zero_();
        }
        QCOMPARE(forward(), 0.0F);
    }

    void theCacheLivesAsLongAsTheOutermostRegion()
    {
        Linear layer(4, 4);
        const AutocastGuard outer(at::kCPU, at::kBFloat16);
        const auto cast = [&layer] {
            return autocast::cached_cast(at::kBFloat16, layer.weight, at::kCPU).const_data_ptr();
        };
        const auto* first = cast();
        {
            const AutocastGuard inner(at::kCPU, at::kBFloat16);
            QCOMPARE(cast(), first);
        }
        QCOMPARE(cast(), first);
    }
};

QTEST_GUILESS_MAIN(TestAutocastGuard)
#include "tst_autocast_guard.moc"
