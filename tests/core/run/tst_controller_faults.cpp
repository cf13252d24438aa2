// SPDX-License-Identifier: GPL-3.0-or-later
// Every fault of a worker in every phase of its life: the run's end state, its reason in words, the
// samples that came, and that the next run starts soon. The cases run side by side.
#include "tests/core/run/run_fixture.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <deque>
#include <fstream>
#include <future>
#include <map>
#include <sstream>

using namespace mantissa;
using namespace mantissa::test;
using namespace std::chrono_literals;

namespace {

/// What must be seen of the run that had the fault.
struct Expected {
    RunState state = RunState::Finished;
    std::string reason; ///< contained in the reason; empty = the reason is empty
    std::string note; ///< contained in a host note; empty = not asked
};

struct FaultCase {
    std::string fault;
    std::string phase;
    Expected expected;

    std::string name() const { return fault + ", " + phase; }
};

struct CaseResult {
    bool ended = false;
    RunOutcome faulty;
    RunOutcome next;
    std::vector<std::string> notes;
    bool samplesRight = false;
    bool nextSamplesRight = false;
    std::int64_t received = 0;
    std::int64_t written = 0; ///< last step in the worker's own log
    std::chrono::milliseconds gap{0}; ///< from the faulty run's end to the next one's turn
    int allEndedCalls = 0;
};

const std::vector<std::string> kPhases{"before-hello", "idle", "in-block", "paused",
    "between-blocks", "checkpoint", "stopping", "finished"};

constexpr std::size_t kMaxBadLines = 200;

/// Where the reason must say that it happened.
std::string whereIn(const std::string& phase)
{
    const std::map<std::string, std::string> where{
        {"before-hello", "before its hello"},
        {"idle", ""}, // its first turn may have come
        {"in-block", "in a block after step 5"},
        {"paused", "while paused after step"},
        {"between-blocks", ""}, // its next turn may have come
        {"checkpoint", "in a block after step 5"},
        {"stopping", "while stopping"},
    };
    return where.at(phase);
}

/// The end of a run whose worker goes on after the fault.
Expected goesOn(const std::string& phase, const std::string& note)
{
    if (phase == "stopping")
        return {RunState::Stopped, "user", note};
    return {RunState::Finished, "", note};
}

Expected deadly(RunState state, const std::string& phase, const std::string& what,
    const std::string& noteWhenFinished)
{
    if (phase == "finished")
        return {RunState::Finished, "", noteWhenFinished};
    return {state, what + "|" + whereIn(phase), ""};
}

Expected expectedOf(const std::string& fault, const std::string& phase)
{
    const bool atHello = phase == "before-hello";
    const bool atEnd = phase == "finished";
    if (fault == "kill")
        return deadly(
            RunState::Killed, phase, "killed by signal 9 (SIGKILL)", "signal 9 (SIGKILL)");
    if (fault == "segv")
        return deadly(RunState::Killed, phase, "killed by signal 11 (SIGSEGV)", "signal 11");
    if (fault == "exit")
        return deadly(RunState::Failed, phase,
            "exited with code 3|last on stderr: loading / fake: out of luck", "exited with code 3");
    if (fault == "hang" && atHello)
        return {RunState::Killed, "did not say hello within 3 s", ""};
    if (fault == "hang")
        return deadly(
            RunState::Killed, phase, "no sign of life from the worker for 1.5 s", "did not exit");
    if (fault == "flood" && atEnd)
        return {RunState::Finished, "", "the worker sent"};
    if (fault == "flood")
        return {RunState::Failed, "sent more than 200 lines that are not the protocol", "not JSON"};
    if (fault == "wrong-version" && atHello)
        return {RunState::Refused, "speaks protocol version 99, this program speaks version 1", ""};
    if (fault == "wrong-version")
        return goesOn(phase, atEnd ? "a line after its end" : "a second hello");
    if (fault == "close-output")
        return deadly(RunState::Failed, phase, "closed its output", "");
    if (fault == "close-input" && phase == "in-block")
        return goesOn(phase, ""); // it needs no further command
    if (fault == "broken-json" || fault == "noise")
        return goesOn(phase, "not JSON");
    if (fault == "long-line")
        return goesOn(phase, "a line of more than 16777216 bytes");
    if (fault == "lying-counts")
        return goesOn(phase, "has 2 values instead of 1000000000000");
    return goesOn(phase, ""); // slow
}

std::vector<FaultCase> allCases()
{
    std::vector<FaultCase> cases;
    for (const char* fault : {"kill", "segv", "exit", "hang", "flood", "broken-json",
             "wrong-version", "close-output", "long-line", "noise", "lying-counts", "slow"}) {
        for (const auto& phase : kPhases)
            cases.push_back({fault, phase, expectedOf(fault, phase)});
    }
    return cases;
}

/// A comparison of two runs, of which the first has the fault.
class CaseRun {
public:
    CaseRun(const FaultCase& faultCase, const std::filesystem::path& folder)
        : m_case(faultCase)
        , m_log(folder / "log")
    {
        std::filesystem::create_directories(folder);
        m_fixture.options.helloTimeout = 3s;
        m_fixture.options.heartbeatTimeout = 1500ms;
        m_fixture.options.termGrace = 200ms;
        m_fixture.options.exitTimeout = 1500ms;
        m_fixture.options.maxBadLines = kMaxBadLines;
        m_fixture.config.settings.run.schedule = faultCase.phase == "between-blocks"
            ? RunSchedule::Interleaved
            : RunSchedule::Sequential;
        m_fixture.config.settings.run.block = 10;
        // Steps long enough for a pause or stop to meet them.
        const bool driven = faultCase.phase == "paused" || faultCase.phase == "stopping";
        m_fixture.argue({"--step-us", driven ? "2000" : "100", "--batch", "4", "--fault",
            faultCase.fault, "--phase", faultCase.phase, "--log", m_log.string()});
        if (faultCase.phase == "before-hello")
            m_fixture.argue({"--fault-once", (folder / "once").string()});
        else
            m_fixture.argue({"--fault-variant", "a"});
    }

