// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/checklist_panel.h"

#include "tests/support/test_program.h"
#include "ui/theme/theme.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTreeWidget>

using namespace mantissa;
using namespace mantissa::ui;

namespace {

std::shared_ptr<const RunDataList> runsWith(std::vector<CheckResult> checks, std::size_t count = 1)
{
    auto runs = std::make_shared<RunDataList>(count);
    runs->front().checks = std::move(checks);
    return runs;
}

} // namespace

class TestChecklistPanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_theme = new Theme(*qApp, Appearance::Light); }
    void cleanupTestCase() { delete m_theme; }

    void showsBothListsAndUnfoldsWhatWasFound()
    {
        ChecklistPanel panel;
        panel.setRuns(runsWith({{"nan", "loss", "Did the loss become NaN?", CheckAnswer::Found,
                                    "3 of 40 losses", "See below."},
            {"nan", "skips", "Are steps skipped?", CheckAnswer::NotFound, "none", {}},
            {"speed", "emulated", "Is it emulated?", CheckAnswer::CannotTell, "not timed", {}}}));
        panel.show();
        const auto* tree = panel.findChild<QTreeWidget*>();
        QVERIFY(tree && tree->isVisible());
        QCOMPARE(tree->topLevelItemCount(), 2);
        const auto* nan = tree->topLevelItem(0);
        QCOMPARE(nan->childCount(), 2);
        QCOMPARE(nan->child(0)->text(0), QStringLiteral("Did the loss become NaN?"));
        QVERIFY(nan->child(0)->isExpanded() && !nan->child(1)->isExpanded());
        QCOMPARE(nan->child(0)->child(0)->text(0), QStringLiteral("3 of 40 losses"));
        QCOMPARE(nan->child(0)->child(1)->text(0), QStringLiteral("See below."));
        QCOMPARE(nan->child(1)->childCount(), 1);
        QCOMPARE(nan->child(1)->data(0, Qt::AccessibleTextRole).toString(),
            QStringLiteral("Are steps skipped? not found"));
        QCOMPARE(tree->topLevelItem(1)->childCount(), 1);
        QCOMPARE(panel.summary(), QStringLiteral("1 found"));
    }

    void asksForOneRun()
    {
        ChecklistPanel panel;
        panel.show();
        for (const std::size_t count : {0U, 2U}) {
            panel.setRuns(count == 0 ? nullptr : runsWith({}, count));
            QVERIFY(panel.findChild<QLabel*>()->isVisible());
            QVERIFY(!panel.findChild<QTreeWidget*>()->isVisible());
            QVERIFY(panel.summary().isEmpty());
        }
    }

    void theButtonProfilesARunThatHasEnded()
    {
        ChecklistPanel panel;
        panel.show();
        auto* button = panel.findChild<QPushButton*>();
        QVERIFY(button && !button->isVisible());
        auto runs = std::make_shared<RunDataList>(1);
        runs->front().run.id = 7;
        runs->front().run.state = RunState::Running;
        panel.setRuns(runs);
        QVERIFY(button->isVisible() && !button->isEnabled());
        auto ended = std::make_shared<RunDataList>(*runs);
        ended->front().run.state = RunState::Finished;
        panel.setRuns(ended);
        QVERIFY(button->isEnabled());
        QSignalSpy asked(&panel, &ChecklistPanel::profileRequested);
        QSignalSpy cancelled(&panel, &ChecklistPanel::cancelRequested);
        button->click();
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.first().first().toLongLong(), 7);
        panel.setProfiling(true, QStringLiteral("profiling fp32"));
        QCOMPARE(button->text(), QStringLiteral("Cancel"));
        panel.setRuns(nullptr); // another choice does not hide what is going on
        QVERIFY(button->isVisible() && button->isEnabled());
        button->click();
        QCOMPARE(cancelled.count(), 1);
        QCOMPARE(asked.count(), 1);
        panel.setProfiling(false, {});
        QCOMPARE(button->text(), QStringLiteral("Profile"));
    }

private:
    Theme* m_theme = nullptr;
};

MANTISSA_WIDGET_TEST(TestChecklistPanel)
#include "tst_checklist_panel.moc"
