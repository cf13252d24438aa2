// SPDX-License-Identifier: GPL-3.0-or-later
// The values, tables, bars and roofline of the page Hardware.
#include "tests/support/test_program.h"
#include "tests/ui/hardware/sample_card.h"
#include "ui/hardware/card_text.h"
#include "ui/hardware/change_table.h"
#include "ui/hardware/facts.h"
#include "ui/hardware/format_table.h"
#include "ui/hardware/peak_table.h"
#include "ui/hardware/rate_chart.h"
#include "ui/hardware/roofline_plot.h"
#include "ui/theme/value_text.h"

#include <QAbstractItemModelTester>
#include <QImage>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

using namespace mantissa;
using namespace mantissa::ui;

class TestHardwareModels : public QObject {
    Q_OBJECT

private:
    static QString cellText(const QAbstractItemModel& model, int row, int column, int role);

private Q_SLOTS:
    void errorsReadLikeInPrint_data();
    void errorsReadLikeInPrint();
    void formatTableHasWordsForEveryCell();
    void formatTableFillsWhileACheckIsOn();
    void wholeFormatIsUnsupportedOnlyIfNothingRuns();
    void tooltipHasEverySizeAndSaysWhatIsCutShort();
    void peaksOverTheoryAreATableError();
    void changesAreInWords();
    void factsNameWhatIsThere();
    void factsOfACardOrWhyThereAreNone();
    void flagsSayWhatFollowsFromThem();
    void cudaSaysWhyNot();
    void barsAreTheMedians();
    void hatchStaysInside();
    void rooflineIsTheLesserOfPeakAndMemory();
    void bandwidthIsTheMemorysNotTheCaches();
    void rooflinePointsAreWhereTheyBelong();
    void csvHasEveryValue();
};

QString TestHardwareModels::cellText(
    const QAbstractItemModel& model, int row, int column, int role = Qt::DisplayRole)
{
    return model.index(row, column).data(role).toString();
}

void TestHardwareModels::errorsReadLikeInPrint_data()
{
    QTest::addColumn<double>("error");
    QTest::addColumn<QString>("text");
    QTest::newRow("bf16") << 3.9e-3 << QStringLiteral("3.9e\u22123");
    QTest::newRow("fp32") << 2.1e-6 << QStringLiteral("2.1e\u22126");
    QTest::newRow("rounds up to the next power") << 9.96e-4 << QStringLiteral("1.0e\u22123");
    QTest::newRow("large") << 0.25 << QStringLiteral("0.25");
    QTest::newRow("exact") << 0.0 << QStringLiteral("0");
    QTest::newRow("overflow") << std::nan("") << QStringLiteral("not finite");
}

void TestHardwareModels::errorsReadLikeInPrint()
{
    QFETCH(const double, error);
    QFETCH(const QString, text);
    QCOMPARE(errorText(error), text);
}

void TestHardwareModels::formatTableHasWordsForEveryCell()
{
    FormatTable table;
    const QAbstractItemModelTester tester(&table);
    table.set(samples::cpuCard(), false);
    QCOMPARE(table.rowCount(), 7);
    QCOMPARE(table.columnCount(), 6);
    QCOMPARE(cellText(table, 0, 2), QStringLiteral("203 GFLOP/s"));
    QCOMPARE(cellText(table, 0, 4), QStringLiteral("438 GFLOP/s"));
    QCOMPARE(cellText(table, 5, 2), QStringLiteral("24.4 GB/s"));
    QCOMPARE(cellText(table, 0, 3), QStringLiteral("unsupported"));
    QCOMPARE(table.rowShape(0), QStringLiteral("1,024 × 1,024 × 1,024"));
    const QString spoken = cellText(table, 0, 4, Qt::AccessibleTextRole);
    for (const char* part :
        {"Matrix product", "bf16", "438 GFLOP/s", "4.9", "native", "2.16x faster", "3.9e"})
        QVERIFY2(spoken.contains(QLatin1String(part)), qPrintable(spoken));
    QCOMPARE(table.headerData(2, Qt::Horizontal, Qt::DisplayRole).toString(),
        QStringLiteral("fp32 baseline"));
}

