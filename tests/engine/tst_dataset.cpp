// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dataset.h"
#include "tests/support/test_program.h"

#include <QCryptographicHash>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <set>

using namespace mantissa;

class TestDataset : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    std::string writeIdx(const QString& name, const QList<int>& sizes, const QByteArray& values)
    {
        QByteArray bytes("\0\0\x08", 3);
        bytes.append(static_cast<char>(sizes.size()));
        for (const int size : sizes) {
            bytes.append(QByteArray(3, '\0'));
            bytes.append(static_cast<char>(size));
        }
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly))
            qFatal("cannot write %s", qPrintable(file.fileName()));
        file.write(bytes + values);
        return file.fileName().toStdString();
    }

    DataConfig smallIdx()
    {
        DataConfig config;
        config.source = DataSource::Idx;
        config.batchSize = 2;
        config.images = writeIdx("images", {4, 2, 2}, QByteArray("0123456789abcdef"));
        config.labels = writeIdx("labels", {4}, QByteArray("\0\x02\1\0", 4));
        config.validationImages = writeIdx("vimages", {2, 2, 2}, QByteArray("01234567"));
        config.validationLabels = writeIdx("vlabels", {2}, QByteArray("\1\0", 2));
        return config;
    }

private Q_SLOTS:
    void shapesAreTheSameEverywhere()
    {
        // The hash is that of a separate program in Python, written from the description.
        const auto data = makeShapes(100, 10);
        QVERIFY(data.generated);
        QCOMPARE(data.classes, std::int64_t{8});
        const auto bytes = QByteArray(reinterpret_cast<const char*>(data.train.pixels.data()),
            static_cast<qsizetype>(data.train.pixels.size()));
        const auto hash = QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
        QCOMPARE(
            hash, QByteArray("4d2d81f6333359a7ee95bdf6afdb2705cc874a09594369915dc7dd7bf358e804"));
    }

    void shapesHaveAllClassesAndOwnValidationImages()
    {
        const auto data = makeShapes(800, 80);
        const std::set<int> classes(data.train.labels.begin(), data.train.labels.end());
        QCOMPARE(classes, (std::set<int>{0, 1, 2, 3, 4, 5, 6, 7}));
        QVERIFY(!std::equal(data.validation.pixels.begin(), data.validation.pixels.end(),
            data.train.pixels.begin()));
    }

    void readsIdxAndCutsToTheLimits()
    {
        auto config = smallIdx();
        config.trainLimit = 3;
        const auto data = loadDataset(config);
        QVERIFY2(data.has_value(), data ? "" : data.error().message.c_str());
        QCOMPARE(data->train.count, std::int64_t{3});
        QCOMPARE(data->train.pixels.size(), std::size_t{12});
        QCOMPARE(data->train.labels, (std::vector<std::uint8_t>{0, 2, 1}));
        QCOMPARE(data->validation.count, std::int64_t{2});
        QCOMPARE(data->classes, std::int64_t{3});
        QVERIFY(!data->generated);
    }

    void refusesUnequalCounts()
    {
        auto config = smallIdx();
        config.labels = writeIdx("short", {3}, QByteArray("\0\1\1", 3));
        const auto data = loadDataset(config);
        QVERIFY(!data.has_value());
        QVERIFY(data.error().message.find("4 images") != std::string::npos);
        QVERIFY(data.error().message.find("3 labels") != std::string::npos);
    }

    void refusesUnequalImageSizes()
    {
        auto config = smallIdx();
        config.validationImages = writeIdx("wide", {2, 2, 3}, QByteArray("012345678901"));
        const auto data = loadDataset(config);
        QVERIFY(!data.has_value());
        QVERIFY(data.error().message.find("2 x 3") != std::string::npos);
    }

    void refusesABatchLargerThanTheSet()
    {
        auto config = smallIdx();
        config.batchSize = 5;
        const auto data = loadDataset(config);
        QVERIFY(!data.has_value());
        QVERIFY(data.error().message.find("data.batch_size = 5") != std::string::npos);
    }

    void namesTheDebianPackageWhereFashionMnistIsMissing()
    {
        DataConfig config;
        config.root = "/nowhere";
        const auto data = loadDataset(config);
        QVERIFY(!data.has_value());
        QVERIFY(data.error().message.find("/nowhere") != std::string::npos);
        QVERIFY(data.error().message.find("dataset-fashion-mnist") != std::string::npos);
    }

    void readsFashionMnistWhereItIsInstalled()
    {
        const auto data = loadDataset(DataConfig());
        if (!data) { // not every machine has the package: then the message must help
            QVERIFY(data.error().message.find("dataset-fashion-mnist") != std::string::npos);
            return;
        }
        QCOMPARE(data->train.count, std::int64_t{60000});
        QCOMPARE(data->validation.count, std::int64_t{2000});
        QCOMPARE(data->train.height, std::int64_t{28});
        QCOMPARE(data->classes, std::int64_t{10});
        // Published: 6,000 training images of each class.
        QCOMPARE(std::count(data->train.labels.begin(), data->train.labels.end(), 7), 6000);
        // The stated constants are the set's own.
        double sum = 0;
        for (const auto pixel : data->train.pixels)
            sum += pixel;
        const double mean = sum / static_cast<double>(data->train.pixels.size()) / 255.0;
        QVERIFY(std::abs(mean - double(data->normalisation.mean.front())) < 1e-4);
    }
};

MANTISSA_TEST(TestDataset)
#include "tst_dataset.moc"
