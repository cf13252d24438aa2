// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/watchers.h"

#include "core/base/human_text.h"
#include "core/base/number_text.h"
#include "core/config/config_io.h"
#include "core/numerics/scaler_setting.h"

#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace mantissa {

namespace {

/// Below so many applied steps a scaler is still looking for its scale.
constexpr std::int64_t kSettledAfter = 10;
/// Skipped steps at the floor: two may still be chance.
constexpr std::int64_t kFloorSkips = 3;

bool needsNoScaler(Precision precision)
{
    return precision != Precision::Fp16;
}

} // namespace

LifecycleEvent alertEvent(const Alert& alert, std::optional<std::int64_t> step, double timeS)
{
    LifecycleEvent event;
    event.kind = event_kind::kAlert;
    event.step = step;
    event.timeS = timeS;
    event.message = alert.hypothesis.empty()
        ? alert.text
        : fmt::format("{} Hypothesis: {}", alert.text, alert.hypothesis);
    event.data = {{"alert", alert.kind}, {"text", alert.text}, {"hypothesis", alert.hypothesis},
        {"evidence", alert.evidence}};
    return event;
}

bool Watchers::Latch::rise(bool condition)
{
    const bool was = std::exchange(raised, condition);
    return condition && !was && ++count <= kMostOfAKind;
}

Watchers::Watchers(const Variant& variant, std::int64_t stepsPerEpoch)
    : m_limits(variant.settings.watch)
    , m_precision(variant.precision)
    , m_scaler(variant.settings.scaler)
    , m_stepsPerEpoch(stepsPerEpoch)
{
}

void Watchers::setScaler(std::string_view key, const nlohmann::json& value)
{
    adoptSetting(m_scaler, key, value);
}

std::vector<Alert> Watchers::step(const WatchedStep& step)
{
    if (!m_limits.enabled)
        return {};
    m_alerts.clear();
    m_row = step.skipped ? m_row + 1 : 0;
    m_applied += step.skipped ? 0 : 1;
    watchSkipsInARow(step);
    watchSkipRate(step);
    watchEpoch(step);
    if (std::isfinite(step.scale)) {
        watchScaleRange(step);
        watchFloor(step);
        watchGrowth(step);
    }
    if (step.hasLoss)
        watchLoss(step);
    m_before = step;
    return std::exchange(m_alerts, {});
}

void Watchers::raise(
    std::string_view kind, std::string text, std::string hypothesis, nlohmann::json evidence)
{
    m_alerts.push_back({kind, std::move(text), std::move(hypothesis), std::move(evidence)});
}

std::string Watchers::skipHypothesis(const WatchedStep& step) const
{
    if (step.hasLoss && !std::isfinite(step.loss))
        return "the forward pass is already not finite (data, weights or an activation over the "
               "format's range); no loss scale helps against that.";
    if (step.scale < 1)
        return "the gradients are not finite for another reason than the scale; backing off "
               "further cannot help. See which tensor was first.";
    if (m_applied < kSettledAfter)
        return fmt::format("the first scale is too high and the scaler is looking for one that "
                           "fits: harmless if it ends soon. A lower scaler.init_scale (now {}) "
                           "saves these steps.",
            scaleText(m_scaler.initScale));
    return "the gradients have grown (learning rate too high, a bad batch), or an operation "
           "overflows whatever the scale is.";
}

void Watchers::watchSkipsInARow(const WatchedStep& step)
{
    const auto limit = m_limits.consecutiveSkips;
    if (!m_rowLatch.rise(limit > 0 && m_row >= limit))
        return;
    raise(alert_kind::kConsecutiveSkips,
        fmt::format("{} steps in a row were skipped; the last one had a loss scale of {}.",
            groupedText(m_row), scaleText(step.scale)),
        skipHypothesis(step),
        {{"skips", m_row}, {"scale", numberToJson(step.scale)}, {"applied_before", m_applied}});
}

void Watchers::watchSkipRate(const WatchedStep& step)
{
    auto& slot = m_window[static_cast<std::size_t>(step.step) % kWindow];
    m_windowSkips += (step.skipped ? 1 : 0) - (slot ? 1 : 0);
    slot = step.skipped;
    const double limit = m_limits.skipPercent / 100 * static_cast<double>(kWindow);
    // Falls again at half the limit, so that a rate around it is told once.
    const auto skips = static_cast<double>(m_windowSkips);
    const bool above = limit > 0 && (m_rateLatch.raised ? skips > limit / 2 : skips > limit);
    if (!m_rateLatch.rise(above))
        return;
    raise(alert_kind::kSkipRate,
        fmt::format("{} of the last {} steps were skipped, more than {} %.", m_windowSkips,
            groupedText(std::min<std::int64_t>(step.step, kWindow)), toText(m_limits.skipPercent)),
        m_applied < kSettledAfter
            ? skipHypothesis(step)
            : fmt::format("the scale grows too soon into an overflow: one skip a growth_interval "
                          "(now {} steps) is normal, more than that means unsteady gradients. A "
                          "longer interval, scaler.max_scale or clipping may help.",
                groupedText(m_scaler.growthInterval)),
        {{"skips", m_windowSkips}, {"steps", std::min<std::int64_t>(step.step, kWindow)}});
}

