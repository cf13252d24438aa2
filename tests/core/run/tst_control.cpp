// SPDX-License-Identifier: GPL-3.0-or-later
// How another process changes a run's settings: messages, socket, server, with fake workers.
#include "core/run/control_message.h"
#include "core/run/control_server.h"
#include "core/run/unix_socket.h"
#include "tests/core/run/run_fixture.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <sys/stat.h>
#include <unistd.h>

using namespace mantissa;
using namespace mantissa::test;

namespace {

constexpr auto kPatience = std::chrono::seconds(20);

/// Two runs with the ids 100 and 101, whose host listens beside a store in a folder of its own.
struct Host {
    QTemporaryDir folder;
    std::filesystem::path store = folder.filePath("runs.db").toStdString();
    RunFixture fixture;
    std::unique_ptr<ControlServer> control;

    explicit Host(std::int64_t steps = 1'000'000)
    {
        fixture.setSteps(steps);
        fixture.argue({"--step-us", "1000"});
        fixture.controller =
            std::make_unique<ExperimentController>(fixture.config, fixture.options);
        auto listening = ControlServer::listen(
            store, *fixture.controller, [](int run) { return std::int64_t{100} + run; });
        if (!listening)
            qFatal("%s", listening.error().message.c_str());
        control = std::move(*listening);
        fixture.controller->addObserver(fixture.observer);
        fixture.controller->addObserver(*control);
        fixture.controller->start();
    }
    ~Host()
    {
        control->close();
        fixture.controller.reset();
    }

    Result<ControlAnswer> ask(const std::string& line) const
    {
        const auto socket = connectTo(control->socket());
        if (!socket)
            return tl::unexpected(socket.error());
        const auto answer = exchangeLine(*socket, line, kPatience);
        if (!answer)
            return tl::unexpected(answer.error());
        return decodeAnswer(*answer);
    }
    Result<ControlAnswer> ask(const ControlRequest& request) const
    {
        return ask(encodeRequest(request));
    }
};

} // namespace

