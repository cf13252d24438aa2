// SPDX-License-Identifier: GPL-3.0-or-later
// Validations that are not finite: what they are, what is said of them, and the alert.
#include "core/run/validation_watch.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <limits>

using namespace mantissa;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Evaluation evaluation(std::int64_t step, double metric, double loss, std::int64_t bad = 0)
{
    return {step, metric, loss, bad};
}

bool contains(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TestEvaluation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void finiteMeansMetricLossAndEveryOutput()
    {
        QVERIFY(evaluation(1, 0.9, 0.2).isFinite());
        QVERIFY(!evaluation(1, 0.9, 0.2, 1).isFinite());
        QVERIFY(!evaluation(1, kNan, 0.2).isFinite());
        QVERIFY(!evaluation(1, 0.9, HUGE_VAL).isFinite());
        QVERIFY(Evaluation{}.isFinite());
    }

    void theyAreReadFromAWorkersLine()
    {
        const Points points{Axis::Step, {20, 40},
            {{"metric", {0.9, 0.8}}, {"validation_loss", {0.2, kNan}},
                {"validation_non_finite", {0, 3}}, {"other", {1, 2}}}};
        const auto read = evaluationsOf(points);
        QCOMPARE(read.size(), std::size_t{2});
        QCOMPARE(read[1].step, std::int64_t{40});
        QCOMPARE(read[1].nonFiniteRows, std::int64_t{3});
        QVERIFY(read[0].isFinite() && !read[1].isFinite());
        QVERIFY(evaluationsOf(Points{Axis::Step, {1}, {{"other", {1}}}}).empty());
        QVERIFY(evaluationsOf(Points{Axis::Time, {1}, {{"metric", {1}}}}).empty());
    }

    void aStoredRunMayHaveNoCountOfRows()
    {
        const auto read =
            evaluationsOf({0, {10, 20}, {0.5, 0.6}}, {0, {10, 20}, {0.1, kNan}}, SeriesSlice{});
        const auto health = healthOf(read);
        QCOMPARE(health.count, std::int64_t{2});
        QCOMPARE(health.nonFinite, std::int64_t{1});
        QVERIFY(health.first && health.first->step == 20 && health.toTheEnd);
        QCOMPARE(healthText(health), std::string("not finite since step 20 (1 of 2 validations)"));
        QCOMPARE(troubleText(*health.first, {}), std::string("accuracy 60.0 %, loss NaN"));
    }

    void oneThatRecoversIsNotSaidToBeSoSince()
    {
        const auto health = healthOf({evaluation(10, kNan, 1), evaluation(20, 1, 1),
            evaluation(30, 1, kNan), evaluation(40, 1, 1)});
        QCOMPARE(
            healthText(health), std::string("not finite first at step 10 (2 of 4 validations)"));
        QVERIFY(healthText(healthOf({evaluation(10, 1, 1)})).empty());
    }

    void theSentenceNamesRowsAndFigures_data()
    {
        QTest::addColumn<int>("bad");
        QTest::addColumn<int>("rows");
        QTest::addColumn<QString>("metric");
        QTest::addColumn<QString>("expected");
        QTest::newRow("all") << 40 << 40 << "accuracy"
                             << "40 of 40 rows have outputs that are NaN or infinite and count as "
                                "wrong; accuracy 0.0 %, loss NaN";
        QTest::newRow("one") << 1 << 40 << "accuracy"
                             << "1 of 40 rows has outputs that are NaN or infinite and counts as "
                                "wrong; accuracy 0.0 %, loss NaN";
        QTest::newRow("rows not known") << 2 << 0 << "accuracy"
                                        << "2 rows have outputs that are NaN or infinite and count "
                                           "as wrong; accuracy 0.0 %, loss NaN";
        QTest::newRow("values") << 2 << 9 << "rmse"
                                << "2 of 9 rows have outputs that are NaN or infinite; rmse 0, "
                                   "loss NaN";
    }

    void theSentenceNamesRowsAndFigures()
    {
        QFETCH(int, bad);
        QFETCH(int, rows);
        QFETCH(QString, metric);
        QFETCH(QString, expected);
        const auto words = evaluationWords(
            {{"validation_rows", rows}, {"model", {{"metric", metric.toStdString()}}}});
        QCOMPARE(QString::fromStdString(troubleText(evaluation(5, 0, kNan, bad), words)), expected);
    }

    void anythingMayStandInAnEnvironment()
    {
        for (const auto& odd : {nlohmann::json(), nlohmann::json("text"), nlohmann::json(3),
                 nlohmann::json{{"validation_rows", "many"}, {"model", 7}}}) {
            const auto words = evaluationWords(odd);
            QCOMPARE(words.rows, std::int64_t{0});
            QCOMPARE(words.metric, std::string("accuracy"));
        }
    }

    /// t02 of the reports: fp32 is fine, fp16 is not from its first validation on.
    void theAlertHasTheBaselinesValueBesideIt()
    {
        ValidationWatch fp32(Precision::Fp32);
        ValidationWatch fp16(Precision::Fp16);
        fp16.setWords({"accuracy", 40});
        QVERIFY(!fp32.look(evaluation(20, 0.925, 0.23), nullptr, {}));
        const auto alert = fp16.look(evaluation(20, 0, kNan, 40), &fp32, "fp32");
        QVERIFY(alert.has_value());
        QCOMPARE(alert->kind, alert_kind::kNonFiniteValidation);
        QVERIFY2(contains(alert->text, "The validation of step 20 is not finite: 40 of 40 rows")
                && contains(alert->text, "fp32 at the same step: accuracy 92.5 %"),
            alert->text.c_str());
        QVERIFY2(contains(alert->hypothesis, "bf16 has the range"), alert->hypothesis.c_str());
        QVERIFY(alert->evidence["baseline_metric"] == 0.925);
        QVERIFY(alert->evidence["non_finite_rows"] == 40);
        QVERIFY(!fp16.compare(fp32, "fp32"));
        // It goes on: told once. After a finite one it is news again.
        QVERIFY(!fp16.look(evaluation(40, 0, kNan, 40), &fp32, "fp32"));
        QVERIFY(!fp16.look(evaluation(60, 0.9, 0.3), &fp32, "fp32"));
        QVERIFY(fp16.look(evaluation(80, 0, kNan, 40), &fp32, "fp32"));
    }

    void aTrainingThatIsNotFiniteEitherIsNamedFirst()
    {
        ValidationWatch fp32(Precision::Fp32);
        ValidationWatch bf16(Precision::Bf16);
        fp32.look(evaluation(4, 0.5, 0.8), nullptr, {});
        bf16.setTrainingFinite(false);
        const auto alert = bf16.look(evaluation(4, 0, kNan, 28), &fp32, "fp32");
        QVERIFY(alert.has_value());
        QVERIFY2(contains(alert->hypothesis, "loss of the training is not finite either"),
            alert->hypothesis.c_str());
    }

    void aBaselineThatComesLaterIsToldLater()
    {
        ValidationWatch fp32(Precision::Fp32);
        ValidationWatch bf16(Precision::Bf16);
        const auto alert = bf16.look(evaluation(20, 0.5, kNan, 3), &fp32, "base");
        QVERIFY(alert && !contains(alert->text, "base"));
        QVERIFY(!bf16.compare(fp32, "base"));
        QVERIFY(fp32.look(evaluation(20, kNan, kNan, 9), nullptr, {}));
        const auto second = bf16.compare(fp32, "base");
        QVERIFY(second.has_value());
        QVERIFY2(contains(second->text, "base at the same step: not finite either"),
            second->text.c_str());
        QVERIFY2(
            contains(second->hypothesis, "precision is not the cause"), second->hypothesis.c_str());
        QVERIFY(!bf16.compare(fp32, "base"));
    }
};

MANTISSA_TEST(TestEvaluation)
#include "tst_evaluation.moc"
