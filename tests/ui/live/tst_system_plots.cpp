// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/system_plots.h"

#include "core/run/series_info.h"
#include "core/run/system_events.h"
#include "tests/support/test_program.h"
#include "tests/ui/live/fed_run.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QHelpEvent>
#include <QLabel>
#include <QTest>
#include <QToolTip>

using namespace mantissa;
using namespace mantissa::ui;
using mantissa::ui::samples::FedRun;

/// The System row of the Live page, and the marks of what disturbed a run.
class TestSystemPlots : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_theme = std::make_unique<Theme>(*qApp, Appearance::Light); }
    void cleanupTestCase() { m_theme.reset(); }
    void aPlotIsThereOnlyWithData();
    void pointsStandAtTheirSecondsInTheirUnit();
    void whatOtherProgramsTakeHasItsOwnLine();
    void theLineIsBrokenWhereAnotherRunHadItsTurn();
    void rangesAreLinkedWithOneAnotherOnly();
    void aHiddenVariantIsHiddenHereToo();
    void anotherComparisonStartsWithoutPlots();
    void theTitleTellsTheNewestFigures();
    void disturbancesAreMarkedAtTheStepUnderWay();
    void aValidationThatIsNotFiniteIsMarkedOnTheLoss();
    void aMarkWaitsForItsStep();
    void theMarkOfAnEndedRunStandsAtItsLastStep();
    void marksFollowTheXAxis();
    void aMarkTellsItsEvent();

private:
    std::unique_ptr<Theme> m_theme;
};

void TestSystemPlots::aPlotIsThereOnlyWithData()
{
    FedRun fed({Precision::Fp32, Precision::Bf16});
    SystemPlots system;
    system.resize(900, 160);
    system.show();
    system.setVariants(fed.variants);
    auto* nothing = system.findChild<QLabel*>();
    QVERIFY(system.plots().empty());
    QVERIFY(nothing->isVisible());
    QVERIFY(system.findChildren<SeriesPlot*>().isEmpty());

    fed.points(1, {0.2}, "cpu_mhz", {3000});
    system.refresh();
    QCOMPARE(system.plots().size(), std::size_t{1});
    QCOMPARE(system.plots()[0]->title(), QStringLiteral("CPU clock"));
    QVERIFY(system.plots()[0]->isVisible() && !nothing->isVisible());
    // What comes later takes its place in the order, not the last one.
    fed.points(0, {0.2}, "gpu_power_w", {210});
    fed.points(0, {0.4}, "process_cpu_percent", {99});
    system.refresh();
    QStringList titles;
    for (const SeriesPlot* plot : system.plots())
        titles << plot->title();
    QCOMPARE(titles,
        QStringList({QStringLiteral("CPU load"), QStringLiteral("CPU clock"),
            QStringLiteral("GPU power")}));
    QTRY_VERIFY(system.plots()[0]->x() < system.plots()[1]->x());
    QVERIFY(system.plots()[1]->x() < system.plots()[2]->x());
}

void TestSystemPlots::pointsStandAtTheirSecondsInTheirUnit()
{
    FedRun fed({Precision::Fp32});
    SystemPlots system;
    system.setVariants(fed.variants);
    fed.points(0, {0.2, 0.4}, "rss_bytes", {1048576.0 * 300, 1048576.0 * 310});
    fed.points(0, {0.2, 0.4}, "available_memory_bytes", {1073741824.0 * 14, 1073741824.0 * 13.5});
    fed.points(0, {0.2}, "cpu_mhz", {2500});
    system.refresh();
    fed.points(0, {0.6}, "rss_bytes", {1048576.0 * 290});
    system.refresh();
    const auto pointsOf = [&](const char* name) {
        const auto* plot = system.findChild<SeriesPlot*>(QString::fromLatin1(name));
        const auto& raw = plot->curve(0).raw();
        return Curve{{raw.x().begin(), raw.x().end()}, {raw.y().begin(), raw.y().end()}};
    };
    QCOMPARE(pointsOf("worker_memory_plot").x, std::vector<double>({0.2, 0.4, 0.6}));
    QCOMPARE(pointsOf("worker_memory_plot").y, std::vector<double>({300, 310, 290}));
    QCOMPARE(pointsOf("free_memory_plot").y, std::vector<double>({14, 13.5}));
    QCOMPARE(pointsOf("clock_plot").y, std::vector<double>({2.5}));
}