void TestHardwareModels::formatTableFillsWhileACheckIsOn()
{
    FormatTable table;
    const QAbstractItemModelTester tester(&table);
    QSignalSpy changed(&table, &QAbstractItemModel::dataChanged);
    table.set(CapabilityCard(), true);
    QCOMPARE(cellText(table, 0, 2), QStringLiteral("measuring"));
    table.add(samples::unsupported(CheckWork::MatMul, CheckFormat::Tf32, "no"));
    QCOMPARE(cellText(table, 0, 3), QStringLiteral("unsupported"));
    // Not yet the whole format: its other cells are still to come.
    QCOMPARE(table.unsupportedReason(3), QString());
    table.add(samples::cell(CheckWork::MatMul, CheckFormat::Fp32, 100e9, 10, 10));
    table.add(samples::cell(CheckWork::MatMul, CheckFormat::Fp32, 203e9, 10, 10));
    QCOMPARE(cellText(table, 0, 2), QStringLiteral("203 GFLOP/s"));
    QCOMPARE(changed.count(), 4);
    table.set(CapabilityCard(), false);
    QCOMPARE(cellText(table, 0, 2), QStringLiteral("not measured"));
}

void TestHardwareModels::wholeFormatIsUnsupportedOnlyIfNothingRuns()
{
    auto card = samples::cpuCard();
    FormatTable table;
    table.set(card, false);
    QVERIFY(table.unsupportedReason(3).contains(QStringLiteral("TF32")));
    QCOMPARE(table.unsupportedReason(4), QString());
    for (CheckCell& cell : card.cells) {
        if (cell.work == CheckWork::Reduction && cell.format == CheckFormat::Tf32)
            cell = samples::cell(CheckWork::Reduction, CheckFormat::Tf32, 1e9, 1, 1);
    }
    table.set(card, false);
    QCOMPARE(table.unsupportedReason(3), QString());
}

void TestHardwareModels::tooltipHasEverySizeAndSaysWhatIsCutShort()
{
    auto cell = samples::cell(CheckWork::MatMul, CheckFormat::Fp16, 1e9, 2136, 10.6);
    cell.maxError = 4.9e-4;
    const QString tip = cellTip(cell);
    for (const char* part : {"256 × 256 × 256: ", "1,024 × 1,024 × 1,024: 1.00 GFLOP/s",
             "20 repeats", "emulated", "4.9e"})
        QVERIFY2(tip.contains(QString::fromUtf8(part)), qPrintable(tip));
    QVERIFY(tip.contains(formatMs(2136 * 0.97)));
    QVERIFY(!tip.contains(QStringLiteral("left out")));
    cell.cutShort = true;
    QVERIFY(cellTip(cell).contains(QStringLiteral("Larger sizes are left out")));
    const auto missing = samples::unsupported(CheckWork::Attention, CheckFormat::Fp16, "sdpa: no");
    QVERIFY(cellTip(missing).contains(QStringLiteral("sdpa: no")));
}

void TestHardwareModels::peaksOverTheoryAreATableError()
{
    PeakTable table;
    const QAbstractItemModelTester tester(&table);
    table.set(samples::cpuCard().theory);
    QCOMPARE(table.rowCount(), 3);
    QCOMPARE(cellText(table, 0, PeakTable::Share), QStringLiteral("90.6 %"));
    QCOMPARE(cellText(table, 0, PeakTable::Measured), QStringLiteral("203"));
    QCOMPARE(
        table.headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("GFLOP/s"));
    // 438 of 400 is no success.
    QCOMPARE(cellText(table, 1, PeakTable::Share), QStringLiteral("109.5 %"));
    QCOMPARE(cellText(table, 1, PeakTable::Share, Qt::AccessibleTextRole),
        QStringLiteral("109.5 %, table error"));
    QVERIFY(table.index(1, PeakTable::Share).data(Qt::DecorationRole).isValid());
    QVERIFY(!table.index(0, PeakTable::Share).data(Qt::DecorationRole).isValid());
    QCOMPARE(table.note(),
        QStringLiteral("Theory: clock x cores x 32; clock x cores x 64\n"
                       "bf16: over 100 % is an error of the table, no success."));
    QCOMPARE(cellText(table, 2, PeakTable::Format), QStringLiteral("GB/s"));
    QCOMPARE(cellText(table, 2, PeakTable::Measured), QStringLiteral("24.4"));
    QCOMPARE(cellText(table, 2, PeakTable::Theory), QStringLiteral("unknown"));
    QCOMPARE(cellText(table, 2, PeakTable::Share), QStringLiteral("none"));
    table.set({});
    QCOMPARE(table.note(), QString());
}

