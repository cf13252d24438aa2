// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"
#include "ui/live/event_table.h"
#include "ui/live/live_controls.h"
#include "ui/live/readout_table.h"
#include "ui/live/result_table.h"
#include "ui/live/variant_panel.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace mantissa;
using namespace mantissa::ui;

namespace {

QString text(const QAbstractItemModel& model, int row, int column)
{
    return model.data(model.index(row, column)).toString();
}

LifecycleEvent skip(std::int64_t step, double from, double to)
{
    return {std::string(event_kind::kStepSkipped), step, 3.5, "Step skipped.",
        {{"scale", from}, {"new_scale", to}}};
}

} // namespace

class TestLiveModels : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void readoutShowsValuesAndDifferences();
    void readoutWithoutAValueSaysSo();
    void eventsComeNewestFirst();
    void onlyNewsBecomesALine();
    void alertsTellWhatWasSeenAndWhatIsAGuess();
    void resultGivesRatiosToTheBaseline();
    void resultNamesWhatIsNotMeasured();
    void sliderAndWeightAgree();
    void nextGrowthFollowsWhatIsChangedMeanwhile();
};

void TestLiveModels::readoutShowsValuesAndDifferences()
{
    ReadoutTable table;
    const QAbstractItemModelTester tester(&table);
    ReadoutRow base;
    base.name = QStringLiteral("fp32");
    base.step = 1204;
    base.trainS = 10.0;
    base.loss = 0.25;
    base.rate = 10000;
    base.memoryBytes = 112.0 * 1048576;
    ReadoutRow other = base;
    other.name = QStringLiteral("fp16");
    other.usesScaler = true;
    other.scale = 131072;
    other.trainS = 7.4;
    other.loss = 0.2663;
    other.rate = 13470;
    table.set({base, other});
    QCOMPARE(table.rowCount(), 3);
    QCOMPARE(text(table, 0, ReadoutTable::Step), QStringLiteral("1,204"));
    QCOMPARE(text(table, 0, ReadoutTable::Scale), QStringLiteral("none"));
    QCOMPARE(text(table, 0, ReadoutTable::Memory), QStringLiteral("112.0"));
    QCOMPARE(text(table, 1, ReadoutTable::Scale), QStringLiteral("2\u00b9\u2077"));
    QCOMPARE(text(table, 2, ReadoutTable::Name), QStringLiteral("fp16 \u2212 fp32"));
    QCOMPARE(text(table, 2, ReadoutTable::TrainTime), QStringLiteral("\u221226.0 %"));
    QCOMPARE(text(table, 2, ReadoutTable::Loss), QStringLiteral("+0.0163"));
    QCOMPARE(text(table, 2, ReadoutTable::Rate), QStringLiteral("+34.7 %"));
    table.set({base});
    QCOMPARE(table.rowCount(), 1);
}

void TestLiveModels::readoutWithoutAValueSaysSo()
{
    ReadoutTable table;
    ReadoutRow row;
    row.name = QStringLiteral("fp32");
    table.set({row});
    QCOMPARE(text(table, 0, ReadoutTable::Step), QStringLiteral("no value"));
    QCOMPARE(text(table, 0, ReadoutTable::Loss), QString());
}

void TestLiveModels::eventsComeNewestFirst()
{
    EventTable table;
    const QAbstractItemModelTester tester(&table);
    table.add({*eventRow(skip(12, 65536, 32768))});
    table.add({*eventRow(skip(13, 32768, 16384)),
        *eventRow({std::string(event_kind::kWarning), std::nullopt, 4, "slow", {}})});
    QCOMPARE(table.rowCount(), 3);
    QCOMPARE(text(table, 0, EventTable::What), QStringLiteral("slow"));
    QCOMPARE(text(table, 2, EventTable::Step), QStringLiteral("12"));
    QCOMPARE(text(table, 2, EventTable::What),
        QStringLiteral(
            "gradients not finite, step skipped; scale 2\u00b9\u2076 \u2192 2\u00b9\u2075"));
    QCOMPARE(table.summary(), QStringLiteral("2 skipped steps, 1 warning"));
    table.clear();
    QCOMPARE(table.rowCount(), 0);
}

void TestLiveModels::onlyNewsBecomesALine()
{
    for (const auto kind : {event_kind::kBlockStarted, event_kind::kPaused, event_kind::kResumed,
             event_kind::kFirstStepFacts, event_kind::kFormatProbe, event_kind::kScaleBackedOff})
        QVERIFY(!eventRow({std::string(kind), 1, 0, {}, {}}));
    for (const auto kind : {event_kind::kStepSkipped, event_kind::kScaleGrew,
             event_kind::kNonFiniteLoss, event_kind::kWarning, event_kind::kHostNote})
        QVERIFY(eventRow({std::string(kind), 1, 0, "text", {}}).has_value());
    // A foreign worker may send anything as data.
    QVERIFY(eventRow({std::string(event_kind::kStepSkipped), 1, 0, {}, nlohmann::json::array()}));
}

