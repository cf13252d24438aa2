// SPDX-License-Identifier: GPL-3.0-or-later
// A worker without a network: speaks the protocol, reports known values, plays faults on demand.
#include "core/run/series_info.h"
#include "tests/support/fake_values.h"
#include "tests/support/fake_worker/fake_faults.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits>
#include <thread>
#include <unistd.h>

namespace mantissa::test {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

class FakeWorker {
public:
    explicit FakeWorker(const FakeOptions& options)
        : m_options(options)
        , m_faults(options, m_link)
    {
    }

    void run();

private:
    void greet();
    void load();
    bool trainBlock(const RunBlockCommand& block); ///< false: the run is over
    void trainStep();
    void flush();
    void pauseIfWanted();
    bool limitReached();
    void finish(RunState state, const std::string& reason);
    void event(std::string_view kind, nlohmann::json data = nlohmann::json::object());
    void writeLog(const Samples& samples) const;

    const FakeOptions& m_options;
    FakeHostLink m_link;
    FakeFaults m_faults;
    Variant m_variant;
    std::int64_t m_total = 0;
    std::int64_t m_step = 0;
    std::int64_t m_skipped = 0;
    double m_scale = 65536;
    std::int64_t m_tracker = 0;
    double m_trainSeconds = 0;
    Clock::time_point m_began = Clock::now();
    Clock::time_point m_flushed = Clock::now();
    Samples m_batch;
    int m_log = -1;
};

void FakeWorker::run()
{
    m_faults.at("before-hello");
    greet();
    load();
    bool more = true;
    while (more) {
        m_link.setActivity("idle", m_step);
        const auto block = m_link.waitForBlock();
        more = block ? trainBlock(*block) : !limitReached();
    }
    m_faults.at("finished");
    if (m_options.phase == "finished")
        std::_Exit(0);
    for (;;) // the end of stdin ends this process
        std::this_thread::sleep_for(std::chrono::hours(1));
}

void FakeWorker::greet()
{
    Hello hello;
    hello.worker = "fake-worker";
    hello.version = "1";
    hello.pid = ::getpid();
    hello.environment = {{"device", "fake"}};
    m_link.send(hello);
    m_link.startReading();
    m_link.startHeartbeats(m_options.heartbeatMs);
}

void FakeWorker::load()
{
    m_link.setActivity("loading", 0);
    m_variant = m_link.waitForStart().variant;
    if (m_link.stopWanted())
        return;
    m_faults.setVariant(m_variant.name);
    std::this_thread::sleep_for(std::chrono::milliseconds(m_options.loadMs));
    m_total = m_options.steps > 0 ? m_options.steps : m_variant.settings.train.steps;
    if (!m_options.log.empty())
        m_log = ::open(m_options.log.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
    m_began = Clock::now();
    nlohmann::json environment{{"precision_in_force", "fake"}};
    if (!m_options.gpu.empty())
        environment["gpu"] = {{"pci_bus_id", m_options.gpu}};
    m_link.send(Ready{environment, m_total});
    m_faults.at("idle");
}

bool FakeWorker::trainBlock(const RunBlockCommand& block)
{
    auto end = block.steps == 0 ? m_total : std::min(m_total, m_step + block.steps);
    if (m_options.shortBlocks > 0)
        end = std::min(end, m_step + m_options.shortBlocks);
    event("fake_block"); // for tests that wait until it is in a step
    while (m_step < end) {
        pauseIfWanted();
        if (limitReached())
            return false;
        trainStep();
        m_link.setActivity("training", m_step);
        if (m_step == m_options.faultStep) {
            flush();
            m_faults.at("in-block");
            if (m_options.phase == "checkpoint")
                event(event_kind::kCheckpoint);
            m_faults.at("checkpoint");
        }
    }
    flush();
    m_link.send(BlockDone{m_step, m_trainSeconds});
    if (m_step == m_total) {
        finish(RunState::Finished, "");
        return false;
    }
    m_faults.at("between-blocks");
    return true;
}

void FakeWorker::trainStep()
{
    const auto begin = Clock::now();
    if (m_options.stepUs > 0)
        std::this_thread::sleep_for(std::chrono::microseconds(m_options.stepUs));
    ++m_step;
    const bool skipped = m_options.skipEvery > 0 && m_step % m_options.skipEvery == 0;
    const double stepMs = std::max(secondsSince(begin), 1e-6) * 1000;
    m_trainSeconds += stepMs / 1000;
    const auto loss = skipped ? std::numeric_limits<double>::infinity()
                              : fakeLoss(m_variant.settings.run.seed, m_step);
    const std::pair<std::string_view, double> values[] = {
        {series::kLoss, loss},
        {series::kScale, m_scale},
        {series::kGrowthTracker, static_cast<double>(m_tracker)},
        {series::kFoundInf, skipped ? 1 : 0},
        {series::kLr, 1e-3},
        {series::kStepMs, stepMs},
        {series::kSamplesPerSecond, 64 / (stepMs / 1000)},
        {series::kTimeS, secondsSince(m_began)},
        {series::kMemoryBytes, 1e6},
        {series::kPeakMemoryBytes, 2e6},
    };
    if (m_batch.series.empty()) {
        m_batch.firstStep = m_step;
        for (const auto& [name, value] : values)
            m_batch.series.push_back({std::string(name), {}});
    }
    for (std::size_t i = 0; i < std::size(values); ++i)
        m_batch.series[i].values.push_back(values[i].second);
    ++m_batch.count;
    m_tracker = skipped ? 0 : m_tracker + 1;
    if (skipped) {
        ++m_skipped;
        flush();
        event(event_kind::kStepSkipped, {{"scale", m_scale}, {"new_scale", m_scale / 2}});
        m_scale /= 2;
    }
    if (m_batch.count >= m_options.batch || secondsSince(m_flushed) > 0.05)
        flush();
    if (m_options.evalEvery > 0 && m_step % m_options.evalEvery == 0)
        m_link.send(Points{Axis::Step, {static_cast<double>(m_step)},
            {{std::string(series::kMetric), {fakeMetric(m_step)}}}});
}

void FakeWorker::flush()
{
    m_flushed = Clock::now();
    if (m_batch.series.empty())
        return;
    m_link.send(m_batch);
    writeLog(m_batch);
    m_batch = {};
}

void FakeWorker::pauseIfWanted()
{
    if (!m_link.pauseWanted())
        return;
    flush();
    m_link.setActivity("paused", m_step);
    event(event_kind::kPaused);
    m_faults.at("paused");
    m_link.waitWhilePaused();
    event(event_kind::kResumed);
}

bool FakeWorker::limitReached()
{
    const auto& limits = m_variant.settings.run;
    if (const auto reason = m_link.stopWanted()) {
        flush();
        m_faults.at("stopping");
        finish(RunState::Stopped, *reason);
        return true;
    }
    if (limits.maxSeconds > 0 && m_trainSeconds >= limits.maxSeconds)
        finish(RunState::Stopped, "time limit");
    else if (limits.maxSteps > 0 && m_step >= limits.maxSteps)
        finish(RunState::Stopped, "step limit");
    else
        return false;
    return true;
}

void FakeWorker::finish(RunState state, const std::string& reason)
{
    flush();
    if (m_options.blockDoneFirst != 0)
        m_link.send(BlockDone{m_step, m_trainSeconds});
    if (m_options.phase == "finished")
        m_link.ignoreEndOfInput(); // which follows, and would forestall the fault
    m_link.send(Finished{state, reason, m_step, m_step - m_skipped, m_skipped});
}

void FakeWorker::event(std::string_view kind, nlohmann::json data)
{
    LifecycleEvent event;
    event.kind = kind;
    event.step = m_step;
    event.timeS = secondsSince(m_began);
    event.data = std::move(data);
    m_link.send(event);
}

void FakeWorker::writeLog(const Samples& samples) const
{
    if (m_log < 0)
        return;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto line = fmt::format("{} {} {} {}\n",
        std::chrono::duration_cast<std::chrono::milliseconds>(now).count(), samples.firstStep,
        samples.count, m_variant.name);
    if (::write(m_log, line.data(), line.size()) < 0)
        std::perror("fake-worker: log");
}

} // namespace

} // namespace mantissa::test

int main(int argc, char** argv)
{
    const auto options = mantissa::test::parseFakeOptions({argv + 1, argv + argc});
    if (!options) {
        std::fputs("fake-worker: an option is not known\n", stderr);
        return 2;
    }
    mantissa::test::FakeWorker worker(*options);
    worker.run();
}
