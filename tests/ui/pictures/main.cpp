// SPDX-License-Identifier: GPL-3.0-or-later
// Runs an experiment in the window with the real worker and saves a picture of every page in light
// and dark: ui_pictures FOLDER WORKER STORE EXPERIMENT.toml [STEPS_BEFORE_PICTURE]
#include "ui/experiment/experiment_page.h"
#include "ui/hardware/hardware_page.h"
#include "ui/live/live_page.h"
#include "ui/main_window/experiment_document.h"
#include "ui/main_window/page.h"
#include "ui/runs/runs_page.h"
#include "ui/session/run_session.h"
#include "ui/widgets/dock.h"
#include "ui/widgets/dock_area.h"
#include "ui/window/program_window.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTimer>
#include <clocale>
#include <functional>
#include <iostream>

using namespace mantissa;
using namespace mantissa::ui;

namespace {

void settle(int ms)
{
    QEventLoop loop;
    QTimer::singleShot(ms, &loop, &QEventLoop::quit);
    loop.exec();
}

bool await(const std::function<bool()>& condition, int seconds)
{
    QElapsedTimer clock;
    clock.start();
    // Asleep between looks: the run to be pictured needs the cores.
    while (!condition() && clock.elapsed() < seconds * 1000)
        settle(50);
    return condition();
}

bool savePage(MainWindow& window, Theme& theme, const QDir& folder, const QString& page)
{
    bool saved = true;
    for (const auto& [appearance, word] :
        {std::pair(Appearance::Light, "light"), std::pair(Appearance::Dark, "dark")}) {
        theme.setAppearance(appearance);
        window.showPage(page);
        settle(800);
        const QString file =
            page.toLower() + QLatin1Char('-') + QString::fromLatin1(word) + QStringLiteral(".png");
        saved = window.grab().save(folder.filePath(file)) && saved;
        std::cout << file.toStdString() << '\n';
    }
    theme.setAppearance(Appearance::Light);
    return saved;
}

/// What the experiment takes here, measured; a picture of that panel alone in light and dark.
bool measureModel(MainWindow& window, Theme& theme, const QDir& folder)
{
    constexpr int kWholeTables = 470;
    auto* page = window.findChild<ExperimentPage*>();
    auto& panel = page->machine();
    window.showPage(page->name());
    panel.measure();
    if (!await([&] { return !panel.runner().isOn(); }, 300))
        return false;
    bool saved = true;
    const auto layout = page->saveLayout();
    page->findChild<DockArea*>()->resizeDocks(
        {page->findChild<Dock*>(QStringLiteral("machine"))}, {kWholeTables}, Qt::Horizontal);
    for (const auto& [appearance, word] :
        {std::pair(Appearance::Light, "light"), std::pair(Appearance::Dark, "dark")}) {
        theme.setAppearance(appearance);
        settle(800);
        const QString file = QStringLiteral("machine-%1.png").arg(QString::fromLatin1(word));
        saved = panel.grab().save(folder.filePath(file)) && saved;
        std::cout << file.toStdString() << '\n';
    }
    theme.setAppearance(Appearance::Light);
    page->restoreLayout(layout);
    return saved;
}

/// A real check of this machine; one that other programs disturbed is made again.
bool checkHardware(HardwarePage& page)
{
    constexpr int kTries = 10;
    for (int i = 0; i < kTries; ++i) {
        page.startCheck(false);
        if (!await([&] { return !page.runner().isOn() && page.card(); }, 120))
            return false;
        if (page.card()->facts.value("foreign_load", 0.0) < 0.1)
            return true;
        settle(10'000);
    }
    std::cerr << "other programs disturb the hardware check: its picture is not to be shown\n";
    return false;
}

/// Chooses the session's runs in the Runs page.
void chooseRuns(RunsPage& page, RunSession& session)
{
    session.flush();
    std::vector<std::int64_t> ids;
    for (const PlannedRun& run : session.plan())
        ids.push_back(session.runId(run.index));
    page.selectRuns(ids);
    page.pageShown();
    settle(2000);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 5) {
        std::cerr << "usage: ui_pictures FOLDER WORKER STORE EXPERIMENT.toml [STEPS]\n";
        return 2;
    }
    QApplication application(argc, argv);
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setFont(QFont(QStringLiteral("Noto Sans"), 10));
    Theme theme(application, Appearance::Light);
    ExperimentDocument document;
    MainWindow::Options options;
    options.store = argv[3];
    options.controller.worker = argv[2];
    options.controller.monitorInterval = kMonitorInterval; // as the program does
    const QDir folder(QString::fromLocal8Bit(argv[1]));
    options.settingsFile = QString::fromLocal8Bit(argv[3]) + QStringLiteral(".window.ini");
    MainWindow window(options, theme, document);
    window.settings().set(QStringLiteral("live/system_folded"), false);
    addProgramPages(window, document, options.store);
    window.openExperiment(argv[4]);
    window.resize(1440, 900);
    window.show();
    settle(300);
    if (!document.experiment()) {
        std::cerr << "cannot run " << argv[4] << '\n';
        return 2;
    }
    // Before the run: it locks the form.
    bool saved = measureModel(window, theme, folder);
    saved = savePage(window, theme, folder, QStringLiteral("Experiment")) && saved;
    saved = checkHardware(*window.findChild<HardwarePage*>())
        && savePage(window, theme, folder, QStringLiteral("Hardware")) && saved;
    window.startRun();
    const long long steps = argc > 5 ? std::atoll(argv[5]) : 0;
    const bool far = await(
        [&] {
            return window.session()->ended()
                || (steps > 0 && window.session()->stepsDone() >= steps);
        },
        600);
    LivePlots& plots = window.findChild<LivePage*>()->plots();
    plots.group().setCursor(plots.group().xRange().upper * 0.6);
    chooseRuns(*window.findChild<RunsPage*>(), *window.session());
    for (const char* page : {"Live", "Runs"})
        saved = savePage(window, theme, folder, QString::fromLatin1(page)) && saved;
    window.stopRun();
    await([&] { return window.session()->ended(); }, 30);
    return far && saved ? 0 : 1;
}
