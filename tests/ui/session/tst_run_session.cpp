// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/run_session.h"

#include "tests/core/run/run_fixture.h"
#include "tests/support/test_program.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace mantissa;
using namespace mantissa::ui;
using mantissa::test::RunFixture;

/// RunSession with the fake worker of tests/support.
class TestRunSession : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void runsToTheEndAndStores();
    void pauseAndResumeAreAcknowledgedAtOnce();
    void stopEndsAfterTheStep();
    void aKilledWorkerEndsItsRunOnly();
    void destroyingARunningSessionEndsIt();
    void anUnwritableStoreIsToldAndTheRunGoesOn();
    void updatesAreCoalesced();
    void newsBetweenAPollAndTheEndIsNotLost();

private:
    std::unique_ptr<RunSession> start(RunFixture& fixture);
    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_store;
};

void TestRunSession::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_store = m_folder->filePath(QStringLiteral("runs.db")).toStdString();
}

std::unique_ptr<RunSession> TestRunSession::start(RunFixture& fixture)
{
    return std::make_unique<RunSession>(fixture.config, fixture.options, m_store);
}

void TestRunSession::runsToTheEndAndStores()
{
    RunFixture fixture;
    const auto session = start(fixture);
    QTRY_VERIFY_WITH_TIMEOUT(session->ended(), 20000);
    QCOMPARE(session->stepsDone(), std::int64_t{80});
    QCOMPARE(session->storeError(), QString());
    const auto store = RunStore::open(m_store, RunStore::Mode::ReadOnly);
    QVERIFY(store.has_value());
    for (int run = 0; run < 2; ++run) {
        const auto stored = (*store)->readSeries(session->runId(run), "loss");
        const auto live = session->buffer().read(run, "loss");
        QVERIFY(stored.has_value());
        QCOMPARE(stored->y.size(), std::size_t{40});
        QCOMPARE(stored->y, live.y);
    }
}

void TestRunSession::pauseAndResumeAreAcknowledgedAtOnce()
{
    RunFixture fixture({"a"});
    fixture.setSteps(100000);
    fixture.argue({"--step-us", "2000"});
    const auto session = start(fixture);
    QTRY_VERIFY_WITH_TIMEOUT(session->stepsDone() > 3, 10000);
    QSignalSpy changed(session.get(), &RunSession::stateChanged);
    QElapsedTimer clock;
    clock.start();
    session->pause();
    QCOMPARE(changed.size(), 1);
    QVERIFY(clock.elapsed() < 200);
    QCOMPARE(session->acknowledgement(), QStringLiteral("pausing after this step"));
    QTRY_COMPARE(session->state(), SessionState::Paused);
    QCOMPARE(session->acknowledgement(), QString());
    const auto steps = session->stepsDone();
    session->resume();
    QCOMPARE(session->state() == SessionState::Paused, false);
    QTRY_VERIFY(session->stepsDone() > steps + 3);
    QCOMPARE(session->state(), SessionState::Running);
}

void TestRunSession::stopEndsAfterTheStep()
{
    RunFixture fixture;
    fixture.setSteps(100000);
    fixture.argue({"--step-us", "2000"});
    const auto session = start(fixture);
    QTRY_VERIFY_WITH_TIMEOUT(session->stepsDone() > 3, 10000);
    session->stop();
    QCOMPARE(session->acknowledgement(), QStringLiteral("stopping after this step"));
    QTRY_VERIFY_WITH_TIMEOUT(session->ended(), 10000);
    for (int run = 0; run < 2; ++run)
        QVERIFY(session->buffer().status(run).outcome.state == RunState::Stopped);
}

void TestRunSession::aKilledWorkerEndsItsRunOnly()
{
    RunFixture fixture;
    fixture.argue({"--fault", "kill", "--phase", "in-block", "--fault-variant", "b"});
    const auto session = start(fixture);
    QTRY_VERIFY_WITH_TIMEOUT(session->ended(), 20000);
    QVERIFY(session->buffer().status(0).outcome.state == RunState::Finished);
    QVERIFY(session->buffer().status(1).outcome.state == RunState::Killed);
    QVERIFY(!session->buffer().status(1).outcome.reason.empty());
}

void TestRunSession::destroyingARunningSessionEndsIt()
{
    RunFixture fixture({"a"});
    fixture.setSteps(100000);
    fixture.argue({"--step-us", "1000"});
    std::int64_t id = 0;
    {
        const auto session = start(fixture);
        QTRY_VERIFY_WITH_TIMEOUT(session->stepsDone() > 3, 10000);
        id = session->runId(0);
    }
    const auto store = RunStore::open(m_store, RunStore::Mode::ReadOnly);
    QVERIFY(store.has_value());
    const auto run = (*store)->run(id);
    QVERIFY(run.has_value());
    QVERIFY(isEnd(run->state));
}

void TestRunSession::anUnwritableStoreIsToldAndTheRunGoesOn()
{
    m_store = "/proc/mantissa/runs.db";
    RunFixture fixture;
    const auto session = start(fixture);
    QVERIFY(session->storeError().contains(QStringLiteral("/proc/mantissa")));
    QCOMPARE(session->comparisonId(), std::int64_t{0});
    QTRY_VERIFY_WITH_TIMEOUT(session->ended(), 20000);
    QCOMPARE(session->stepsDone(), std::int64_t{80});
}

void TestRunSession::updatesAreCoalesced()
{
    RunFixture fixture;
    fixture.setSteps(5000);
    fixture.argue({"--batch", "1"});
    QElapsedTimer clock;
    clock.start();
    const auto session = start(fixture);
    QSignalSpy updated(session.get(), &RunSession::updated);
    QTRY_VERIFY_WITH_TIMEOUT(session->ended(), 30000);
    QCOMPARE(session->stepsDone(), std::int64_t{10000});
    QVERIFY(updated.size() <= clock.elapsed() / 90 + 3);
}

void TestRunSession::newsBetweenAPollAndTheEndIsNotLost()
{
    RunFixture fixture({"a"});
    fixture.setSteps(100);
    fixture.argue({"--step-us", "1000"});
    const auto session = start(fixture);
    std::size_t seen = 0;
    bool held = false;
    connect(session.get(), &RunSession::updated, this, [&] {
        seen = session->buffer().read(0, "loss").y.size();
        // The run ends while the first news is still being drawn.
        if (!std::exchange(held, true))
            QVERIFY(test::await([&] { return session->buffer().ended(); }));
    });
    QTRY_VERIFY_WITH_TIMEOUT(session->ended(), 20000);
    QCOMPARE(seen, std::size_t{100});
}

MANTISSA_TEST(TestRunSession)
#include "tst_run_session.moc"
