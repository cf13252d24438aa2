// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/config_io.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QFile>
#include <QTest>
#include <random>

using namespace mantissa;

namespace {

std::vector<std::string> goodFiles()
{
    std::vector<std::string> texts;
    const QDir folder(QStringLiteral(MANTISSA_SOURCE_DIR "/experiments"));
    for (const auto& name : folder.entryList({QStringLiteral("*.toml")})) {
        QFile file(folder.filePath(name));
        if (file.open(QIODevice::ReadOnly))
            texts.push_back(file.readAll().toStdString());
    }
    return texts;
}

class Mutator {
public:
    /// One to four random changes: bytes, lines, numbers, pieces of TOML.
    std::string mutate(std::string text)
    {
        for (auto count = 1 + m_random() % 4; count > 0 && !text.empty(); --count)
            change(text);
        return text;
    }

private:
    void change(std::string& text)
    {
        static const std::vector<std::string> pieces{"[", "]", "[[", "\"", "'''", "=", ".", "\n",
            "nan", "-inf", "1e999", "0x7fffffffffffffff", "{a={b=1}}", "[variant]", "[[variant]]",
            "variant = 3\n", "\xC3", "\xEF\xBB\xBF", "true", "train.", "1979-05-27", "-"};
        const auto at = m_random() % text.size();
        switch (m_random() % 6) {
        case 0:
            text[at] = static_cast<char>(m_random() % 256);
            return;
        case 1:
            text.erase(at, 1 + m_random() % 30);
            return;
        case 2:
            text.insert(at, pieces[m_random() % pieces.size()]);
            return;
        case 3:
            text.insert(at, text.substr(m_random() % text.size(), m_random() % 80));
            return;
        case 4:
            text.resize(at);
            return;
        default:
            replaceValue(text, at, pieces[m_random() % pieces.size()]);
        }
    }

    static void replaceValue(std::string& text, std::size_t from, const std::string& value)
    {
        const auto equals = text.find('=', from);
        const auto end = text.find('\n', equals);
        if (equals != std::string::npos && end != std::string::npos)
            text.replace(equals + 1, end - equals - 1, value);
    }

    std::mt19937 m_random{4711};
};

} // namespace

class TestConfigFuzz : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void mutatedFilesNeverCrashAndAlwaysExplain()
    {
        const auto good = goodFiles();
        QVERIFY(good.size() >= 6);
        Mutator mutator;
        int refused = 0;
        for (int i = 0; i < 6000; ++i) {
            const auto text = mutator.mutate(good[static_cast<std::size_t>(i) % good.size()]);
            const auto loaded = parseExperiment(text, "mutated.toml");
            refused += loaded.ok() ? 0 : 1;
            QVERIFY2(loaded.ok() || !loaded.problems.empty(), text.c_str());
            const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
            bool hasError = false;
            for (const auto& problem : loaded.problems) {
                QVERIFY2(!problem.message.empty(), text.c_str());
                QVERIFY2(problem.line >= 0 && problem.line <= lines, text.c_str());
                hasError = hasError || problem.severity == Severity::Error;
            }
            QVERIFY2(hasError != loaded.ok(), text.c_str());
            if (loaded.ok())
                QVERIFY2(parseExperiment(toToml(*loaded.config), "again").config == loaded.config,
                    text.c_str());
        }
        // The mutations are neither harmless nor hopeless.
        QVERIFY2(refused > 2000 && refused < 5900, std::to_string(refused).c_str());
    }

    void deepNestingIsAMessage()
    {
        const std::string deep = "x = " + std::string(100000, '[');
        const auto loaded = parseExperiment(deep, "deep.toml");
        QVERIFY(!loaded.ok());
        QVERIFY(!loaded.problems.front().message.empty());
        std::string path = "a";
        for (int i = 0; i < 20000; ++i)
            path += ".a";
        QVERIFY(!parseExperiment(path + " = 1\n", "deep.toml").ok());
    }
};

MANTISSA_TEST(TestConfigFuzz)
#include "tst_config_fuzz.moc"
