// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/store_fixture.h"

#include "core/config/config_io.h"
#include "core/run/series_info.h"

#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace mantissa::test {

namespace {
constexpr unsigned kNobody = 65534;
}

ExperimentConfig experiment(const std::vector<Precision>& precisions, const std::string& name)
{
    ExperimentConfig config;
    config.name = name;
    config.description = "made by a test";
    for (const auto precision : precisions) {
        Variant variant;
        variant.name = toString(precision);
        variant.precision = precision;
        variant.settings = config.settings;
        config.variants.push_back(variant);
    }
    return config;
}

std::vector<PlannedRun> planOf(const ExperimentConfig& config)
{
    std::vector<PlannedRun> plan;
    for (const auto& variant : config.variants) {
        PlannedRun run;
        run.index = static_cast<int>(plan.size());
        run.variantIndex = run.index;
        run.variant = variant;
        plan.push_back(run);
    }
    return plan;
}

Samples samples(std::int64_t firstStep, std::int64_t count)
{
    std::vector<double> loss;
    std::vector<double> stepMs;
    std::vector<double> foundInf;
    for (auto step = firstStep; step < firstStep + count; ++step) {
        loss.push_back(1.0 / static_cast<double>(step));
        stepMs.push_back(1.0 + 0.001 * static_cast<double>(step % 7));
        foundInf.push_back(step % 10 == 0 ? 1.0 : 0.0);
    }
    Samples samples;
    samples.firstStep = firstStep;
    samples.count = count;
    samples.series = {{std::string(series::kLoss), loss}, {std::string(series::kStepMs), stepMs},
        {std::string(series::kFoundInf), foundInf}};
    return samples;
}

RunOutcome outcome(RunState state, const std::string& reason)
{
    RunOutcome result;
    result.state = state;
    result.reason = reason;
    return result;
}

std::unique_ptr<StoreWriter> writerOf(
    const std::filesystem::path& file, const std::vector<Precision>& precisions)
{
    const auto config = experiment(precisions);
    auto writer = StoreWriter::create(file, config, planOf(config));
    if (writer)
        return std::move(*writer);
    std::fprintf(stderr, "%s\n", writer.error().message.c_str());
    std::abort();
}

std::int64_t storeFinishedRun(const std::filesystem::path& file, std::int64_t steps)
{
    const auto writer = writerOf(file);
    writer->onState(0, outcome(RunState::Running));
    writer->onEvent(0, samples(1, steps));
    auto end = outcome(RunState::Finished);
    end.stepsAttempted = steps;
    end.stepsApplied = steps - steps / 10;
    end.stepsSkipped = steps / 10;
    writer->onState(0, end);
    writer->onAllEnded();
    return writer->runId(0);
}

WithoutRights::WithoutRights()
    : m_changed(::geteuid() == 0)
{
    if (m_changed && ::seteuid(kNobody) != 0)
        std::abort();
}

WithoutRights::~WithoutRights()
{
    if (m_changed && ::seteuid(0) != 0)
        std::abort();
}

int inChild(const std::function<int()>& body)
{
    const int pid = ::fork();
    if (pid == 0)
        ::_exit(body());
    return pid;
}

int waitForChild(int pid)
{
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace mantissa::test
