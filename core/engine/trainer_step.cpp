// SPDX-License-Identifier: GPL-3.0-or-later
// One step of a Trainer and what is recorded of it.
#include "core/engine/tensor_value.h"
#include "core/engine/trainer_private.h"

#include <ATen/ATen.h>
#include <cmath>

namespace mantissa {

namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::duration duration)
{
    return std::chrono::duration<double>(duration).count();
}

/// The names of PyTorch's types as LibTorch prints them.
nlohmann::json mismatches(const FirstStepFacts& facts, Precision precision)
{
    const auto low = autocastType(precision);
    const std::string prediction = low ? c10::toString(*low) : "Float";
    auto list = nlohmann::json::array();
    const auto expect = [&list](
                            const char* what, const std::string& is, const std::string& should) {
        if (is != should)
            list.push_back(std::string(what) + " is " + is + ", expected " + should);
    };
    expect("parameter", facts.parameterType, "Float");
    expect("prediction", facts.predictionType, prediction);
    expect("loss", facts.lossType, "Float");
    expect("gradient", facts.gradientType, "Float");
    if (!facts.weightChanged)
        list.push_back("the first weight did not change");
    return list;
}

} // namespace

std::int64_t Trainer::Private::samplesPerStep() const
{
    return variant.settings.data.batchSize * variant.settings.train.accumulate;
}

void Trainer::Private::setLearningRate(StepRecord& record)
{
    if (deviceSchedule)
        return;
    record.lr = schedule->at(applied);
    for (const auto& optimizer : optimizers)
        optimizer->setLearningRate(record.lr);
}

Result<void> Trainer::Private::step()
{
    for (const auto* each : {&scaler, secondScaler.get()}) {
        if (auto reason = each ? each->exhaustion() : std::string(); !reason.empty())
            return fail(std::move(reason));
    }
    const auto begin = Clock::now();
    loader->next(m_batches);
    const auto dataEnd = Clock::now();
    StepRecord record;
    record.step = ++steps;
    record.dataWaitMs = seconds(dataEnd - begin) * 1000.0;
    setLearningRate(record);
    auto result = telemetry ? stepOnCuda(record) : stepOnCpu(record);
    trainSeconds += seconds(Clock::now() - begin);
    if (result && !m_ready.empty())
        lookInto(m_ready.back());
    return result;
}

Result<void> Trainer::Private::stepOnCpu(StepRecord& record)
{
    record.scale = scaler.scaleValue();
    meter.beginStep();
    const auto begin = Clock::now();
    if (bufferGuard)
        bufferGuard->beginStep();
    const auto step = runStep();
    const auto end = Clock::now();
    if (!step)
        return tl::unexpected(step.error());
    const double time = seconds(end - begin);
    record.stepMs = time * 1000.0;
    record.samplesPerSecond = static_cast<double>(samplesPerStep()) / time;
    record.timeS = seconds(end - start);
    record.memoryBytes = static_cast<double>(meter.bytes());
    record.peakMemoryBytes = static_cast<double>(meter.peakBytes());
    record.loss = floatValue(step->loss);
    record.gradNorm = step->gradNorm.defined() ? floatValue(step->gradNorm) : std::nan("");
    record.newScale = scaler.scaleValue();
    record.growthTracker = static_cast<double>(scaler.growthTracker());
    record.foundInf = step->outcome == StepOutcome::Skipped ? 1 : 0;
    applied += step->outcome == StepOutcome::Skipped ? 0 : 1;
    m_ready.push_back(record);
    return {};
}

