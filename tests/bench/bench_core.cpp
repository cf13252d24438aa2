// SPDX-License-Identifier: GPL-3.0-or-later
// Protocol, store and decimation. tests/bench/run reads the JSON of this program.
#include "core/run/controller.h"
#include "core/run/curve.h"
#include "core/run/protocol.h"
#include "core/storage/run_store.h"

#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>

namespace {

using namespace mantissa;

constexpr std::int64_t kBatchSteps = 256;
constexpr const char* kSeries[] = {"loss", "scale", "growth_tracker", "found_inf", "grad_norm",
    "lr", "step_ms", "data_wait_ms", "samples_per_second", "time_s", "memory_bytes",
    "peak_memory_bytes"};

/// A batch as a worker sends it, of figures with all their digits.
Samples batch(std::int64_t firstStep, std::int64_t count)
{
    std::mt19937 random(1);
    std::normal_distribution<double> normal(1, 0.3);
    Samples samples;
    samples.firstStep = firstStep;
    samples.count = count;
    for (const auto* name : kSeries) {
        SeriesValues series{name, {}};
        for (std::int64_t i = 0; i < count; ++i)
            series.values.push_back(normal(random));
        samples.series.push_back(std::move(series));
    }
    return samples;
}

std::int64_t pointsOf(const Samples& samples)
{
    return samples.count * static_cast<std::int64_t>(samples.series.size());
}

void encode(benchmark::State& state)
{
    const RunEvent event = batch(1, kBatchSteps);
    for (auto _ : state)
        benchmark::DoNotOptimize(encodeEvent(event));
    state.SetItemsProcessed(state.iterations() * kBatchSteps);
}
BENCHMARK(encode)->Name("protocol_encode");

void decode(benchmark::State& state)
{
    const auto line = encodeEvent(batch(1, kBatchSteps));
    for (auto _ : state)
        benchmark::DoNotOptimize(decodeEvent(line));
    state.SetItemsProcessed(state.iterations() * kBatchSteps);
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(line.size()));
}
BENCHMARK(decode)->Name("protocol_decode");

/// A store in a folder of its own under the current one (a real disk, not always /tmp).
class Store {
public:
    Store()
    {
        std::string name = "bench-XXXXXX";
        m_folder = ::mkdtemp(name.data());
        Variant variant;
        variant.name = "fp32";
        ExperimentConfig config;
        config.name = "bench";
        config.variants = {variant};
        PlannedRun run;
        run.variant = variant;
        m_writer = StoreWriter::create(file(), config, {run}).value();
    }
    ~Store()
    {
        m_writer.reset();
        std::filesystem::remove_all(m_folder);
    }
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    std::filesystem::path file() const { return m_folder / "runs.db"; }
    StoreWriter& writer() { return *m_writer; }
    void close() { m_writer.reset(); }

private:
    std::filesystem::path m_folder;
    std::unique_ptr<StoreWriter> m_writer;
};

/// 3.1 million points in flushes of 300,000: what a very fast run gives in seconds.
constexpr std::int64_t kFlushSteps = 25'600;
constexpr std::int64_t kFlushes = 10;

std::int64_t fill(Store& store, const Samples& samples)
{
    auto part = samples;
    for (std::int64_t i = 0; i < kFlushes; ++i) {
        part.firstStep = 1 + i * kFlushSteps;
        store.writer().onEvent(0, part);
        store.writer().flush();
    }
    return kFlushes * pointsOf(samples);
}

void storeWrite(benchmark::State& state)
{
    const auto samples = batch(1, kFlushSteps);
    std::int64_t points = 0;
    double bytes = 0;
    for (auto _ : state) {
        state.PauseTiming();
        Store store;
        state.ResumeTiming();
        const auto written = fill(store, samples);
        state.PauseTiming();
        store.close();
        points += written;
        bytes = static_cast<double>(std::filesystem::file_size(store.file()))
            / static_cast<double>(written);
        state.ResumeTiming();
    }
    state.SetItemsProcessed(points);
    state.counters["bytes_per_point"] = bytes;
}
BENCHMARK(storeWrite)->Name("store_write")->UseRealTime()->Unit(benchmark::kMillisecond);

void storeRead(benchmark::State& state)
{
    Store store;
    fill(store, batch(1, kFlushSteps));
    const auto reader = RunStore::open(store.file(), RunStore::Mode::ReadOnly).value();
    std::int64_t points = 0;
    for (auto _ : state) {
        const auto slice = reader->readSeries(1, "loss").value();
        points += static_cast<std::int64_t>(slice.y.size());
        benchmark::DoNotOptimize(slice.y.data());
    }
    state.SetItemsProcessed(points);
}
BENCHMARK(storeRead)->Name("store_read")->UseRealTime()->Unit(benchmark::kMillisecond);

CurvePyramid pyramid(std::int64_t points)
{
    CurvePyramid pyramid;
    for (std::int64_t i = 0; i < points; ++i)
        pyramid.append(static_cast<double>(i), std::sin(static_cast<double>(i) * 0.01));
    return pyramid;
}

void append(benchmark::State& state)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(pyramid(1'000'000));
    state.SetItemsProcessed(state.iterations() * 1'000'000);
}
BENCHMARK(append)->Name("pyramid_append")->Unit(benchmark::kMillisecond);

/// A curve of the widest screen, at changing zooms and places.
void decimate(benchmark::State& state)
{
    const auto curve = pyramid(state.range(0));
    const auto points = static_cast<double>(state.range(0));
    std::mt19937 random(2);
    std::uniform_real_distribution<double> share(0, 1);
    for (auto _ : state) {
        const double width = points * std::pow(share(random), 3);
        const double from = (points - width) * share(random);
        benchmark::DoNotOptimize(curve.decimate(from, from + width, 2'000));
    }
}
BENCHMARK(decimate)
    ->Name("decimate")
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Unit(benchmark::kMicrosecond);

} // namespace

BENCHMARK_MAIN();
