// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/version.h"
#include "tests/support/test_program.h"
#include "ui/help/about_dialog.h"
#include "ui/help/help_menu.h"
#include "ui/help/manual_window.h"
#include "ui/help/shortcut_list.h"

#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QMainWindow>
#include <QMenuBar>
#include <QTest>
#include <QTimer>
#include <QTreeWidget>

using namespace mantissa::ui;

class TestHelpDialogs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void listsTheKeysOfRealActions();
    void followsAChangeOfKeys();
    void aboutNamesVersionsAndLicences();
    void aboutSaysWhatTheWorkerSaid();
    void menuOpensEachOfThem();
};

void TestHelpDialogs::listsTheKeysOfRealActions()
{
    QMainWindow window;
    auto* menu = window.menuBar()->addMenu(QStringLiteral("&Run"));
    auto* start = menu->addAction(QStringLiteral("&Start..."));
    start->setShortcuts({QKeySequence(Qt::Key_F5), QKeySequence(Qt::CTRL | Qt::Key_R)});
    menu->addAction(QStringLiteral("No keys"));
    auto* page = new QWidget(&window);
    page->setAccessibleName(QStringLiteral("Runs page"));
    auto* find = new QAction(QStringLiteral("Find && filter"), page);
    find->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_F));

    const auto rows = shortcutsOf(window);
    QCOMPARE(rows.size(), 2U);
    QCOMPARE(rows[0].place, QStringLiteral("Run"));
    QCOMPARE(rows[0].action, QStringLiteral("Start"));
    QCOMPARE(rows[0].keys, QStringLiteral("F5, Ctrl+R"));
    QCOMPARE(rows[1].place, QStringLiteral("Runs page"));
    QCOMPARE(rows[1].action, QStringLiteral("Find & filter"));
}

void TestHelpDialogs::followsAChangeOfKeys()
{
    QMainWindow window;
    auto* action =
        window.menuBar()->addMenu(QStringLiteral("File"))->addAction(QStringLiteral("Open"));
    action->setShortcut(QKeySequence(Qt::Key_F2));
    action->setShortcut(QKeySequence(Qt::Key_F3));
    const ShortcutDialog dialog(window);
    const auto* list = dialog.findChild<QTreeWidget*>();
    QCOMPARE(list->topLevelItemCount(), 1);
    QCOMPARE(list->topLevelItem(0)->text(2), QStringLiteral("F3"));
}

void TestHelpDialogs::aboutNamesVersionsAndLicences()
{
    const AboutDialog dialog({});
    bool named = false;
    for (const auto* label : dialog.findChildren<QLabel*>())
        named = named || label->text().contains(QString::fromUtf8(mantissa::kVersion));
    QVERIFY(named);
    for (const ComponentRow& row : programComponents({})) {
        QVERIFY2(!row.version.isEmpty(), qPrintable(row.name));
        QVERIFY2(!row.licence.isEmpty(), qPrintable(row.name));
    }
    QCOMPARE(dialog.findChild<QTreeWidget*>()->topLevelItemCount(),
        static_cast<int>(programComponents({}).size()));
    QCOMPARE(programComponents({}).front().version, QString::fromUtf8(qVersion()));
}

void TestHelpDialogs::aboutSaysWhatTheWorkerSaid()
{
    bool said = false;
    for (const ComponentRow& row : programComponents(QStringLiteral("2.11.0")))
        said = said || row.version == QStringLiteral("2.11.0");
    QVERIFY(said);
}

void TestHelpDialogs::menuOpensEachOfThem()
{
    QMainWindow window;
    window.show();
    QMenu& menu = *window.menuBar()->addMenu(QStringLiteral("&Help"));
    HelpMenu help(menu, window, std::filesystem::path(MANTISSA_SOURCE_DIR) / "resources" / "docs",
        [] { return QStringLiteral("2.11.0"); });
    int dialogs = 0;
    for (QAction* action : menu.actions()) {
        if (action->isSeparator() || action->shortcut() == QKeySequence(QKeySequence::HelpContents))
            continue;
        QTimer::singleShot(0, [&dialogs] {
            auto* dialog = QApplication::activeModalWidget();
            QVERIFY(dialog);
            ++dialogs;
            QTest::keyClick(dialog, Qt::Key_Escape);
        });
        action->trigger();
    }
    QCOMPARE(dialogs, 2);
    help.openManual(QStringLiteral("manual.md#reading-the-plots"));
    ManualWindow* manual = nullptr;
    for (QWidget* widget : QApplication::topLevelWidgets()) {
        if (auto* found = qobject_cast<ManualWindow*>(widget))
            manual = found;
    }
    QVERIFY(manual && manual->isVisible());
    QVERIFY(QTest::qWaitForWindowActive(manual));
    QTest::keyClick(manual, Qt::Key_Escape);
    QVERIFY(!manual->isVisible());
}

MANTISSA_WIDGET_TEST(TestHelpDialogs)
#include "tst_help_dialogs.moc"
