// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/atomic_file.h"
#include "tests/support/test_program.h"

#include <QtTest>
#include <fstream>
#include <string>

using namespace mantissa;
namespace fs = std::filesystem;

namespace {

std::span<const std::byte> bytes(const std::string& text)
{
    return std::as_bytes(std::span(text));
}

std::string contentOf(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace

class TestAtomicFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_root = m_folder->path().toStdString();
    }

    void writesAllPartsAndMakesFolders()
    {
        const std::string one = "first, ";
        const std::string two = "second";
        const auto file = m_root / "a" / "b" / "file";
        QVERIFY(writeAtomically(file, {bytes(one), bytes(two)}));
        QCOMPARE(contentOf(file), std::string("first, second"));
    }

    void leavesNothingElseBehind()
    {
        const std::string text = "text";
        QVERIFY(writeAtomically(m_root / "file", {bytes(text)}));
        QVERIFY(writeAtomically(m_root / "file", {bytes(text)}));
        QCOMPARE(std::distance(fs::directory_iterator(m_root), {}), 1);
    }

    void keepsTheOldFileWhenItCannotWrite()
    {
        // A folder of the target's name: the rename at the end fails.
        fs::create_directories(m_root / "file" / "inside");
        const std::string text = "text";
        const auto written = writeAtomically(m_root / "file", {bytes(text)});
        QVERIFY(!written);
        QVERIFY(QString::fromStdString(written.error().message).contains("file"));
        QVERIFY(fs::exists(m_root / "file" / "inside"));
        QCOMPARE(std::distance(fs::directory_iterator(m_root), {}), 1);
    }

    void saysWhyAFolderCannotBeMade()
    {
        std::ofstream(m_root / "plain") << "a file";
        const std::string text = "text";
        const auto written = writeAtomically(m_root / "plain" / "file", {bytes(text)});
        QVERIFY(!written);
        QVERIFY(QString::fromStdString(written.error().message).contains("Not a directory"));
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_root;
};

MANTISSA_TEST(TestAtomicFile)
#include "tst_atomic_file.moc"
