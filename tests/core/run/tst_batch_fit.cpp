// SPDX-License-Identifier: GPL-3.0-or-later
// The search for the largest batch against a search through all sizes.
#include "core/run/batch_fit.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <functional>

using namespace mantissa;

namespace {

using Curve = std::function<double(std::int64_t)>;

/// Brute force: the largest batch whose peak is within the limit.
std::int64_t largest(const Curve& peak, double limit, std::int64_t most)
{
    std::int64_t best = 0;
    for (std::int64_t batch = 1; batch <= most; ++batch) {
        if (peak(batch) <= limit)
            best = batch;
    }
    return best;
}

BatchFit fit(const Curve& peak, double limit, std::int64_t most, std::int64_t first = 8)
{
    return fitBatch(limit, first, most,
        [&](std::int64_t batch, bool) -> Result<std::optional<double>> { return peak(batch); })
        .value();
}

} // namespace

class TestBatchFit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsTheLargestWithinFivePercent()
    {
        const std::pair<const char*, Curve> curves[]{
            {"linear", [](std::int64_t b) { return 1e6 + 5e3 * double(b); }},
            {"without a fixed part", [](std::int64_t b) { return 3e4 * double(b); }},
            {"mostly fixed", [](std::int64_t b) { return 5e7 + 10.0 * double(b); }},
            {"bent", [](std::int64_t b) { return 1e6 + 100 * std::pow(double(b), 1.4); }},
            {"flattening", [](std::int64_t b) { return 1e6 + 1e6 * std::sqrt(double(b)); }},
            {"in steps of 64",
                [](std::int64_t b) { return 1e6 + 4e5 * std::ceil(double(b) / 64); }},
            {"a jump at 700",
                [](std::int64_t b) { return 1e6 + 2e3 * double(b) + (b > 700 ? 3e6 : 0); }},
        };
        int found = 0;
        for (const auto& [name, curve] : curves) {
            for (const double limit : {1.2e6, 2e6, 5e6, 2e7, 6e7}) {
                for (const std::int64_t most : {1, 13, 60'000}) {
                    const auto expected = largest(curve, limit, most);
                    const auto result = fit(curve, limit, most);
                    const auto where = QStringLiteral("%1, limit %2, most %3: %4 for %5")
                                           .arg(QLatin1String(name))
                                           .arg(limit)
                                           .arg(most)
                                           .arg(result.batch)
                                           .arg(expected);
                    QVERIFY2(result.batch <= expected, qPrintable(where));
                    QVERIFY2(double(result.batch) >= std::floor(0.95 * double(expected)),
                        qPrintable(where));
                    QVERIFY2(result.trials.size() <= 12, qPrintable(where));
                    QCOMPARE(result.limitedByData, expected == most);
                    found += result.batch > 0 ? 1 : 0;
                }
            }
        }
        QVERIFY(found > 60);
    }

    void whatRunsOutOfMemoryHasNoPeak()
    {
        const auto result = fitBatch(
            1e9, 8, 100'000, [](std::int64_t batch, bool) -> Result<std::optional<double>> {
                if (batch > 2'345)
                    return std::optional<double>();
                return std::optional(1000.0 * double(batch));
            });
        QVERIFY(result);
        QVERIFY(result->batch <= 2'345 && result->batch >= 2'228);
        QVERIFY(result->trials.size() <= 12);
    }

    void theAnswerIsVerifiedWithMoreSteps()
    {
        // After some steps it takes 3 % more than in the trial.
        std::int64_t verified = 0;
        const auto result = fitBatch(
            1e6, 8, 5'000, [&](std::int64_t batch, bool verify) -> Result<std::optional<double>> {
                if (verify)
                    verified = batch;
                return std::optional(1000.0 * double(batch) * (verify ? 1.03 : 1.0));
            });
        QVERIFY(result);
        QCOMPARE(result->batch, verified);
        QVERIFY(result->peakBytes <= 1e6);
        QVERIFY2(result->batch >= 920 && result->batch <= 970,
            qPrintable(QString::number(result->batch)));
    }

    void notEvenOneSample()
    {
        const auto result = fit([](std::int64_t) { return 2e9; }, 1e9, 100);
        QCOMPARE(result.batch, std::int64_t{0});
        QVERIFY(!result.limitedByData);
    }

    void anErrorEndsTheSearch()
    {
        int calls = 0;
        const auto result =
            fitBatch(1e9, 8, 100, [&](std::int64_t, bool) -> Result<std::optional<double>> {
                ++calls;
                return fail("the worker is gone");
            });
        QVERIFY(!result);
        QCOMPARE(result.error().message, std::string("the worker is gone"));
        QCOMPARE(calls, 1);
    }
};

MANTISSA_TEST(TestBatchFit)
#include "tst_batch_fit.moc"