void TestSystemPlots::whatOtherProgramsTakeHasItsOwnLine()
{
    FedRun fed({Precision::Fp32, Precision::Bf16});
    SystemPlots system;
    system.setVariants(fed.variants);
    fed.points(1, {0.2}, "process_cpu_percent", {90});
    fed.points(1, {0.2}, "foreign_cpu_percent", {7});
    system.refresh();
    const SeriesPlot* load = system.plots().at(0);
    QCOMPARE(load->curveCount(), 4);
    QCOMPARE(load->curve(2).spec().name, QStringLiteral("bf16"));
    QCOMPARE(load->curve(2).spec().pen, Qt::SolidLine);
    QCOMPARE(load->curve(2).raw().y()[0], 90.0);
    QCOMPARE(load->curve(3).spec().name, QStringLiteral("bf16 others"));
    QCOMPARE(load->curve(3).spec().pen, Qt::DashLine);
    QVERIFY(load->curve(2).spec().tagged && !load->curve(3).spec().tagged);
    QCOMPARE(load->curve(3).raw().y()[0], 7.0);
    QCOMPARE(load->curve(3).spec().colour, SeriesColour::Bf16);
    QCOMPARE(load->curve(0).size(), std::size_t{0});
}

void TestSystemPlots::theLineIsBrokenWhereAnotherRunHadItsTurn()
{
    FedRun fed({Precision::Fp32});
    SystemPlots system;
    system.resize(900, 160);
    system.show();
    system.setVariants(fed.variants);
    fed.points(0, {0.2, 0.4, 0.6, 3.2, 3.4}, "cpu_mhz", {2000, 2100, 2200, 2300, 2400});
    system.refresh();
    const SeriesPlot* plot = system.plots().at(0);
    QTRY_COMPARE(plot->drawnPoints(0).x.size(), std::size_t{6});
    QCOMPARE(plot->drawnPoints(0).x[2], 0.6);
    QVERIFY(std::isnan(plot->drawnPoints(0).y[3]));
    QCOMPARE(plot->drawnPoints(0).x[4], 3.2);
    QVERIFY(plot->curve(0).raw().nonFinite().x.empty()); // nothing is made of it but a gap
    // The worker tells its memory once a second: no gaps.
    fed.points(0, {1, 2, 3.1}, "rss_bytes", {3e8, 3e8, 3e8});
    system.refresh();
    QTRY_COMPARE(system.plots().at(1)->drawnPoints(0).x, std::vector<double>({1, 2, 3.1}));
}

void TestSystemPlots::rangesAreLinkedWithOneAnotherOnly()
{
    FedRun fed({Precision::Fp32});
    LivePlots plots;
    SystemPlots system;
    plots.setVariants(fed.variants);
    system.setVariants(fed.variants);
    fed.steps(0, 1, {1, 2, 3, 4});
    fed.points(0, {1, 2, 3, 4}, "cpu_mhz", {1, 2, 3, 4});
    fed.points(0, {1, 2, 3, 4}, "rss_bytes", {1, 2, 3, 4});
    plots.refresh();
    system.refresh();
    QCOMPARE(system.group().xAxisKind(), XAxisKind::RelativeTime);
    QCOMPARE(system.group().plots().size(), std::size_t{2});
    const AxisRange steps = plots.group().xRange();
    system.group().setXRange({1.5, 2.5});
    QCOMPARE(plots.group().xRange(), steps);
    QVERIFY(plots.group().follow() && !system.group().follow());
    plots.group().setXRange({1, 50});
    QCOMPARE(system.group().xRange(), (AxisRange{1.5, 2.5}));
}