class TestControl : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void messagesComeBack()
    {
        const ControlRequest request{12, {{"growth_interval", 200}, {"max_scale", nullptr}}};
        const auto back = decodeRequest(encodeRequest(request));
        QVERIFY(back && back->run == 12 && back->changes == request.changes);
        const ControlAnswer answer{{{"policy", "pytorch", "smooth"}, {"scale", 8.0, 16.0}}, {}};
        const auto changed = decodeAnswer(encodeAnswer(answer));
        QVERIFY(changed && changed->ok() && changed->changed.size() == 2);
        QVERIFY(changed->changed[0].key == "policy" && changed->changed[0].oldValue == "pytorch");
        QVERIFY(changed->changed[1].newValue == 16.0);
        const auto refused = decodeAnswer(encodeAnswer({{}, "no \"way\""}));
        QVERIFY(refused && refused->refused == "no \"way\"");
    }

    void documentedLinesAreRight()
    {
        QFile page(QStringLiteral(MANTISSA_SOURCE_DIR "/resources/docs/protocol.md"));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const auto text = QString::fromUtf8(page.readAll())
                              .section("## Changing a run from another process", 1)
                              .section("```json\n", 1)
                              .section("```", 0, 0);
        const auto lines = text.split('\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 3);
        const auto request = decodeRequest(lines[0].toStdString());
        QVERIFY(request && request->run == 12 && request->changes.size() == 2);
        const auto changed = decodeAnswer(lines[1].toStdString());
        QVERIFY(changed && changed->ok() && changed->changed.size() == 2);
        QVERIFY(!decodeAnswer(lines[2].toStdString())->ok());
    }

    void brokenMessagesAreErrors()
    {
        for (const char* line : {"", "{}", "[1]", "{\"type\":\"stop\",\"run\":1}",
                 "{\"type\":\"set\",\"run\":\"1\",\"values\":{\"scale\":1}}",
                 "{\"type\":\"set\",\"run\":1,\"values\":{}}", "{\"type\":\"set\",\"run\":1}"}) {
            QVERIFY2(!decodeRequest(line).has_value(), line);
            QVERIFY2(!decodeAnswer(line).has_value(), line);
        }
    }

    void aChangeReachesItsRun()
    {
        Host host;
        QVERIFY(host.fixture.awaitStep(1, 1));
        const auto answer = host.ask(ControlRequest{101, {{"scale", 1024}, {"policy", "smooth"}}});
        QVERIFY2(answer.has_value(), answer ? "" : answer.error().message.c_str());
        QVERIFY2(answer->ok(), answer->refused.c_str());
        QCOMPARE(answer->changed.size(), std::size_t{2});
        QVERIFY(answer->changed[0].newValue == 1024 || answer->changed[1].newValue == 1024);
    }

    void refusalsSayWhy()
    {
        Host host;
        QVERIFY(host.fixture.awaitStep(0, 1));
        const auto bad = host.ask(ControlRequest{100, {{"scale", 0}}});
        QVERIFY(bad && bad->refused == "scale = 0 is not allowed");
        const auto other = host.ask(ControlRequest{7, {{"scale", 1}}});
        QVERIFY(other && other->refused == "run 7 is not of this program");
        const auto nonsense = host.ask(std::string("nonsense"));
        QVERIFY(nonsense && nonsense->refused.find("JSON") != std::string::npos);
    }

    void aRunThatHasEndedRefuses()
    {
        Host host(3);
        QVERIFY(host.fixture.waitUntilEnded());
        const auto answer = host.ask(ControlRequest{100, {{"scale", 1}}});
        QVERIFY(answer && answer->refused == "run 100 is finished, not running");
    }

    void manyClientsAtOnce()
    {
        Host host;
        QVERIFY(host.fixture.awaitStep(1, 1));
        std::vector<FileDescriptor> sockets;
        for (int i = 0; i < 10; ++i)
            sockets.push_back(std::move(*connectTo(host.control->socket())));
        for (int i = 9; i >= 0; --i) {
            const auto line = exchangeLine(sockets[static_cast<std::size_t>(i)],
                encodeRequest({100 + i % 2, {{"scale", i + 1}}}), kPatience);
            QVERIFY(line.has_value());
            const auto answer = decodeAnswer(*line);
            QVERIFY(answer && answer->ok() && answer->changed.front().newValue == i + 1);
        }
    }

    void theSocketIsTheUsersOwnAndGoesWithTheHost()
    {
        std::filesystem::path path;
        {
            Host host;
            path = host.control->socket();
            QCOMPARE(path.filename().string(), "runs.db-" + std::to_string(::getpid()) + ".sock");
            struct stat info { };
            QCOMPARE(::stat(path.c_str(), &info), 0);
            QCOMPARE(int(info.st_mode & 0777), 0600);
            // A second host of the same process and store has no place beside it.
            QVERIFY(!listenAt(path).has_value());
        }
        QVERIFY(!std::filesystem::exists(path));
        const auto gone = connectTo(path);
        QVERIFY(!gone && gone.error().message.find(path.string()) == 0);
    }

    void aDeadHostsSocketIsReplacedAndOtherFilesAreNot()
    {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("s.sock").toStdString();
        {
            const auto dead = listenAt(path);
        } // closed, its file stays
        QVERIFY(std::filesystem::exists(path));
        QVERIFY(listenAt(path).has_value());
        const std::filesystem::path file = folder.filePath("file").toStdString();
        QFile other(QString::fromStdString(file.string()));
        QVERIFY(other.open(QIODevice::WriteOnly) && other.write("mine") == 4);
        other.close();
        QVERIFY(!listenAt(file).has_value());
        QCOMPARE(std::filesystem::file_size(file), std::uintmax_t{4});
    }

    void withoutAPlaceBesideTheStoreTheRuntimeFolderIsTaken()
    {
        const QTemporaryDir runtime;
        const auto before = qgetenv("XDG_RUNTIME_DIR");
        qputenv("XDG_RUNTIME_DIR", runtime.path().toUtf8());
        RunFixture fixture;
        ExperimentController controller(fixture.config, fixture.options);
        const auto ids = [](int run) { return std::int64_t{run}; };
        {
            const auto control = ControlServer::listen("/nowhere/runs.db", controller, ids);
            QVERIFY(control.has_value());
            QCOMPARE((*control)->socket().parent_path().string(), runtime.path().toStdString());
        }
        qputenv("XDG_RUNTIME_DIR", "/nowhere/either");
        const auto none = ControlServer::listen("/nowhere/runs.db", controller, ids);
        QVERIFY(!none);
        const auto text = QString::fromStdString(none.error().message);
        QVERIFY(text.contains("/nowhere/runs.db-") && text.contains("/nowhere/either/mantissa-"));
        qputenv("XDG_RUNTIME_DIR", before);
    }

    void pathsMayBeLong()
    {
        const QTemporaryDir folder;
        std::filesystem::path deep = folder.path().toStdString();
        for (int i = 0; i < 4; ++i)
            deep /= std::string(60, 'x');
        std::filesystem::create_directories(deep);
        const auto listener = listenAt(deep / "runs.db-1.sock");
        QVERIFY(listener.has_value());
        QVERIFY(connectTo(deep / "runs.db-1.sock").has_value());
    }
};

MANTISSA_TEST(TestControl)
#include "tst_control.moc"
