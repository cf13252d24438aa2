// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"
#include "ui/plot/plot_export.h"
#include "ui/plot/plot_group.h"
#include "ui/plot/series_plot.h"

#include <QFile>
#include <QImage>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <limits>
#include <numeric>

using namespace mantissa;
using namespace mantissa::ui;

namespace {

std::vector<double> steps(std::size_t count)
{
    std::vector<double> x(count);
    std::iota(x.begin(), x.end(), 1.0);
    return x;
}

std::vector<double> decay(std::size_t count)
{
    std::vector<double> y(count);
    for (std::size_t i = 0; i < count; ++i)
        y[i] = 2.3 * std::exp(-static_cast<double>(i) / 300.0) + 0.2;
    return y;
}

} // namespace

class TestSeriesPlot : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void drawsTheDataItWasGiven();
    void followsUntilZoomed();
    void wheelKeepsThePlaceUnderTheCursor();
    void dragPansAndShiftDragZoomsABox();
    void doubleClickFits();
    void cursorIsLinkedAndMovesByKeys();
    void spikesSurviveDecimation();
    void nonFiniteValuesAreMarkedNotDrawn();
    void hiddenCurveLeavesTheRange();
    void manyUpdatesGiveOneReplot();
    void exportsEveryFormat();
    void csvHoldsEveryPoint();
    void gapsBreakTheLine();

private:
    void addData(std::size_t count);
    std::unique_ptr<QWidget> m_window;
    SeriesPlot* m_top = nullptr;
    SeriesPlot* m_bottom = nullptr;
    std::unique_ptr<PlotGroup> m_group;
};