void TestSystemPlots::aHiddenVariantIsHiddenHereToo()
{
    FedRun fed({Precision::Fp32, Precision::Bf16});
    SystemPlots system;
    system.setVariants(fed.variants);
    fed.points(0, {0.2}, "process_cpu_percent", {90});
    system.refresh();
    system.setVariantVisible(1, false);
    fed.points(1, {0.4}, "cpu_mhz", {2000}); // a plot that comes later knows it too
    system.refresh();
    const SeriesPlot* load = system.plots().at(0);
    QVERIFY(load->curve(0).visible && load->curve(1).visible);
    QVERIFY(!load->curve(2).visible && !load->curve(3).visible);
    QVERIFY(!system.plots().at(1)->curve(1).visible);
    system.setVariantVisible(1, true);
    QVERIFY(load->curve(3).visible);
}

void TestSystemPlots::anotherComparisonStartsWithoutPlots()
{
    FedRun first({Precision::Fp32});
    SystemPlots system;
    system.resize(900, 160);
    system.show();
    system.setVariants(first.variants);
    first.points(0, {0.2}, "cpu_mhz", {2000});
    system.refresh();
    auto* plot = system.plots().at(0);
    FedRun second({Precision::Fp32, Precision::Fp16});
    system.setVariants(second.variants);
    QVERIFY(system.plots().empty() && !plot->isVisible());
    QVERIFY(system.findChild<QLabel*>()->isVisible());
    second.points(1, {0.2}, "cpu_mhz", {2000});
    system.refresh();
    QCOMPARE(system.plots().at(0), plot);
    QCOMPARE(plot->curveCount(), 2);
    QVERIFY(plot->isVisible());
}

void TestSystemPlots::theTitleTellsTheNewestFigures()
{
    FedRun fed({Precision::Fp32, Precision::Bf16});
    SystemPlots system;
    system.setVariants(fed.variants);
    QCOMPARE(system.summary(0), QStringLiteral("nothing measured yet"));
    fed.points(0, {0.2, 0.4}, "cpu_mhz", {2000, 3484});
    fed.points(0, {0.4}, "foreign_cpu_percent", {3.6});
    fed.points(0, {0.4}, "available_memory_bytes", {13.9 * 1073741824.0});
    QCOMPARE(system.summary(0), QStringLiteral("3.48 GHz, other programs 4 %, 13.9 GiB free"));
    QCOMPARE(system.summary(1), system.summary(0));
    fed.points(1, {0.6}, "cpu_temperature_c", {61});
    fed.event(1, event_kind::kThrottled, 0.6, "hot");
    QCOMPARE(system.summary(1), QStringLiteral("61 \u00b0C, throttled: 1"));
}

void TestSystemPlots::disturbancesAreMarkedAtTheStepUnderWay()
{
    FedRun fed({Precision::Fp32, Precision::Bf16});
    LivePlots plots;
    plots.setVariants(fed.variants);
    fed.steps(1, 1, {0.5, 1.0, 1.5, 2.0});
    fed.event(1, event_kind::kForeignLoad, 1.2, "Other programs take 40 %.");
    fed.event(1, event_kind::kWarning, 1.3, "no disturbance");
    fed.event(1, event_kind::kThrottled, 2.0, "Too hot.");
    plots.refresh();
    const auto& marks = plots.rate()->marks();
    QCOMPARE(marks.size(), std::size_t{2});
    QCOMPARE(marks[0].kind, MarkKind::Disturbed);
    QCOMPARE(marks[0].x, 3.0); // the third step lasted from 1.0 to 1.5 s
    QCOMPARE(marks[0].curve, 1);
    QCOMPARE(marks[0].text, QStringLiteral("bf16, step 3: Other programs take 40 %."));
    QCOMPARE(marks[1].x, 4.0);
    QVERIFY(plots.loss()->marks().empty());
    plots.refresh();
    QCOMPARE(marks.size(), std::size_t{2}); // once each
}

