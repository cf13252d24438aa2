// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/html_report.h"

#include "core/report/report_model.h"
#include "core/report/xml_text.h"
#include "core/run/series_info.h"
#include "core/run/system_events.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>
#include <cmath>
#include <limits>

using namespace mantissa;
using namespace mantissa::test;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// 30 steps at `ms`, 64 samples each; the loss ends at `loss`.
Samples steadySteps(double ms, double memory, double loss)
{
    Samples samples;
    samples.firstStep = 1;
    samples.count = 30;
    const std::vector<double> all(30, ms);
    samples.series = {{"step_ms", all}, {"samples_per_second", std::vector<double>(30, 64e3 / ms)},
        {"peak_memory_bytes", std::vector<double>(30, memory)},
        {"memory_bytes", std::vector<double>(30, memory)}, {"loss", std::vector<double>(30, loss)},
        {"time_s", {}}};
    for (int i = 0; i < 30; ++i)
        samples.series.back().values.push_back(ms * (i + 1) / 1000);
    return samples;
}

RunOutcome finished(std::int64_t steps, std::int64_t skipped)
{
    RunOutcome end;
    end.state = RunState::Finished;
    end.stepsAttempted = steps;
    end.stepsSkipped = skipped;
    end.stepsApplied = steps - skipped;
    return end;
}

struct Stored {
    TempStore temp;
    std::unique_ptr<RunStore> store;
    std::vector<std::int64_t> ids;
};

/// fp32 at 4 ms and 200 MiB against bf16 at 1 ms and 100 MiB.
void storeTwoVariants(Stored& stored)
{
    constexpr double kMiB = 1024 * 1024;
    const auto writer = writerOf(stored.temp.file(), {Precision::Fp32, Precision::Bf16});
    writer->onState(0, outcome(RunState::Running));
    writer->onState(1, outcome(RunState::Running));
    writer->onEvent(0, steadySteps(4, 200 * kMiB, 0.5));
    writer->onEvent(1, steadySteps(1, 100 * kMiB, 0.75));
    writer->onEvent(0, Points{Axis::Step, {30}, {{"metric", {0.80}}}});
    writer->onEvent(1, Points{Axis::Step, {30}, {{"metric", {0.825}}}});
    writer->onState(0, finished(30, 0));
    writer->onState(1, finished(30, 0));
    writer->onAllEnded();
    stored.ids = {writer->runId(0), writer->runId(1)};
    stored.store = RunStore::open(stored.temp.file()).value();
}

const ReportRow& row(const ReportModel& model, const QString& label)
{
    for (const auto& row : model.metrics) {
        if (QString::fromStdString(row.label).startsWith(label))
            return row;
    }
    qFatal("no row %s", qPrintable(label));
}

QStringList svgsOf(const QString& html)
{
    QStringList svgs;
    const QRegularExpression svg(
        QStringLiteral("<svg.*?</svg>"), QRegularExpression::DotMatchesEverythingOption);
    for (auto match = svg.globalMatch(html); match.hasNext();)
        svgs << match.next().captured();
    return svgs;
}

QString htmlOf(const Stored& stored)
{
    const auto html = renderHtmlReport(*stored.store, stored.ids);
    return html ? QString::fromStdString(*html) : QString::fromStdString(html.error().message);
}

/// Number of path elements with all of `classes`, and of moves ("M") in them.
int marksIn(const QString& svg, const QString& classes)
{
    QXmlStreamReader xml(svg);
    int moves = 0;
    while (!xml.atEnd()) {
        if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == QLatin1String("path")
            && xml.attributes().value(QLatin1String("class")) == classes)
            moves += int(xml.attributes().value(QLatin1String("d")).count(QLatin1Char('M')));
    }
    return moves;
}

} // namespace

