// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"
#include "tests/ui/runs/sample_runs.h"
#include "ui/runs/run_curves.h"
#include "ui/runs/run_details.h"
#include "ui/runs/run_event_model.h"
#include "ui/runs/run_plots.h"

#include <QAbstractItemModelTester>
#include <QTest>
#include <limits>

using namespace mantissa;
using namespace mantissa::ui;

class TestRunDetails : public QObject {
    Q_OBJECT

private:
    static const DetailRow* find(
        const std::vector<DetailSection>& sections, const QString& section, const QString& key);
    static RunData tenSteps();

private Q_SLOTS:
    void flattensNestedObjects();
    void marksWhatDiffers();
    void keyOfOneRunIsNoneInTheOther();
    void runsAreToldApartByVariantWhereThatIsEnough();
    void timeAxesComeFromTheRunsTimes();
    void marksStandWhereTheyHappened();
    void disturbancesAreMarkedAtTheStepUnderWay();
    void eventsLeaveOutBlocksAndObeyTheModelRules();
};

const DetailRow* TestRunDetails::find(
    const std::vector<DetailSection>& sections, const QString& section, const QString& key)
{
    for (const auto& candidate : sections) {
        for (const auto& row : candidate.rows) {
            if (candidate.title == section && row.key == key)
                return &row;
        }
    }
    return nullptr;
}

RunData TestRunDetails::tenSteps()
{
    RunData data;
    data.run = samples::finishedRun(1);
    for (int step = 1; step <= 10; ++step) {
        for (const char* name : {"loss", "time_s", "found_inf"})
            data.series[name].x.push_back(step);
        data.series["loss"].y.push_back(
            step == 7 ? std::numeric_limits<double>::quiet_NaN() : 1.0 / step);
        data.series["time_s"].y.push_back(0.5 * step);
        data.series["found_inf"].y.push_back(step == 4 ? 1 : 0);
    }
    return data;
}

void TestRunDetails::flattensNestedObjects()
{
    const auto leaves = flattened(nlohmann::json::parse(
        R"({"a":{"b":1,"c":{"d":"x"}},"e":[1,2],"f":true,"g":null,"h":0.001,"i":{},"j":"NaN"})"));
    QStringList got;
    for (const auto& [key, value] : leaves)
        got.append(key + QLatin1Char('=') + value);
    QCOMPARE(got.join(QLatin1Char(' ')),
        QStringLiteral("a.b=1 a.c.d=x e=[1,2] f=true g=none h=0.001 i=none j=NaN"));
    QVERIFY(flattened(nlohmann::json()).empty());
}

void TestRunDetails::marksWhatDiffers()
{
    RunRecord first = samples::finishedRun(1);
    RunRecord second = samples::finishedRun(2);
    first.config = {{"settings", {{"train", {{"lr", 0.001}, {"steps", 300}}}}}};
    second.config = {{"settings", {{"train", {{"lr", 0.01}, {"steps", 300}}}}}};
    const auto sections = runDetails({first, second});
    const auto* lr =
        find(sections, QStringLiteral("Settings"), QStringLiteral("settings.train.lr"));
    QVERIFY(lr && lr->differs);
    QCOMPARE(lr->values, QStringList({QStringLiteral("0.001"), QStringLiteral("0.01")}));
    const auto* steps =
        find(sections, QStringLiteral("Settings"), QStringLiteral("settings.train.steps"));
    QVERIFY(steps && !steps->differs);
    const auto* loss = find(sections, QStringLiteral("Result"), QStringLiteral("final loss"));
    QVERIFY(loss && !loss->differs);
    QCOMPARE(loss->values.first(), QStringLiteral("0.2451"));
    QCOMPARE(differenceCounts(sections).first, 1);
}

void TestRunDetails::keyOfOneRunIsNoneInTheOther()
{
    RunRecord first = samples::finishedRun(1);
    RunRecord second = samples::finishedRun(2);
    second.environment = {{"torch", "2.11.0"}};
    const auto sections = runDetails({first, second});
    const auto* torch = find(sections, QStringLiteral("Environment"), QStringLiteral("torch"));
    QVERIFY(torch && torch->differs);
    QCOMPARE(torch->values, QStringList({QStringLiteral("none"), QStringLiteral("2.11.0")}));
    QVERIFY(runDetails({}).empty());
}

void TestRunDetails::runsAreToldApartByVariantWhereThatIsEnough()
{
    RunRecord a = samples::finishedRun(1);
    RunRecord b = samples::queuedRun(2);
    QCOMPARE(runLabels({a, b}), QStringList({QStringLiteral("fp16"), QStringLiteral("fp32")}));
    b.variant = "fp16";
    QCOMPARE(runLabels({a, b}),
        QStringList({QStringLiteral("fp16, run 1"), QStringLiteral("fp16, run 2")}));
}

