// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/capability_check.h"
#include "core/run/worker_query.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <thread>

using namespace mantissa;

namespace {

/// A shell script as the worker.
WorkerQuery ask(const std::string& script)
{
    return {{"/bin/sh", {"-c", script}, {}}};
}

} // namespace

class TestWorkerQuery : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void givesTheAnswer()
    {
        const auto answer = queryWorker(ask("echo '{\"type\":\"answer\",\"result\":{\"a\":1}}'"));
        QVERIFY(answer);
        QCOMPARE(answer->at("a").get<int>(), 1);
    }

    void passesProgressOnInOrder()
    {
        auto query = ask("for i in 1 2 3; do echo '{\"type\":\"progress\",\"n\":'$i'}'; done;"
                         "echo '{\"type\":\"answer\",\"result\":{}}'");
        std::vector<int> seen;
        query.progress = [&](const nlohmann::json& line) {
            seen.push_back(line.at("n").get<int>());
        };
        QVERIFY(queryWorker(query));
        QCOMPARE(seen, (std::vector{1, 2, 3}));
    }

    void handsTheInputOver_data()
    {
        QTest::addColumn<int>("bytes");
        QTest::newRow("nothing") << 0;
        QTest::newRow("a line") << 80;
        QTest::newRow("more than a pipe holds") << 1'000'000;
    }

    void handsTheInputOver()
    {
        QFETCH(int, bytes);
        auto query = ask("echo '{\"type\":\"answer\",\"result\":{\"n\":'$(wc -c)'}}'");
        query.input = std::string(static_cast<std::size_t>(bytes), 'x');
        const auto answer = queryWorker(query);
        QVERIFY2(answer, answer ? "" : answer.error().message.c_str());
        // A newline ends the input.
        QCOMPARE(answer->at("n").get<int>(), bytes > 0 ? bytes + 1 : 0);
    }

    void saysWhatWentWrong_data()
    {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("words");
        QTest::newRow("its own words") << "echo 'no such device' >&2; exit 1"
                                       << "no such device";
        QTest::newRow("killed") << "kill -9 $$"
                                << "killed by signal 9";
        QTest::newRow("silent failure") << "exit 3"
                                        << "exited with code 3";
        QTest::newRow("no answer") << "echo hello"
                                   << "it said: hello";
        QTest::newRow("an answer without a result") << "echo '{\"type\":\"answer\"}'"
                                                    << "cannot";
    }

    void saysWhatWentWrong()
    {
        QFETCH(QString, script);
        QFETCH(QString, words);
        const auto answer = queryWorker(ask(script.toStdString()));
        QVERIFY(!answer);
        QVERIFY2(answer.error().message.find(words.toStdString()) != std::string::npos,
            answer.error().message.c_str());
    }

    void aStopEndsTheWorker()
    {
        auto query = ask("echo '{\"type\":\"progress\"}'; exec sleep 1000");
        std::stop_source source;
        query.stop = source.get_token();
        query.progress = [&](const nlohmann::json&) { source.request_stop(); };
        const auto answer = queryWorker(query);
        QVERIFY(!answer);
        QCOMPARE(answer.error().message, std::string("cancelled"));
    }

    void aBrokenCardIsAnError()
    {
        QTemporaryDir folder;
        const auto script = folder.filePath(QStringLiteral("worker")).toStdString();
        std::ofstream(script) << "#!/bin/sh\n"
                                 "echo '{\"type\":\"progress\",\"done\":\"x\",\"cell\":{}}'\n"
                                 "echo '{\"type\":\"answer\",\"result\":{\"device\":7}}'\n";
        std::filesystem::permissions(script, std::filesystem::perms::owner_all);
        const auto card = runCapabilityCheck(
            {script, {}, {}}, {}, [](const CheckProgress&) { QFAIL("a broken cell was told"); });
        QVERIFY(!card);
        QVERIFY2(card.error().message.find("broken card") != std::string::npos,
            card.error().message.c_str());
    }
};

MANTISSA_TEST(TestWorkerQuery)
#include "tst_worker_query.moc"
