// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/weights/safetensors.h"
#include "tests/support/test_program.h"

#include <QtTest>
#include <array>
#include <cstring>
#include <fstream>
#include <string>

using namespace mantissa;
namespace fs = std::filesystem;

namespace {

/// A file made by hand from the format's definition: length, header, data.
std::string fileOf(const std::string& header, const std::string& data)
{
    std::string text;
    for (int shift = 0; shift < 64; shift += 8)
        text.push_back(
            static_cast<char>((static_cast<std::uint64_t>(header.size()) >> shift) & 0xff));
    return text + header + data;
}

template <typename T>
TensorBytes tensorOf(
    const std::string& name, TensorType type, std::vector<std::int64_t> sizes, const T& values)
{
    return {name, type, std::move(sizes), std::as_bytes(std::span(values))};
}

} // namespace

class TestSafetensors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = fs::path(m_folder->path().toStdString()) / "file.safetensors";
    }

    void readsAFileMadeByHand()
    {
        const std::array<float, 2> values{1.5F, -2.0F};
        std::string data(sizeof values, '\0');
        std::memcpy(data.data(), values.data(), sizeof values);
        put(fileOf(R"({"__metadata__":{"format":"pt"},)"
                   R"("b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                   R"("a":{"dtype":"I64","shape":[0,3],"data_offsets":[8,8]}}  )",
            data));
        auto file = SafetensorsFile::open(m_file);
        QVERIFY2(file, file ? "" : file.error().message.c_str());
        QCOMPARE(file->tensors().size(), std::size_t{2});
        QCOMPARE(file->metadata().at("format"), std::string("pt"));
        const auto* b = file->find("b");
        QVERIFY(b);
        QVERIFY(b->type == TensorType::F32);
        QCOMPARE(b->sizes, std::vector<std::int64_t>{2});
        std::array<float, 2> read{};
        QVERIFY(file->read(*b, std::as_writable_bytes(std::span(read))));
        QCOMPARE(read, values);
        QCOMPARE(file->find("a")->begin, std::uint64_t{8});
        QVERIFY(!file->find("c"));
    }

    void writesWhatTheFormatAsksFor()
    {
        const std::array<std::uint8_t, 3> small{1, 2, 3};
        const std::array<std::int64_t, 1> large{-7};
        QVERIFY(writeSafetensors(m_file,
            {tensorOf("small", TensorType::U8, {3}, small),
                tensorOf("large", TensorType::I64, {}, large)}));
        const auto text = content();
        std::uint64_t length = 0;
        std::memcpy(&length, text.data(), sizeof length);
        QCOMPARE(length % 8, std::uint64_t{0});
        const auto header = QByteArray::fromStdString(text.substr(8, length));
        const auto json = QJsonDocument::fromJson(header).object();
        // The largest numbers first, so that every tensor is aligned.
        QCOMPARE(json["large"]["data_offsets"].toArray(), QJsonArray({0, 8}));
        QCOMPARE(json["small"]["data_offsets"].toArray(), QJsonArray({8, 11}));
        QCOMPARE(json["large"]["shape"].toArray(), QJsonArray());
        QCOMPARE(json["small"]["dtype"].toString(), QString("U8"));
        QCOMPARE(text.size(), std::size_t{8} + length + 11);
        QCOMPARE(text.substr(8 + length + 8), std::string("\x01\x02\x03"));
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("header");
        QTest::addColumn<int>("dataBytes");
        QTest::addColumn<QString>("because");
        const auto row = [](const char* name, const char* header, int dataBytes, const char* why) {
            QTest::newRow(name) << header << dataBytes << why;
        };
        row("no JSON", "{", 0, "no JSON");
        row("a list", "[]", 0, "list where none belongs");
        row("text", "\"a\"", 0, "does not belong");
        row("something after it", "{}{}", 0, "no JSON");
        row("deep", "{\"a\":{\"dtype\":{\"b\":1}}}", 0, "object where none belongs");
        row("deep list", "{\"a\":{\"shape\":[[1]]}}", 0, "list where none belongs");
        row("unknown type", R"({"a":{"dtype":"F99","shape":[],"data_offsets":[0,4]}})", 4, "F99");
        row("unknown key", R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4],"x":1}})", 4,
            "\"x\"");
        row("no type", R"({"a":{"shape":[],"data_offsets":[0,4]}})", 4, "lacks");
        row("no sizes", R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", 4, "lacks");
        row("one offset", R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0]}})", 4, "lacks");
        row("three offsets", R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4,8]}})", 4,
            "more than two");
        row("negative", R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4,
            "negative");
        row("fraction", R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})", 4, "1.5");
        row("a name twice",
            R"({"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[],"data_offsets":[1,2]}})",
            2, "twice");
        row("metadata twice", R"({"__metadata__":{},"__metadata__":{}})", 0, "twice");
        row("a metadata key twice", R"({"__metadata__":{"k":"1","k":"2"}})", 0, "twice");
        row("metadata that is no text", R"({"__metadata__":{"k":1}})", 0, "does not belong");
        row("overlap",
            R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
            6, "overlaps");
        row("the same bytes twice",
            R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
            4, "overlaps");
        row("hole",
            R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}})",
            4, "hole of 2 bytes");
        row("hole at the start", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", 2,
            "hole");
        row("bytes left over", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 9,
            "8 bytes");
        row("cut off", R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})", 7, "cut off");
        row("end before begin", R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,-1]}})", 0,
            "negative");
        row("sizes that do not fit", R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8,
            "sizes");
        row("sizes beyond 64 bits",
            R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0,
            "sizes");
        row("a number beyond 63 bits",
            R"({"a":{"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,0]}})", 0,
            "too large");
    }
    void refuses()
    {
        QFETCH(QString, header);
        QFETCH(int, dataBytes);
        QFETCH(QString, because);
        put(fileOf(header.toStdString(), std::string(static_cast<std::size_t>(dataBytes), 'x')));
        const auto file = SafetensorsFile::open(m_file);
        QVERIFY(!file);
        const auto message = QString::fromStdString(file.error().message);
        QVERIFY2(message.contains(because), qPrintable(message));
        QVERIFY2(message.contains(QString::fromStdString(m_file.string())), qPrintable(message));
    }

    void refusesAHeaderThatIsNotThere_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("because");
        QTest::newRow("empty") << QByteArray() << "0 bytes";
        QTest::newRow("short") << QByteArray(7, '\0') << "7 bytes";
        QTest::newRow("longer than the file")
            << QByteArray("\x03\0\0\0\0\0\0\0{}", 10) << "the file has 10";
        QTest::newRow("over the cap")
            << QByteArray("\x01\xe1\xf5\x05\0\0\0\0{}", 10) << "at most 100000000";
        QTest::newRow("all ones") << QByteArray(16, '\xff') << "at most 100000000";
    }
    void refusesAHeaderThatIsNotThere()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, because);
        put(bytes.toStdString());
        const auto file = SafetensorsFile::open(m_file);
        QVERIFY(!file);
        QVERIFY2(QString::fromStdString(file.error().message).contains(because),
            file.error().message.c_str());
    }

    void saysWhyAFileCannotBeOpened()
    {
        const auto file = SafetensorsFile::open(m_file);
        QVERIFY(!file);
        QVERIFY(QString::fromStdString(file.error().message).contains("No such file"));
        QVERIFY(!SafetensorsFile::open(m_file.parent_path()));
    }

    void aChangedByteIsFound()
    {
        const std::array<float, 4> values{1, 2, 3, 4};
        SafetensorsOptions options;
        options.checksum = true;
        options.metadata["note"] = R"("crc32":"12345678")"; // looks like a checksum
        QVERIFY(
            writeSafetensors(m_file, {tensorOf("w", TensorType::F32, {2, 2}, values)}, options));
        const auto good = content();
        auto file = SafetensorsFile::open(m_file);
        QVERIFY(file);
        QVERIFY2(file->verify(), "the file as written");
        for (std::size_t at = 0; at < good.size(); ++at) {
            auto bad = good;
            bad[at] = static_cast<char>(bad[at] ^ 0x04);
            put(bad);
            auto changed = SafetensorsFile::open(m_file);
            QVERIFY2(!changed || !changed->verify(), qPrintable(QString("byte %1").arg(at)));
        }
    }

    void aFileWithoutChecksumSaysSo()
    {
        QVERIFY(writeSafetensors(m_file, {}));
        auto file = SafetensorsFile::open(m_file);
        QVERIFY(file);
        const auto verified = file->verify();
        QVERIFY(!verified);
        QVERIFY(QString::fromStdString(verified.error().message).contains("no checksum"));
    }

private:
    void put(const std::string& text) const
    {
        std::ofstream(m_file, std::ios::binary | std::ios::trunc)
            .write(text.data(), static_cast<std::streamsize>(text.size()));
    }
    std::string content() const
    {
        std::ifstream stream(m_file, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_file;
};

MANTISSA_TEST(TestSafetensors)
#include "tst_safetensors.moc"