void TestSeriesPlot::init()
{
    m_window = std::make_unique<QWidget>();
    m_window->resize(600, 600);
    m_group = std::make_unique<PlotGroup>();
    m_top = new SeriesPlot(m_window.get());
    m_top->setGeometry(0, 0, 600, 300);
    m_bottom = new SeriesPlot(m_window.get());
    m_bottom->setGeometry(0, 300, 600, 300);
    for (SeriesPlot* plot : {m_top, m_bottom}) {
        plot->setTitle(QStringLiteral("Loss"));
        plot->addCurve({QStringLiteral("fp32"), SeriesColour::Fp32, CurveShape::Line, true});
        m_group->add(plot);
    }
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

void TestSeriesPlot::cleanup()
{
    m_window.reset();
    m_group.reset();
}

void TestSeriesPlot::addData(std::size_t count)
{
    for (SeriesPlot* plot : {m_top, m_bottom})
        plot->append(0, steps(count), decay(count));
    m_group->dataChanged();
    QTRY_VERIFY(!m_top->drawnPoints(0).x.empty());
    QTRY_VERIFY(!m_bottom->drawnPoints(0).x.empty());
}

void TestSeriesPlot::drawsTheDataItWasGiven()
{
    addData(100);
    QCOMPARE(m_top->drawnPoints(0).x, steps(100));
    QCOMPARE(m_top->drawnPoints(0).y, decay(100));
    QCOMPARE(m_group->xRange().lower, 0.0);
    QCOMPARE(m_group->xRange().upper, 100.0);
    QVERIFY(m_top->yRange().lower < 0.2 + 2.3 * std::exp(-99.0 / 300.0));
    QVERIFY(m_top->yRange().upper > 2.5);
}

void TestSeriesPlot::followsUntilZoomed()
{
    addData(100);
    m_top->append(0, std::vector<double>{150}, std::vector<double>{0.5});
    m_group->dataChanged();
    QCOMPARE(m_group->xRange().upper, 160.0);
    QSignalSpy follow(m_group.get(), &PlotGroup::followChanged);
    m_group->setXRange({20, 50});
    QCOMPARE(follow.size(), 1);
    m_top->append(0, std::vector<double>{300}, std::vector<double>{0.5});
    m_group->dataChanged();
    QCOMPARE(m_group->xRange(), (AxisRange{20, 50}));
    m_group->setFollow(true);
    QCOMPARE(m_group->xRange().upper, 300.0);
}

static void wheel(QWidget* widget, const QPoint& at, int delta)
{
    QWheelEvent event(at, widget->mapToGlobal(at), QPoint(), QPoint(0, delta), Qt::NoButton,
        Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(widget, &event);
}

void TestSeriesPlot::wheelKeepsThePlaceUnderTheCursor()
{
    addData(1000);
    QWidget* canvas = m_top->findChild<QWidget*>();
    const QPoint at(m_top->frame().left() + m_top->frame().width() / 4, 100);
    const double fraction = (at.x() - m_top->pixelOf(0, 1).x())
        / (m_top->pixelOf(1000, 1).x() - m_top->pixelOf(0, 1).x());
    wheel(canvas, at, 120);
    const AxisRange range = m_group->xRange();
    QVERIFY(range.span() < 801 && range.span() > 799);
    QVERIFY(std::abs(range.lower + fraction * range.span() - fraction * 1000) < 1);
    wheel(canvas, at, -120);
    QVERIFY(std::abs(m_group->xRange().span() - 1000) < 1e-6);
    QVERIFY(!m_group->follow());
}

void TestSeriesPlot::dragPansAndShiftDragZoomsABox()
{
    addData(1000);
    QWidget* canvas = m_top->findChild<QWidget*>();
    const QPoint start = m_top->frame().center();
    const double perPixel = 1000 / (m_top->pixelOf(1000, 1).x() - m_top->pixelOf(0, 1).x());
    QTest::mousePress(canvas, Qt::LeftButton, {}, start);
    QTest::mouseMove(canvas, start + QPoint(10, 0));
    QTest::mouseMove(canvas, start + QPoint(50, 0));
    QVERIFY(m_group->dragging());
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, start + QPoint(50, 0));
    QVERIFY(std::abs(m_group->xRange().lower + 50 * perPixel) < 2 * perPixel);
    m_group->fit();
    QTRY_COMPARE(std::round(m_top->pixelOf(0, 1).x()), double(m_top->frame().left()));
    const QRect box(start - QPoint(60, 40), start + QPoint(60, 40));
    const double x = m_group->xRange().lower + (box.left() - m_top->frame().left()) * perPixel;
    QTest::mousePress(canvas, Qt::LeftButton, Qt::ShiftModifier, box.topLeft());
    QTest::mouseMove(canvas, box.center());
    QTest::mouseMove(canvas, box.bottomRight());
    QTest::mouseRelease(canvas, Qt::LeftButton, Qt::ShiftModifier, box.bottomRight());
    QVERIFY(std::abs(m_group->xRange().lower - x) < 3 * perPixel);
    QVERIFY(std::abs(m_group->xRange().span() - 120 * perPixel) < 3 * perPixel);
}

void TestSeriesPlot::doubleClickFits()
{
    addData(1000);
    m_group->setXRange({100, 110});
    m_top->setYRange(AxisRange{0, 9});
    QTest::mouseDClick(m_top->findChild<QWidget*>(), Qt::LeftButton, {}, m_top->frame().center());
    QCOMPARE(m_group->xRange(), (AxisRange{0, 1000}));
    QTRY_VERIFY(m_top->yRange().upper < 3);
}

void TestSeriesPlot::cursorIsLinkedAndMovesByKeys()
{
    addData(1000);
    QSignalSpy moved(m_group.get(), &PlotGroup::cursorChanged);
    const QPointF at = m_top->pixelOf(400, 1);
    QWidget* canvas = m_top->findChild<QWidget*>();
    QMouseEvent hover(
        QEvent::MouseMove, at, canvas->mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(canvas, &hover);
    QVERIFY(m_group->cursor().has_value());
    const double start = *m_group->cursor();
    QVERIFY(std::abs(start - 400) < 3);
    QCOMPARE(start, std::round(start));
    m_bottom->setFocus();
    QTest::keyClick(m_bottom, Qt::Key_Right);
    QCOMPARE(*m_group->cursor(), start + 1);
    QTest::keyClick(m_bottom, Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(*m_group->cursor(), start - 9);
    QTest::keyClick(m_bottom, Qt::Key_End);
    QCOMPARE(*m_group->cursor(), 1000.0);
    QTest::keyClick(m_bottom, Qt::Key_Home);
    QCOMPARE(*m_group->cursor(), 1.0);
    QVERIFY(moved.size() >= 5);
    QTest::keyClick(m_bottom, Qt::Key_Escape);
    QVERIFY(!m_group->cursor());
}

void TestSeriesPlot::spikesSurviveDecimation()
{
    std::vector<double> y(200'000, 1.0);
    y[123'456] = 7;
    y[77'777] = -3;
    m_top->append(0, steps(y.size()), y);
    m_group->dataChanged();
    QTRY_VERIFY(!m_top->drawnPoints(0).x.empty());
    const Curve drawn = m_top->drawnPoints(0);
    QVERIFY(drawn.x.size() < 5'000);
    QCOMPARE(std::ranges::count(drawn.y, 7.0), 1);
    QCOMPARE(std::ranges::count(drawn.y, -3.0), 1);
}

void TestSeriesPlot::nonFiniteValuesAreMarkedNotDrawn()
{
    addData(100);
    const QImage before = m_top->grab().toImage();
    const double infinity = std::numeric_limits<double>::infinity();
    m_top->setPoints(0, steps(100), decay(100));
    m_top->append(0, std::vector<double>{101, 102}, std::vector<double>{infinity, 1.8});
    m_group->dataChanged();
    QTRY_COMPARE(m_group->xRange().upper, 102.0 <= 105 ? niceEnd(102) : 0);
    QTRY_VERIFY(m_top->grab().toImage() != before);
    QVERIFY(std::isfinite(m_top->yRange().upper));
    QCOMPARE(m_top->curve(0).raw().nonFinite().x, (std::vector<double>{101}));
}

void TestSeriesPlot::hiddenCurveLeavesTheRange()
{
    addData(100);
    const int high = m_top->addCurve({QStringLiteral("high"), SeriesColour::Bf16});
    m_top->append(high, steps(400), std::vector<double>(400, 50.0));
    m_group->dataChanged();
    QTRY_VERIFY(m_top->yRange().upper > 50);
    m_top->setCurveVisible(high, false);
    m_group->dataChanged();
    QTRY_VERIFY(m_top->yRange().upper < 3);
    QCOMPARE(m_group->xRange().upper, 100.0);
}

void TestSeriesPlot::manyUpdatesGiveOneReplot()
{
    addData(100);
    int replots = 0;
    // Every replot asks for the texts of its ticks.
    m_top->setYFormat([&](double y) {
        ++replots;
        return QString::number(y);
    });
    QTRY_VERIFY(replots > 0);
    const int one = replots;
    replots = 0;
    for (int i = 0; i < 50; ++i)
        m_top->append(0, std::vector<double>{101.0 + i}, std::vector<double>{1.5});
    QCOMPARE(replots, 0);
    QTRY_VERIFY(replots > 0);
    QTest::qWait(0);
    QVERIFY(replots <= 3 * one);
}

void TestSeriesPlot::exportsEveryFormat()
{
    addData(100);
    QTemporaryDir folder;
    const auto path = [&](const char* name) { return folder.filePath(QString::fromLatin1(name)); };
    for (const char* name : {"a.png", "a.svg", "a.pdf", "a.csv"})
        QVERIFY(exportPlot(*m_top, XAxisKind::Step, path(name)).has_value());
    const QImage image(path("a.png"));
    QCOMPARE(image.size(), m_top->size() * 2);
    QFile svg(path("a.svg"));
    QVERIFY(svg.open(QIODevice::ReadOnly));
    QVERIFY(svg.readAll().contains("fp32"));
    QFile pdf(path("a.pdf"));
    QVERIFY(pdf.open(QIODevice::ReadOnly));
    QVERIFY(pdf.readAll().startsWith("%PDF"));
    QVERIFY(!exportPlot(*m_top, XAxisKind::Step, path("a.bmp")));
    const auto failed = exportPlot(*m_top, XAxisKind::Step, path("none/a.svg"));
    QVERIFY(!failed && failed.error().message.find("none/a.svg") != std::string::npos);
}

void TestSeriesPlot::csvHoldsEveryPoint()
{
    addData(5000);
    m_top->append(0, std::vector<double>{5001},
        std::vector<double>{std::numeric_limits<double>::quiet_NaN()});
    const QStringList lines =
        plotCsv(*m_top, XAxisKind::Step).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 5002);
    QCOMPARE(lines[0], QStringLiteral("curve,step,value,smoothed"));
    QCOMPARE(lines[1], QStringLiteral("fp32,1,2.5,"));
    QCOMPARE(lines[5001], QStringLiteral("fp32,5001,NaN,"));
    m_top->setSmoothing(0.9);
    QVERIFY(plotCsv(*m_top, XAxisKind::Step).contains(QStringLiteral("fp32,1,2.5,2.5\n")));
}

void TestSeriesPlot::gapsBreakTheLine()
{
    const Curve whole{{0, 1, 2}, {5, 6, 7}};
    QCOMPARE(brokenAtGaps(whole, 1, 0.1).x, whole.x);
    QCOMPARE(brokenAtGaps(whole, 1, 0.1).y, whole.y);
    const Curve broken = brokenAtGaps({{0, 1, 5, 9, 10}, {1, 2, 3, 4, 5}}, 1, 0.1);
    // The point between two gaps becomes a short line.
    QCOMPARE(broken.x, std::vector<double>({0, 1, 3, 5, 5.1, 7, 9, 10}));
    QVERIFY(std::isnan(broken.y[2]) && std::isnan(broken.y[5]));
    QCOMPARE(broken.y[3], 3.0);
    QCOMPARE(broken.y[4], 3.0);
    QVERIFY(brokenAtGaps({}, 1, 0.1).x.empty());
}

MANTISSA_WIDGET_TEST(TestSeriesPlot)
#include "tst_series_plot.moc"