void TestLiveModels::alertsTellWhatWasSeenAndWhatIsAGuess()
{
    LifecycleEvent alert;
    alert.kind = event_kind::kAlert;
    alert.step = 12;
    alert.message = "5 steps in a row were skipped. Hypothesis: the scale is too large.";
    alert.data = {{"alert", "consecutive_skips"}, {"text", "5 steps in a row were skipped."},
        {"hypothesis", "the scale is too large."}};
    const auto row = eventRow(alert);
    QVERIFY(row);
    QVERIFY(row->sign == EventSign::Warning);
    QCOMPARE(row->text, QStringLiteral("5 steps in a row were skipped."));
    QCOMPARE(row->detail, QStringLiteral("Hypothesis: the scale is too large."));
    LifecycleEvent located;
    located.kind = event_kind::kNonFiniteLocated;
    located.message = "first non-finite in layer2.conv1 (gradient)";
    QVERIFY(eventRow(located)->sign == EventSign::Located);
    EventTable table;
    table.add({*eventRow(located)});
    QCOMPARE(table.summary(), QStringLiteral("1 tensor named"));
    QVERIFY(!table.data(table.index(0, EventTable::Sign), Qt::DecorationRole).isNull());
    QCOMPARE(eventRow(located)->text, QString::fromStdString(located.message));
}

void TestLiveModels::resultGivesRatiosToTheBaseline()
{
    ResultTable table;
    const QAbstractItemModelTester tester(&table);
    VariantResult base{QStringLiteral("fp32"), {}, 1980, 0};
    base.summary.stepMs = Quartiles{6.0, 6.14, 6.3};
    base.summary.samplesPerSecond = 10423;
    base.summary.peakMemoryBytes = 118.0 * 1048576;
    base.summary.finalMetric = 0.894;
    VariantResult other{QStringLiteral("bf16"), base.summary, 1980, 7};
    other.summary.stepMs->median = 4.53;
    other.summary.samplesPerSecond = 14128;
    other.summary.finalMetric = 0.893;
    table.set({base, other});
    QCOMPARE(table.columnCount(), 3);
    QCOMPARE(text(table, ResultTable::StepTime, 1), QStringLiteral("6.14 ms"));
    QCOMPARE(text(table, ResultTable::StepTime, 2), QStringLiteral("0.74x"));
    QCOMPARE(text(table, ResultTable::SamplesPerSecond, 1), QStringLiteral("10,423"));
    QCOMPARE(text(table, ResultTable::SamplesPerSecond, 2), QStringLiteral("1.36x"));
    QCOMPARE(text(table, ResultTable::Validation, 1), QStringLiteral("89.4 %"));
    QCOMPARE(text(table, ResultTable::Validation, 2), QStringLiteral("\u22120.1 pt"));
    QCOMPARE(text(table, ResultTable::Skipped, 2), QStringLiteral("7"));
}

void TestLiveModels::resultNamesWhatIsNotMeasured()
{
    ResultTable table;
    table.set({{QStringLiteral("fp32"), {}, 0, 0}, {QStringLiteral("bf16"), {}, 0, 0}});
    QCOMPARE(text(table, ResultTable::PeakMemory, 1), QStringLiteral("not measured"));
    QCOMPARE(text(table, ResultTable::Validation, 2), QStringLiteral("not yet"));
}

void TestLiveModels::sliderAndWeightAgree()
{
    QCOMPARE(sliderOfWeight(0), 0);
    QCOMPARE(weightOfSlider(0), 0.0);
    QCOMPARE(weightOfSlider(1000), 0.999);
    for (const double weight : {0.5, 0.9, 0.97, 0.99, 0.999})
        QVERIFY(std::abs(weightOfSlider(sliderOfWeight(weight)) - weight) < 0.0021);
}

void TestLiveModels::nextGrowthFollowsWhatIsChangedMeanwhile()
{
    PlannedRun run;
    run.variant.precision = Precision::Fp16;
    run.variant.settings.scaler.growthInterval = 2000;
    LiveBuffer buffer({run});
    RunTrace trace(run);
    const auto change = [&](const char* key, const nlohmann::json& value) {
        buffer.onEvent(0,
            LifecycleEvent{std::string(event_kind::kSettingChanged), 3, 1.0, {},
                {{"key", key}, {"old", nullptr}, {"new", value}}});
        trace.poll(buffer);
    };
    QVERIFY(!nextGrowth(trace));
    buffer.onEvent(0, Samples{1, 3, {{"growth_tracker", {1, 2, 3}}}});
    trace.poll(buffer);
    QCOMPARE(nextGrowth(trace)->steps, std::int64_t{1997});
    change("growth_interval", 200);
    QCOMPARE(nextGrowth(trace)->steps, std::int64_t{197});
    QCOMPARE(nextGrowth(trace)->interval, std::int64_t{200});
    // Neither has a count to wait for.
    change("policy", "static");
    QVERIFY(!nextGrowth(trace));
    change("policy", "smooth");
    QVERIFY(!nextGrowth(trace));
    change("policy", "pytorch");
    QVERIFY(nextGrowth(trace));
}

MANTISSA_WIDGET_TEST(TestLiveModels)
#include "tst_live_models.moc"