void TestRunDetails::timeAxesComeFromTheRunsTimes()
{
    RunData data = tenSteps();
    const auto& loss = data.series["loss"];
    QCOMPARE(xValues(data, loss, XAxisKind::Step), loss.x);
    QCOMPARE(xValues(data, loss, XAxisKind::RelativeTime).at(3), 2.0);
    QCOMPARE(xValues(data, loss, XAxisKind::WallTime).at(3), 1'700'000'001.0 + 2.0);
    data.series["time_s"].x.resize(6);
    data.series["time_s"].y.resize(6);
    QCOMPARE(xValues(data, loss, XAxisKind::RelativeTime).size(), 6U);
    data.series.erase("time_s");
    QVERIFY(xValues(data, loss, XAxisKind::RelativeTime).empty());
    QCOMPARE(xValues(data, loss, XAxisKind::Step).size(), 10U);
}

void TestRunDetails::marksStandWhereTheyHappened()
{
    RunData data = tenSteps();
    data.events = {{"scale_grew", 5, 2.5, "", {{"scale", 1024.0}, {"new_scale", 2048.0}}},
        {"scale_backed_off", 4, 2.0, "", {{"scale", 2048.0}, {"new_scale", 1024.0}}},
        {"setting_changed", 8, 4.0, "", {{"key", "growth_interval"}, {"old", 2000}, {"new", 200}}},
        {"warning", 2, 1.0, "w", nlohmann::json::object()}};
    const auto loss = lossMarks(data, XAxisKind::Step);
    QCOMPARE(loss.size(), 2U);
    QVERIFY(loss[0].kind == MarkKind::Skipped && loss[0].x == 4);
    QVERIFY(loss[1].kind == MarkKind::NonFinite && loss[1].x == 7);
    data.series["metric"] = {0, {5, 10}, {0.9, 0.5}};
    data.series["validation_non_finite"] = {0, {5, 10}, {0, 3}};
    data.run.environment = {{"validation_rows", 40}};
    const auto validated = lossMarks(data, XAxisKind::Step);
    QCOMPARE(validated.size(), 3U);
    QVERIFY(validated[2].kind == MarkKind::NonFinite && validated[2].x == 10);
    QVERIFY(validated[2].text.startsWith(
        QStringLiteral("step 10: validation not finite, 3 of 40 rows")));
    const auto scale = scaleMarks(data, XAxisKind::RelativeTime);
    QCOMPARE(scale.size(), 4U);
    QVERIFY(scale[1].kind == MarkKind::Growth && scale[1].x == 2.5 && scale[1].y == 2048);
    QVERIFY(scale[2].kind == MarkKind::BackOff && scale[2].x == 2.0);
    QVERIFY(scale[3].kind == MarkKind::Edit);
    QCOMPARE(scale[3].text, QStringLiteral("growth_interval 2,000 → 200"));
}

void TestRunDetails::disturbancesAreMarkedAtTheStepUnderWay()
{
    RunData data = tenSteps(); // step n ends after n / 2 seconds
    data.events = {{"foreign_load", std::nullopt, 1.2, "load", nlohmann::json::object()},
        {"warning", 2, 1.0, "w", nlohmann::json::object()},
        {"throttled", std::nullopt, 99.0, "hot", nlohmann::json::object()}};
    const auto marks = rateMarks(data, XAxisKind::Step);
    QCOMPARE(marks.size(), 2U);
    QVERIFY(marks[0].kind == MarkKind::Disturbed && marks[0].x == 3);
    QCOMPARE(marks[0].text, QStringLiteral("step 3: load"));
    QVERIFY(marks[1].kind == MarkKind::Disturbed && marks[1].x == 10);
    QCOMPARE(rateMarks(data, XAxisKind::RelativeTime)[0].x, 1.5);
    data.series.erase("time_s");
    QVERIFY(rateMarks(data, XAxisKind::Step).empty());
}

void TestRunDetails::eventsLeaveOutBlocksAndObeyTheModelRules()
{
    RunEventModel model;
    const QAbstractItemModelTester tester(
        &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    auto list = std::make_shared<RunDataList>();
    list->push_back(tenSteps());
    list->back().events = {{"block_started", 1, 0.0, "", nlohmann::json::object()},
        {"warning", std::nullopt, 3.0, "careful", nlohmann::json::object()},
        {"scale_backed_off", 4, 2.0, "", {{"scale", 2048.0}, {"new_scale", 1024.0}}}};
    model.setRuns(list);
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, RunEventModel::What).data().toString(),
        QStringLiteral("scale backed off: scale 2,048 (2¹¹) → 1,024 (2¹⁰)"));
    QCOMPARE(model.index(0, RunEventModel::Step).data().toString(), QStringLiteral("4"));
    QCOMPARE(model.index(1, RunEventModel::What).data().toString(), QStringLiteral("careful"));
    QCOMPARE(model.summary(), QStringLiteral("2, 1 warning"));
    model.setRuns(nullptr);
    QCOMPARE(model.rowCount(), 0);
}

MANTISSA_WIDGET_TEST(TestRunDetails)
#include "tst_run_details.moc"