void Watchers::watchEpoch(const WatchedStep& step)
{
    if (m_stepsPerEpoch <= 0)
        return;
    const auto epoch = (step.step - 1) / m_stepsPerEpoch + 1;
    if (epoch != std::exchange(m_epoch, epoch)) {
        m_epochSkips = 0;
        m_epochLatch.raised = false;
    }
    m_epochSkips += step.skipped ? 1 : 0;
    const auto limit = m_limits.skipsPerEpoch;
    if (!m_epochLatch.rise(limit > 0 && m_epochSkips > limit))
        return;
    raise(alert_kind::kSkipsPerEpoch,
        fmt::format("{} steps of epoch {} were skipped, more than {} an epoch.", m_epochSkips,
            epoch, limit),
        skipHypothesis(step),
        {{"skips", m_epochSkips}, {"epoch", epoch}, {"steps_per_epoch", m_stepsPerEpoch}});
}

void Watchers::watchScaleRange(const WatchedStep& step)
{
    const nlohmann::json evidence{{"scale", step.scale}, {"low", m_limits.scaleLow},
        {"high", m_limits.scaleHigh}, {"skipped", step.skipped}};
    if (m_lowLatch.rise(step.scale < m_limits.scaleLow))
        raise(alert_kind::kScaleLow,
            fmt::format("The loss scale is {}, below {}.", scaleText(step.scale),
                toText(m_limits.scaleLow)),
            "repeated overflows have driven it down; at so small a scale small gradients become "
            "0. A floor (scaler.min_scale), a shorter growth_interval or bf16 may help.",
            evidence);
    const double high = m_limits.scaleHigh;
    if (m_highLatch.rise(high > 0 && step.scale > high))
        raise(alert_kind::kScaleHigh,
            fmt::format("The loss scale is {}, above {}.", scaleText(step.scale), toText(high)),
            step.step <= 1
                ? "scaler.init_scale is set so high; each halving on the way down costs a step."
                : "the gradients are very small and never overflow: fp16 does not need so large a "
                  "scale. scaler.max_scale stops the growth.",
            evidence);
    if (m_oneLatch.rise(step.scale < 1))
        raise(alert_kind::kScaleBelowOne,
            fmt::format("The loss scale is {}: the loss is made smaller, not larger.",
                significantText(step.scale, 3)),
            "either the loss itself is very large (a sum in place of a mean?), or the gradients "
            "are not finite at any scale.",
            evidence);
}

void Watchers::watchFloor(const WatchedStep& step)
{
    if (!m_scaler.floor())
        return;
    const bool atFloor = step.scale <= *m_scaler.floor();
    m_floorSkips = atFloor ? m_floorSkips + (step.skipped ? 1 : 0) : 0;
    if (!m_floorLatch.rise(m_floorSkips >= kFloorSkips))
        return;
    raise(alert_kind::kScaleAtFloor,
        fmt::format("The loss scale is stuck at its floor {}: {} steps were skipped there.",
            scaleText(*m_scaler.floor()), m_floorSkips),
        "the floor is too high for this model, or the gradients are not finite at any scale: a "
        "lower scaler.min_scale tells which.",
        {{"scale", step.scale}, {"min_scale", *m_scaler.floor()}, {"skips", m_floorSkips}});
}

void Watchers::watchLoss(const WatchedStep& step)
{
    if (std::isfinite(step.loss)) {
        m_lossLatch.raised = false;
        m_lastFinite = step;
        return;
    }
    if (!m_lossLatch.rise(true))
        return;
    nlohmann::json evidence{{"loss", numberToJson(step.loss)}};
    std::string before = " No step before it had a finite loss.";
    if (m_lastFinite.step > 0) {
        evidence["last_finite_step"] = m_lastFinite.step;
        evidence["last_finite_loss"] = m_lastFinite.loss;
        evidence["grad_norm_before"] = numberToJson(m_lastFinite.gradNorm);
        evidence["scale_before"] = numberToJson(m_lastFinite.scale);
        before = fmt::format(" The last finite one was {} at step {}, with a gradient norm of {}"
                             "{}.",
            lossText(m_lastFinite.loss), groupedText(m_lastFinite.step),
            significantText(m_lastFinite.gradNorm, 3),
            std::isfinite(m_lastFinite.scale)
                ? " and a loss scale of " + scaleText(m_lastFinite.scale)
                : "");
    }
    raise(alert_kind::kNonFiniteLoss, fmt::format("The loss is {}.{}", toText(step.loss), before),
        step.skipped || m_precision == Precision::Fp16 || m_precision == Precision::Bf16
            ? "an activation left the format's range, or the data or weights are not finite. A "
              "run of the same seed in fp32 tells which."
            : "the training diverged (learning rate), or the data are not finite.",
        std::move(evidence));
}

void Watchers::watchGrowth(const WatchedStep& step)
{
    const bool grew = m_before.step > 0 && step.scale > m_before.scale;
    m_growths = step.skipped ? 0 : m_growths + (grew ? 1 : 0);
    const auto limit = m_limits.freeGrowths;
    if (!needsNoScaler(m_precision) || limit == 0 || !m_growthLatch.rise(m_growths >= limit))
        return;
    raise(alert_kind::kFreeGrowth,
        fmt::format("The loss scale grew {} times without a skipped step, to {}.", m_growths,
            scaleText(step.scale)),
        fmt::format("{} has the range of fp32, so nothing ever overflows and the scale grows "
                    "without end: the GradScaler has no effect here. scaler.enabled = \"auto\" "
                    "leaves it out.",
            toString(m_precision)),
        {{"growths", m_growths}, {"scale", step.scale}, {"precision", toString(m_precision)}});
}

} // namespace mantissa
