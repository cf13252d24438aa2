// SPDX-License-Identifier: GPL-3.0-or-later
// Every policy against golden traces that other programs made (tests/data/scaler-traces, with the
// script that makes them) and against published ones.
#include "core/base/number_text.h"
#include "core/config/config_io.h"
#include "core/numerics/scaler_trace.h"
#include "tests/support/test_program.h"

#include <QDirIterator>
#include <QFile>
#include <QTest>
#include <cmath>

using namespace mantissa;

namespace {

/// "key=value key=value" as scaler settings, by the experiment file's own rules.
ScalerConfig configOf(const QString& text)
{
    Settings settings;
    for (const auto& item : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const auto parts = item.split(QLatin1Char('='));
        const auto set =
            setSetting(settings, "scaler." + parts.at(0).toStdString(), parts.at(1).toStdString());
        if (!set)
            qFatal("%s", set.error().text().c_str());
    }
    return settings.scaler;
}

ScalerConfig published(const char* policy, std::int64_t interval, const char* more = "")
{
    return configOf(QString("policy=%1 growth_interval=%2 %3").arg(policy).arg(interval).arg(more));
}

OverflowTrace traceOf(const char* steps)
{
    OverflowTrace trace;
    for (const char* step = steps; *step; ++step)
        trace.push_back(*step == 'X');
    return trace;
}

constexpr auto kA = "FFXFXXFFFFFXFFFF";
constexpr auto kB = "FFFFXFXXFFFFFFFFXFFFFF";

} // namespace

