// SPDX-License-Identifier: GPL-3.0-or-later
// What a Trainer does beside training: the check before the first step, anomaly mode, and what
// follows a step that went wrong. None of it is part of a step's time, anomaly mode excepted.
#include "core/engine/autocast_guard.h"
#include "core/engine/cast_count.h"
#include "core/engine/preflight_check.h"
#include "core/engine/tensor_value.h"
#include "core/engine/trainer_private.h"
#include "core/run/watchers.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/anomaly_mode.h>

namespace mantissa {

namespace {

constexpr std::size_t kNamesShown = 4;

/// Anomaly mode prints a C++ backtrace as a warning; the operation's name is in the exception.
class QuietWarnings : public c10::WarningHandler {
public:
    void process(const c10::Warning& /*warning*/) override { }
};

std::string shownNames(const std::vector<std::string>& names)
{
    const std::vector<std::string> first(
        names.begin(), names.begin() + std::min<std::ptrdiff_t>(std::ssize(names), kNamesShown));
    return fmt::format("{}{}", fmt::join(first, ", "), names.size() > kNamesShown ? ", ..." : "");
}

/// What the step was looked into for, before what was found.
std::string leadOf(Trouble trouble, const NonFiniteFinding& finding)
{
    switch (trouble) {
    case Trouble::Skip:
        break;
    case Trouble::SkipAfterRest:
        return fmt::format(
            "The first skip after more than {} steps without. ", TroubleWatch::kRest);
    case Trouble::Loss:
        return "The loss is not finite. ";
    case Trouble::Gradient:
        return finding.cause == NonFiniteCause::NormOverflow
            ? "The gradient norm is not finite. "
            : "The loss is finite, a gradient is not. ";
    case Trouble::Anomaly:
        return "Anomaly mode stopped here. ";
    }
    return {};
}

/// The weights that a step began with, in the place of those of now, for a scope.
class WeightsOfThen {
public:
    /// `kept`: one a parameter; empty = those of now are right.
    WeightsOfThen(const std::vector<NamedTensor>& parameters, const std::vector<at::Tensor>& kept)
        : m_parameters(parameters)
    {
        const at::NoGradGuard noGrad;
        for (std::size_t i = 0; i < kept.size(); ++i) {
            m_now.push_back(parameters[i].tensor.detach().clone());
            parameters[i].tensor.copy_(kept[i]);
        }
    }
    ~WeightsOfThen()
    {
        const at::NoGradGuard noGrad;
        for (std::size_t i = 0; i < m_now.size(); ++i)
            m_parameters[i].tensor.copy_(m_now[i]);
    }
    WeightsOfThen(const WeightsOfThen&) = delete;
    WeightsOfThen& operator=(const WeightsOfThen&) = delete;

private:
    const std::vector<NamedTensor>& m_parameters;
    std::vector<at::Tensor> m_now;
};

/// Running statistics that a skipped step has changed for good.
Alert bufferAlert(const BufferGuard::Change& change)
{
    Alert alert;
    alert.kind = alert_kind::kBuffersChanged;
    alert.text = fmt::format("A skipped step changed {} running statistics", change.changed.size());
    alert.text += change.nonFinite.empty()
        ? fmt::format(": {}.", shownNames(change.changed))
        : fmt::format(
            "; {} are now not finite: {}.", change.nonFinite.size(), shownNames(change.nonFinite));
    alert.hypothesis = change.nonFinite.empty()
        ? "the weights were left alone, the statistics were not: they have seen a batch that "
          "overflowed. train.rollback_buffers = true leaves them as they were."
        : "evaluation will give NaN from now on: a running mean never gets rid of one. "
          "train.rollback_buffers = true leaves them as they were.";
    alert.evidence = {{"changed", change.changed}, {"non_finite", change.nonFinite}};
    return alert;
}

} // namespace

void Trainer::Private::checkBeforeFirstStep()
{
    auto findings = preflight(variant);
    // A model that cannot do even this tells why in its first step.
    try {
        PreflightSubject subject;
        subject.optimized = optimizers.front()->parameters();
        subject.parameters = model->parameters();
        // Of two players each has a loss of its own; the model's is the first one's.
        if (optimizers.size() > 1)
            std::erase_if(subject.parameters, [&](const NamedTensor& parameter) {
                return std::ranges::none_of(subject.optimized,
                    [&](const at::Tensor& held) { return held.is_same(parameter.tensor); });
            });
        const auto sample = trainSamples->allocate(1, false);
        trainSamples->fill({0}, 1, sample);
        subject.batch = onDevice(sample, device, variant.settings.device.channelsLast);
        subject.loss = [&](const Batch& batch) {
            std::optional<AutocastGuard> region;
            if (const auto type = autocastType(variant.precision))
                region.emplace(device.type(), *type, variant.settings.autocast.cache);
            return model->loss((*model)(batch.input), batch.target);
        };
        subject.precision = variant.precision;
        subject.usesScaler = scaler.isEnabled();
        subject.scale = scaler.scaleValue();
        subject.clipNorm = variant.settings.train.clipNorm;
        model->root().setTraining(false);
        const auto more = preflight(subject);
        findings.insert(findings.end(), more.begin(), more.end());
    } catch (const std::exception&) {
    }
    model->root().setTraining(true);
    for (const auto& finding : findings)
        events.push_back({std::string(event_kind::kWarning), std::nullopt, 0,
            "Before the first step: " + finding.text(), {{"preflight", finding.toJson()}}});
    if (variant.settings.debug.anomaly)
        events.push_back({std::string(event_kind::kWarning), std::nullopt, 0,
            "debug.anomaly is on: every step runs in LibTorch's anomaly mode and is slow; its "
            "speed and memory are no measure of the format.",
            {}});
}

Result<StepTensors> Trainer::Private::runStep()
{
    if (m_casts)
        return runStepAsAsked();
    const CastCount casts;
    auto step = runStepAsAsked();
    m_casts = casts.value();
    return step;
}

Result<StepTensors> Trainer::Private::runStepAsAsked()
{
    RECORD_USER_SCOPE(kStepScope); // for profile(); else it costs nothing
    if (!variant.settings.debug.anomaly)
        return trainStep->run(m_batches);
    // The mode has ended before the step is replayed: it would break that off as well.
    try {
        QuietWarnings quiet;
        const c10::WarningUtils::WarningHandlerGuard warnings(&quiet);
        const torch::autograd::DetectAnomalyGuard anomaly;
        return trainStep->run(m_batches);
    } catch (const c10::Error& error) {
        locateAnomaly();
        return fail(fmt::format(
            "debug.anomaly stopped the run at step {}: {}", steps, error.what_without_backtrace()));
    }
}

/// Where no scaler guards the weights, the update of a step with a NaN spoils them, and a replay
/// would find nothing but that: what the step began with is kept first. Where the values are on
/// another device, reading them here would make every step wait.
void Trainer::Private::watchUpdates()
{
    if (!variant.settings.debug.locate || scaler.isEnabled() || !device.is_cpu())
        return;
    trainStep->watchUpdates([this](const at::Tensor& loss, const at::Tensor& gradNorm) {
        return updateLooksBad(loss, gradNorm);
    });
}

bool Trainer::Private::updateLooksBad(const at::Tensor& loss, const at::Tensor& gradNorm)
{
    const StepSigns signs{steps, false, std::isfinite(floatValue(loss)),
        !gradNorm.defined() || std::isfinite(floatValue(gradNorm))};
    if (signs.fine())
        return false;
    if (!m_weightsBefore.empty() || !m_troubles.wouldSay(signs))
        return true;
    meter.suspend(); // freed in locate(), where nothing is counted either
    for (const auto& parameter : model->parameters())
        m_weightsBefore.push_back(parameter.tensor.detach().clone());
    meter.resume();
    return true;
}

/// The backward pass has been broken off: nothing was updated.
void Trainer::Private::locateAnomaly()
{
    // Of two players the one whose pass it was is not known.
    if (!variant.settings.debug.locate || optimizers.size() > 1)
        return;
    StepRecord record;
    record.step = steps;
    record.timeS = std::chrono::duration<double>(TimePoint::clock::now() - start).count();
    record.scale = scaler.scaleValue();
    record.foundInf = 1; // as with a skipped step, the weights are those it began with
    locate(record, Trouble::Anomaly);
}

void Trainer::Private::lookInto(const StepRecord& record)
{
    if (bufferGuard && record.foundInf != 0)
        guardBuffers(record);
    locateIfNew(record);
}

void Trainer::Private::locateIfNew(const StepRecord& record)
{
    // Where nobody took the norm it is NaN on the CPU.
    const bool hasNorm = options.gradNorm || variant.settings.train.clipNorm > 0;
    const StepSigns signs{record.step, record.foundInf != 0, std::isfinite(record.loss),
        !hasNorm || std::isfinite(record.gradNorm)};
    if (signs.fine() || !variant.settings.debug.locate)
        return;
    if (const auto trouble = m_troubles.look(signs))
        locate(record, *trouble);
}

void Trainer::Private::guardBuffers(const StepRecord& record)
{
    const bool rollback = variant.settings.train.rollbackBuffers;
    const auto change = bufferGuard->endSkipped(rollback);
    const bool isNews = !change.changed.empty()
        && (!m_buffersTold || (!m_badBuffersTold && !change.nonFinite.empty()));
    if (rollback || !isNews || !variant.settings.watch.enabled)
        return;
    m_buffersTold = true;
    m_badBuffersTold = m_badBuffersTold || !change.nonFinite.empty();
    events.push_back(alertEvent(bufferAlert(change), record.step, record.timeS));
}

bool Trainer::Private::weightsAreFinite() const
{
    return std::ranges::all_of(model->parameters(), [](const NamedTensor& parameter) {
        return at::isfinite(parameter.tensor).all().item<bool>();
    });
}

NonFiniteFinding Trainer::Private::findingOf(const StepRecord& record, std::int64_t since)
{
    const bool wasApplied = record.foundInf == 0;
    if (wasApplied && since > 0 && !weightsAreFinite()) {
        NonFiniteFinding finding;
        finding.cause = NonFiniteCause::WeightsLost;
        return finding;
    }
    const WeightsOfThen then(model->parameters(), m_weightsBefore);
    const auto batches = since == 0
        ? m_batches
        : loader->again((record.step - 1) * variant.settings.train.accumulate);
    auto finding = trainStep->locate({batches, record.scale, since});
    if (wasApplied && !finding.first && std::isfinite(record.loss))
        finding.cause = NonFiniteCause::NormOverflow;
    return finding;
}

void Trainer::Private::locate(const StepRecord& record, Trouble trouble)
{
    LifecycleEvent event;
    event.step = record.step;
    event.timeS = record.timeS;
    const auto since = steps - record.step;
    meter.suspend();
    // A replay that fails says so; the run goes on.
    try {
        const auto finding = findingOf(record, since);
        event.kind = event_kind::kNonFiniteLocated;
        event.message = leadOf(trouble, finding) + finding.text();
        event.data = finding.toJson();
        event.data["trouble"] = toString(trouble);
        if (since > 0) {
            event.message += fmt::format(" (Replayed with the weights of {} later.)",
                since == 1 ? "one step" : fmt::format("{} steps", since));
            event.data["steps_since"] = since;
        }
    } catch (const c10::Error& error) {
        event.kind = event_kind::kWarning;
        event.message = fmt::format(
            "Step {} could not be replayed: {}", record.step, error.what_without_backtrace());
    }
    m_weightsBefore.clear();
    meter.resume();
    events.push_back(std::move(event));
}

} // namespace mantissa
