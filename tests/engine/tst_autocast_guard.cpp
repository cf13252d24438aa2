// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/autocast_guard.h"

#include "core/engine/layers.h"
#include "tests/support/test_program.h"

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

at::ScalarType outputType(Linear& layer)
{
    return layer(at::ones({2, 4})).scalar_type();
}

struct WarningCount : c10::WarningHandler {
    void process(const c10::Warning& warning) override
    {
        ++count;
        last = warning.msg();
    }
    int count = 0;
    std::string last;
};

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
        Linear layer(4, 4);
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

    void aTypeThatTheCpuDoesNotTakeWarnsAndStaysOff()
    {
        WarningCount warnings;
        const c10::WarningUtils::WarningHandlerGuard handler(&warnings);
        {
            const AutocastGuard region(at::kCPU, at::kFloat);
            QVERIFY(!enabled());
            QCOMPARE(warnings.count, 1);
            QVERIFY(warnings.last.find("bfloat16 and float16, not float32") != std::string::npos);
            const AutocastGuard allowed(at::kCPU, at::kHalf);
            QVERIFY(enabled());
        }
        {
            // Switching off needs no type that it takes.
            const AutocastGuard off(at::kCPU, at::kFloat, true, false);
            QVERIFY(!enabled());
        }
        QCOMPARE(warnings.count, 1);
        QVERIFY(!autocastProblem(at::kCPU, at::kBFloat16));
        QVERIFY(autocastProblem(at::kCPU, at::kDouble).has_value());
    }

    void aDeviceWithoutAutocastIsRefused()
    {
        QVERIFY_EXCEPTION_THROWN(AutocastGuard(at::kMeta, at::kHalf), c10::Error);
        QCOMPARE(autocast::increment_nesting(), 1);
        QCOMPARE(autocast::decrement_nesting(), 0);
    }

    void theDefaultTypesArePythons()
    {
        QVERIFY(autocast::get_autocast_dtype(at::kCPU) == at::kBFloat16);
        QVERIFY(autocast::get_autocast_dtype(at::kCUDA) == at::kHalf);
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

MANTISSA_TEST(TestAutocastGuard)
#include "tst_autocast_guard.moc"
