// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/worker_process.h"
#include "tests/support/test_program.h"
#include "tests/support/waits.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <csignal>
#include <fstream>
#include <poll.h>
#include <sys/resource.h>

using namespace mantissa;
using namespace mantissa::test;
using Channel = WorkerProcess::Channel;

namespace {

std::unique_ptr<WorkerProcess> shell(const std::string& script, const std::string& torch = {})
{
    auto process = WorkerProcess::start({"/bin/sh", {"-c", script}, torch});
    return process ? std::move(*process) : nullptr;
}

std::string readAll(WorkerProcess& process, Channel channel)
{
    std::string all;
    await([&] {
        all += process.read(channel);
        return !process.isOpen(channel);
    });
    return all;
}

ExitStatus awaitExit(WorkerProcess& process)
{
    await([&] { return process.reap().has_value(); });
    return process.reap().value_or(ExitStatus{-1, -1});
}

} // namespace

class TestWorkerProcess : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void linesGoInAndComeOut()
    {
        auto process = shell("read a; read b; echo \"$b $a\"; echo oops >&2; exit 3");
        process->send("one");
        process->send("two");
        QCOMPARE(readAll(*process, Channel::Output), "two one\n");
        QCOMPARE(readAll(*process, Channel::Errors), "oops\n");
        QCOMPARE(awaitExit(*process).words(), "exited with code 3");
    }

    void aMissingProgramIsAnError()
    {
        const auto process = WorkerProcess::start({"/nowhere/worker", {}, {}});
        QVERIFY(!process.has_value());
        QCOMPARE(
            process.error().message, "cannot start the worker: /nowhere/worker does not exist");
    }

    void aFileThatIsNoProgramIsAnError()
    {
        QTemporaryDir folder;
        const auto file = folder.filePath(QStringLiteral("worker")).toStdString();
        std::ofstream(file) << "not a program";
        const auto process = WorkerProcess::start({file, {}, {}});
        QVERIFY(!process.has_value());
        QCOMPARE(
            process.error().message, "cannot start the worker: " + file + " is not executable");
    }

    void aSignalIsNamed()
    {
        auto process = shell("kill -9 $$");
        QCOMPARE(awaitExit(*process).words(), "killed by signal 9 (SIGKILL)");
        QCOMPARE((ExitStatus{0, SIGSEGV}).words(), "killed by signal 11 (SIGSEGV)");
    }

    void theEndOfStdinIsSeen()
    {
        auto process = shell("cat; exit 5");
        QVERIFY(!process->reap().has_value());
        process->closeInput();
        QCOMPARE(awaitExit(*process).code, 5);
    }

    void writingToOneThatClosedItsInputIsHarmless()
    {
        auto process = shell("exec <&-; echo closed; sleep 60");
        QVERIFY(await([&] { return !process->read(Channel::Output).empty(); }));
        process->send("anybody?");
        QVERIFY(process->inputBroken());
        process->send("really?");
        sigset_t pending;
        sigpending(&pending);
        QCOMPARE(sigismember(&pending, SIGPIPE), 0);
    }

    void moreThanThePipeTakesIsQueued()
    {
        auto process = shell("sleep 0.2; wc -c");
        process->send(std::string(500'000, 'x'));
        std::vector<pollfd> fds;
        process->appendPollFds(fds);
        QCOMPARE(fds.size(), std::size_t{3}); // stdin too
        QVERIFY(await([&] {
            process->writePending();
            std::vector<pollfd> now;
            process->appendPollFds(now);
            return now.size() == 2;
        }));
        process->closeInput();
        QCOMPARE(QByteArray::fromStdString(readAll(*process, Channel::Output)).trimmed(), "500001");
    }

    void itIsNiceAndHasAGroupOfItsOwn()
    {
        auto process = shell("nice");
        const auto text = readAll(*process, Channel::Output);
        const int expected = std::min(getpriority(PRIO_PROCESS, 0) + 5, 19);
        QCOMPARE(QByteArray::fromStdString(text).trimmed(), QByteArray::number(expected));
        QVERIFY(getpgid(process->pid()) != getpgrp());
    }

    void itsOffspringDoesNotOutliveIt()
    {
        auto process = shell("sleep 60 & echo $!; exit 0");
        std::string text;
        QVERIFY(await(
            [&] { return (text += process->read(Channel::Output)).find('\n') != text.npos; }));
        const auto child = static_cast<pid_t>(std::stol(text));
        awaitExit(*process);
        // Gone, or a zombie that waits for init.
        QVERIFY(await([&] {
            std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
            std::string number, name, state;
            return !(stat >> number >> name >> state) || state == "Z";
        }));
    }

    void theDestructorKills()
    {
        auto process = shell("trap '' TERM; sleep 60");
        const auto pid = process->pid();
        process.reset();
        QCOMPARE(::kill(pid, 0), -1);
    }

    void torchsFolderComesFirst()
    {
        qputenv("LD_LIBRARY_PATH", "/elsewhere");
        auto process = shell("echo $LD_LIBRARY_PATH", "/opt/torch");
        auto plain = shell("echo $LD_LIBRARY_PATH");
        qunsetenv("LD_LIBRARY_PATH");
        auto without = shell("echo $LD_LIBRARY_PATH", "/opt/torch");
        QCOMPARE(readAll(*process, Channel::Output), "/opt/torch/lib:/elsewhere\n");
        QCOMPARE(readAll(*plain, Channel::Output), "/elsewhere\n");
        QCOMPARE(readAll(*without, Channel::Output), "/opt/torch/lib\n");
    }

    /// A worker ends when its stdin closes; a copy of our end in another worker would keep it open.
    void noDescriptorLeaksIntoTheNextOne()
    {
        auto first = shell("cat");
        auto second = shell("sleep 60");
        first->closeInput();
        QCOMPARE(awaitExit(*first).code, 0);
    }
};

MANTISSA_TEST(TestWorkerProcess)
#include "tst_worker_process.moc"
