// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/experiment_page.h"

#include "tests/support/test_program.h"
#include "ui/experiment/experiment_form.h"
#include "ui/experiment/field_editor.h"
#include "ui/experiment/settings_group.h"
#include "ui/experiment/variant_editor.h"
#include "ui/main_window/experiment_document.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>

using namespace mantissa;
using namespace mantissa::ui;

namespace {

/// The page with a shipped experiment, shown.
struct Fixture {
    Fixture()
    {
        document.open(MANTISSA_SOURCE_DIR "/experiments/fashion-mnist-quick.toml");
        page.resize(1356, 808);
        page.show();
        [[maybe_unused]] const bool shown = QTest::qWaitForWindowExposed(&page);
        page.activateWindow();
    }
    QWidget* field(const char* path) const
    {
        return page.findChild<QWidget*>(QString::fromLatin1(path));
    }
    void type(const char* path, const char* text)
    {
        auto* widget = field(path);
        auto* line = widget->findChild<QLineEdit*>();
        line = line ? line : qobject_cast<QLineEdit*>(widget);
        QVERIFY(line);
        line->setFocus();
        line->selectAll();
        QTest::keyClicks(line, QString::fromLatin1(text));
    }

    ExperimentDocument document;
    ExperimentPage page{document};
};

} // namespace

class TestExperimentPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_theme = new Theme(*qApp, Appearance::Light); }
    void cleanupTestCase() { delete m_theme; }

    void hasAFieldForEveryKey()
    {
        const Fixture f;
        for (const auto& key : schemaKeys()) {
            const std::string path(key.path);
            const auto* widget = f.field(path.c_str());
            QVERIFY2(widget, path.c_str());
            QVERIFY2(
                !widget->toolTip().isEmpty() && !widget->accessibleName().isEmpty(), path.c_str());
        }
        QCOMPARE(f.page.findChildren<VariantEditor*>().size(), 3);
    }

    void typingChangesTheExperiment()
    {
        Fixture f;
        f.type("train.steps", "250");
        QCOMPARE(f.document.experiment()->settings.train.steps, 250);
        QTest::keyClick(f.field("train.steps"), Qt::Key_Up);
        QCOMPARE(f.document.experiment()->settings.train.steps, 251);
        QVERIFY(f.page.commandLineText().contains(QStringLiteral("--set train.steps=251")));
    }

    void wrongValueIsShownBesideTheFieldAndListed()
    {
        Fixture f;
        f.type("scaler.backoff_factor", "1.5");
        QVERIFY(!f.document.experiment());
        auto* list = f.page.findChild<QTableView*>(QStringLiteral("problems"));
        QCOMPARE(list->model()->rowCount(), 1);
        // Enter jumps to the field.
        f.field("train.steps")->setFocus();
        list->setCurrentIndex(list->model()->index(0, 0));
        list->setFocus();
        QTest::keyClick(list, Qt::Key_Return);
        QTRY_VERIFY(f.field("scaler.backoff_factor")->hasFocus());
        f.type("scaler.backoff_factor", "0.25");
        QVERIFY(f.document.experiment().has_value());
        QCOMPARE(list->model()->rowCount(), 0);
    }

    void settingsThatDoNotApplyAreDisabled()
    {
        Fixture f;
        QVERIFY(!f.field("train.momentum")->isEnabled());
        QVERIFY(f.field("train.beta1")->isEnabled());
        auto* optimizer = qobject_cast<QComboBox*>(f.field("train.optimizer"));
        optimizer->setFocus();
        QTest::keyClicks(optimizer, QStringLiteral("sgd"));
        QVERIFY(f.field("train.momentum")->isEnabled());
        QVERIFY(!f.field("train.beta1")->isEnabled());
    }

    void fieldsOfAnotherKindAreNotShown()
    {
        Fixture f;
        QVERIFY(f.field("model.hidden")->isVisible());
        QVERIFY(!f.field("model.width")->isVisible());
        auto* kind = qobject_cast<QComboBox*>(f.field("model.kind"));
        kind->setFocus();
        QTest::keyClicks(kind, QStringLiteral("cnn"));
        QVERIFY(!f.field("model.hidden")->isVisible());
        QVERIFY(f.field("model.width")->isVisible());
    }

    void filesAndFoldersCanBeBrowsedFor()
    {
        Fixture f;
        QTemporaryDir folder;
        const QString chosen = QFileInfo(folder.path()).absoluteFilePath();
        QTimer::singleShot(0, this, [&chosen] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            dialog->selectFile(chosen);
            QTest::keyClick(dialog, Qt::Key_Return);
            if (dialog->isVisible())
                static_cast<QDialog*>(dialog)->done(QDialog::Accepted);
        });
        auto* browse = f.field("data.root.browse");
        QVERIFY(browse && browse->isVisible());
        QTest::mouseClick(browse, Qt::LeftButton);
        QCOMPARE(f.document.draft()->settings.data.root, chosen.toStdString());
        QVERIFY(f.document.isModified());
    }

    void descriptionHasSeveralLines()
    {
        Fixture f;
        auto* text = qobject_cast<QPlainTextEdit*>(f.field("description"));
        QVERIFY(text);
        QVERIFY(text->height() >= 3 * text->fontMetrics().lineSpacing());
        QCOMPARE(text->toPlainText().toStdString(), f.document.experiment()->description);
        text->setFocus();
        text->selectAll();
        QTest::keyClicks(text, QStringLiteral("one"));
        QTest::keyClick(text, Qt::Key_Return);
        QTest::keyClicks(text, QStringLiteral("two"));
        QCOMPARE(f.document.experiment()->description, std::string("one\ntwo"));
        QTest::keyClick(text, Qt::Key_Tab);
        QVERIFY(!text->hasFocus());
    }

    void noHintIsCutInASmallWindow()
    {
        Fixture f;
        f.page.resize(1016, 608);
        QCoreApplication::processEvents();
        int hints = 0;
        for (const auto* group : f.page.findChildren<SettingsGroup*>()) {
            for (const auto* label : group->findChildren<QLabel*>()) {
                if (!label->isVisible() || !label->wordWrap() || label->text().isEmpty())
                    continue;
                ++hints;
                QVERIFY2(label->height() >= label->heightForWidth(label->width())
                        && label->width() >= label->minimumSizeHint().width(),
                    qPrintable(label->text()));
            }
        }
        QVERIFY(hints > 20);
    }

    void cardsFollowTheVariants()
    {
        Fixture f;
        auto* add = f.page.findChild<QWidget*>(QStringLiteral("addVariant"));
        QTest::mouseClick(add, Qt::LeftButton);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QCOMPARE(f.page.findChildren<VariantEditor*>().size(), 4);
        f.page.form().removeVariant(0);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QCOMPARE(f.page.findChildren<VariantEditor*>().size(), 3);
    }

    void wheelOverAFieldDoesNotChangeIt()
    {
        Fixture f;
        auto* field = f.field("train.steps");
        f.field("train.lr")->setFocus();
        QWheelEvent wheel(QPointF(5, 5), field->mapToGlobal(QPointF(5, 5)), {}, QPoint(0, 120),
            Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(field, &wheel);
        QCOMPARE(f.document.experiment()->settings.train.steps, 5000);
        QVERIFY(!f.document.isModified());
    }

    void copiesTheCommandLine()
    {
        Fixture f;
        const QSignalSpy spy(&f.page, &Page::message);
        auto* copy = f.page.findChild<QToolButton*>(QStringLiteral("copyCommandLine"));
        QTest::mouseClick(copy, Qt::LeftButton);
        QCOMPARE(QGuiApplication::clipboard()->text(), f.page.commandLineText());
        QVERIFY(f.page.commandLineText().startsWith(QStringLiteral("mantissa-cli run ")));
        QCOMPARE(spy.count(), 1);
    }

    void layoutIsRestoredAndBrokenBytesAreIgnored()
    {
        Fixture f;
        const auto layout = f.page.saveLayout();
        QVERIFY(!layout.isEmpty());
        f.page.restoreLayout("nonsense");
        f.page.restoreLayout(layout);
        QCOMPARE(f.page.saveLayout(), layout);
    }

private:
    Theme* m_theme = nullptr;
};

MANTISSA_WIDGET_TEST(TestExperimentPage)
#include "tst_experiment_page.moc"
