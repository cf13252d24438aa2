// SPDX-License-Identifier: GPL-3.0-or-later
// What a Trainer does beside training: the check before the first step, anomaly mode, and what
// follows a skipped step. None of it is part of a step's time, anomaly mode excepted.
#include "core/engine/autocast_guard.h"
#include "core/engine/cast_count.h"
#include "core/engine/preflight_check.h"
#include "core/engine/trainer_private.h"
#include "core/run/watchers.h"

#include <ATen/ATen.h>
#include <algorithm>
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
    QuietWarnings quiet;
    const c10::WarningUtils::WarningHandlerGuard warnings(&quiet);
    const torch::autograd::DetectAnomalyGuard anomaly;
    try {
        return trainStep->run(m_batches);
    } catch (const c10::Error& error) {
        return fail(fmt::format(
            "debug.anomaly stopped the run at step {}: {}", steps, error.what_without_backtrace()));
    }
}

void Trainer::Private::lookIntoSkip(const StepRecord& record)
{
    if (bufferGuard)
        guardBuffers(record);
    locateIfDue(record);
}

void Trainer::Private::locateIfDue(const StepRecord& record)
{
    const auto& debug = variant.settings.debug;
    if (debug.locate && (m_locatedAt == 0 || record.step - m_locatedAt >= debug.locateEvery)) {
        m_locatedAt = record.step;
        locate(record);
    }
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

void Trainer::Private::locate(const StepRecord& record)
{
    LifecycleEvent event;
    event.step = record.step;
    event.timeS = record.timeS;
    const auto since = steps - record.step;
    // A replay that fails says so; the run goes on.
    try {
        const auto batches = since == 0
            ? m_batches
            : loader->again((record.step - 1) * variant.settings.train.accumulate);
        const auto finding = trainStep->locate({batches, record.scale, since});
        event.kind = event_kind::kNonFiniteLocated;
        event.message = finding.text();
        event.data = finding.toJson();
        if (since > 0) {
            event.message += fmt::format(" (Replayed with the weights of {} later.)",
                since == 1 ? "one step" : fmt::format("{} steps", since));
            event.data["steps_since"] = since;
        }
    } catch (const c10::Error& error) {
        event.kind = event_kind::kWarning;
        event.message = std::string("The skipped step could not be replayed: ")
            + error.what_without_backtrace();
    }
    events.push_back(std::move(event));
}

} // namespace mantissa
