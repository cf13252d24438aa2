// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"
#include "core/run/run_event.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa {

/// Words of Alert::kind. Stored: never rename one.
namespace alert_kind {
inline constexpr std::string_view kConsecutiveSkips = "consecutive_skips";
inline constexpr std::string_view kSkipRate = "skip_rate";
inline constexpr std::string_view kSkipsPerEpoch = "skips_per_epoch";
inline constexpr std::string_view kScaleLow = "scale_low";
inline constexpr std::string_view kScaleHigh = "scale_high";
inline constexpr std::string_view kScaleBelowOne = "scale_below_one";
inline constexpr std::string_view kScaleAtFloor = "scale_at_floor";
inline constexpr std::string_view kNonFiniteLoss = "non_finite_loss";
inline constexpr std::string_view kNonFiniteValidation = "non_finite_validation";
inline constexpr std::string_view kFreeGrowth = "growth_without_end";
inline constexpr std::string_view kBuffersChanged = "buffers_changed";
inline constexpr std::string_view kMemoryGain = "memory_gain";
inline constexpr std::string_view kSpeedGain = "speed_gain";
} // namespace alert_kind

/// Something that deserves a look, in plain words.
struct Alert {
    std::string_view kind; ///< one of alert_kind
    std::string text; ///< what was seen
    std::string hypothesis; ///< what may be behind it, and what to try: a guess
    nlohmann::json evidence = nlohmann::json::object(); ///< the numbers behind `text`
};

/// The event of an alert: kind `alert`, data `alert`, `text`, `hypothesis`, `evidence`.
LifecycleEvent alertEvent(const Alert& alert, std::optional<std::int64_t> step, double timeS);

/// One step as the watchers see it. NaN = the run has no such series.
struct WatchedStep {
    std::int64_t step = 0; ///< 1-based
    double timeS = std::numeric_limits<double>::quiet_NaN();
    double loss = std::numeric_limits<double>::quiet_NaN();
    double gradNorm = std::numeric_limits<double>::quiet_NaN();
    double scale = std::numeric_limits<double>::quiet_NaN(); ///< used in this step
    bool hasLoss = false;
    bool skipped = false;
};

/// Watches the steps of one run and raises alerts: each once when its condition begins, again only
/// after the condition has ended, and at most kMostOfAKind times. Pure; not shared by threads.
class Watchers {
public:
    static constexpr int kMostOfAKind = 10;
    static constexpr std::size_t kWindow = 1000; ///< steps of the skip rate

    /// `stepsPerEpoch` 0 = not known: skips per epoch are then not watched.
    explicit Watchers(const Variant& variant, std::int64_t stepsPerEpoch = 0);

    void setStepsPerEpoch(std::int64_t steps) { m_stepsPerEpoch = steps; }

    /// A setting of the scaler has been changed during the run: as the event setting_changed says.
    void setScaler(std::string_view key, const nlohmann::json& value);

    /// The next step; steps come in order.
    std::vector<Alert> step(const WatchedStep& step);

private:
    /// Raised while true; an alert is due at the change from false to true.
    struct Latch {
        bool raised = false;
        int count = 0;
        bool rise(bool condition);
    };

    void watchSkipsInARow(const WatchedStep& step);
    void watchSkipRate(const WatchedStep& step);
    void watchEpoch(const WatchedStep& step);
    void watchScaleRange(const WatchedStep& step);
    void watchFloor(const WatchedStep& step);
    void watchLoss(const WatchedStep& step);
    void watchGrowth(const WatchedStep& step);
    void raise(
        std::string_view kind, std::string text, std::string hypothesis, nlohmann::json evidence);
    std::string skipHypothesis(const WatchedStep& step) const;

    WatchConfig m_limits;
    Precision m_precision;
    ScalerConfig m_scaler;
    std::int64_t m_stepsPerEpoch;

    std::vector<Alert> m_alerts; ///< of the present step
    Latch m_rowLatch, m_rateLatch, m_epochLatch, m_lowLatch, m_highLatch, m_oneLatch, m_floorLatch,
        m_lossLatch, m_growthLatch;
    std::int64_t m_row = 0; ///< skipped steps in a row
    std::int64_t m_applied = 0;
    std::array<bool, kWindow> m_window{};
    std::int64_t m_windowSkips = 0;
    std::int64_t m_epoch = 0;
    std::int64_t m_epochSkips = 0;
    std::int64_t m_floorSkips = 0;
    std::int64_t m_growths = 0; ///< since the last skip
    WatchedStep m_before; ///< the step before
    WatchedStep m_lastFinite; ///< the last step with a finite loss
};

} // namespace mantissa
