// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/options.h"
#include "core/base/version.h"
#include "ui/main_window/experiment_document.h"
#include "ui/theme/theme.h"
#include "ui/window/program_window.h"

#include <QApplication>
#include <clocale>
#include <iostream>

using namespace mantissa;
using namespace mantissa::ui;

namespace {

int runWindow(QApplication& application, const GuiOptions& options)
{
    Theme theme(application, WindowSettings().appearance());
    ExperimentDocument document;
    MainWindow::Options windowOptions;
    windowOptions.store = options.store;
    windowOptions.controller.monitorInterval = kMonitorInterval;
    MainWindow window(windowOptions, theme, document);
    addProgramPages(window, document, options.store);
    if (!options.experiment.empty())
        window.openExperiment(options.experiment);
    window.restore();
    window.show();
    return QApplication::exec();
}

} // namespace

int main(int argc, char** argv)
{
    const GuiOptions options = parseGuiOptions({argv + 1, argv + argc});
    switch (options.action) {
    case GuiOptions::Action::ShowHelp:
        std::cout << guiHelp();
        return 0;
    case GuiOptions::Action::ShowVersion:
        std::cout << "mantissa " << kVersion << '\n';
        return 0;
    case GuiOptions::Action::Refuse:
        std::cerr << "mantissa: " << options.problem << "\nTry mantissa --help.\n";
        return 2;
    case GuiOptions::Action::Run:
        break;
    }
    QApplication application(argc, argv);
    // QApplication takes over the user's locale; numbers in files and protocol must not follow it.
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setApplicationName(QStringLiteral("mantissa"));
    QApplication::setApplicationDisplayName(QStringLiteral("Mantissa"));
    QApplication::setApplicationVersion(QString::fromLatin1(kVersion));
    QApplication::setDesktopFileName(QStringLiteral("mantissa"));
    return runWindow(application, options);
}
