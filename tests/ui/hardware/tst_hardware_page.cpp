// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"
#include "tests/ui/hardware/shown_page.h"
#include "ui/hardware/advice_panel.h"
#include "ui/hardware/check_controls.h"
#include "ui/hardware/fact_list.h"
#include "ui/hardware/format_view.h"
#include "ui/hardware/hardware_page.h"
#include "ui/hardware/rate_chart.h"
#include "ui/hardware/roofline_plot.h"
#include "ui/main_window/window_settings.h"
#include "ui/plot/plot_export.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace mantissa;
using namespace mantissa::ui;
using samples::Shown;

class TestHardwarePage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void emptyPageOffersACheck();
    void storedCheckIsShown();
    void comparesWithTheLastCheckByItself();
    void comparisonCanBeChosen();
    void otherMachinesAreNamed();
    void copiesMarkdownAndExports();
    void plotsAreExported();
    void theoryCanBeHidden();
    void rooflineShowsTheExperimentsStep();
    void followsTheTheme();
    void smallWindowHasTabs();
    void everythingByKeyboardAndNamed();
    void brokenLayoutIsIgnored();
    void picturesForLooking();
};

void TestHardwarePage::emptyPageOffersACheck()
{
    const Shown shown;
    auto* run = shown.find<QPushButton>("check_first");
    QVERIFY(run->isVisible() && run->isEnabled());
    QVERIFY(!shown.find<QToolButton>("check_copy")->isEnabled());
    QVERIFY(!shown.find<QToolButton>("check_cancel")->isEnabled());
    QVERIFY(!shown.find<QComboBox>("check_earlier")->isEnabled());
    // What is known without a check is shown: the machine.
    QVERIFY(shown.page->findChildren<FactList*>().front()->topLevelItemCount() > 2);
    QSignalSpy busy(shown.page.get(), &HardwarePage::busyChanged);
    QTest::mouseClick(run, Qt::LeftButton);
    QTRY_COMPARE(shown.check->started(), 1);
    QCOMPARE(shown.check->request().device, std::string("cpu"));
    QVERIFY(!shown.check->request().quick);
    QCOMPARE(busy.count(), 1);
    QVERIFY(!busy.first().first().toString().isEmpty());
}

void TestHardwarePage::storedCheckIsShown()
{
    const Shown shown({samples::cpuCard()});
    QVERIFY(shown.find<FormatView>("formats")->isVisible());
    QCOMPARE(shown.cell(0, 4), QStringLiteral("438 GFLOP/s"));
    // All of tf32 is one cell with the reason.
    QCOMPARE(shown.find<FormatView>("formats")->rowSpan(0, 3), 7);
    QCOMPARE(shown.find<FormatView>("formats")->rowSpan(0, 4), 1);
    QCOMPARE(shown.page->findChild<RateChart*>()->bars().size(), 20U);
    const QStringList status = shown.page->status();
    QCOMPARE(status.first(), QStringLiteral("35 measurements, 28 done, 7 unsupported"));
    QVERIFY(status.contains(QStringLiteral("clock self-test passed: 0.4 % off")));
    QVERIFY(status.contains(QStringLiteral("check 1 of 1 on this machine")));
    QVERIFY(shown.page->findChild<AdvicePanel*>()->summary().contains(QStringLiteral("agrees")));
}

void TestHardwarePage::comparesWithTheLastCheckByItself()
{
    auto slower = samples::cpuCard(1'700'000'900'000);
    for (CheckCell& cell : slower.cells) {
        if (cell.work != CheckWork::MatMul || cell.format != CheckFormat::Bf16)
            continue;
        for (CheckPoint& point : cell.points)
            point.ms = {point.ms.lower * 1.5, point.ms.median * 1.5, point.ms.upper * 1.5};
    }
    const Shown shown({samples::cpuCard(), slower});
    const auto* earlier = shown.find<QComboBox>("check_earlier");
    QCOMPARE(earlier->count(), 2);
    QCOMPARE(earlier->currentIndex(), 1);
    QVERIFY2(earlier->currentText().endsWith(QStringLiteral(": 1 change")),
        qPrintable(earlier->currentText()));
    const auto* changes = shown.find<QTableView>("changes")->model();
    QCOMPARE(changes->rowCount(), 1);
    QCOMPARE(changes->index(0, 0).data().toString(), QStringLiteral("Matrix product, bf16"));
    QVERIFY(changes->index(0, 3).data().toString().contains(QStringLiteral("1.5")));
    QVERIFY(shown.page->status().contains(QStringLiteral("check 2 of 2 on this machine")));
}