Result<void> Trainer::Private::stepOnCuda(StepRecord& record)
{
    DeviceStepValues values;
    if (scaler.scaleTensor().defined())
        values.scale = scaler.scaleTensor().clone();
    else
        record.scale = scaler.scaleValue();
    cudaApi->resetPeak(device.index());
    if (auto begun = telemetry->begin(record.step); !begun)
        return begun;
    if (deviceSchedule) {
        values.lr = deviceSchedule->rate();
        for (const auto& optimizer : optimizers)
            optimizer->setLearningRate(values.lr);
    }
    const bool rollsBack = bufferGuard && variant.settings.train.rollbackBuffers;
    if (rollsBack)
        bufferGuard->beginStep();
    auto step = runStep();
    if (!step)
        return tl::unexpected(step.error());
    if (rollsBack && step->foundInf.defined())
        bufferGuard->rollBackIf(step->foundInf);
    if (deviceSchedule) {
        values.foundInf = step->foundInf;
        deviceSchedule->advance(step->foundInf);
    } else {
        ++applied;
    }
    values.loss = step->loss;
    values.gradNorm = step->gradNorm;
    values.newScale = scaler.scaleTensor();
    values.growthTracker = scaler.trackerTensor();
    cuda::MemoryFigures memory{};
    if (cudaApi->memory(device.index(), &memory) == cuda::kCudaOk) {
        record.memoryBytes = static_cast<double>(memory.allocated);
        record.peakMemoryBytes = static_cast<double>(memory.peakAllocated);
        record.reservedBytes = static_cast<double>(memory.reserved);
    }
    record.timeS = seconds(Clock::now() - start);
    return telemetry->end(record, samplesPerStep(), values);
}

Result<void> Trainer::Private::collect(bool wait, std::vector<StepRecord>& records)
{
    records.insert(records.end(), m_ready.begin(), m_ready.end());
    m_ready.clear();
    if (!telemetry)
        return {};
    const auto begin = Clock::now();
    const auto known = static_cast<std::ptrdiff_t>(records.size());
    auto collected = telemetry->collect(wait, records);
    if (wait)
        trainSeconds += seconds(Clock::now() - begin);
    // The CPU learns of a skip some steps later.
    std::for_each(records.begin() + known, records.end(),
        [this](const StepRecord& record) { locateIfNew(record); });
    return collected;
}

namespace {

/// What the batches of a validation add up to; read from the device once, at the end.
struct ValidationSums {
    void add(const TrainStep::Evaluated& batch, std::int64_t samples)
    {
        const auto scaled = batch.loss.to(at::kDouble) * static_cast<double>(samples);
        score = score.defined() ? score + batch.score.sum : batch.score.sum;
        nonFinite =
            nonFinite.defined() ? nonFinite + batch.score.nonFiniteRows : batch.score.nonFiniteRows;
        loss = loss.defined() ? loss + scaled : scaled;
        answers += batch.score.answers;
        rows += batch.score.rows;
    }

    at::Tensor score;
    at::Tensor nonFinite;
    at::Tensor loss;
    std::int64_t answers = 0;
    std::int64_t rows = 0;
};

} // namespace

std::optional<ValidationResult> Trainer::Private::validate(const std::function<bool()>& cancelled)
{
    constexpr std::int64_t kBatch = 256;
    const auto count = validationSamples->count();
    ValidationSums sums;
    std::vector<std::int64_t> indices;
    for (std::int64_t first = 0; first < count; first += kBatch) {
        if (cancelled())
            return std::nullopt;
        indices.resize(static_cast<std::size_t>(std::min(kBatch, count - first)));
        for (std::size_t i = 0; i < indices.size(); ++i)
            indices[i] = first + static_cast<std::int64_t>(i);
        const auto samples = static_cast<std::int64_t>(indices.size());
        if (!m_validationBatch.target.defined() || m_validationBatch.target.size(0) != samples)
            m_validationBatch = validationSamples->allocate(samples, device.is_cuda());
        validationSamples->fill(indices, 0, m_validationBatch);
        sums.add(trainStep->evaluate(
                     onDevice(m_validationBatch, device, variant.settings.device.channelsLast)),
            samples);
        if (device.is_cuda())
            m_validationBatch = {}; // its copy may not have ended
    }
    return ValidationResult{model->metricOf(sums.score.item<double>(), sums.answers),
        sums.loss.item<double>() / static_cast<double>(count), sums.rows,
        sums.nonFinite.item<std::int64_t>()};
}

std::optional<nlohmann::json> Trainer::Private::takeFirstStepFacts()
{
    const auto facts = trainStep->takeFacts();
    if (!facts)
        return std::nullopt;
    return nlohmann::json{{"parameter_dtype", facts->parameterType},
        {"prediction_dtype", facts->predictionType}, {"loss_dtype", facts->lossType},
        {"gradient_dtype", facts->gradientType}, {"weight_changed", facts->weightChanged},
        {"casts", m_casts.value_or(0)}, {"mismatches", mismatches(*facts, variant.precision)}};
}

} // namespace mantissa