    CaseResult play()
    {
        auto& controller = m_fixture.start();
        if (m_case.phase == "paused" && m_fixture.awaitStep(0, 4)) {
            controller.pause();
            // Going on faults are resumed, deadly ones end as they are.
            await([&] {
                const auto state = m_fixture.observer.states(0).back();
                return state == RunState::Paused || isEnd(state);
            });
            if (m_case.expected.state == RunState::Finished)
                controller.resume();
            else
                await([&] { return isEnd(m_fixture.observer.states(0).back()); });
            controller.resume();
        }
        if (m_case.phase == "stopping" && m_fixture.awaitStep(0, 4))
            controller.stop();
        return result();
    }

private:
    CaseResult result()
    {
        CaseResult result;
        result.ended = m_fixture.waitUntilEnded();
        result.faulty = m_fixture.outcome(0);
        result.next = m_fixture.outcome(1);
        result.notes = m_fixture.observer.notes(0);
        result.samplesRight = m_fixture.samplesAreRight(0);
        result.nextSamplesRight = m_fixture.samplesAreRight(1);
        result.received = m_fixture.observer.lastStep(0);
        result.written = lastStepWritten();
        result.gap = gapToNextTurn();
        result.allEndedCalls = m_fixture.observer.allEndedCalls();
        return result;
    }

    std::int64_t lastStepWritten() const
    {
        std::ifstream log(m_log);
        std::int64_t last = 0;
        std::string line;
        while (std::getline(log, line)) {
            std::istringstream fields(line);
            std::int64_t time = 0, first = 0, count = 0;
            std::string variant;
            if (fields >> time >> first >> count >> variant && variant == "a")
                last = first + count - 1;
        }
        return last;
    }

