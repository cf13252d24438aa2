// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/scaler_panel.h"

#include "tests/core/run/run_fixture.h"
#include "tests/support/test_program.h"
#include "ui/live/live_page.h"
#include "ui/main_window/experiment_document.h"
#include "ui/main_window/window_settings.h"
#include "ui/runs/run_profiler.h"
#include "ui/session/run_session.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

using namespace mantissa;
using namespace mantissa::ui;
using mantissa::test::RunFixture;

namespace {

LifecycleEvent changed(
    const char* key, const nlohmann::json& from, const nlohmann::json& to, std::int64_t request = 0)
{
    LifecycleEvent event;
    event.kind = event_kind::kSettingChanged;
    event.step = 10;
    event.data = {{"key", key}, {"old", from}, {"new", to}};
    if (request != 0)
        event.data["request"] = request;
    return event;
}

LifecycleEvent refused(const char* key, const char* reason, std::int64_t request)
{
    LifecycleEvent event;
    event.kind = event_kind::kSettingRefused;
    event.data = {{"key", key}, {"reason", reason}, {"request", request}};
    return event;
}

} // namespace

/// The scaler's live settings: what is in force, and the panel with the fake worker, which answers
/// as a worker does and refuses every 0.
class TestScalerPanel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup();
    void changesAreTakenOverAndUndone();
    void keysOfOneRequestAreOneEdit();
    void refusedRequestChangesNothing();
    void anothersEditIsUndoneToo();
    void anEditIsAppliedMarkedAndUndone();
    void wrongValuesAreRefusedBesideTheField();
    void onlyVariantsWithAScalerAreListed();
    void aRunThatHasEndedTakesNothing();

private:
    void start(std::vector<std::string> variants = {"fp16"}, std::int64_t steps = 200'000);
    void type(const char* key, const char* text);
    QString note(const char* key) const;
    QPushButton* button(const char* name) const;

    QTemporaryDir m_folder;
    std::unique_ptr<WindowSettings> m_settings;
    std::unique_ptr<ExperimentDocument> m_document;
    std::unique_ptr<QAction> m_start;
    std::unique_ptr<RunFixture> m_fixture;
    std::unique_ptr<RunSession> m_session;
    std::unique_ptr<RunProfiler> m_profiler;
    std::unique_ptr<LivePage> m_page;
};

void TestScalerPanel::cleanup()
{
    m_page.reset();
    m_session.reset();
}

void TestScalerPanel::changesAreTakenOverAndUndone()
{
    ScalerEdits edits(ScalerConfig{});
    edits.ask(7, {{"growth_interval", 200}});
    QVERIFY(edits.isPending() && edits.isPending("growth_interval") && !edits.isPending("scale"));
    QCOMPARE(edits.config().growthInterval, std::int64_t{2000});
    edits.take(changed("growth_interval", 2000, 200, 7));
    QVERIFY(!edits.isPending());
    QCOMPARE(edits.config().growthInterval, std::int64_t{200});
    QCOMPARE(edits.lastEdit(), QStringLiteral("growth_interval 2,000 \u2192 200"));
    const std::vector<SettingChange> back{{"growth_interval", 2000}};
    QVERIFY(edits.undoChanges() == back);
    edits.askUndo(8);
    QVERIFY(edits.isPending("growth_interval"));
    edits.take(changed("growth_interval", 200, 2000, 8));
    QCOMPARE(edits.config().growthInterval, std::int64_t{2000});
    QVERIFY(edits.undoChanges().empty() && !edits.isPending());
}

