// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/capability_diff.h"
#include "core/report/capability_export.h"
#include "tests/core/hardware/sample_card.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fstream>
#include <limits>

using namespace mantissa;
using namespace mantissa::test;

namespace {

CapabilityChange only(const std::vector<CapabilityChange>& changes)
{
    return changes.size() == 1 ? changes.front() : CapabilityChange{"not one change", "", "", {}};
}

} // namespace

class TestCapability : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void figuresAreSaidInWords()
    {
        QCOMPARE(rateText(438e9, false), std::string("438 GFLOP/s"));
        QCOMPARE(rateText(0.92e9, false), std::string("920 MFLOP/s"));
        QCOMPARE(rateText(794e12, false), std::string("794 TFLOP/s"));
        QCOMPARE(rateText(24.9e9, true), std::string("24.9 GB/s"));
        QCOMPARE(rateText(4200e9, true), std::string("4,200 GB/s"));
        QCOMPARE(speedText(0.5), std::string("2.00x faster"));
        QCOMPARE(speedText(200), std::string("200x slower"));
        QCOMPARE(speedText(0.97), std::string("same speed"));
        QCOMPARE(classText(cell(CheckWork::MatMul, CheckFormat::Fp16, 200)),
            std::string("emulated, 200x slower"));
        QCOMPARE(
            classText(cell(CheckWork::MatMul, CheckFormat::Bf16, 0)), std::string("unsupported"));
    }

    void theRateIsTheAmountOverTheMedian()
    {
        CheckPoint point;
        point.amount = 2.0 * 1024 * 1024 * 1024;
        point.ms = {9, 10, 11};
        QVERIFY(std::abs(point.rate() - 214.748e9) < 1e6); // 2.147 GFLOP in 10 ms
    }

    void goesThroughJsonUnchanged()
    {
        auto before = gpuCard("NVIDIA H200", 9, 0, 0.5, 0.1, 0);
        before.cells.front().maxError = std::numeric_limits<double>::infinity();
        before.cells.front().cutShort = true;
        before.quick = true;
        const auto text = toJson(before).dump();
        const auto after = cardFromJson(nlohmann::json::parse(text));
        QVERIFY2(after, after ? "" : after.error().message.c_str());
        QCOMPARE(toJson(*after).dump(), text);
        QVERIFY(std::isinf(*after->cells.front().maxError));
        QVERIFY(!after->cells.back().reason.empty());
    }

    void aBrokenCardIsRefusedByName_data()
    {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("words");
        QTest::newRow("device") << "/device"
                                << "7"
                                << "device";
        QTest::newRow("format") << "/cells/0/format"
                                << "\"fp8\""
                                << "fp8";
        QTest::newRow("work") << "/cells/0/work"
                              << "\"dance\""
                              << "dance";
        QTest::newRow("class") << "/cells/0/class"
                               << "\"quick\""
                               << "quick";
        QTest::newRow("no points") << "/cells/0/points"
                                   << "[]"
                                   << "unsupported";
        QTest::newRow("time 0") << "/cells/0/points/0/ms/median"
                                << "0"
                                << "median";
        QTest::newRow("cells") << "/cells"
                               << "null"
                               << "cells";
        QTest::newRow("ratio") << "/cells/0/points/0/ratio"
                               << "\"much\""
                               << "ratio";
        QTest::newRow("clock") << "/clock/measured_ms"
                               << "\"late\""
                               << "measured_ms";
    }

    void aBrokenCardIsRefusedByName()
    {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        QFETCH(QString, words);
        auto json = toJson(card(0, 1, 1));
        json[nlohmann::json::json_pointer(pointer.toStdString())] =
            nlohmann::json::parse(value.toStdString());
        const auto read = cardFromJson(json);
        QVERIFY(!read);
        QVERIFY2(read.error().message.find(words.toStdString()) != std::string::npos,
            read.error().message.c_str());
    }

    void twoChecksOfOneMachineDifferByMoreThanNoise()
    {
        const auto before = card(0, 0.5, 100);
        auto after = before;
        QVERIFY(compareCards(before, after).empty());
        // 3 % slower with quartiles apart, and 20 % slower with quartiles that overlap: noise.
        auto& ms = after.cells[2].points[0].ms; // bf16, 4.95 to 5.05 before
        ms = {5.10, 5.15, 5.2};
        QVERIFY(compareCards(before, after).empty());
        ms = {5.0, 6.0, 7.0};
        QVERIFY(compareCards(before, after).empty());
        ms = {5.9, 6.0, 6.1};
        const auto change = only(compareCards(before, after));
        QCOMPARE(change.what, std::string("Matrix product, bf16"));
        QVERIFY(std::abs(change.timeRatio.value_or(0) - 1.2) < 1e-9);
    }

    void aDriverUpdateIsNamed()
    {
        auto before = gpuCard("NVIDIA H200", 9, 0, 0.5, 0.1, 0.1);
        before.facts["gpu"]["driver"] = "580.1";
        before.facts["gpu"]["temperature_c"] = 40;
        auto after = before;
        after.facts["gpu"]["driver"] = "590.2";
        after.facts["gpu"]["temperature_c"] = 70;
        before.facts["gpu"]["pcie_generation"] = 5;
        after.facts["gpu"]["pcie_generation"] = 1; // it rests
        const auto change = only(compareCards(before, after));
        QCOMPARE(change.what, std::string("gpu/driver"));
        QCOMPARE(change.before, std::string("580.1"));
        QCOMPARE(change.after, std::string("590.2"));
        QVERIFY(!change.timeRatio);
    }

    void aClassThatChangedIsNamed()
    {
        const auto before = card(0, 0.5, 100);
        auto after = before;
        after.cells[2] = cell(CheckWork::MatMul, CheckFormat::Bf16, 0);
        const auto change = only(compareCards(before, after));
        QCOMPARE(change.before, std::string("native"));
        QCOMPARE(change.after, std::string("unsupported"));
    }

    void otherSizesAreNotCompared()
    {
        const auto before = card(0, 0.5, 100);
        auto after = before;
        after.cells[2].points[0].shape = "64 × 64 × 64";
        after.cells[2].points[0].ms = {0.1, 0.1, 0.1};
        QVERIFY(compareCards(before, after).empty());
    }

    void theCardIsExported()
    {
        auto odd = card(0, 0.5, 100);
        odd.device.name = "A <CPU> | of \"mine\"";
        const auto markdown = cardMarkdown(odd);
        QVERIFY(markdown.find("| Matrix product, 512 × 512 × 512 |") != std::string::npos);
        QVERIFY(markdown.find("emulated, 100x slower") != std::string::npos);
        QVERIFY(markdown.find("Use fp32.") == std::string::npos);
        QVERIFY(markdown.find("\\<CPU> \\|") != std::string::npos);
        const auto html = cardHtml(odd);
        QVERIFY(html.find("A &lt;CPU&gt;") != std::string::npos);
        QVERIFY(html.find("<script") == std::string::npos);
        QVERIFY(html.find("http") == std::string::npos);
    }

    void factsAreExportedAsPeopleReadThem()
    {
        auto told = gpuCard("NVIDIA H200", 9, 0, 0.5, 0.1, 0.1);
        told.facts["machine"]["caches"]["l2"] = {{"bytes", 2 << 20}, {"cores", 1}};
        told.facts["machine"]["governor"] = nullptr;
        told.facts["gpu"]["absent"]["mig"] = "not supported by this GPU";
        const auto markdown = cardMarkdown(told);
        for (const auto* row : {"| machine/caches/l2/bytes | 2.0 MiB |",
                 "| machine/caches/l2/cores | 1 |", "| machine/governor | none, or not readable |",
                 "| gpu/absent/mig | not supported by this GPU |"})
            QVERIFY2(markdown.find(row) != std::string::npos, row);
    }

    void everyTableRowHasAllColumns()
    {
        const auto markdown = QString::fromStdString(cardMarkdown(card(0, 0.5, 100)));
        int columns = 0;
        for (const auto& line : markdown.split(QLatin1Char('\n'))) {
            if (!line.startsWith(QLatin1Char('|'))) {
                columns = 0;
                continue;
            }
            const auto count = static_cast<int>(line.count(QLatin1Char('|')));
            QVERIFY2(columns == 0 || columns == count, qPrintable(line));
            columns = count;
        }
    }

    void writesBySuffix()
    {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString();
        for (const auto* name : {"a.json", "a.html", "a.md"})
            QVERIFY(writeCard(card(0, 1, 1), path / "new" / name));
        std::ifstream stream(path / "new" / "a.json");
        const auto json = nlohmann::json::parse(stream);
        QVERIFY(json.at("advice").size() >= 1);
        QVERIFY(cardFromJson(json));
        const auto refused = writeCard(card(0, 1, 1), path / "a.pdf");
        QVERIFY(!refused);
        QVERIFY(refused.error().message.find(".json, .html or .md") != std::string::npos);
    }
};

MANTISSA_TEST(TestCapability)
#include "tst_capability.moc"