class TestScalerTraces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void followsTheOtherPrograms_data()
    {
        QTest::addColumn<QString>("file");
        QDirIterator files(MANTISSA_SOURCE_DIR "/tests/data/scaler-traces", {"*.csv"});
        while (files.hasNext()) {
            const auto file = files.next();
            QTest::newRow(qPrintable(files.fileName())) << file;
        }
    }

    void followsTheOtherPrograms()
    {
        QFETCH(QString, file);
        QFile csv(file);
        QVERIFY(csv.open(QIODevice::ReadOnly));
        auto lines = QString::fromUtf8(csv.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        const bool stops = lines.last() == "# stopped";
        LossScalePolicy policy(configOf(lines.takeFirst().mid(2)));
        QCOMPARE(lines.takeFirst(), "found_inf,scale,growth_tracker,hysteresis");
        QVERIFY(lines.size() > 10);
        const bool hasHysteresis = policy.config().policy == ScalerPolicy::Hysteresis
            || policy.config().policy == ScalerPolicy::Deepspeed;
        for (int i = 0; i < lines.size() - (stops ? 1 : 0); ++i) {
            const auto cells = lines[i].split(QLatin1Char(','));
            const auto& state = policy.update(cells.at(0) == "1");
            const auto scale = parseDouble(cells.at(1).toStdString());
            const auto told = QString("%1 line %2").arg(file).arg(i + 3);
            QVERIFY2(scale && double{state.scale} == *scale, qPrintable(told));
            QVERIFY2(state.growthTracker == cells.at(2).toInt(), qPrintable(told));
            if (hasHysteresis)
                QVERIFY2(state.hysteresis == cells.at(3).toInt(), qPrintable(told));
            QCOMPARE(state.exhausted, stops && i == lines.size() - 2);
        }
        QCOMPARE(policy.exhaustion().empty(), !stops);
    }

    // log2 of the scale, and what else the source tells, after each step.
    void followsPublishedTraces_data()
    {
        QTest::addColumn<ScalerConfig>("config");
        QTest::addColumn<QString>("steps");
        QTest::addColumn<QString>("form"); // s scale, g growth tracker, h hysteresis
        QTest::addColumn<QString>("expected");
        const auto a = [](const char* name, const ScalerConfig& config, const char* form,
                           const char* expected) {
            QTest::newRow(name) << config << kA << form << expected;
        };
        const auto b = [](const char* name, const ScalerConfig& config, const char* expected) {
            QTest::newRow(name) << config << kB << "s" << expected;
        };
        const char* step = "hysteresis_refill=step";
        a("pytorch A", published("pytorch", 3), "sg",
            "16/1 16/2 15/0 15/1 14/0 13/0 13/1 13/2 14/0 14/1 14/2 13/0 13/1 13/2 14/0 14/1");
        a("apex A", published("hysteresis", 3, step), "sgh",
            "16/1/2 16/2/2 16/0/1 16/1/2 16/0/1 15/0/0 15/1/2 15/2/2 16/0/2 16/1/2 16/2/2 16/0/1 "
            "16/1/2 16/2/2 17/0/2 17/1/2");
        a("megatron A", published("hysteresis", 3), "sgh",
            "16/1/2 16/2/2 16/0/1 16/1/1 15/0/0 14/0/-1 14/1/-1 14/2/-1 15/0/2 15/1/2 15/2/2 "
            "15/0/1 15/1/1 15/2/1 16/0/2 16/1/2");
        a("deepspeed A", published("deepspeed", 3), "sh",
            "16/2 16/2 16/1 16/1 15/1 14/1 14/1 14/1 14/1 15/2 15/2 15/1 15/1 15/1 15/1 16/2");
        a("deepspeed consecutive A", published("deepspeed", 3, step), "sh",
            "16/2 16/2 16/1 16/2 16/1 15/1 15/2 15/2 15/2 16/2 16/2 16/1 16/2 16/2 16/2 17/2");
        a("deepspeed h1 A", published("deepspeed", 3, "hysteresis=1"), "s",
            "16 16 15 15 14 13 13 13 13 14 14 13 13 13 13 14");
        a("fairseq A", published("fairseq", 3), "s",
            "16 16 15 15 14 13 13 13 14 14 14 13 13 13 14 14");
        a("fairseq 0.5 A", published("fairseq", 3, "tolerance=0.5"), "s",
            "16 16 16 16 16 15 15 15 16 16 16 16 16 16 17 17");
        b("pytorch B", published("pytorch", 4),
            "16 16 16 17 16 16 15 14 14 14 14 15 15 15 15 16 15 15 15 15 16 16");
        b("apex B", published("hysteresis", 4, step),
            "16 16 16 17 17 17 17 16 16 16 16 17 17 17 17 18 18 18 18 18 19 19");
        b("megatron B", published("hysteresis", 4),
            "16 16 16 17 17 17 16 15 15 15 15 16 16 16 16 17 17 17 17 17 18 18");
        b("deepspeed B", published("deepspeed", 4),
            "16 16 16 16 16 16 15 14 14 14 14 14 15 15 15 15 15 15 15 15 15 16");
        b("smooth B", published("smooth", 1000),
            "16.001 16.002 16.003 16.004 15.004 15.005 14.005 13.005 13.006 13.007 13.008 13.009 "
            "13.01 13.011 13.012 13.013 12.013 12.014 12.015 12.016 12.017 12.018");
    }

    void followsPublishedTraces()
    {
        QFETCH(ScalerConfig, config);
        QFETCH(QString, steps);
        QFETCH(QString, form);
        QFETCH(QString, expected);
        const auto replay = replayScaler(config, traceOf(qPrintable(steps)));
        QStringList got;
        for (const auto& state : replay.states) {
            const double log2 = std::round(std::log2(double{state.scale}) * 1e4) / 1e4;
            QStringList cells{QString::number(log2)};
            if (form.contains(QLatin1Char('g')))
                cells << QString::number(state.growthTracker);
            if (form.contains(QLatin1Char('h')))
                cells << QString::number(state.hysteresis);
            got << cells.join(QLatin1Char('/'));
        }
        QCOMPARE(got.join(QLatin1Char(' ')), expected);
        QCOMPARE(replay.skipped, std::size_t(steps.count(QLatin1Char('X'))));
    }

    // DeepSpeed's own tests: never, always and sometimes an overflow.
    void deepspeedsOwnNumbers_data()
    {
        QTest::addColumn<QString>("settings");
        QTest::addColumn<QString>("steps");
        QTest::addColumn<QString>("expected");
        QTest::newRow("no overflow") << "init_scale=256 growth_interval=2"
                                     << "FFFFFFFFFF"
                                     << "256 256 512 512 1024 1024 2048 2048 4096 4096";
        QTest::newRow("all overflow") << "init_scale=16 growth_interval=2 hysteresis=1"
                                      << "XXXXX"
                                      << "8 4 2 1 1";
        QTest::newRow("all, floor 2") << "init_scale=16 growth_interval=2 hysteresis=1 min_scale=2"
                                      << "XXXX"
                                      << "8 4 2 2";
        QTest::newRow("some") << "init_scale=256 growth_interval=2 hysteresis=1"
                              << "XXFFFX"
                              << "128 64 64 64 128 64";
    }

    void deepspeedsOwnNumbers()
    {
        QFETCH(QString, settings);
        QFETCH(QString, steps);
        QFETCH(QString, expected);
        QStringList got;
        const auto replay =
            replayScaler(configOf("policy=deepspeed " + settings), traceOf(qPrintable(steps)));
        for (const auto& state : replay.states)
            got << QString::number(double{state.scale});
        QCOMPARE(got.join(' '), expected);
    }

    void readsTraces()
    {
        const auto trace = parseOverflowTrace("# steps\n0\r\n1\n\n 1 \n0");
        QVERIFY(trace && *trace == (OverflowTrace{false, true, true, false}));
        for (const char* text : {"0\n2\n", "0 1\n", "no", "0\n-0\n", "0\n1,2"}) {
            const auto bad = parseOverflowTrace(text);
            QVERIFY2(!bad && bad.error().message.find("allowed: 0") != std::string::npos, text);
        }
        const auto second = parseOverflowTrace("0\n2\n");
        QVERIFY(QString::fromStdString(second.error().message).startsWith("line 2: '2'"));
        QVERIFY(!parseOverflowTrace("").has_value());
        QVERIFY(!parseOverflowTrace("# nothing\n").has_value());
        const auto missing = readOverflowTrace("/nowhere/trace.txt");
        QVERIFY(!missing && missing.error().message.find("/nowhere/trace.txt") == 0);
    }

    // Five spurious overflows in the first 20 steps cost 5 x 2,000 clean steps; a floor and a
    // shorter interval do not.
    void case1_recoveryAfterSpuriousOverflows()
    {
        OverflowTrace trace(10'020, false);
        for (const std::size_t step : {2u, 5u, 9u, 13u, 19u})
            trace[step] = true;
        const auto plain = replayScaler(published("pytorch", 2000), trace);
        QCOMPARE(plain.skipped, std::size_t{5});
        QVERIFY(plain.states[19].scale == 2048.0F);
        QVERIFY(plain.states[10'018].scale == 32768.0F);
        QVERIFY(plain.states[10'019].scale == 65536.0F);
        const auto floored = replayScaler(published("pytorch", 100, "min_scale=16384"), trace);
        QVERIFY(floored.states[19].scale == 16384.0F);
        QVERIFY(floored.states[219].scale == 65536.0F);
    }

    // A loss a million times too large: only a scale below 1 lets its gradients into fp16.
    void case7_aFloorBelowOneIsReached()
    {
        LossScalePolicy policy(published("pytorch", 2000, "min_scale=0.01"));
        for (int step = 0; step < 100; ++step)
            policy.update(double{policy.state().scale} * 1e6 > 65504);
        QVERIFY(policy.state().scale == 0.0625F);
        LossScalePolicy held(published("pytorch", 2000, "min_scale=1"));
        for (int step = 0; step < 100; ++step)
            held.update(double{held.state().scale} * 1e6 > 65504);
        QVERIFY(held.state().scale == 1.0F); // and overflows for ever
    }

    // A model whose gradients hold an inf at every step: 16 halvings from 2^16 to 1, then the run
    // ends with the reason; hysteresis 2 puts up with one more overflow first.
    void case5_theFloorOfDeepspeedEndsTheRun()
    {
        const OverflowTrace always(100, true);
        for (const auto& [more, steps] : {std::pair{"hysteresis=1", 17u}, {"hysteresis=2", 18u}}) {
            const auto replay = replayScaler(published("deepspeed", 1000, more), always);
            QCOMPARE(replay.states.size(), std::size_t{steps});
            QVERIFY(replay.states.back().scale == 1.0F);
            QVERIFY(replay.exhaustion.find("cannot fall below 1 ") != std::string::npos);
        }
    }
};

MANTISSA_TEST(TestScalerTraces)
#include "tst_scaler_traces.moc"