void TestScalerPanel::keysOfOneRequestAreOneEdit()
{
    ScalerEdits edits(ScalerConfig{});
    edits.take(changed("min_scale", nullptr, 16, 3));
    edits.take(changed("policy", "pytorch", "static", 3));
    QCOMPARE(edits.config().minScale, std::optional(16.0));
    QVERIFY(edits.config().policy == ScalerPolicy::Static);
    // The last change is taken back first.
    const std::vector<SettingChange> back{{"policy", "pytorch"}, {"min_scale", nullptr}};
    QVERIFY(edits.undoChanges() == back);
    edits.askUndo(4);
    edits.take(changed("policy", "static", "pytorch", 4));
    QVERIFY(edits.isPending());
    edits.take(changed("min_scale", 16, nullptr, 4));
    QVERIFY(!edits.isPending() && edits.undoChanges().empty());
    QVERIFY(edits.config() == ScalerConfig{});
}

void TestScalerPanel::refusedRequestChangesNothing()
{
    ScalerEdits edits(ScalerConfig{});
    edits.ask(5, {{"scale", 0}});
    edits.take(refused("scale", "another's", 4));
    QVERIFY(edits.isPending() && !edits.refusal());
    edits.take(refused("scale", "must be above 0", 5));
    QVERIFY(!edits.isPending() && edits.undoChanges().empty());
    QCOMPARE(edits.refusal()->key, std::string("scale"));
    QCOMPARE(edits.refusal()->reason, std::string("must be above 0"));
    edits.ask(6, {{"scale", 8}});
    QVERIFY(!edits.refusal());
}

void TestScalerPanel::anothersEditIsUndoneToo()
{
    ScalerEdits edits(ScalerConfig{});
    edits.take(changed("growth_factor", 2, 4, 1));
    edits.askUndo(9);
    // Between question and answer another program changes something: that stays.
    edits.take(changed("scale", 65536, 1024));
    edits.take(changed("growth_factor", 4, 2, 9));
    const std::vector<SettingChange> back{{"scale", 65536}};
    QVERIFY(edits.undoChanges() == back);
    QCOMPARE(edits.lastEdit(), QStringLiteral("scale 2\u00b9\u2076 \u2192 2\u00b9\u2070"));
    edits.end();
    QVERIFY(!edits.isPending());
}

void TestScalerPanel::start(std::vector<std::string> variants, std::int64_t steps)
{
    m_fixture = std::make_unique<RunFixture>(variants);
    for (Variant& variant : m_fixture->config.variants)
        variant.precision = variant.name == "fp32" ? Precision::Fp32 : Precision::Fp16;
    m_fixture->setSteps(steps);
    m_fixture->argue({"--step-us", "1000"});
    const auto store = m_folder.filePath(QStringLiteral("runs.db")).toStdString();
    m_settings = std::make_unique<WindowSettings>(m_folder.filePath(QStringLiteral("window.ini")));
    m_document = std::make_unique<ExperimentDocument>();
    m_start = std::make_unique<QAction>(QStringLiteral("Start"));
    m_profiler = std::make_unique<RunProfiler>(profilingIn(store));
    m_page =
        std::make_unique<LivePage>(m_start.get(), *m_document, *m_settings, store, *m_profiler);
    m_page->resize(1356, 810);
    m_page->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
    m_page->activateWindow();
    m_session = std::make_unique<RunSession>(m_fixture->config, m_fixture->options, store);
    m_page->setSession(m_session.get());
    QTRY_VERIFY_WITH_TIMEOUT(m_session->stepsDone() > 0, 20000);
    auto* change = m_page->findChild<QPushButton*>(QStringLiteral("change_scaler"));
    QVERIFY(change && change->isVisible());
    QTest::mouseClick(change, Qt::LeftButton);
    QTRY_VERIFY(button("live.apply")->isVisible());
}

void TestScalerPanel::type(const char* key, const char* text)
{
    auto* field = m_page->findChild<QWidget*>(QStringLiteral("live.") + QString::fromLatin1(key));
    QVERIFY(field && field->isEnabled());
    if (auto* words = qobject_cast<QComboBox*>(field)) {
        words->setFocus();
        QTest::keyClicks(words, QString::fromLatin1(text));
        return;
    }
    auto* line = field->findChild<QLineEdit*>();
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, QString::fromLatin1(text));
}