void TestHardwarePage::comparisonCanBeChosen()
{
    auto other = samples::cpuCard(1'700'000'100'000);
    other.facts["torch_version"] = "2.10.0";
    const Shown shown({samples::cpuCard(), other, samples::cpuCard(1'700'000'900'000)});
    auto* earlier = shown.find<QComboBox>("check_earlier");
    QCOMPARE(earlier->count(), 3);
    const auto* changes = shown.find<QTableView>("changes")->model();
    QCOMPARE(changes->rowCount(), 1); // LibTorch's version
    earlier->setFocus();
    QTest::keyClick(earlier, Qt::Key_Down);
    QVERIFY(earlier->currentText().endsWith(QStringLiteral("no change over noise")));
    QCOMPARE(changes->rowCount(), 0);
    QTest::keyClick(earlier, Qt::Key_Home);
    QCOMPARE(earlier->currentText(), QStringLiteral("nothing"));
    bool said = false;
    for (const auto* label : shown.page->findChildren<QLabel*>())
        said = said || label->text().startsWith(QStringLiteral("Choose an earlier check"));
    QVERIFY(said);
}

void TestHardwarePage::otherMachinesAreNamed()
{
    const Shown shown({samples::cpuCard(), samples::cpuCard(1'700'000'900'000)});
    // The store names this machine; a check of another device is no candidate.
    auto gpu = samples::cpuCard(1'700'000'950'000);
    gpu.device = {"cuda:0", "Card X"};
    gpu.devices.push_back(gpu.device);
    static_cast<void>((*CapabilityStore::open(shown.temp.file()))->add(gpu).value());
    shown.page->pageShown();
    auto* device = shown.find<QComboBox>("check_device");
    QTRY_COMPARE(device->count(), 2);
    QCOMPARE(shown.find<QComboBox>("check_earlier")->count(), 2);
    QCOMPARE(shown.page->card()->device.id, std::string("cpu"));
    device->setFocus();
    QTest::keyClick(device, Qt::Key_Down);
    QCOMPARE(device->currentText(), QStringLiteral("cuda:0: Card X"));
    QCOMPARE(shown.page->card()->device.id, std::string("cuda:0"));
    QCOMPARE(shown.find<QComboBox>("check_earlier")->count(), 1);
    shown.page->startCheck(false);
    QTRY_COMPARE(shown.check->request().device, std::string("cuda:0"));
}

void TestHardwarePage::copiesMarkdownAndExports()
{
    const Shown shown({samples::cpuCard()});
    QTest::mouseClick(shown.find<QToolButton>("check_copy"), Qt::LeftButton);
    const QString copied = QApplication::clipboard()->text();
    QVERIFY(copied.contains(QStringLiteral("Test CPU 9000")));
    QVERIFY(copied.contains(QStringLiteral("438 GFLOP/s")));
    const QString folder = QString::fromStdString(shown.temp.folder().string());
    for (const char* suffix : {"json", "html", "md"}) {
        const QString file = folder + QStringLiteral("/check.") + QLatin1String(suffix);
        shown.page->exportCard(file);
        QVERIFY2(QFileInfo(file).size() > 500, suffix);
        QVERIFY(shown.notice().startsWith(QStringLiteral("Written: ")));
    }
    shown.page->exportCard(folder + QStringLiteral("/check.txt"));
    QVERIFY2(shown.notice().contains(QStringLiteral(".md")), qPrintable(shown.notice()));
}

