// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/controller.h"
#include "core/run/gain_alerts.h"
#include "core/run/validation_watch.h"
#include "core/run/watchers.h"

#include <deque>
#include <vector>

namespace mantissa {

/// Stands between the workers and the observers: passes everything on and adds the alerts that the
/// samples give rise to, right behind them; what compares two runs comes before the 16-bit run's
/// end. Works with any worker. Controller's thread.
class AlertSource : public RunObserver {
public:
    /// `plan` and `next` must outlive this.
    AlertSource(const std::vector<PlannedRun>& plan, RunObserver& next);

    void onEvent(int run, const RunEvent& event) override;
    void onState(int run, const RunOutcome& outcome) override;
    void onAllEnded() override;

private:
    /// Evenly thinned values of a series of any length, for its median.
    class Thinned {
    public:
        void add(double value);
        double median() const; ///< 0 without values

    private:
        static constexpr std::size_t kMost = 4096;
        std::vector<double> m_values;
        std::int64_t m_stride = 1;
        std::int64_t m_seen = 0;
    };
    struct Watched {
        explicit Watched(const Variant& variant);
        Watchers watchers;
        ValidationWatch validations;
        Thinned samplesPerSecond;
        Thinned stepMs;
        double peakMemoryBytes = 0;
        std::int64_t measured = 0;
        std::int64_t blockStep = 0; ///< first step of the present block
        double timeS = 0;
        std::int64_t lastStep = 0;
        std::string formatClass;
        bool ended = false;
    };

    void watch(int run, const Samples& samples);
    void watch(int run, const Points& points);
    void tellWaiting(int baseline);
    std::optional<int> baselineOf(int run) const;
    void measure(Watched& watched, const Samples& samples);
    void learn(int run, const nlohmann::json& environment);
    void compare(int run);
    RunFigures figures(int run) const;

    const std::vector<PlannedRun>& m_plan;
    RunObserver& m_next;
    std::deque<Watched> m_watched; ///< one a planned run
};

} // namespace mantissa
