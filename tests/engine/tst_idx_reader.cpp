// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/idx_reader.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <sys/resource.h>

using namespace mantissa;

namespace {

QByteArray word(quint32 value)
{
    QByteArray bytes;
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes.append(static_cast<char>(value >> shift & 0xff));
    return bytes;
}

/// An IDX file as the format's description has it.
QByteArray idx(const QList<quint32>& sizes, const QByteArray& values, char type = 8)
{
    QByteArray bytes("\0\0", 2);
    bytes.append(type).append(static_cast<char>(sizes.size()));
    for (const auto size : sizes)
        bytes.append(word(size));
    return bytes + values;
}

} // namespace

class TestIdxReader : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    std::filesystem::path write(const QString& name, const QByteArray& bytes)
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write %s", qPrintable(file.fileName()));
        return file.fileName().toStdString();
    }

    /// Compressed by the gzip program: an independent writer.
    QByteArray gzipped(const QByteArray& bytes)
    {
        QProcess gzip;
        gzip.start("gzip", {"-c"});
        gzip.write(bytes);
        gzip.closeWriteChannel();
        gzip.waitForFinished();
        return gzip.readAllStandardOutput();
    }

private Q_SLOTS:
    void readsRawAndGzipAlike_data()
    {
        QTest::addColumn<bool>("gzip");
        QTest::newRow("raw") << false;
        QTest::newRow("gzip") << true;
    }

    void readsRawAndGzipAlike()
    {
        QFETCH(bool, gzip);
        const QByteArray values("\x00\x01\x7f\x80\xff\x10", 6);
        const auto bytes = idx({1, 2, 3}, values);
        const auto array = readIdx(write("good", gzip ? gzipped(bytes) : bytes), 3);
        QVERIFY2(array.has_value(), array ? "" : array.error().message.c_str());
        QCOMPARE(array->sizes, (std::vector<std::int64_t>{1, 2, 3}));
        QCOMPARE(array->values, (std::vector<std::uint8_t>{0, 1, 0x7f, 0x80, 0xff, 0x10}));
    }

    void readsMoreThanAChunk()
    {
        QByteArray values(3'000'000, '\0');
        for (qsizetype i = 0; i < values.size(); ++i)
            values[i] = static_cast<char>(i * 31 % 251);
        const auto array = readIdx(write("big.gz", gzipped(idx({3000, 1000}, values))), 2);
        QVERIFY(array.has_value());
        QCOMPARE(array->values.size(), std::size_t{3'000'000});
        QCOMPARE(
            QByteArray(reinterpret_cast<const char*>(array->values.data()), 3'000'000), values);
    }

    void refusesBadFiles_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("says");
        const QByteArray six("abcdef", 6);
        const auto good = idx({2, 3}, six);
        const auto packed = gzipped(good);
        auto wrongSum = packed;
        wrongSum[wrongSum.size() - 8] = static_cast<char>(wrongSum.at(wrongSum.size() - 8) ^ 1);
        QTest::newRow("empty") << QByteArray() << "holds 0 bytes";
        QTest::newRow("three bytes") << good.left(3) << "holds 3 bytes";
        QTest::newRow("text") << QByteArray("hello, this is text") << "starts with 68 65";
        QTest::newRow("float values") << idx({2, 3}, six, 0x0d) << "type 0x0d";
        QTest::newRow("one dimension") << idx({6}, six) << "1 dimensions";
        QTest::newRow("255 dimensions") << QByteArray("\0\0\x08\xff", 4) << "255 dimensions";
        QTest::newRow("header cut in a size") << good.left(10) << "ends before size 2";
        QTest::newRow("a size of 0") << idx({2, 0}, {}) << "a size of 0";
        QTest::newRow("one value short")
            << good.left(good.size() - 1) << "promises 6 values, the file holds 5";
        QTest::newRow("one value more") << good + "x"
                                        << "promises 6 values, the file holds more";
        QTest::newRow("no values") << idx({2, 3}, {}) << "the file holds 0";
        QTest::newRow("lies by gigabytes")
            << idx({0x10000, 0x10000}, six) << "promises 4294967296 values";
        QTest::newRow("sizes overflow") << idx({0xffffffff, 0xffffffff}, six) << "more than 2^40";
        QTest::newRow("gzip cut") << packed.left(packed.size() - 9) << "cut off";
        QTest::newRow("gzip without its end") << packed.left(packed.size() - 4) << "cut off";
        QTest::newRow("gzip check sum") << wrongSum << "damaged";
        QTest::newRow("gzip lies by gigabytes")
            << gzipped(idx({0x10000, 0x10000}, six)) << "promises 4294967296";
        QTest::newRow("gzip of too much") << gzipped(good + "x") << "holds more";
    }

    void refusesBadFiles()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, says);
        const auto file = write("bad", bytes);
        const auto array = readIdx(file, 2);
        QVERIFY(!array.has_value());
        const auto message = QString::fromStdString(array.error().message);
        QVERIFY2(message.contains(says), qPrintable(message));
        QVERIFY2(message.contains(QString::fromStdString(file.string())), qPrintable(message));
    }

    void namesAMissingFileAndAFolder()
    {
        const auto missing = readIdx("/nowhere/images", 3);
        QVERIFY(!missing.has_value());
        QVERIFY(missing.error().message.find("cannot open /nowhere/images: No such file")
            != std::string::npos);
        QVERIFY(!readIdx(m_folder.path().toStdString(), 3).has_value());
    }

    // A header that promises 2^38 values must fail for want of data, not of memory.
    void aLyingHeaderDoesNotAllocate()
    {
        rusage before{};
        getrusage(RUSAGE_SELF, &before);
        const auto lie = gzipped(idx({1u << 19, 1u << 19}, QByteArray(5'000'000, '\0')));
        QVERIFY(!readIdx(write("lie", lie), 2).has_value());
        rusage after{};
        getrusage(RUSAGE_SELF, &after);
        QVERIFY2(
            after.ru_maxrss - before.ru_maxrss < 64 * 1024, "more than 64 MiB for 5 MB of data");
    }
};

MANTISSA_TEST(TestIdxReader)
#include "tst_idx_reader.moc"
