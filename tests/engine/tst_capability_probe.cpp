// SPDX-License-Identifier: GPL-3.0-or-later
// The check's own logic: shapes, operands, ratios, errors, what happens to what throws. Not speed.
#include "core/engine/capability_probe.h"
#include "core/engine/check_timer.h"
#include "core/engine/check_work.h"
#include "core/engine/work_probe.h"
#include "tests/support/test_program.h"

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <QTest>
#include <cmath>
#include <set>

using namespace mantissa;

namespace {

/// A device on which every execution takes as long as it is told.
class FakeTimer : public CheckTimer {
public:
    explicit FakeTimer(double ms)
        : m_ms(ms)
    {
    }
    double milliseconds(const std::function<void()>& work) override
    {
        work();
        return m_ms;
    }
    ClockTest test() override { return {m_ms, m_ms}; }

private:
    double m_ms;
};

/// A device that looks for its fastest algorithm at the first execution of each size and type, as
/// cuDNN does with its benchmark switched on.
class TuningTimer : public CheckTimer {
public:
    static constexpr double kTuningMs = 300;
    static constexpr double kMs = 4;

    TuningTimer()
        : m_callback(
            at::addThreadLocalCallback(at::RecordFunctionCallback(&note).needsInputs(true).scopes(
                {at::RecordScope::FUNCTION})))
    {
        seen.clear();
    }
    ~TuningTimer() override { at::removeCallback(m_callback); }

    double milliseconds(const std::function<void()>& work) override
    {
        last.clear();
        work();
        return seen.insert(last).second ? kTuningMs : kMs;
    }
    ClockTest test() override { return {kMs, kMs}; }

    static inline std::set<std::string> seen; ///< sizes and types that were tuned for
    static inline std::string last; ///< of the last product

private:
    static std::unique_ptr<at::ObserverContext> note(const at::RecordFunction& call)
    {
        if (std::string_view(call.name()) == "aten::mm" && call.inputs()[0].isTensor()) {
            const auto& tensor = call.inputs()[0].toTensor();
            last = c10::str(tensor.sizes(), tensor.scalar_type());
        }
        return nullptr;
    }

    at::CallbackHandle m_callback;
};

bool everyFormat(CheckFormat)
{
    return true;
}

} // namespace

