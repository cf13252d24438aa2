// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/experiment/machine_runner.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace mantissa::ui::samples {

inline constexpr double kMiB = 1024 * 1024;

/// What a variant of `config` took, with figures made up for tests.
inline ModelProbe probeOf(const Variant& variant, double stepMs, double factor)
{
    ModelProbe probe;
    probe.variant = variant.name;
    probe.precision = variant.precision;
    probe.key = predictionKey(variant);
    probe.stepMs = {stepMs * 0.9, stepMs, stepMs * 1.1};
    probe.steps = 20;
    probe.samplesPerSecond = 64'000 / stepMs;
    probe.runSeconds = stepMs * 2.5;
    probe.peakMemoryBytes = 118.0 * kMiB;
    probe.measured = {4.6 * kMiB, 4.5 * kMiB, 9.2 * kMiB, 0, 78.4 * kMiB, 21.2 * kMiB};
    probe.predicted = {4.7 * kMiB, 4.5 * kMiB, 9.2 * kMiB, 0, 70.0 * kMiB, 0};
    probe.factor = factor;
    return probe;
}

/// fp32 at 6.14 ms, and 65x that in every other precision.
inline ModelCheck checkOf(const ExperimentConfig& config, std::int64_t measuredMs = 1)
{
    ModelCheck check{config.name, "auto", measuredMs, {}};
    for (const auto& variant : config.variants) {
        const double factor = variant.precision == Precision::Fp32 ? 1 : 65;
        check.probes.push_back(probeOf(variant, 6.14 * factor, factor));
    }
    return check;
}

/// Workers under the test's control: they tell and end when told to.
class FakeMachine {
public:
    Result<ModelCheck> measure(const ExperimentConfig& config,
        const std::function<void(const ModelProbe&, int, int)>& told, const std::stop_token& stop)
    {
        std::unique_lock lock(m_mutex);
        m_config = config;
        ++m_started;
        std::size_t done = 0;
        while (!m_check && !stop.stop_requested()) {
            for (; done < m_probes.size(); ++done)
                told(m_probes[done], static_cast<int>(done) + 1, 4);
            m_changed.wait(lock, stop, [&] { return m_check || done < m_probes.size(); });
        }
        if (stop.stop_requested())
            return fail("cancelled");
        return *m_check;
    }
    Result<std::vector<VariantFit>> fit(const std::vector<Variant>& variants, double limit,
        const std::function<void(const Variant&, const FitTrial&)>& told,
        const std::stop_token& stop)
    {
        std::unique_lock lock(m_mutex);
        m_limit = limit;
        ++m_started;
        told(variants.front(), {1234, std::nullopt});
        m_changed.wait(lock, stop, [&] { return m_fits.has_value(); });
        if (stop.stop_requested())
            return fail("cancelled");
        return *m_fits;
    }
    Result<MemoryMatch> match(const ExperimentConfig& config, const std::stop_token& stop)
    {
        std::unique_lock lock(m_mutex);
        m_config = config;
        ++m_started;
        m_changed.wait(lock, stop, [&] { return m_match.has_value(); });
        if (stop.stop_requested())
            return fail("cancelled");
        return *m_match;
    }
    void endMatch(Result<MemoryMatch> match)
    {
        const std::lock_guard lock(m_mutex);
        m_match = std::move(match);
        m_changed.notify_all();
    }
    void give(const ModelProbe& probe)
    {
        const std::lock_guard lock(m_mutex);
        m_probes.push_back(probe);
        m_changed.notify_all();
    }
    void end(Result<ModelCheck> check)
    {
        const std::lock_guard lock(m_mutex);
        m_check = std::move(check);
        m_changed.notify_all();
    }
    void endFit(std::vector<VariantFit> fits)
    {
        const std::lock_guard lock(m_mutex);
        m_fits = std::move(fits);
        m_changed.notify_all();
    }
    ExperimentConfig config() const
    {
        const std::lock_guard lock(m_mutex);
        return m_config;
    }
    double limit() const
    {
        const std::lock_guard lock(m_mutex);
        return m_limit;
    }
    int started() const
    {
        const std::lock_guard lock(m_mutex);
        return m_started;
    }

private:
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    ExperimentConfig m_config;
    double m_limit = 0;
    std::vector<ModelProbe> m_probes;
    std::optional<Result<ModelCheck>> m_check;
    std::optional<std::vector<VariantFit>> m_fits;
    std::optional<Result<MemoryMatch>> m_match;
    int m_started = 0;
};

inline MachineQuestions questionsTo(std::shared_ptr<FakeMachine> machine)
{
    MachineQuestions questions;
    questions.measure = [machine](const WorkerProgram&, const ExperimentConfig& config,
                            const std::function<void(const ModelProbe&, int, int)>& told,
                            std::stop_token stop) { return machine->measure(config, told, stop); };
    questions.fit = [machine](const WorkerProgram&, const std::vector<Variant>& variants,
                        double limit,
                        const std::function<void(const Variant&, const FitTrial&)>& told,
                        std::stop_token stop) { return machine->fit(variants, limit, told, stop); };
    questions.match = [machine](const WorkerProgram&, const ExperimentConfig& config,
                          const std::function<void(const std::string&, const FitTrial&)>&,
                          std::stop_token stop) { return machine->match(config, stop); };
    return questions;
}

} // namespace mantissa::ui::samples
