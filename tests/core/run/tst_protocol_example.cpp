// SPDX-License-Identifier: GPL-3.0-or-later
// The examples of resources/docs/protocol.md work as they stand there.
#include "tests/core/run/run_fixture.h"

#include "core/run/protocol.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <numbers>

using namespace mantissa;
using namespace mantissa::test;

class TestProtocolExample : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QFile manual(QStringLiteral(MANTISSA_SOURCE_DIR "/resources/docs/protocol.md"));
        QVERIFY(manual.open(QIODevice::ReadOnly));
        m_manual = manual.readAll();
        QFile script(m_folder.filePath(QStringLiteral("worker.py")));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write(example("python"));
        QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }

    void theSamplesLineDecodes()
    {
        const auto event = decodeEvent(example("json").trimmed().toStdString());
        QVERIFY(event.has_value() && event->has_value());
        QCOMPARE(std::get<Samples>(**event).count, std::int64_t{3});
    }

    /// Gradient descent on (w - pi)^2 from 0 with rate r: the loss of step k is
    /// pi^2 (1 - 2 r)^(2 (k - 1)).
    void thePythonWorkerTrains()
    {
        RunFixture fixture;
        usePython(fixture);
        fixture.setSteps(45);
        fixture.forAllSettings([](Settings& settings) { settings.train.lr = 0.1; });
        fixture.config.settings.run.block = 10;
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        for (int run = 0; run < 2; ++run) {
            QCOMPARE(toString(fixture.outcome(run).state), "finished");
            QCOMPARE(fixture.outcome(run).stepsApplied, std::int64_t{45});
            QVERIFY(fixture.observer.notes(run).empty());
            const auto losses = fixture.observer.samples(run, "loss");
            QCOMPARE(losses.size(), std::size_t{45});
            for (std::size_t i = 0; i < losses.size(); ++i) {
                const double expected =
                    std::numbers::pi * std::numbers::pi * std::pow(0.8, 2 * static_cast<double>(i));
                QVERIFY(std::abs(losses[i] - expected) < 1e-9);
            }
        }
        QCOMPARE(fixture.blocks(), "a1 b1 b11 a11 a21 b21 b31 a31 a41 b41");
    }

    void thePythonWorkerStops()
    {
        RunFixture fixture;
        usePython(fixture);
        fixture.setSteps(1'000'000'000);
        auto& controller = fixture.start();
        QVERIFY(fixture.awaitStep(1, 20));
        controller.stop();
        QVERIFY(fixture.waitUntilEnded());
        for (int run = 0; run < 2; ++run) {
            QCOMPARE(toString(fixture.outcome(run).state), "stopped");
            QCOMPARE(fixture.outcome(run).reason, "user");
        }
    }

private:
    /// The first fenced block of `language`.
    QByteArray example(const QByteArray& language) const
    {
        const QByteArray fence = "```" + language + "\n";
        const auto begin = m_manual.indexOf(fence) + fence.size();
        return m_manual.mid(begin, m_manual.indexOf("```", begin) - begin);
    }

    void usePython(RunFixture& fixture) const
    {
        fixture.options.worker = m_folder.filePath(QStringLiteral("worker.py")).toStdString();
    }

    QTemporaryDir m_folder;
    QByteArray m_manual;
};

MANTISSA_TEST(TestProtocolExample)
#include "tst_protocol_example.moc"