void TestHardwarePage::plotsAreExported()
{
    const Shown shown({samples::cpuCard()}, true);
    const QString folder = QString::fromStdString(shown.temp.folder().string());
    for (const ChartWidget* plot : shown.page->findChildren<ChartWidget*>()) {
        for (const char* suffix : {"png", "svg", "pdf", "csv"}) {
            const QString file = folder + QLatin1Char('/') + plot->title() + QLatin1Char('.')
                + QLatin1String(suffix);
            QVERIFY(exportDrawing(plot->drawing(), file));
            QVERIFY2(QFileInfo(file).size() > 100, qPrintable(file));
        }
        QVERIFY(!exportDrawing(plot->drawing(), folder + QStringLiteral("/plot.bmp")));
    }
}

void TestHardwarePage::theoryCanBeHidden()
{
    const Shown shown({samples::cpuCard()});
    QTableView* peaks = nullptr;
    for (auto* view : shown.page->findChildren<QTableView*>()) {
        if (view->accessibleName().startsWith(QStringLiteral("Peak")))
            peaks = view;
    }
    QVERIFY(peaks && !peaks->isColumnHidden(2));
    auto* theory = shown.find<QAbstractButton>("check_theory");
    theory->click();
    QVERIFY(peaks->isColumnHidden(2) && peaks->isColumnHidden(3));
    QVERIFY(!shown.settings.flag(QStringLiteral("hardware/theory"), true));
}

void TestHardwarePage::rooflineShowsTheExperimentsStep()
{
    const Shown shown({samples::cpuCard()}, true);
    const auto* plot = shown.page->findChild<RooflinePlot*>();
    QVERIFY(plot->roofline().points.empty());
    shown.page->setExperiment(QStringLiteral("fashion-mnist-cnn"));
    QCOMPARE(plot->roofline().points.size(), 1U);
    shown.page->setExperiment(QStringLiteral("another"));
    QVERIFY(plot->roofline().points.empty());
}

void TestHardwarePage::followsTheTheme()
{
    Theme theme(*qApp, Appearance::Light);
    const Shown shown({samples::cpuCard()});
    const auto ground = [&](QWidget* widget) {
        return widget->grab().toImage().pixelColor(widget->width() - 3, widget->height() - 3);
    };
    auto* chart = shown.page->findChild<RateChart*>();
    QCOMPARE(ground(chart), lightColours().panel);
    theme.setAppearance(Appearance::Dark);
    QCoreApplication::processEvents();
    QCOMPARE(ground(chart), darkColours().panel);
    auto* view = shown.find<FormatView>("formats");
    const QRect native = view->visualRect(view->model()->index(0, 4));
    const QImage picture = view->viewport()->grab().toImage();
    QCOMPARE(picture.pixelColor(native.left() + 2, native.center().y()), darkColours().goodGround);
    // A line that is shown already follows too.
    shown.page->exportCard(QString::fromStdString((shown.temp.file() / "card.json").string()));
    auto* notice = shown.find<QLabel>("hardware_notice");
    QTRY_VERIFY(notice->isVisible());
    QCOMPARE(ground(notice), darkColours().errorGround);
    theme.setAppearance(Appearance::Light);
    QCoreApplication::processEvents();
    QCOMPARE(ground(notice), lightColours().errorGround);
    QCOMPARE(notice->palette().color(QPalette::WindowText), lightColours().error);
}