QString TestScalerPanel::note(const char* key) const
{
    const auto* label = m_page->findChild<QLabel*>(
        QStringLiteral("live.") + QString::fromLatin1(key) + QStringLiteral(".note"));
    return label->isVisible() ? label->text() : QString();
}

QPushButton* TestScalerPanel::button(const char* name) const
{
    return m_page->findChild<QPushButton*>(QString::fromLatin1(name));
}

void TestScalerPanel::anEditIsAppliedMarkedAndUndone()
{
    start();
    const auto edits = [this] {
        QStringList texts;
        for (const PlotMark& mark : m_page->plots().scale()->marks()) {
            if (mark.kind == MarkKind::Edit)
                texts << mark.text;
        }
        return texts;
    };
    QVERIFY(!button("live.apply")->isEnabled() && !button("live.undo")->isEnabled());
    type("growth_interval", "200");
    QVERIFY(button("live.apply")->isEnabled());
    QTest::mouseClick(button("live.apply"), Qt::LeftButton);
    // Asked for, and not in force before the run has answered.
    QVERIFY(note("growth_interval").contains(QStringLiteral("pending")));
    QVERIFY(!button("live.apply")->isEnabled() && edits().isEmpty());
    QTRY_COMPARE(edits().size(), 1);
    QVERIFY(edits().front().endsWith(QStringLiteral("\u2192 200")));
    QTRY_VERIFY(button("live.undo")->isEnabled());
    QVERIFY(note("growth_interval").isEmpty());
    // The usual key takes it back.
    m_page->plots().loss()->setFocus();
    QTest::keyClick(m_page->plots().loss(), Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(edits().size(), 2);
    QTRY_VERIFY(!button("live.undo")->isEnabled());
    QVERIFY(edits().back().startsWith(QStringLiteral("growth_interval")));
}

void TestScalerPanel::wrongValuesAreRefusedBesideTheField()
{
    start();
    type("backoff_factor", "1.5");
    QVERIFY(note("backoff_factor").contains(QStringLiteral("1.5")));
    QVERIFY(!button("live.apply")->isEnabled());
    type("backoff_factor", "0.5");
    QVERIFY(note("backoff_factor").isEmpty());
    type("growth_interval", "many");
    QVERIFY(note("growth_interval").contains(QStringLiteral("many")));
    type("growth_interval", "2000");
    // What only the run can refuse: the fake worker refuses every 0.
    type("policy", "fairseq");
    type("tolerance", "0.5");
    QTest::mouseClick(button("live.apply"), Qt::LeftButton);
    QTRY_VERIFY(button("live.undo")->isEnabled());
    type("tolerance", "0");
    QTest::mouseClick(button("live.apply"), Qt::LeftButton);
    QTRY_VERIFY(note("tolerance").contains(QStringLiteral("not allowed")));
    QVERIFY(note("policy").isEmpty());
}

void TestScalerPanel::onlyVariantsWithAScalerAreListed()
{
    start({"fp32", "fp16"});
    QVERIFY(!m_page->findChild<ScalerPanel*>()->hasScaler(0));
    QVERIFY(m_page->findChild<ScalerPanel*>()->hasScaler(1));
    QCOMPARE(m_page->findChildren<QPushButton*>(QStringLiteral("change_scaler")).size(), 1);
}

void TestScalerPanel::aRunThatHasEndedTakesNothing()
{
    start({"fp16"}, 300);
    type("growth_interval", "100");
    QTRY_VERIFY_WITH_TIMEOUT(m_session->ended(), 30000);
    QVERIFY(!button("live.apply")->isEnabled());
    QVERIFY(m_page->findChild<QLabel*>(QStringLiteral("live.state"))
                ->text()
                .contains(QStringLiteral("has ended")));
    QVERIFY(!button("live.variant")->isEnabled());
    QVERIFY(button("live.variant")->toolTip().contains(QStringLiteral("checkpoint")));
}

MANTISSA_WIDGET_TEST(TestScalerPanel)
#include "tst_scaler_panel.moc"