/// The training is fine; what it is good for is not.
void TestSystemPlots::aValidationThatIsNotFiniteIsMarkedOnTheLoss()
{
    FedRun fed({Precision::Fp32, Precision::Fp16});
    LivePlots plots;
    plots.setVariants(fed.variants);
    for (const int run : {0, 1})
        fed.steps(run, 1, {0.5, 1.0, 1.5, 2.0});
    fed.validation(0, 2, 0.9, 0.2, 0);
    fed.validation(1, 2, 0.9, 0.2, 0);
    fed.validation(1, 4, 0.5, 0.3, 3);
    plots.refresh();
    plots.refresh();
    const auto& marks = plots.loss()->marks();
    QCOMPARE(marks.size(), std::size_t{1}); // once
    QCOMPARE(marks[0].kind, MarkKind::NonFinite);
    QCOMPARE(marks[0].x, 4.0);
    QCOMPARE(marks[0].curve, 1);
    QVERIFY2(marks[0].text.startsWith(
                 QStringLiteral("fp16, step 4: validation not finite, 3 rows have outputs")),
        qPrintable(marks[0].text));
    plots.setXAxisKind(XAxisKind::RelativeTime);
    QCOMPARE(marks.size(), std::size_t{1});
    QCOMPARE(marks[0].x, 2.0);
}

void TestSystemPlots::aMarkWaitsForItsStep()
{
    FedRun fed({Precision::Fp32});
    LivePlots plots;
    plots.setVariants(fed.variants);
    fed.steps(0, 1, {0.5, 1.0});
    fed.event(0, event_kind::kForeignLoad, 1.2, "load");
    plots.refresh();
    QVERIFY(plots.rate()->marks().empty());
    fed.steps(0, 3, {1.5});
    plots.refresh();
    QCOMPARE(plots.rate()->marks().size(), std::size_t{1});
    QCOMPARE(plots.rate()->marks()[0].x, 3.0);
}

void TestSystemPlots::theMarkOfAnEndedRunStandsAtItsLastStep()
{
    FedRun fed({Precision::Fp32});
    LivePlots plots;
    plots.setVariants(fed.variants);
    fed.steps(0, 1, {0.5, 1.0});
    fed.event(0, event_kind::kThrottled, 1.2, "hot");
    fed.end(0, RunState::Killed);
    plots.refresh();
    QCOMPARE(plots.rate()->marks().size(), std::size_t{1});
    QCOMPARE(plots.rate()->marks()[0].x, 2.0);
}

void TestSystemPlots::marksFollowTheXAxis()
{
    FedRun fed({Precision::Fp32});
    LivePlots plots;
    plots.setVariants(fed.variants);
    fed.steps(0, 1, {0.5, 1.0, 1.5});
    fed.event(0, event_kind::kThrottled, 1.2, "hot");
    plots.refresh();
    plots.setXAxisKind(XAxisKind::RelativeTime);
    QCOMPARE(plots.rate()->marks().size(), std::size_t{1});
    QCOMPARE(plots.rate()->marks()[0].x, 1.5);
}

void TestSystemPlots::aMarkTellsItsEvent()
{
    FedRun fed({Precision::Fp32});
    LivePlots plots;
    plots.resize(1000, 600);
    plots.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plots));
    plots.setVariants(fed.variants);
    fed.steps(0, 1, {0.5, 1.0, 1.5});
    fed.event(0, event_kind::kThrottled, 1.2, "Too hot.");
    plots.refresh();
    SeriesPlot* rate = plots.rate();
    QTRY_VERIFY(!rate->drawnPoints(0).x.empty());
    const QPoint at(qRound(rate->pixelOf(3, 0).x()), rate->frame().top() + kRailHeight / 2);
    // In the warning colour, whatever the colour of the curve.
    const QImage picture = rate->grab().toImage();
    QCOMPARE(picture.pixelColor(at), lightColours().warn);
    QHelpEvent help(QEvent::ToolTip, at, rate->mapToGlobal(at));
    QApplication::sendEvent(rate, &help);
    QCOMPARE(QToolTip::text(), QStringLiteral("fp32, step 3: Too hot."));
    // The curve stays under the rail.
    QVERIFY(rate->pixelOf(3, 1000).y() > rate->frame().top() + kRailHeight);
}

MANTISSA_WIDGET_TEST(TestSystemPlots)
#include "tst_system_plots.moc"
