// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cifar_reader.h"
#include "core/engine/csv_reader.h"
#include "core/engine/table_split.h"
#include "core/engine/text_reader.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fstream>

using namespace mantissa;
namespace fs = std::filesystem;

namespace {

/// A record of the format's description: label, 1024 red, 1024 green, 1024 blue bytes.
std::string record(char label, char red, char green, char blue)
{
    return std::string(1, label) + std::string(1024, red) + std::string(1024, green)
        + std::string(1024, blue);
}

void put(const fs::path& file, const std::string& content)
{
    std::ofstream(file, std::ios::binary) << content;
}

template <typename T> QString messageOf(const Result<T>& result)
{
    return result ? QStringLiteral("no error") : QString::fromStdString(result.error().message);
}

Result<CsvTable> csv(const std::string& text, const CsvOptions& options = {})
{
    return parseCsv(text, "f.csv", options);
}

} // namespace

class TestDataReaders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsCifarFiles()
    {
        const QTemporaryDir temp;
        const auto root = fs::path(temp.path().toStdString());
        fs::create_directories(root / "cifar-10-batches-bin");
        for (int i = 1; i <= 5; ++i)
            put(root / "cifar-10-batches-bin" / ("data_batch_" + std::to_string(i) + ".bin"),
                record(static_cast<char>(i), 10, 20, 30) + record(9, 1, 2, static_cast<char>(i)));
        put(root / "cifar-10-batches-bin" / "test_batch.bin", record(0, 7, 8, 9));
        const auto data = readCifar10(root);
        QVERIFY2(data, qPrintable(messageOf(data)));
        QCOMPARE(data->train.count, std::int64_t{10});
        QCOMPARE(data->validation.count, std::int64_t{1});
        QCOMPARE(data->train.labels[4], std::uint8_t{3});
        // The second record of the third file: its blue plane.
        QCOMPARE(data->train.pixels[5 * 3072 + 2048], std::uint8_t{3});
        QCOMPARE(data->train.pixels[5 * 3072], std::uint8_t{1});
        QCOMPARE(data->shape().channels, std::int64_t{3});
        QCOMPARE(data->shape().classes, std::int64_t{10});
    }

    void saysWhereCifarFilesBelong()
    {
        const QTemporaryDir temp;
        const auto root = fs::path(temp.path().toStdString());
        const auto missing = messageOf(readCifar10(root));
        for (const auto* part : {"cifar-10-binary.tar.gz", "data.root", "data_batch_1.bin"})
            QVERIFY2(missing.contains(part), qPrintable(missing));
        put(root / "test_batch.bin", record(0, 1, 2, 3));
        QVERIFY(messageOf(readCifar10(root)).contains("data_batch_1.bin"));
        for (int i = 1; i <= 5; ++i)
            put(root / ("data_batch_" + std::to_string(i) + ".bin"), record(1, 1, 2, 3));
        QVERIFY(readCifar10(root));
        put(root / "data_batch_2.bin", record(1, 1, 2, 3) + "x");
        QVERIFY(messageOf(readCifar10(root)).contains("3074 bytes"));
        put(root / "data_batch_2.bin", record(10, 1, 2, 3));
        QVERIFY(messageOf(readCifar10(root)).contains("label 10; allowed: 0 to 9"));
        put(root / "data_batch_2.bin", "");
        QVERIFY(messageOf(readCifar10(root)).contains("0 bytes"));
    }

    void splitsTextIntoCharacters()
    {
        const std::string text = "\xef\xbb\xbf"
                                 "b\xc3\xa4"
                                 "a\xe2\x82\xac"
                                 "b\xf0\x9f\x99\x82";
        const auto tokens = tokenize(text, "t");
        QVERIFY(tokens);
        QVERIFY(tokens->vocabulary == U"ab\u00e4\u20ac\U0001F642");
        QCOMPARE(tokens->tokens, (std::vector<std::uint16_t>{1, 2, 0, 3, 1, 4}));
        QCOMPARE(toUtf8(tokens->vocabulary), std::string("ab\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82"));
        QVERIFY(messageOf(tokenize("one\ntwo\xff", "t")).startsWith("t:2: is no UTF-8"));
        QVERIFY(messageOf(readTextFile("/nowhere/x.txt")).contains("No such file"));
    }

    void readsCsv()
    {
        const auto table =
            csv("\"a, b\",kind,c\r\n1,\"x \"\"1\"\"\",-2.5\r\n\r\n 3e2 ,y,4\n", {"kind", true});
        QVERIFY2(table, qPrintable(messageOf(table)));
        QCOMPARE(table->rows, std::int64_t{2});
        QCOMPARE(table->features, (std::vector<std::string>{"a, b", "c"}));
        QCOMPARE(table->values, (std::vector<double>{1, -2.5, 300, 4}));
        QCOMPARE(table->classes, (std::vector<std::string>{"x \"1\"", "y"}));
        QCOMPARE(table->targets, (std::vector<double>{0, 1}));
    }

    void numbersClassesByName()
    {
        const auto table = csv("x,y\n1,b\n2,a\n3,b\n4,c\n");
        QCOMPARE(table->classes, (std::vector<std::string>{"a", "b", "c"}));
        QCOMPARE(table->targets, (std::vector<double>{1, 0, 1, 2}));
        const auto values = csv("x,y\n1,7\n2,-8\n", {"", false});
        QCOMPARE(values->targets, (std::vector<double>{7, -8}));
        QVERIFY(values->classes.empty());
    }

    void namesLineAndColumnOfWhatIsWrong_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* text, const char* message) {
            QTest::newRow(name) << text << message;
        };
        row("no number", "a,b\n1,2\nx,3\n",
            "f.csv:3: column 1 (\"a\") holds \"x\"; allowed: a finite number");
        row("empty", "a,b\n,3\n", "f.csv:2: column 1 (\"a\") holds \"\"");
        row("infinite", "a,b\ninf,3\n", "f.csv:2: column 1");
        row("not a number", "a,b\nnan,3\n", "f.csv:2: column 1");
        row("too few", "a,b\n1,2\n\n1\n", "f.csv:4: 1 fields where the first line has 2");
        row("too many", "a,b\n1,2,3\n", "f.csv:2: 3 fields");
        row("open quote", "a,b\n\"1,2\n", "f.csv:2: a quote is opened");
        row("a break within quotes", "a,b\n1,\"x\ny\"\n?,2\n", "f.csv:4: column 1");
        row("no rows", "a,b\n", "holds no rows");
        row("empty file", "", "holds no rows");
        row("one column", "a\n1\n", "f.csv:1: there is no column besides the target");
        row("no names", "1,2\n3,4\n", "f.csv:1: the first line must name the columns");
        row("no class", "a,b\n1,\n", "f.csv:2: column 2 (\"b\") holds \"\"; allowed: a class");
    }
    void namesLineAndColumnOfWhatIsWrong()
    {
        QFETCH(QString, text);
        QFETCH(QString, message);
        const auto got = messageOf(csv(text.toStdString()));
        QVERIFY2(got.contains(message), qPrintable(got));
    }

    void namesTheColumnsThereAre()
    {
        QCOMPARE(messageOf(csv("a,b\n1,2\n", {"z", true})),
            QString("f.csv:1: there is no column \"z\"; allowed: a, b"));
        QVERIFY(
            messageOf(csv("a,b\n1,x\n", {"b", false})).contains("column 2 (\"b\") holds \"x\""));
    }

    void splitsAndStandardisesATable()
    {
        std::string text = "a,b,y\n";
        for (int i = 0; i < 1000; ++i)
            text += std::to_string(i) + ",5," + std::to_string(2 * i) + "\n";
        const auto table = csv(text, {"", false});
        DataConfig config;
        config.validationShare = 0.2;
        const auto data = splitTable(*table, config);
        QVERIFY2(data, qPrintable(messageOf(data)));
        QCOMPARE(data->trainRows.count + data->validationRows.count, std::int64_t{1000});
        // 1,000 draws of a chance of 0.2: the mean 200 and four deviations of 12.6.
        QVERIFY(std::abs(data->validationRows.count - 200) < 51);
        QVERIFY(data->target == TargetKind::Value);
        double sum = 0;
        double square = 0;
        for (std::size_t row = 0; row < std::size_t(data->trainRows.count); ++row) {
            sum += double(data->trainRows.values[2 * row]);
            square += std::pow(double(data->trainRows.values[2 * row]), 2);
            QCOMPARE(data->trainRows.values[2 * row + 1], 0.0F); // a constant column
            // y = 2 a: the same standardised
            QVERIFY(
                std::abs(data->trainRows.targets[row] - data->trainRows.values[2 * row]) < 1e-5F);
        }
        const auto count = double(data->trainRows.count);
        QVERIFY(std::abs(sum / count) < 1e-5);
        QVERIFY(std::abs(square / count - 1) < 1e-4);
        config.validationShare = 1e-9;
        QVERIFY(messageOf(splitTable(*table, config)).contains("0 for validation"));
    }

    void loadsCsvAndTextAsTheConfigSays()
    {
        const QTemporaryDir temp;
        DataConfig config;
        config.path = (fs::path(temp.path().toStdString()) / "data").string();
        put(config.path, "a,b\n1,x\n2,y\n3,x\n4,y\n5,x\n6,y\n7,x\n8,y\n9,x\n10,y\n");
        config.source = DataSource::Csv;
        config.validationShare = 0.5;
        config.batchSize = 2;
        config.trainLimit = 3;
        const auto rows = loadDataset(config);
        QVERIFY2(rows, qPrintable(messageOf(rows)));
        QCOMPARE(rows->trainCount(), std::int64_t{3});
        QVERIFY(rows->shape().isTable());
        QCOMPARE(rows->shape().classes, std::int64_t{2});
        config.source = DataSource::Text;
        config.sequence = 5;
        const auto text = loadDataset(config);
        QVERIFY2(text, qPrintable(messageOf(text)));
        QCOMPARE(text->trainCount(), std::int64_t{3});
        QVERIFY(text->shape().target == TargetKind::NextToken);
        config.sequence = 50;
        QVERIFY(messageOf(loadDataset(config)).contains("too few for data.sequence = 50"));
    }
};

MANTISSA_TEST(TestDataReaders)
#include "tst_data_readers.moc"
