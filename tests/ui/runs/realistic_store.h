// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/series_info.h"
#include "core/storage/run_store.h"
#include "tests/support/store_fixture.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

/// A store as a real run leaves it: falling noisy loss, a scale that grows and backs off, skipped
/// steps, validation, memory, an environment. The numbers are made, and the same every time.
namespace mantissa::ui::samples {

struct MadeRun {
    Precision precision = Precision::Fp32;
    double stepMs = 6.1;
    double memoryMiB = 112;
    RunState end = RunState::Finished;
    std::string reason = {};
};

/// A value in [0, 1) that looks random and is not.
inline double noise(std::int64_t seed)
{
    const double x = std::sin(static_cast<double>(seed) * 12.9898) * 43758.5453;
    return x - std::floor(x);
}

class RunMaker {
public:
    RunMaker(StoreWriter& writer, int run, const MadeRun& made)
        : m_writer(writer)
        , m_run(run)
        , m_made(made)
    {
    }

    void make(std::int64_t steps)
    {
        begin(steps);
        m_samples = Samples{1, steps, {}};
        for (std::int64_t step = 1; step <= steps; ++step)
            addStep(step);
        for (auto& [name, values] : m_values)
            m_samples.series.push_back({std::string(name), values});
        m_writer.onEvent(m_run, m_samples);
        Points metric{Axis::Step, {}, {{std::string(series::kMetric), {}}}};
        for (std::int64_t step = steps / 5; step <= steps; step += steps / 5) {
            metric.x.push_back(static_cast<double>(step));
            metric.series[0].values.push_back(
                0.9 - 0.3 * std::exp(-static_cast<double>(step) / 400));
        }
        m_writer.onEvent(m_run, metric);
        RunOutcome outcome{m_made.end, m_made.reason, steps, steps - m_skipped, m_skipped};
        m_writer.onState(m_run, outcome);
    }

private:
    void begin(std::int64_t steps)
    {
        m_writer.onState(m_run, test::outcome(RunState::Running));
        Hello hello;
        hello.worker = "mantissa-worker";
        hello.version = "0.1.0";
        hello.environment = {{"torch", "2.11.0"}, {"cpu", {{"model", "AMD EPYC"}, {"cores", 2}}}};
        m_writer.onEvent(m_run, hello);
        m_writer.onEvent(m_run, Ready{{{"autocast", isHalf()}, {"threads", 2}}, steps});
        event(event_kind::kFormatProbe, 0,
            m_made.precision == Precision::Fp16
                ? "fp16 is emulated on this CPU, 65x slower than fp32"
                : "native");
    }

    bool isHalf() const { return m_made.precision != Precision::Fp32; }

    void event(std::string_view kind, std::int64_t step, const std::string& message,
        nlohmann::json data = nlohmann::json::object())
    {
        m_writer.onEvent(m_run,
            LifecycleEvent{std::string(kind), step > 0 ? std::optional(step) : std::nullopt,
                static_cast<double>(step) * m_made.stepMs / 1000, message, std::move(data)});
    }

    void put(std::string_view name, double value)
    {
        for (auto& [known, values] : m_values) {
            if (known == name) {
                values.push_back(value);
                return;
            }
        }
        m_values.push_back({name, {value}});
    }

    void addStep(std::int64_t step)
    {
        const double t = static_cast<double>(step);
        const bool skip =
            m_made.precision == Precision::Fp16 && (step == 2 || (step % 307 == 0 && step > 200));
        const double loss = 0.24 + 2.06 * std::exp(-t / 130) + 0.12 * (noise(step + m_run) - 0.5);
        put(series::kLoss, skip && step == 614 ? std::nan("") : loss);
        put(series::kFoundInf, skip ? 1 : 0);
        put(series::kScale, m_scale);
        const double ms = m_made.stepMs * (1 + 0.05 * noise(step * 7));
        put(series::kStepMs, ms);
        put(series::kSamplesPerSecond, 64'000 / ms);
        put(series::kTimeS, m_time += ms / 1000);
        put(series::kMemoryBytes, (m_made.memoryMiB + (step % 250 == 0 ? 5 : 0)) * 1048576);
        put(series::kPeakMemoryBytes, (m_made.memoryMiB + 6) * 1048576);
        if (m_made.precision == Precision::Fp16)
            moveScale(step, skip);
    }

    void moveScale(std::int64_t step, bool skip)
    {
        const double before = m_scale;
        if (skip) {
            ++m_skipped;
            m_tracker = 0;
            m_scale /= 2;
            event(event_kind::kStepSkipped, step, {}, {{"scale", before}, {"new_scale", m_scale}});
            event(
                event_kind::kScaleBackedOff, step, {}, {{"scale", before}, {"new_scale", m_scale}});
        } else if (++m_tracker == 200) {
            m_tracker = 0;
            m_scale *= 2;
            event(event_kind::kScaleGrew, step, {}, {{"scale", before}, {"new_scale", m_scale}});
        }
    }

    StoreWriter& m_writer;
    int m_run;
    MadeRun m_made;
    Samples m_samples;
    std::vector<std::pair<std::string_view, std::vector<double>>> m_values;
    double m_scale = 65536;
    double m_time = 0;
    std::int64_t m_tracker = 0;
    std::int64_t m_skipped = 0;
};

/// Adds a comparison and returns the ids of its runs in order.
inline std::vector<std::int64_t> makeComparison(const std::filesystem::path& file,
    const std::string& name, const std::vector<MadeRun>& runs, std::int64_t steps)
{
    std::vector<Precision> precisions;
    for (const MadeRun& run : runs)
        precisions.push_back(run.precision);
    const ExperimentConfig config = test::experiment(precisions, name);
    auto writer = StoreWriter::create(file, config, test::planOf(config)).value();
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        RunMaker(*writer, static_cast<int>(i), runs[i]).make(steps);
        ids.push_back(writer->runId(static_cast<int>(i)));
    }
    writer->onAllEnded();
    return ids;
}

/// Three comparisons, eight runs, of which one failed.
inline std::vector<std::int64_t> makeRealisticStore(const std::filesystem::path& file)
{
    makeComparison(file, "shapes-offline", {{}, {Precision::Bf16, 4.5, 69}}, 300);
    makeComparison(file, "fp16-overflow",
        {{Precision::Fp16, 399, 70},
            {Precision::Fp16, 402, 70, RunState::Killed, "signal 9 (Killed); last words: none"}},
        250);
    return makeComparison(file, "fashion-mnist-cnn",
        {{}, {Precision::Bf16, 4.53, 69.1},
            {Precision::Fp16, 399, 70.4, RunState::Stopped, "time limit"}},
        2000);
}

} // namespace mantissa::ui::samples