void TestHardwarePage::smallWindowHasTabs()
{
    const Shown shown({samples::cpuCard()});
    auto* frame = shown.page->findChild<QMainWindow*>();
    const auto tabs = [&](const char* name) {
        return frame->tabifiedDockWidgets(shown.find<QDockWidget>(name)).size();
    };
    QCOMPARE(tabs("facts"), 0);
    QCOMPARE(tabs("advice"), 1);
    // The page of a window of 1100 x 700.
    shown.page->resize(1016, 608);
    QTRY_COMPARE(tabs("facts"), 3);
    QVERIFY2(shown.page->minimumSizeHint().width() <= 1016,
        qPrintable(QString::number(shown.page->minimumSizeHint().width())));
    auto* controls = shown.page->findChild<CheckControls*>();
    QTRY_VERIFY(controls->sizeHint().width() <= 1016);
    QVERIFY2(controls->findChild<QComboBox*>()->width() > 60, "device");
    QVERIFY2(shown.page->minimumSizeHint().height() <= 608,
        qPrintable(QString::number(shown.page->minimumSizeHint().height())));
    const QByteArray kept = shown.page->saveLayout();
    shown.page->resize(1356, 810);
    QTRY_COMPARE(tabs("facts"), 0);
    shown.page->restoreLayout(kept);
    QCOMPARE(tabs("facts"), 0);
}

void TestHardwarePage::everythingByKeyboardAndNamed()
{
    const Shown shown({samples::cpuCard()});
    for (const auto* view : shown.page->findChildren<QAbstractItemView*>()) {
        if (!qobject_cast<const QHeaderView*>(view)
            && !view->parentWidget()->inherits("QComboBoxPrivateContainer"))
            QVERIFY2(!view->accessibleName().isEmpty(), view->metaObject()->className());
    }
    for (const auto* box : shown.page->findChildren<QComboBox*>())
        QVERIFY(!box->accessibleName().isEmpty());
    for (const auto* button :
        shown.page->findChild<CheckControls*>()->findChildren<QToolButton*>()) {
        QVERIFY2(!button->toolTip().isEmpty(), qPrintable(button->text()));
        QVERIFY2((button->focusPolicy() & Qt::TabFocus) != 0, qPrintable(button->text()));
    }
    for (const auto* plot : shown.page->findChildren<ChartWidget*>())
        QVERIFY(!plot->accessibleName().isEmpty() && !plot->accessibleDescription().isEmpty());
    // From cell to cell with the arrows.
    auto* view = shown.find<FormatView>("formats");
    shown.page->activateWindow();
    view->setFocus();
    view->setCurrentIndex(view->model()->index(0, 1));
    QTest::keyClick(view, Qt::Key_Right);
    QTest::keyClick(view, Qt::Key_Down);
    QCOMPARE(view->currentIndex(), view->model()->index(1, 2));
    // Space presses what has the focus.
    auto* run = shown.find<QToolButton>("check_run");
    run->setFocus();
    QTest::keyClick(run, Qt::Key_Space);
    QTRY_COMPARE(shown.check->started(), 1);
}

void TestHardwarePage::brokenLayoutIsIgnored()
{
    const Shown shown;
    const QByteArray layout = shown.page->saveLayout();
    shown.page->restoreLayout({});
    shown.page->restoreLayout("x");
    shown.page->restoreLayout(layout.left(layout.size() / 2));
    shown.page->restoreLayout(layout);
    QVERIFY(shown.find<QDockWidget>("facts")->isVisible());
}

/// Writes pictures to $MANTISSA_PICTURES for people to look at; elsewhere only draws them.
void TestHardwarePage::picturesForLooking()
{
    const QString folder = qEnvironmentVariable("MANTISSA_PICTURES");
    for (const auto look : {Appearance::Light, Appearance::Dark}) {
        const Theme theme(*qApp, look);
        const Shown shown({samples::cpuCard(), samples::cpuCard(1'700'000'900'000)}, true);
        shown.page->setExperiment(QStringLiteral("fashion-mnist-cnn"));
        const QString word =
            look == Appearance::Light ? QStringLiteral("light") : QStringLiteral("dark");
        for (const QSize size : {QSize(1356, 810), QSize(1016, 608)}) {
            shown.page->resize(size);
            QCoreApplication::processEvents();
            const QPixmap picture = shown.page->grab();
            QCOMPARE(picture.size(), size);
            if (!folder.isEmpty())
                picture.save(
                    QStringLiteral("%1/hardware-%2-%3.png").arg(folder, word).arg(size.width()));
        }
    }
}

MANTISSA_WIDGET_TEST(TestHardwarePage)
#include "tst_hardware_page.moc"