    /// From the end of the run with the fault to the next thing that the other run does.
    std::chrono::milliseconds gapToNextTurn() const
    {
        RecordingObserver::Clock::time_point end{};
        for (const auto& entry : m_fixture.observer.entries()) {
            if (entry.run == 0 && entry.isState && isEnd(entry.outcome.state))
                end = entry.when;
            if (entry.run == 1 && end != RecordingObserver::Clock::time_point{})
                return std::chrono::duration_cast<std::chrono::milliseconds>(entry.when - end);
        }
        return 0ms; // it had ended before
    }

    const FaultCase m_case;
    const std::filesystem::path m_log;
    RunFixture m_fixture;
};

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TestControllerFaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const auto cases = allCases();
        std::deque<std::pair<std::string, std::future<CaseResult>>> running;
        const auto takeOne = [&] {
            m_results[running.front().first] = running.front().second.get();
            running.pop_front();
        };
        for (const auto& one : cases) {
            if (running.size() >= 12)
                takeOne();
            const auto folder = std::filesystem::path(m_folder.path().toStdString()) / one.name();
            running.emplace_back(one.name(), std::async(std::launch::async, [one, folder] {
                return CaseRun(one, folder).play();
            }));
        }
        while (!running.empty())
            takeOne();
    }

    void everyFaultInEveryPhase_data()
    {
        QTest::addColumn<int>("index");
        const auto cases = allCases();
        for (std::size_t i = 0; i < cases.size(); ++i)
            QTest::newRow(cases[i].name().c_str()) << static_cast<int>(i);
    }

    void everyFaultInEveryPhase()
    {
        QFETCH(int, index);
        const auto cases = allCases();
        const auto& one = cases[static_cast<std::size_t>(index)];
        const auto& result = m_results.at(one.name());
        QVERIFY(result.ended);
        QCOMPARE(result.allEndedCalls, 1);
        QVERIFY2(result.faulty.state == one.expected.state, result.faulty.reason.c_str());
        checkReason(one.expected, result.faulty.reason);
        checkNotes(one.expected, result.notes);
        checkSamples(one, result);
        checkNext(one, result);
    }

    void aMissingProgramFailsEveryRunAtOnce()
    {
        RunFixture fixture;
        fixture.options.worker = "/nowhere/mantissa-worker";
        fixture.start();
        QVERIFY(fixture.controller->waitUntilEnded(2s));
        for (int run = 0; run < 2; ++run) {
            QCOMPARE(toString(fixture.outcome(run).state), "failed");
            QCOMPARE(fixture.outcome(run).reason,
                "cannot start the worker: /nowhere/mantissa-worker does not exist");
        }
        QCOMPARE(fixture.observer.allEndedCalls(), 1);
    }

    void aWorkerWithoutLibTorchSaysWhatToSet()
    {
        RunFixture fixture({"a"});
        fixture.options.worker = "/bin/sh";
        fixture.argue({"-c",
            "echo 'mantissa-worker: error while loading shared libraries: libtorch_cpu.so: cannot "
            "open shared object file: No such file or directory' >&2; exit 127"});
        fixture.start();
        QVERIFY(fixture.controller->waitUntilEnded(5s));
        QVERIFY(contains(fixture.outcome(0).reason, "exited with code 127"));
        QVERIFY(
            contains(fixture.outcome(0).reason, "set MANTISSA_TORCH to the folder of LibTorch"));
    }

    void everyHostTakesTheEnvironmentsLibTorch()
    {
        qputenv("MANTISSA_TORCH", "/opt/torch");
        const ControllerOptions asked;
        qunsetenv("MANTISSA_TORCH");
        QCOMPARE(asked.torchFolder.string(), "/opt/torch");
        QVERIFY(ControllerOptions().torchFolder.empty());
    }

    void aProgramThatIsNoWorkerFails()
    {
        RunFixture fixture({"a"});
        fixture.options.worker = "/bin/echo";
        fixture.argue({"usage: echo"});
        fixture.start();
        QVERIFY(fixture.controller->waitUntilEnded(5s));
        QCOMPARE(toString(fixture.outcome(0).state), "failed");
        QVERIFY(contains(fixture.outcome(0).reason, "exited with code 0 before its hello"));
        QVERIFY(fixture.noteContains(0, "not JSON: usage: echo"));
    }

    /// A worker that does not read its commands cannot be asked to end.
    void aClosedInputIsNoticedWhenACommandIsDue()
    {
        RunFixture fixture;
        fixture.config.settings.run.block = 10;
        fixture.options.exitTimeout = 300ms;
        fixture.argue(
            {"--fault", "close-input", "--phase", "between-blocks", "--fault-variant", "a"});
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        QCOMPARE(toString(fixture.outcome(0).state), "failed");
        QVERIFY(contains(fixture.outcome(0).reason, "closed its input"));
        QCOMPARE(toString(fixture.outcome(1).state), "finished");
    }

    /// What a worker may tell besides its samples is bounded, so that it cannot fill the memory.
    void eventsBeyondTheirBudgetAreDropped()
    {
        RunFixture fixture({"a"});
        fixture.options.maxEventBytes = 100'000;
        fixture.argue({"--fault", "many-events", "--phase", "in-block"});
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        QCOMPARE(toString(fixture.outcome(0).state), "finished");
        QVERIFY(fixture.samplesAreRight(0));
        QVERIFY(fixture.observer.count(0, event_kind::kWarning) < 100);
        QVERIFY(fixture.noteContains(0, "more than 100000 bytes of events and points"));
        QCOMPARE(fixture.observer.notes(0).size(), std::size_t{1});
    }

    /// Notes about a flood stay few, and reading stays behind nothing: the pipe holds the rest
    /// back.
    void aFloodIsHeldBack()
    {
        const auto& result = m_results.at("flood, in-block");
        QVERIFY(result.notes.size() < 20);
        QVERIFY(contains(result.notes.back(), "more lines that are not the protocol"));
    }

