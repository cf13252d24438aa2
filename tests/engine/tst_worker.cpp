// SPDX-License-Identifier: GPL-3.0-or-later
// The worker program, spoken to by hand over its pipes.
#include "tests/engine/worker_client.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <poll.h>
#include <unistd.h>

using namespace mantissa;

class TestWorker : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsToItsEnd_data()
    {
        QTest::addColumn<int>("precision");
        QTest::newRow("fp32") << int(Precision::Fp32);
        QTest::newRow("bf16") << int(Precision::Bf16);
        QTest::newRow("fp16") << int(Precision::Fp16);
    }

    void runsToItsEnd()
    {
        QFETCH(int, precision);
        Worker worker;
        const auto hello = worker.await<Hello>();
        QVERIFY(hello.has_value());
        QCOMPARE(hello->protocol, kProtocolVersion);
        QCOMPARE(hello->pid, std::int64_t{worker.process().processId()});
        worker.say(StartCommand{workerVariant(static_cast<Precision>(precision))});
        const auto ready = worker.await<Ready>();
        QVERIFY(ready.has_value());
        QCOMPARE(ready->totalSteps, std::int64_t{30});
        worker.say(RunBlockCommand{0});
        const auto finished = worker.await<Finished>();
        QVERIFY(finished.has_value());
        QVERIFY(finished->state == RunState::Finished);
        QCOMPARE(finished->stepsAttempted, std::int64_t{30});
        QCOMPARE(finished->stepsApplied + finished->stepsSkipped, std::int64_t{30});
        QVERIFY(worker.awaitEnd());
        QCOMPARE(worker.process().exitCode(), 0);
        QCOMPARE(worker.broken(), 0);
        for (const auto* name : {"loss", "grad_norm", "lr", "step_ms", "data_wait_ms",
                 "samples_per_second", "time_s", "memory_bytes", "peak_memory_bytes"})
            QCOMPARE(seriesOf(worker, name).size(), std::size_t{30});
        const bool scaled = precision == int(Precision::Fp16);
        for (const auto* name : {"scale", "growth_tracker", "found_inf"})
            QCOMPARE(seriesOf(worker, name).size(), std::size_t{scaled ? 30u : 0u});
        QCOMPARE(validatedSteps(worker), (std::vector<double>{10, 20, 30}));
        QCOMPARE(ready->environment["validation_rows"].get<int>(), 4);
        for (const auto& event : worker.events()) {
            const auto* points = std::get_if<Points>(&event);
            if (points && points->axis == Axis::Step)
                QVERIFY(points->series.back()
                    == (SeriesValues{"validation_non_finite", std::vector<double>{0}}));
        }
        QVERIFY(std::holds_alternative<Finished>(worker.events().back()));
    }

    void goesBlockByBlock()
    {
        Worker worker;
        worker.say(StartCommand{workerVariant()});
        worker.say(RunBlockCommand{7});
        auto done = worker.await<BlockDone>();
        QVERIFY(done.has_value());
        QCOMPARE(done->step, std::int64_t{7});
        QCOMPARE(seriesOf(worker, "loss").size(), std::size_t{7});
        worker.say(RunBlockCommand{5});
        done = worker.await<BlockDone>();
        QVERIFY(done.has_value());
        QCOMPARE(done->step, std::int64_t{12});
        QVERIFY(done->trainSeconds > 0);
        worker.say(RunBlockCommand{100});
        const auto finished = worker.await<Finished>();
        QVERIFY(finished && finished->state == RunState::Finished);
        QCOMPARE(seriesOf(worker, "loss").size(), std::size_t{30});
    }

    void pausesAndResumesInABlock()
    {
        auto variant = workerVariant();
        variant.settings.train.steps = 10'000'000;
        Worker worker;
        worker.say(StartCommand{variant});
        worker.say(RunBlockCommand{0});
        QVERIFY(worker.await<Samples>().has_value());
        worker.say(PauseCommand{});
        QVERIFY(worker.awaitThat<Acknowledged>([](const auto& a) { return a.command == "pause"; })
                    .has_value());
        const auto paused = worker.awaitKind(event_kind::kPaused);
        QVERIFY(paused.has_value());
        const auto recorded = static_cast<std::int64_t>(seriesOf(worker, "loss").size());
        QCOMPARE(recorded, paused->step.value_or(-1));
        // A heartbeat that says so, and no sample in between.
        QVERIFY(
            worker.awaitThat<Heartbeat>([](const auto& beat) { return beat.activity == "paused"; })
                .has_value());
        QCOMPARE(static_cast<std::int64_t>(seriesOf(worker, "loss").size()), recorded);
        worker.say(ResumeCommand{});
        QVERIFY(worker.awaitKind(event_kind::kResumed).has_value());
        QVERIFY(worker.await<Samples>().has_value());
        worker.say(StopCommand{"user"});
        const auto finished = worker.await<Finished>();
        QVERIFY(finished.has_value());
        QVERIFY(finished->state == RunState::Stopped);
        QCOMPARE(finished->reason, std::string("user"));
        QCOMPARE(
            finished->stepsAttempted, static_cast<std::int64_t>(seriesOf(worker, "loss").size()));
        QVERIFY(worker.awaitEnd());
    }

    void stopsWhilePausedAndBeforeAnything()
    {
        Worker paused;
        paused.say(StartCommand{workerVariant()});
        paused.say(PauseCommand{});
        paused.say(RunBlockCommand{0});
        QVERIFY(paused.awaitKind(event_kind::kPaused).has_value());
        paused.say(StopCommand{"user"});
        auto finished = paused.await<Finished>();
        QVERIFY(finished && finished->state == RunState::Stopped && finished->stepsAttempted == 0);
        Worker early;
        early.say(StopCommand{"changed my mind"});
        finished = early.await<Finished>();
        QVERIFY(finished && finished->state == RunState::Stopped);
        QCOMPARE(finished->reason, std::string("changed my mind"));
        QVERIFY(early.awaitEnd());
    }

    void theTimeLimitEndsABlock()
    {
        auto variant = workerVariant();
        variant.settings.train.steps = 10'000'000;
        variant.settings.run.maxSeconds = 0.3;
        Worker worker;
        worker.say(StartCommand{variant});
        worker.say(RunBlockCommand{0});
        const auto done = worker.await<BlockDone>();
        QVERIFY(done.has_value());
        QVERIFY(done->trainSeconds >= 0.3);
        const auto finished = worker.await<Finished>();
        QVERIFY(finished && finished->state == RunState::Stopped);
        QCOMPARE(finished->reason, std::string("time limit"));
        QVERIFY(worker.awaitEnd());
        QCOMPARE(validatedSteps(worker).back(), static_cast<double>(done->step));
    }

    void theStepLimitKeepsTheSchedule()
    {
        auto variant = workerVariant();
        variant.settings.run.maxSteps = 15;
        Worker worker;
        worker.say(StartCommand{variant});
        worker.say(RunBlockCommand{0});
        const auto finished = worker.await<Finished>();
        QVERIFY(finished && finished->state == RunState::Stopped);
        QCOMPARE(finished->reason, std::string("step limit"));
        const auto rates = seriesOf(worker, "lr");
        QCOMPARE(rates.size(), std::size_t{15});
        // Cosine over 30 steps, not over 15.
        QVERIFY(std::abs(rates[14] - 1e-3 * (1 + std::cos(M_PI * 14 / 30)) / 2) < 1e-12);
    }

    void endsWhenItsInputCloses_data()
    {
        QTest::addColumn<bool>("training");
        QTest::newRow("idle") << false;
        QTest::newRow("training") << true;
    }

    void endsWhenItsInputCloses()
    {
        QFETCH(bool, training);
        auto variant = workerVariant();
        variant.settings.train.steps = 10'000'000;
        Worker worker;
        worker.say(StartCommand{variant});
        if (training)
            worker.say(RunBlockCommand{0});
        QVERIFY(training ? worker.await<Samples>().has_value() : worker.await<Ready>().has_value());
        worker.closeInput();
        QVERIFY(worker.awaitEnd());
        QVERIFY(worker.process().exitStatus() == QProcess::NormalExit);
    }

    void aLossThatIsNotFiniteIsAnEventAndTheRunGoesOn()
    {
        auto variant = workerVariant();
        variant.settings.train.optimizer = OptimizerKind::Sgd;
        variant.settings.train.schedule = LrSchedule::Constant;
        variant.settings.train.lr = 10;
        variant.settings.train.weightDecay = 1;
        variant.settings.train.momentum = 0.99;
        variant.settings.train.steps = 400;
        variant.settings.eval.every = 0;
        Worker worker;
        worker.say(StartCommand{variant});
        worker.say(RunBlockCommand{0});
        const auto event = worker.awaitKind(event_kind::kNonFiniteLoss);
        QVERIFY(event.has_value());
        const auto finished = worker.await<Finished>();
        QVERIFY(finished && finished->state == RunState::Finished);
        const auto losses = seriesOf(worker, "loss");
        QCOMPARE(losses.size(), std::size_t{400});
        const auto first =
            std::find_if(losses.begin(), losses.end(), [](double x) { return !std::isfinite(x); });
        QCOMPARE(event->step.value_or(0), first - losses.begin() + 1);
    }

    void liveSettingsChange()
    {
        auto variant = workerVariant(Precision::Fp16);
        Worker worker;
        worker.say(StartCommand{variant});
        worker.say(SetCommand{{{"growth_interval", 3}}});
        const auto changed = worker.awaitKind(event_kind::kSettingChanged);
        QVERIFY(changed.has_value());
        QCOMPARE(changed->data["key"].get<std::string>(), std::string("growth_interval"));
        QCOMPARE(changed->data["old"].get<double>(), 2000.0);
        QCOMPARE(changed->data["new"].get<double>(), 3.0);
        worker.say(SetCommand{{{"growth_interval", 7}, {"growth_factor", 0.5}}});
        const auto refused = worker.awaitKind(event_kind::kSettingRefused);
        QVERIFY(refused && refused->data["key"] == "growth_factor");
        QVERIFY(refused->data["reason"].get<std::string>().find("allowed") != std::string::npos);
        worker.say(RunBlockCommand{4});
        QVERIFY(worker.await<BlockDone>().has_value());
        QCOMPARE(seriesOf(worker, "growth_tracker"), (std::vector<double>{1, 2, 0, 1}));
        const auto scales = seriesOf(worker, "scale");
        QCOMPARE(scales.back(), 2 * scales.front());
        worker.closeInput();
        QVERIFY(worker.awaitEnd());
    }

    void aSmoothScaleIsNoEventEveryStep()
    {
        auto variant = workerVariant(Precision::Fp32);
        variant.settings.scaler.enabled = ScalerEnabled::On;
        variant.settings.scaler.policy = ScalerPolicy::Smooth;
        variant.settings.scaler.growthInterval = 4;
        variant.settings.train.steps = 9;
        Worker worker;
        worker.say(StartCommand{variant});
        worker.say(RunBlockCommand{0});
        QVERIFY(worker.await<Finished>().has_value());
        const auto scales = seriesOf(worker, "scale");
        QCOMPARE(scales.size(), std::size_t{9});
        QCOMPARE(scales[4], 2 * scales[0]);
        QCOMPARE(scales[8], 4 * scales[0]);
        for (const auto& event : worker.events()) {
            const auto* happened = std::get_if<LifecycleEvent>(&event);
            QVERIFY(!happened || happened->kind != event_kind::kScaleGrew);
        }
    }

    void skippedStepsAreEvents()
    {
        auto variant = workerVariant(Precision::Fp16);
        variant.settings.scaler.initScale = std::ldexp(1.0, 40);
        Worker worker;
        worker.say(StartCommand{variant});
        worker.say(RunBlockCommand{3});
        const auto skipped = worker.awaitKind(event_kind::kStepSkipped);
        QVERIFY(skipped.has_value());
        QCOMPARE(skipped->data["scale"].get<double>(), std::ldexp(1.0, 40));
        QCOMPARE(skipped->data["new_scale"].get<double>(), std::ldexp(1.0, 39));
        QVERIFY(worker.awaitKind(event_kind::kScaleBackedOff).has_value());
        QVERIFY(worker.await<BlockDone>().has_value());
        const auto rates = seriesOf(worker, "lr");
        QCOMPARE(rates, std::vector<double>(3, rates.front()));
        worker.say(StopCommand{});
        const auto finished = worker.await<Finished>();
        QVERIFY(finished.has_value());
        QCOMPARE(finished->stepsSkipped, std::int64_t{3});
        QCOMPARE(finished->stepsApplied, std::int64_t{0});
    }

    void refusesInWords_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QString>("state");
        QTest::addColumn<QString>("says");
        const auto encode = [](const Variant& variant) {
            return QByteArray::fromStdString(encodeCommand(StartCommand{variant}));
        };
        auto cuda = workerVariant();
        cuda.settings.device.kind = "cuda:7";
        auto missing = workerVariant();
        missing.settings.data.source = DataSource::FashionMnist;
        missing.settings.data.root = "/nowhere";
        QTest::newRow("tf32 on a CPU") << encode(workerVariant(Precision::Tf32)) << "refused"
                                       << "tf32";
        QTest::newRow("no such GPU") << encode(cuda) << "refused"
                                     << "cuda:7";
        QTest::newRow("data missing") << encode(missing) << "failed"
                                      << "dataset-fashion-mnist";
        QTest::newRow("no JSON") << QByteArray("start please") << "refused"
                                 << "";
        QTest::newRow("start without a variant") << QByteArray("{\"type\":\"start\"}") << "refused"
                                                 << "variant";
    }

    void refusesInWords()
    {
        QFETCH(QByteArray, line);
        QFETCH(QString, state);
        QFETCH(QString, says);
        Worker worker;
        worker.write(line.toStdString() + "\n");
        const auto finished = worker.await<Finished>();
        QVERIFY(finished.has_value());
        QCOMPARE(QString::fromUtf8(toString(finished->state).data()), state);
        const auto reason = QString::fromStdString(finished->reason);
        QVERIFY2(!reason.isEmpty() && reason.contains(says), qPrintable(reason));
        QVERIFY(worker.awaitEnd());
        QCOMPARE(worker.process().exitCode(), 0);
    }

    void rubbishInARunIsAWarning()
    {
        Worker worker;
        worker.say(StartCommand{workerVariant()});
        QVERIFY(worker.await<Ready>().has_value());
        worker.write("{\"type\":\"run_block\",\"steps\":\"many\"}\n");
        QVERIFY(worker.awaitKind(event_kind::kWarning).has_value());
        worker.write("{\"type\":\"a_command_of_tomorrow\"}\n");
        worker.say(RunBlockCommand{0});
        const auto finished = worker.await<Finished>();
        QVERIFY(finished && finished->state == RunState::Finished);
    }

    void knowsItsOptions()
    {
        Worker version({"--version"});
        QVERIFY(version.process().waitForFinished(kPatience));
        QVERIFY(version.process().readAllStandardOutput().startsWith("mantissa-worker "));
        Worker unknown({"--frobnicate"});
        QVERIFY(unknown.process().waitForFinished(kPatience));
        QCOMPARE(unknown.process().exitCode(), 2);
        QVERIFY(unknown.process().readAllStandardError().contains("--frobnicate"));
    }

    void aHostThatStopsReadingIsNoCrash()
    {
        auto variant = workerVariant();
        variant.settings.train.steps = 10'000'000;
        Worker worker;
        worker.say(StartCommand{variant});
        worker.say(RunBlockCommand{0});
        QVERIFY(worker.await<Samples>().has_value());
        worker.process().closeReadChannel(QProcess::StandardOutput);
        worker.closeInput();
        QVERIFY(worker.process().waitForFinished(kPatience));
        QVERIFY(worker.process().exitStatus() == QProcess::NormalExit);
    }

    // A host that is stuck: it reads nothing, keeps the pipe open, and closes the worker's input.
    void aHostThatIsStuckDoesNotKeepTheWorker()
    {
        int output[2] = {-1, -1};
        QCOMPARE(pipe(output), 0);
        QProcess worker;
        worker.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        const int write = output[1];
        worker.setChildProcessModifier([write] { dup2(write, STDOUT_FILENO); });
        worker.start(QStringLiteral(MANTISSA_BINARY_DIR "/bin/mantissa-worker"), {"--no-probe"});
        QVERIFY(worker.waitForStarted());
        auto variant = workerVariant();
        variant.settings.train.steps = 10'000'000;
        const auto lines =
            encodeCommand(StartCommand{variant}) + "\n" + encodeCommand(RunBlockCommand{0}) + "\n";
        worker.write(lines.c_str());
        QVERIFY(worker.waitForBytesWritten());
        pollfd room{write, POLLOUT, 0};
        QTRY_VERIFY_WITH_TIMEOUT(poll(&room, 1, 0) == 0, kPatience);
        worker.closeWriteChannel();
        QVERIFY(worker.waitForFinished(kPatience));
        close(output[0]);
        close(write);
    }

private:
    static std::vector<double> validatedSteps(const Worker& worker)
    {
        std::vector<double> steps;
        for (const auto& event : worker.events()) {
            const auto* points = std::get_if<Points>(&event);
            if (points && points->axis == Axis::Step)
                steps.insert(steps.end(), points->x.begin(), points->x.end());
        }
        return steps;
    }
};

MANTISSA_TEST(TestWorker)
#include "tst_worker.moc"