void TestHardwareModels::changesAreInWords()
{
    ChangeTable table;
    const QAbstractItemModelTester tester(&table);
    table.set({{"driver", "550", "560", {}}, {"Matrix product, bf16", "438", "300", 1.46}});
    QCOMPARE(table.rowCount(), 2);
    QCOMPARE(cellText(table, 0, ChangeTable::Before), QStringLiteral("550"));
    QCOMPARE(cellText(table, 0, ChangeTable::Times), QString());
    QCOMPARE(cellText(table, 1, ChangeTable::Times), QStringLiteral("1.46x slower"));
    QCOMPARE(changeCount(0), QStringLiteral("no change over noise"));
    QCOMPARE(changeCount(1), QStringLiteral("1 change"));
    QCOMPARE(changeCount(12), QStringLiteral("12 changes"));
}

void TestHardwareModels::factsNameWhatIsThere()
{
    auto card = samples::cpuCard();
    card.facts["machine"]["governor"] = nullptr;
    card.facts["machine"]["l2_bytes"] = 2 * 1024 * 1024;
    card.facts["machine"]["caches"] = {
        {"l1d", {{"bytes", 32768}, {"cores", 1}}}, {"l3", {{"bytes", 8 << 20}, {"cores", 2}}}};
    card.facts["machine"]["numa_nodes"] = 2;
    for (const auto& [node, cores] : {std::pair("node0", "0-1"), std::pair("node1", "2-3")})
        card.facts["machine"]["numa"][node] = {
            {"cores", cores}, {"memory_bytes", std::int64_t{16} << 30}};
    card.facts["mkldnn"] = "Intel(R) MKL-DNN v3.10.2 (Git Hash f1d4)";
    card.facts["foreign_load"] = 0.021;
    card.facts["environment"] = {{"ONEDNN_MAX_CPU_ISA", "AVX2"}};
    const auto facts = deviceFacts(card);
    const auto value = [&](const char* name) {
        for (const Fact& fact : facts) {
            if (fact.name == QLatin1String(name))
                return fact.value;
        }
        return QStringLiteral("(none)");
    };
    QCOMPARE(value("Processor"), QStringLiteral("Test CPU 9000"));
    QCOMPARE(value("Cores usable"), QStringLiteral("2 of 4, cgroup limit 2"));
    QCOMPARE(value("Memory"), QStringLiteral("16.0 GiB"));
    QCOMPARE(value("Kernel"), QStringLiteral("Linux 6.1.0"));
    QCOMPARE(value("LibTorch"), QStringLiteral("2.11.0"));
    QCOMPARE(value("L2 cache"), QStringLiteral("2.0 MiB"));
    QCOMPARE(value("oneDNN"), QStringLiteral("3.10.2"));
    QCOMPARE(value("Other load"), QStringLiteral("2.1 %"));
    QCOMPARE(value("Governor"), QStringLiteral("not readable"));
    QVERIFY(value("Environment onednn max cpu isa").contains(QStringLiteral("AVX2")));
    QCOMPARE(value("L1d cache"), QStringLiteral("32.0 KiB"));
    QCOMPARE(value("L3 cache"), QStringLiteral("8.0 MiB for 2 cores"));
    QCOMPARE(value("NUMA nodes"), QStringLiteral("2"));
    QCOMPARE(
        value("NUMA"), QStringLiteral("node0: cores 0-1, 16.0 GiB; node1: cores 2-3, 16.0 GiB"));
    card.facts["gpu"] = {{"name", "Card X"}, {"compute_major", 9}, {"compute_minor", 0}};
    QCOMPARE(deviceFacts(card).front().value, QStringLiteral("9.0"));
    card.facts = nullptr;
    QVERIFY(deviceFacts(card).empty());
}