private:
    static void checkReason(const Expected& expected, const std::string& reason)
    {
        if (expected.reason.empty()) {
            QCOMPARE(reason, std::string());
            return;
        }
        std::istringstream parts(expected.reason);
        std::string part;
        while (std::getline(parts, part, '|'))
            QVERIFY2(contains(reason, part), (part + " is not in: " + reason).c_str());
    }

    static void checkNotes(const Expected& expected, const std::vector<std::string>& notes)
    {
        if (expected.note.empty())
            return;
        std::string all;
        for (const auto& note : notes)
            all += note + "\n";
        QVERIFY2(contains(all, expected.note), all.c_str());
    }

    /// Everything that the worker says it has written has come, in order, once, with its value.
    static void checkSamples(const FaultCase& one, const CaseResult& result)
    {
        QVERIFY(result.samplesRight);
        QCOMPARE(result.received, result.written);
        QCOMPARE(result.faulty.stepsAttempted, result.received);
        if (one.expected.state == RunState::Finished)
            QCOMPARE(result.received, std::int64_t{40});
        if (one.phase == "in-block" && one.expected.state != RunState::Finished)
            QCOMPARE(result.received, std::int64_t{5});
    }

    static void checkNext(const FaultCase& one, const CaseResult& result)
    {
        QVERIFY(result.nextSamplesRight);
        QVERIFY2(result.gap < 3s, std::to_string(result.gap.count()).c_str());
        QCOMPARE(toString(result.next.state), one.phase == "stopping" ? "stopped" : "finished");
    }

    QTemporaryDir m_folder;
    std::map<std::string, CaseResult> m_results;
};

MANTISSA_TEST(TestControllerFaults)
#include "tst_controller_faults.moc"