class TestCapabilityProbe : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Operations by the textbook: 2 a multiply-add.
    void shapesCountTheirWork()
    {
        const auto products = checkShapes(CheckWork::MatMul, at::kCPU);
        QCOMPARE(products.back().text, std::string("1,024 × 1,024 × 1,024"));
        QCOMPARE(products.back().operations, 2.0 * 1024 * 1024 * 1024);
        const auto convolutions = checkShapes(CheckWork::Convolution, at::kCPU);
        QCOMPARE(convolutions.back().operations, 2.0 * 9 * 64 * 64 * 28 * 28 * 16);
        const auto attention = checkShapes(CheckWork::Attention, at::kCPU);
        QCOMPARE(attention.back().operations, 2 * 2.0 * 4 * 8 * 256 * 256 * 64);
        const auto linear = checkShapes(CheckWork::LinearStep, at::kCPU);
        QCOMPARE(linear.back().operations, 3 * 2.0 * 256 * 512 * 512);
        const auto stream = checkShapes(CheckWork::Elementwise, at::kCPU);
        QCOMPARE(stream.back().values, std::int64_t{4} * 8 * 1024 * 1024); // 3 read, 1 written
        for (const auto work : kCheckWorks) {
            for (const auto device : {at::kCPU, at::kCUDA}) {
                double last = 0;
                for (const auto& shape : checkShapes(work, device)) {
                    const double amount = shape.operations + static_cast<double>(shape.values);
                    QVERIFY(amount > last);
                    last = amount;
                }
            }
        }
    }

    void everyFormatComputesTheSameWithinItsPrecision_data()
    {
        QTest::addColumn<int>("work");
        for (const auto work : kCheckWorks)
            QTest::newRow(std::string(toString(work)).c_str()) << static_cast<int>(work);
    }

    void everyFormatComputesTheSameWithinItsPrecision()
    {
        QFETCH(int, work);
        const auto kind = static_cast<CheckWork>(work);
        const auto shape = checkShapes(kind, at::kCPU).front();
        const auto resultOf = [&](CheckFormat format) {
            const auto operation = makeCheckOperation(kind, shape, format, at::kCPU);
            operation->run();
            return operation->result().to(at::kDouble);
        };
        const auto exact = resultOf(CheckFormat::Fp64);
        const double scale = exact.abs().max().item<double>();
        QVERIFY(std::isfinite(scale) && scale > 0);
        for (const auto& [format, limit] : {std::pair(CheckFormat::Fp32, 1e-5),
                 std::pair(CheckFormat::Bf16, 0.03), std::pair(CheckFormat::Fp16, 4e-3)}) {
            const double error = (resultOf(format) - exact).abs().max().item<double>() / scale;
            QVERIFY2(error < limit, std::to_string(error).c_str());
            QVERIFY2(error > 0, "it cannot be exact: was it computed in another format?");
        }
    }

    void aLinearStepIsTheGradientOfItsMean()
    {
        const auto shape = checkShapes(CheckWork::LinearStep, at::kCPU).front();
        const auto operation =
            makeCheckOperation(CheckWork::LinearStep, shape, CheckFormat::Fp64, at::kCPU);
        operation->run();
        const auto once = operation->result().clone();
        operation->run();
        QVERIFY(at::equal(operation->result(), once)); // not added up
        // d mean / d weight: every row is the mean of the inputs over batch and outputs.
        QVERIFY(at::allclose(once[0], once[1]));
        QCOMPARE(once.size(0), shape.sizes[2]);
    }

    void ratiosAndClassesFollowTheTimes()
    {
        FakeTimer timer(4.0); // longer than a sample: one execution each
        const auto cells = probeWork(CheckWork::MatMul, at::kCPU, timer, 50, everyFormat);
        QCOMPARE(cells.size(), std::size_t{5});
        for (const auto& cell : cells) {
            if (cell.format == CheckFormat::Tf32)
                continue;
            QCOMPARE(cell.largest().ms.median, 4.0);
            QCOMPARE(cell.largest().ratio.value(), 1.0);
            QCOMPARE(cell.largest().rate(), cell.largest().amount * 250);
            QVERIFY(cell.formatClass == FormatClass::Native);
            QVERIFY(cell.maxError.value() <= 0.03);
        }
        const auto noFlag = probeWork(CheckWork::MatMul, at::kCPU, timer, 50,
            [](CheckFormat format) { return format != CheckFormat::Bf16; });
        QVERIFY(noFlag[3].format == CheckFormat::Bf16);
        QVERIFY(noFlag[3].formatClass == FormatClass::Conversion);
    }

    void case76_tuningForANewSizeIsNotMeasured()
    {
        TuningTimer timer;
        const auto cells = probeWork(CheckWork::MatMul, at::kCPU, timer, 4000, everyFormat);
        std::size_t points = 0;
        for (const auto& cell : cells) {
            for (const auto& point : cell.points) {
                QCOMPARE(point.ms.median, TuningTimer::kMs);
                QCOMPARE(point.ms.upper, TuningTimer::kMs);
                ++points;
            }
            if (cell.format == CheckFormat::Fp32)
                QVERIFY(cell.points.size() > 1);
        }
        // Every size of every format was tuned for, once.
        QCOMPARE(TuningTimer::seen.size(), points);
    }

    void tf32OnACpuIsUnsupportedWithTheReason()
    {
        FakeTimer timer(1.0);
        const auto cells = probeWork(CheckWork::Convolution, at::kCPU, timer, 10, everyFormat);
        const auto& tf32 = cells[2];
        QVERIFY(tf32.format == CheckFormat::Tf32);
        QVERIFY(tf32.formatClass == FormatClass::Unsupported);
        QVERIFY(tf32.points.empty());
        QVERIFY(tf32.reason.find("CPU") != std::string::npos);
    }

    void whatThrowsIsUnsupportedByItsOperator()
    {
        if (at::hasCUDA())
            QSKIP("CUDA is there: nothing throws");
        FakeTimer timer(1.0);
        const auto cells =
            probeWork(CheckWork::Attention, at::Device(at::kCUDA, 0), timer, 10, everyFormat);
        for (const auto& cell : cells) {
            QVERIFY(cell.formatClass == FormatClass::Unsupported);
            QVERIFY2(
                cell.reason.starts_with("scaled_dot_product_attention: "), cell.reason.c_str());
            QVERIFY(cell.reason.size() > 40);
        }
    }

    /// 20 ms an execution, whatever the size: half a second would be needed for the next one.
    void aSlowDeviceStaysAtSmallSizes()
    {
        FakeTimer timer(2000.0);
        const auto cells = probeWork(CheckWork::MatMul, at::kCPU, timer, 100, everyFormat);
        for (const auto& cell : cells) {
            if (cell.format == CheckFormat::Tf32)
                continue;
            QCOMPARE(cell.points.size(), std::size_t{1});
            QVERIFY(cell.cutShort);
        }
    }

    void case73_theTimerIsComparedWithASecondClock()
    {
        const auto timer = CheckTimer::create(at::kCPU, CudaPlugin{}).value();
        const auto test = timer->test();
        QCOMPARE(test.expectedMs, 5.0);
        QVERIFY(test.measuredMs >= 4.99); // a loaded machine makes it longer, nothing shorter
        // The figures of a matrix product timed without waiting for the device: 0.03 for 1.36 ms.
        QVERIFY((ClockTest{1.36, 0.03}.difference()) > 0.9);
    }

    void aWholeCheckIsTold()
    {
        ProbeOptions options;
        options.device = "cpu";
        options.quick = true;
        options.seconds = 0.2;
        std::vector<int> done;
        std::set<std::pair<CheckWork, CheckFormat>> seen;
        const auto card = probeCapability(
            options, CudaPlugin{}, [&](const CheckCell& cell, int count, int total) {
                done.push_back(count);
                seen.emplace(cell.work, cell.format);
                QCOMPARE(total, 35);
            });
        QVERIFY2(card, card ? "" : card.error().message.c_str());
        QCOMPARE(seen.size(), std::size_t{35});
        QCOMPARE(done.front(), 1);
        QCOMPARE(done.back(), 35);
        QCOMPARE(card->device.id, std::string("cpu"));
        QVERIFY(!card->device.name.empty());
        QCOMPARE(card->cells.size(), std::size_t{35});
        QCOMPARE(card->theory.size(), std::size_t{5}); // four formats and the memory
        QVERIFY(!card->theory.front().published);
        QCOMPARE(card->facts.at("torch_version").get<std::string>(), std::string("2.11.0"));
        QVERIFY(cardFromJson(toJson(*card)));
    }

    void aDeviceThatIsNotThereIsAnError()
    {
        ProbeOptions options;
        options.device = "cuda:7";
        const auto card = probeCapability(options, CudaPlugin{}, [](const CheckCell&, int, int) {});
        QVERIFY(!card);
        QVERIFY(card.error().message.find("cuda:7") != std::string::npos);
    }
};

MANTISSA_TEST(TestCapabilityProbe)
#include "tst_capability_probe.moc"