class TestHtmlReport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ratiosAreToTheFirstVariant()
    {
        Stored stored;
        storeTwoVariants(stored);
        const auto model = buildReport(*stored.store, stored.ids).value();
        const auto note = [&](const char* label) {
            return QString::fromStdString(row(model, QLatin1String(label)).cells.at(1).note);
        };
        QCOMPARE(note("Step time"), QStringLiteral("0.25x"));
        QCOMPARE(note("Samples/s"), QStringLiteral("4.00x"));
        QCOMPARE(note("Peak memory"), QStringLiteral("0.50x"));
        QCOMPARE(note("Final loss"), QStringLiteral("+0.2500"));
        QCOMPARE(note("Validation accuracy"), QStringLiteral("+2.5 points"));
        for (const auto& metric : model.metrics)
            QVERIFY(metric.cells.size() == 2 && metric.cells[0].note.empty());
        QCOMPARE(row(model, QStringLiteral("Peak memory")).cells[0].text, std::string("200.0 MiB"));
        // 30 steps in one block, 10 of them warm-up.
        QCOMPARE(row(model, QStringLiteral("Steps behind")).cells[1].text, std::string("20"));
    }

    /// t02 of the reports: its accuracy alone would look like an ordinary one.
    void aValidationThatIsNotFiniteIsTheHeadlineAndAMark()
    {
        const TempStore temp;
        const auto writer = writerOf(temp.file(), {Precision::Fp32, Precision::Fp16});
        for (const int run : {0, 1}) {
            writer->onEvent(run, Ready{{{"validation_rows", 40}}, 30});
            writer->onEvent(run, steadySteps(4, 1e6, 0.5));
        }
        writer->onEvent(0,
            Points{Axis::Step, {10, 20},
                {{"metric", {0.9, 0.925}}, {"validation_loss", {0.3, 0.2}},
                    {"validation_non_finite", {0, 0}}}});
        writer->onEvent(1,
            Points{Axis::Step, {10, 20},
                {{"metric", {0.9, 0.5}}, {"validation_loss", {0.3, kNaN}},
                    {"validation_non_finite", {0, 11}}}});
        for (const int run : {0, 1})
            writer->onState(run, finished(30, 0));
        writer->onAllEnded();
        const auto store = RunStore::open(temp.file()).value();
        // Also where the report is of that run alone.
        for (const auto& ids :
            {std::vector{writer->runId(0), writer->runId(1)}, std::vector{writer->runId(1)}}) {
            const auto model = buildReport(*store, ids).value();
            QCOMPARE(model.warnings.front(),
                std::string("fp16: the validation is not finite since step 20 (1 of 2 "
                            "validations): at step 20, 11 of 40 rows have outputs that are NaN or "
                            "infinite and count as wrong; accuracy 50.0 %, loss NaN. fp32 at step "
                            "20: accuracy 92.5 %, loss 0.2000, all finite."));
            QCOMPARE(model.charts.front().title, std::string("Loss"));
            QCOMPARE(model.charts.front().series.back().nonFinite, std::vector<double>{20});
            QCOMPARE(model.charts.front().note,
                std::string("fp16: 1 validation not finite, the first at step 20."));
        }
    }

    void theMachineMeanwhileIsSummedUp()
    {
        Stored stored;
        const auto writer = writerOf(stored.temp.file(), {Precision::Fp32, Precision::Bf16});
        // 400 steps of 10 ms, 64 samples each, in one turn; readings every 0.25 s.
        for (int run = 0; run < 2; ++run) {
            writer->onState(run, outcome(RunState::Running));
            writer->onEvent(run, LifecycleEvent{std::string(event_kind::kBlockStarted), 1, 0, {}});
            Samples steps;
            steps.firstStep = 1;
            steps.count = 400;
            steps.series = {{"step_ms", std::vector<double>(400, 10)},
                {"samples_per_second", std::vector<double>(400, 6400)}, {"time_s", {}}};
            for (int i = 1; i <= 400; ++i)
                steps.series.back().values.push_back(i * 0.01);
            writer->onEvent(run, steps);
            const double watts = run == 0 ? 64 : 32;
            for (int i = 1; i <= 16; ++i)
                writer->onEvent(run,
                    Points{Axis::Time, {i * 0.25},
                        {{"package_energy_j", {500 + watts * i * 0.25}},
                            {"foreign_cpu_percent",
                                {i == 7            ? 60.0
                                        : run == 0 ? 3.0
                                                   : 30.0}},
                            {"available_memory_bytes", {(i == 9 ? 1.0 : 2.0) * 1024 * 1024}}}});
            writer->onState(run, finished(400, 0));
        }
        LifecycleEvent load{std::string(event_kind::kForeignLoad), {}, 1.755, "others"};
        writer->onEvent(1, load);
        writer->onAllEnded();
        stored.ids = {writer->runId(0), writer->runId(1)};
        stored.store = RunStore::open(stored.temp.file()).value();
        const auto model = buildReport(*stored.store, stored.ids).value();
        const auto cells = [&](const std::string& label) -> std::vector<ReportCell> {
            for (const auto& row : model.system) {
                if (row.label == label)
                    return row.cells;
            }
            return {};
        };
        QCOMPARE(model.system.size(), std::size_t{4}); // nothing that was not measured
        QCOMPARE(cells("Other programs' CPU, median").at(0).text, std::string("3 %"));
        QCOMPARE(cells("Other programs' CPU, highest").at(0).text, std::string("60 %"));
        QCOMPARE(cells("Available memory, lowest").at(1).text, std::string("1.0 MiB"));
        // 64 W at 6,400 samples/s are 10 mJ each.
        QCOMPARE(cells("Energy a sample, CPU").at(0).text, std::string("10.0 mJ at 64.0 W"));
        QCOMPARE(cells("Energy a sample, CPU").at(1).text, std::string("5.00 mJ at 32.0 W"));
        QCOMPARE(cells("Energy a sample, CPU").at(1).note, std::string("0.50x"));
        QCOMPARE(model.warnings.size(), std::size_t{1});
        QVERIFY2(model.warnings[0].starts_with("bf16: other programs had 30 % of the usable cores"),
            model.warnings[0].c_str());
        const auto html = htmlOf(stored);
        QVERIFY(html.contains(QStringLiteral("The machine meanwhile")));
        // The step that ends at 1.76 s; on the throughput chart only.
        QCOMPARE(model.charts.at(2).series.at(1).disturbed, std::vector<double>{176});
        const auto svgs = svgsOf(html);
        QCOMPARE(marksIn(svgs.at(2), QStringLiteral("mark solid warn")), 1 + 1); // and its key
        QCOMPARE(marksIn(svgs.at(0), QStringLiteral("mark solid warn")), 0);
    }

    void theOrderAskedForDoesNotChangeTheBaseline()
    {
        Stored stored;
        storeTwoVariants(stored);
        std::swap(stored.ids[0], stored.ids[1]);
        const auto model = buildReport(*stored.store, stored.ids).value();
        QCOMPARE(model.columns[0].name, std::string("fp32"));
        QCOMPARE(model.columns[0].colour, std::string("k-fp32"));
        QCOMPARE(model.columns[1].colour, std::string("k-bf16"));
    }

    void onlyDifferencesAreListed()
    {
        Stored stored;
        auto config = experiment({Precision::Fp32, Precision::Fp32, Precision::Fp32});
        config.variants[1].name = "slow";
        config.variants[1].settings.train.lr = 1e-4;
        config.variants[2].name = "third";
        const auto writer = StoreWriter::create(stored.temp.file(), config, planOf(config)).value();
        writer->flush();
        stored.store = RunStore::open(stored.temp.file()).value();
        const auto model = buildReport(*stored.store, {1, 2, 3}).value();
        QCOMPARE(model.settings.different.size(), std::size_t(1));
        const auto& difference = model.settings.different.front();
        QCOMPARE(difference.label, std::string("train.lr"));
        QCOMPARE(difference.cells[0].text, std::string("0.001"));
        QCOMPARE(difference.cells[1].text, std::string("1e-04"));
        QVERIFY(model.settings.shared.size() > 20);
        // Three variants of one precision: three colours.
        QCOMPARE(model.columns[0].colour, std::string("k-fp32"));
        QCOMPARE(model.columns[1].colour, std::string("k-5"));
        QCOMPARE(model.columns[2].colour, std::string("k-6"));
    }

    void theProbesTimesAreNoDifference()
    {
        Stored stored;
        const auto writer = writerOf(stored.temp.file(), {Precision::Fp32, Precision::Bf16});
        for (int run : {0, 1}) {
            const nlohmann::json bf16{{"class", "native"}, {"factor", 0.5 + run}, {"ms", 3 + run}};
            writer->onEvent(
                run, Ready{{{"threads", 2 + run}, {"cpu", "a"}, {"formats", {{"bf16", bf16}}}}, 5});
        }
        writer->flush();
        stored.store = RunStore::open(stored.temp.file()).value();
        const auto model = buildReport(*stored.store, {1, 2}).value();
        QCOMPARE(model.environment.different.size(), std::size_t(1));
        QCOMPARE(model.environment.different[0].label, std::string("threads"));
        QCOMPARE(model.environment.shared.size(), std::size_t(2)); // cpu and bf16's class
        QCOMPARE(row(model, QStringLiteral("Format")).cells[1].text,
            std::string("native, 1.50x fp32's time"));
        QVERIFY(row(model, QStringLiteral("Format")).cells[0].missing); // fp32 was not probed
    }

    void oneRepetitionGetsNoVerdict()
    {
        Stored stored;
        storeTwoVariants(stored);
        QVERIFY(htmlOf(stored).contains(QStringLiteral("No verdict: one repetition")));
    }

    void whatIsNotMeasuredIsAWord()
    {
        Stored stored;
        const auto writer = writerOf(stored.temp.file(), {Precision::Fp16});
        writer->onState(0, outcome(RunState::Failed, "the worker was killed by signal 9"));
        writer->flush();
        stored.store = RunStore::open(stored.temp.file()).value();
        stored.ids = {1};
        const auto model = buildReport(*stored.store, stored.ids).value();
        for (const char* label : {"Step time", "Samples/s", "Peak memory", "Final loss", "Format"})
            QVERIFY(row(model, QLatin1String(label)).cells[0].missing);
        const auto html = htmlOf(stored);
        QVERIFY(html.contains(QStringLiteral("not measured")));
        QVERIFY(html.contains(QStringLiteral("the worker was killed by signal 9")));
        QVERIFY(html.contains(QStringLiteral("no step was made")));
    }

    void hostileTextIsShownNotRun()
    {
        const std::string evil = "</title><script>alert(1)</script>\"'&<b>\x01\xff";
        Stored stored;
        auto config = experiment({Precision::Fp32, Precision::Bf16}, evil);
        config.description = evil;
        config.variants[0].name = evil;
        config.variants[1].name = "]]>-->" + evil;
        const auto writer = StoreWriter::create(stored.temp.file(), config, planOf(config)).value();
        for (int run : {0, 1}) {
            writer->onEvent(run, Hello{1, evil, evil, 1, 0, 1, {{evil, evil}}});
            writer->onEvent(run, steadySteps(1, 1e6, 1));
            writer->onEvent(run, LifecycleEvent{evil, 1, 0, evil, {}});
            writer->onState(run, outcome(RunState::Failed, evil));
        }
        writer->flush();
        stored.store = RunStore::open(stored.temp.file()).value();
        stored.ids = {1, 2};
        const auto html = htmlOf(stored);
        QVERIFY(html.contains(QStringLiteral("&lt;script&gt;alert(1)")));
        QVERIFY(!html.contains(QStringLiteral("<script")));
        QVERIFY(!html.contains(QStringLiteral("<b>")));
        QVERIFY(!html.contains(QChar(1)));
        QCOMPARE(html.count(QStringLiteral("</title>")), 1 + svgsOf(html).size());
    }

    void everyChartIsWellFormedAndNothingIsLoaded()
    {
        Stored stored;
        storeTwoVariants(stored);
        const auto html = htmlOf(stored);
        const auto svgs = svgsOf(html);
        QCOMPARE(svgs.size(), 5);
        for (const auto& svg : svgs) {
            QXmlStreamReader xml(svg);
            while (!xml.atEnd())
                xml.readNext();
            QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
            QVERIFY(!svg.contains(QStringLiteral("nan")) && !svg.contains(QStringLiteral("inf ")));
        }
        for (const char* loading :
            {"http:", "https:", "src=", "@import", "<link", "href", "<script"})
            QVERIFY2(!html.contains(QLatin1String(loading)), loading);
        // url() only points into the page.
        QCOMPARE(html.count(QStringLiteral("url(")), html.count(QStringLiteral("url(#")));
    }

    void marksAreNeverLeftOut()
    {
        Stored stored;
        const auto writer = writerOf(stored.temp.file(), {Precision::Fp16});
        Samples samples;
        samples.firstStep = 1;
        samples.count = 8;
        // Two steps skipped, the scale halved after each, then grown once; one NaN loss.
        samples.series = {{"loss", {2, 2, kNaN, 2, 1, 1, 1, 1}},
            {"scale", {65536, 32768, 16384, 16384, 16384, 32768, 32768, 32768}},
            {"found_inf", {1, 1, 0, 0, 0, 0, 0, 0}}};
        writer->onEvent(0, samples);
        writer->onState(0, finished(8, 2));
        writer->flush();
        stored.store = RunStore::open(stored.temp.file()).value();
        stored.ids = {1};
        const auto svgs = svgsOf(htmlOf(stored));
        const auto hollow = QStringLiteral("mark hollow k-fp16");
        QCOMPARE(marksIn(svgs[0], hollow), 2 + 1); // crosses and a crossed circle
        QCOMPARE(marksIn(svgs[1], hollow), 2 + 2); // crosses and back-offs
        QCOMPARE(marksIn(svgs[1], QStringLiteral("mark solid k-fp16")), 1);
        QVERIFY(svgs[1].contains(QStringLiteral("2¹⁵")));
        QVERIFY(htmlOf(stored).contains(QStringLiteral("fp16: skipped 2 of 8.")));
    }

    void aRunOfNothingButNaNIsDrawnAsMarks()
    {
        Stored stored;
        const auto writer = writerOf(stored.temp.file(), {Precision::Bf16});
        writer->onEvent(0, Samples{1, 4, {{"loss", {kNaN, kNaN, -INFINITY, INFINITY}}}});
        writer->onState(0, finished(4, 0));
        writer->flush();
        stored.store = RunStore::open(stored.temp.file()).value();
        stored.ids = {1};
        const auto html = htmlOf(stored);
        QCOMPARE(marksIn(svgsOf(html)[0], QStringLiteral("mark hollow k-bf16")), 4);
        QVERIFY(html.contains(QStringLiteral("the loss was not finite in 4 of 4 steps")));
    }

    void manyEventsOfAKindBecomeOneLine()
    {
        Stored stored;
        const auto writer = writerOf(stored.temp.file(), {Precision::Fp16});
        for (int step = 1; step <= 30; ++step)
            writer->onEvent(0,
                LifecycleEvent{
                    std::string(event_kind::kStepSkipped), step, 0.1 * step, "skip", {}});
        writer->onEvent(0, LifecycleEvent{std::string(event_kind::kWarning), {}, 1, "once", {}});
        writer->flush();
        stored.store = RunStore::open(stored.temp.file()).value();
        const auto model = buildReport(*stored.store, {1}).value();
        QCOMPARE(model.events.size(), std::size_t(2));
        QCOMPARE(model.events[0].message, std::string("30 times"));
        QCOMPARE(model.events[0].step, std::string("1 to 30"));
    }

    void unknownRunsAndNoRunsAreErrors()
    {
        Stored stored;
        storeTwoVariants(stored);
        QVERIFY(!renderHtmlReport(*stored.store, {}).has_value());
        const auto html = renderHtmlReport(*stored.store, {99});
        QVERIFY(!html.has_value());
        QVERIFY(QString::fromStdString(html.error().message).contains(QLatin1String("99")));
    }

    void aFileIsReplacedOnlyByAWholeOne()
    {
        Stored stored;
        storeTwoVariants(stored);
        const auto file = stored.temp.folder() / "deep" / "report.html";
        QVERIFY(writeHtmlReport(*stored.store, stored.ids, file).has_value());
        const auto size = std::filesystem::file_size(file);
        QVERIFY(size > 10'000);
        QVERIFY(!writeHtmlReport(*stored.store, {99}, file).has_value());
        QCOMPARE(std::filesystem::file_size(file), size);
        QVERIFY(!writeHtmlReport(*stored.store, stored.ids, stored.temp.folder()).has_value());
        const auto folder = file.parent_path();
        QCOMPARE(std::distance(std::filesystem::directory_iterator(folder),
                     std::filesystem::directory_iterator()),
            1);
    }

    void onlyCharactersThatXmlAllowsRemain()
    {
        QCOMPARE(escapeXml("a<b>&\"'"), std::string("a&lt;b&gt;&amp;&quot;&#39;"));
        QCOMPARE(
            escapeXml("größe 2¹⁷ \xF0\x9F\x98\x80\n"), std::string("größe 2¹⁷ \xF0\x9F\x98\x80\n"));
        const std::string bad = "\xEF\xBF\xBD";
        for (const char* text : {"\x01", "\xff", "\xc0", "\xed\xa0\x80" /* surrogate */,
                 "\xf5\x80\x80\x80", "\xe2\x82" /* cut off */})
            QVERIFY2(escapeXml(text).starts_with(bad), text);
    }
};

MANTISSA_TEST(TestHtmlReport)
#include "tst_html_report.moc"
