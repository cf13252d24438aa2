// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/protocol.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <random>

using namespace mantissa;

namespace {

/// JSON with its quotes; single ones are easier to read in a table.
QByteArray json(QByteArray text)
{
    return text.replace('\'', '"');
}

} // namespace

class TestProtocolBroken : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void brokenLinesAreErrorsThatSayWhat_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("said");
        const auto row = [](const char* name, const char* line, const char* said) {
            QTest::newRow(name) << json(line) << QByteArray(said);
        };
        row("empty", "", "not JSON");
        row("stray text", "Downloading weights: 12%", "not JSON");
        row("cut off", "{'type':'heartbeat','st", "not JSON");
        row("two objects", "{'type':'heartbeat'}{'type':'heartbeat'}", "not JSON");
        row("bare NaN", "{'type':'block_done','step':1,'train_seconds':NaN}", "not JSON");
        row("invalid UTF-8", "{'type':'ack','command':'\xff'}", "not JSON");
        row("array", "[1,2]", "not a JSON object");
        row("number", "12", "not a JSON object");
        row("no type", "{'step':1}", "key \"type\" is missing");
        row("type not text", "{'type':4}", "\"type\" is not a string");
        row("hello without protocol", "{'type':'hello'}", "key \"protocol\" is missing");
        row("protocol as text", "{'type':'hello','protocol':'1'}",
            "\"protocol\" is not an integer");
        row("environment a list", "{'type':'hello','protocol':1,'environment':[]}",
            "\"environment\" is not an object");
        row("negative total", "{'type':'ready','total_steps':-1}", "\"total_steps\" is negative");
        row("half a step", "{'type':'block_done','step':1.5}", "\"step\" is not an integer");
        row("step over 64 bits", "{'type':'block_done','step':18446744073709551615}",
            "\"step\" is not an integer");
        row("unknown status", "{'type':'finished','status':'won'}", "\"status\" is none of");
        row("status killed", "{'type':'finished','status':'killed'}", "\"status\" is none of");
        row("finished without counts", "{'type':'finished','status':'finished'}",
            "key \"steps_attempted\" is missing");
        row("event without kind", "{'type':'event'}", "key \"kind\" is missing");
    }

    void brokenLinesAreErrorsThatSayWhat() { check(); }

    void lyingSamplesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("said");
        const auto row = [](const char* name, const char* rest, const char* said) {
            QTest::newRow(name) << json("{'type':" + QByteArray(rest) + "}") << QByteArray(said);
        };
        row("count too high", "'samples','first_step':1,'count':3,'series':{'loss':[1,2]}",
            "\"loss\" has 2 values instead of 3");
        row("count too low", "'samples','first_step':1,'count':1,'series':{'loss':[1,2]}",
            "\"loss\" has 2 values instead of 1");
        row("huge count", "'samples','first_step':1,'count':9000000000000000,'series':{'loss':[1]}",
            "\"loss\" has 1 values instead of 9000000000000000");
        row("huge count, no series",
            "'samples','first_step':1,'count':9000000000000000,'series':{}", "\"series\" is empty");
        row("no count", "'samples','first_step':1,'series':{'loss':[1]}",
            "key \"count\" is missing");
        row("negative count", "'samples','first_step':1,'count':-1,'series':{'loss':[1]}",
            "\"count\" is out of range: -1");
        row("zero count", "'samples','first_step':1,'count':0,'series':{'loss':[]}",
            "\"count\" is out of range: 0");
        row("step zero", "'samples','first_step':0,'count':1,'series':{'loss':[1]}",
            "\"first_step\" is out of range: 0");
        row("step overflows",
            "'samples','first_step':9223372036854775807,'count':1,'series':{'loss':[1]}",
            "\"first_step\" is out of range");
        row("uneven series", "'samples','first_step':1,'count':2,'series':{'a':[1,2],'b':[1]}",
            "\"b\" has 1 values instead of 2");
        row("text in a series", "'samples','first_step':1,'count':1,'series':{'loss':['inf']}",
            "\"loss\" is not an array of numbers: \"inf\"");
        row("null in a series", "'samples','first_step':1,'count':1,'series':{'loss':[null]}",
            "\"loss\" is not an array of numbers: null");
        row("series a number", "'samples','first_step':1,'count':1,'series':{'loss':1}",
            "\"loss\" is not an array of numbers: 1");
        row("unknown axis", "'points','axis':'epoch','x':[1],'series':{'metric':[1]}",
            "\"axis\" is neither");
        row("points uneven", "'points','axis':'step','x':[1,2],'series':{'metric':[1]}",
            "\"metric\" has 1 values instead of 2");
        row("points without x", "'points','axis':'step','series':{'metric':[1]}",
            "key \"x\" is missing");
    }

    void lyingSamplesAreRefused() { check(); }

    void deepNestingIsRefused()
    {
        const auto got = decodeEvent(std::string(1'000'000, '['));
        QVERIFY(!got.has_value());
        QVERIFY(got.error().message.find("nested") != std::string::npos);
    }

    /// Damaged lines must give a value or an error, whatever they are; sanitizers watch.
    void damagedLinesNeverCrash()
    {
        const std::string good = encodeEvent(Samples{1, 3, {{"loss", {1, 0.5, 0.25}}}});
        std::mt19937_64 random(7);
        int refused = 0;
        for (int round = 0; round < 20000; ++round) {
            auto line = good;
            for (int i = 0; i < 3; ++i)
                line[random() % line.size()] = static_cast<char>(random());
            refused += decodeEvent(line).has_value() ? 0 : 1;
        }
        QVERIFY(refused > 10000);
    }

    void linesAreCutAtAnyByte()
    {
        const std::string text = "one\n\ntwo\r\nthree\nrest";
        for (std::size_t cut = 0; cut <= text.size(); ++cut) {
            LineSplitter splitter;
            auto lines = splitter.feed(std::string_view(text).substr(0, cut));
            for (auto& line : splitter.feed(std::string_view(text).substr(cut)))
                lines.push_back(std::move(line));
            QVERIFY((lines == std::vector<std::string>{"one", "", "two", "three"}));
            QCOMPARE(splitter.rest(), "rest");
            QCOMPARE(splitter.droppedLines(), std::size_t{0});
        }
    }

    void aLineOverTheLimitIsDroppedAndCounted()
    {
        LineSplitter splitter;
        const std::string block(1024 * 1024, 'x');
        for (int i = 0; i < 16; ++i)
            QVERIFY(splitter.feed(block).empty());
        QCOMPARE(splitter.droppedLines(), std::size_t{0});
        const auto atLimit = splitter.feed("\n");
        QCOMPARE(atLimit.size(), std::size_t{1});
        QCOMPARE(atLimit[0].size(), kMaxLineBytes);

        for (int i = 0; i < 17; ++i)
            QVERIFY(splitter.feed(block).empty());
        QCOMPARE(splitter.rest().size(), std::size_t{0}); // dropped at once, not kept
        const auto next = splitter.feed("tail\nnext\n");
        QVERIFY((next == std::vector<std::string>{"next"}));
        QCOMPARE(splitter.droppedLines(), std::size_t{1});
    }

private:
    void check()
    {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, said);
        const auto got = decodeEvent(std::string_view(line.constData(), std::size_t(line.size())));
        QVERIFY(!got.has_value());
        QVERIFY2(got.error().message.find(said.toStdString()) != std::string::npos,
            got.error().message.c_str());
    }
};

MANTISSA_TEST(TestProtocolBroken)
#include "tst_protocol_broken.moc"