void TestHardwareModels::factsOfACardOrWhyThereAreNone()
{
    auto card = samples::cpuCard();
    card.facts["gpu"] = {{"name", "Card X"}, {"uuid", "GPU-1"}, {"driver", "580.65.06"},
        {"max_sm_mhz", 1980}, {"power_limit_w", 700}, {"ecc", true},
        {"absent", {{"mig", "not supported by this GPU"}}}};
    const auto facts = deviceFacts(card);
    const auto fact = [&](const char* name) {
        const auto found = std::find_if(facts.begin(), facts.end(),
            [&](const Fact& one) { return one.name == QLatin1String(name); });
        return found == facts.end() ? Fact{} : *found;
    };
    QCOMPARE(fact("UUID").value, QStringLiteral("GPU-1"));
    QCOMPARE(fact("Driver").value, QStringLiteral("580.65.06"));
    QCOMPARE(fact("Highest clock").value, QStringLiteral("1,980 MHz"));
    QCOMPARE(fact("Power limit").value, QStringLiteral("700 W"));
    QCOMPARE(fact("ECC").value, QStringLiteral("on"));
    QCOMPARE(fact("MIG").value, QStringLiteral("not supported by this GPU"));
    QVERIFY(fact("MIG").unknown && !fact("ECC").unknown);
}

void TestHardwareModels::flagsSayWhatFollowsFromThem()
{
    const auto facts = flagFacts(samples::cpuCard());
    const auto row = [&](const char* name) {
        return *std::find_if(facts.begin(), facts.end(),
            [&](const Fact& fact) { return fact.name == QLatin1String(name); });
    };
    QCOMPARE(row("avx512_bf16").value, QStringLiteral("bf16 native"));
    QCOMPARE(row("avx512_bf16").sign, std::optional(true));
    QVERIFY(row("avx512_bf16").strong);
    QCOMPARE(row("amx_fp16").value, QStringLiteral("fp16 emulated"));
    QCOMPARE(row("amx_fp16").sign, std::optional(false));
    QCOMPARE(row("amx_tile, amx_bf16").value, QStringLiteral("no tile unit"));
    // Before a check the flags alone are known.
    auto unmeasured = samples::cpuCard();
    unmeasured.cells.clear();
    for (const Fact& fact : flagFacts(unmeasured)) {
        if (fact.name == QLatin1String("avx512_bf16"))
            QCOMPARE(fact.value, QStringLiteral("bf16 arithmetic"));
    }
    unmeasured.facts["machine"]["cpu_flags"] = nlohmann::json::array();
    QVERIFY(flagFacts(unmeasured).empty());
}

void TestHardwareModels::cudaSaysWhyNot()
{
    auto card = samples::cpuCard();
    QVERIFY(!cudaState(card).usable);
    QVERIFY(cudaState(card).detail.contains(QStringLiteral("libcuda.so.1")));
    card.devices.push_back({"cuda:0", "Card X"});
    QVERIFY(cudaState(card).usable);
    card.facts.erase("cuda_plugin");
    QCOMPARE(cudaState(card).detail, QString());
}

void TestHardwareModels::barsAreTheMedians()
{
    RateChart chart;
    chart.set(samples::cpuCard());
    const QSizeF size(600, 300);
    QCOMPARE(chart.bars().size(), 20U); // five works, four formats that run
    std::size_t fp32 = 0;
    std::size_t bf16 = 0;
    std::size_t fp16 = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const auto format = chart.bars()[i].format;
        (format == CheckFormat::Fp32 ? fp32 : format == CheckFormat::Bf16 ? bf16 : fp16) = i;
    }
    const double ratio = chart.bars()[bf16].median / chart.bars()[fp32].median;
    QVERIFY(std::abs(ratio - 2.16) < 1e-9);
    // The quartiles of a time are those of a rate in turn.
    QVERIFY(chart.bars()[fp32].low < chart.bars()[fp32].median);
    QVERIFY(std::abs(chart.bars()[fp32].high - 203e9 / 0.97) < 1);
    // On a logarithmic axis equal ratios have equal heights.
    const double up = chart.barRect(fp32, size).top() - chart.barRect(bf16, size).top();
    const double down = chart.barRect(fp16, size).top() - chart.barRect(fp32, size).top();
    QVERIFY(std::abs(down / up - std::log(200.0) / std::log(2.16)) < 0.3);
    QVERIFY(chart.bars()[fp16].formatClass == FormatClass::Emulated);
}

void TestHardwareModels::hatchStaysInside()
{
    QImage image(40, 60, QImage::Format_RGB32);
    image.fill(Qt::white);
    const QRectF place(10, 20, 15, 30);
    {
        QPainter painter(&image);
        drawHatch(painter, place, Qt::red);
    }
    int inside = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (image.pixelColor(x, y) == QColor(Qt::white))
                continue;
            QVERIFY(place.adjusted(-1, -1, 1, 1).contains(QPointF(x, y)));
            ++inside;
        }
    }
    QVERIFY(inside > 40);
}

void TestHardwareModels::rooflineIsTheLesserOfPeakAndMemory()
{
    const auto check = samples::modelCheck();
    const Roofline line = rooflineOf(samples::cpuCard(), &check);
    QVERIFY(std::abs(line.bandwidth - 24.4e9) < 1);
    QCOMPARE(line.roofs.size(), 4U);
    QVERIFY(std::abs(line.limitAt(CheckFormat::Fp32, 1000) - 203e9) < 1);
    QVERIFY(std::abs(line.limitAt(CheckFormat::Fp32, 1) - line.bandwidth) < 1);
    QCOMPARE(line.limitAt(CheckFormat::Tf32, 1), 0.0);
    // The probe that could not run has no point; fp32's is at 4 FLOP a byte.
    QCOMPARE(line.points.size(), 1U);
    QVERIFY(std::abs(line.points[0].intensity - 4) < 1e-9);
    QVERIFY(std::abs(line.points[0].rate - 62e9) < 1);
    QVERIFY(std::abs(line.points[0].share - 62e9 / std::min(203e9, 4 * line.bandwidth)) < 1e-9);
    QVERIFY(rooflineOf(samples::cpuCard(), nullptr).points.empty());
    QCOMPARE(rooflineOf(CapabilityCard(), &check).bandwidth, 0.0);
}

/// A size that fits a cache is faster than memory can be.
void TestHardwareModels::bandwidthIsTheMemorysNotTheCaches()
{
    auto card = samples::cpuCard();
    card.theory.clear();
    card.cells = {samples::cell(CheckWork::Elementwise, CheckFormat::Fp32, 24.4e9, 10, 10),
        samples::cell(CheckWork::Reduction, CheckFormat::Bf16, 300e9, 1, 1)};
    card.cells[0].points[0].amount *= 10; // the small size: 244 GB/s
    card.cells[1].cutShort = true; // never came to a large one
    QVERIFY(std::abs(rooflineOf(card, nullptr).bandwidth - 24.4e9) < 1);
}

void TestHardwareModels::rooflinePointsAreWhereTheyBelong()
{
    RooflinePlot plot;
    const auto check = samples::modelCheck();
    plot.set(rooflineOf(samples::cpuCard(), &check));
    const QSizeF size(500, 300);
    Roofline::Point point = plot.roofline().points[0];
    const QPointF at = plot.pointPlace(point, size);
    point.intensity *= 2;
    const QPointF right = plot.pointPlace(point, size);
    point.intensity *= 2;
    // Equal ratios are equal distances.
    QVERIFY(std::abs((plot.pointPlace(point, size) - right).x() - (right - at).x()) < 1e-6);
    QVERIFY(right.x() > at.x());
    QCOMPARE(right.y(), at.y());
    point.rate *= 2;
    QVERIFY(plot.pointPlace(point, size).y() < at.y());
}

void TestHardwareModels::csvHasEveryValue()
{
    RateChart chart;
    chart.set(samples::cpuCard());
    const QStringList lines = chart.csv().trimmed().split(QLatin1Char('\n'));
    QCOMPARE(lines.size(), 21);
    QVERIFY(lines[2].startsWith(QStringLiteral("matmul,fp32,native,\"1,024 × 1,024 × 1,024\",")));
    RooflinePlot plot;
    const auto check = samples::modelCheck();
    plot.set(rooflineOf(samples::cpuCard(), &check));
    QVERIFY(plot.csv().contains(QStringLiteral("\nroof,bf16,,")));
    QVERIFY(plot.csv().contains(QStringLiteral("\nstep,fp32,4,6.2e+10,")));
}

MANTISSA_WIDGET_TEST(TestHardwareModels)
#include "tst_hardware_models.moc"
