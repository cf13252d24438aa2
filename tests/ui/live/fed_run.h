// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/live_buffer.h"
#include "tests/support/store_fixture.h"
#include "ui/live/live_plots.h"

#include <memory>
#include <string>
#include <vector>

/// A comparison whose events a test gives by hand.
namespace mantissa::ui::samples {

class FedRun {
public:
    explicit FedRun(const std::vector<Precision>& precisions)
        : m_buffer(test::planOf(test::experiment(precisions)))
    {
        std::vector<Precision> all;
        for (const PlannedRun& run : m_buffer.plan())
            all.push_back(run.variant.precision);
        const auto colours = variantColours(all);
        for (const PlannedRun& run : m_buffer.plan())
            variants.push_back(
                {std::make_shared<RunTrace>(run), colours[static_cast<std::size_t>(run.index)],
                    QString::fromStdString(run.variant.name)});
    }

    /// Steps from `first` on, which end at these seconds.
    void steps(int run, std::int64_t first, const std::vector<double>& endTimes)
    {
        Samples samples{first, static_cast<std::int64_t>(endTimes.size()), {}};
        samples.series = {{"loss", std::vector<double>(endTimes.size(), 0.5)}, {"time_s", endTimes},
            {"samples_per_second", std::vector<double>(endTimes.size(), 1000)}};
        give(run, samples);
    }

    void points(
        int run, std::vector<double> seconds, const std::string& series, std::vector<double> values)
    {
        give(run, Points{Axis::Time, std::move(seconds), {{series, std::move(values)}}});
    }

    void validation(int run, double step, double metric, double loss, double badRows)
    {
        give(run,
            Points{Axis::Step, {step},
                {{"metric", {metric}}, {"validation_loss", {loss}},
                    {"validation_non_finite", {badRows}}}});
    }

    void event(int run, std::string_view kind, double timeS, const std::string& message)
    {
        LifecycleEvent event;
        event.kind = kind;
        event.timeS = timeS;
        event.message = message;
        give(run, event);
    }

    void end(int run, RunState state)
    {
        m_buffer.onState(run, test::outcome(state));
        poll();
    }

    std::vector<LiveVariant> variants;

private:
    void give(int run, const RunEvent& event)
    {
        m_buffer.onEvent(run, event);
        poll();
    }

    void poll()
    {
        for (const LiveVariant& variant : variants)
            variant.trace->poll(m_buffer);
    }

    LiveBuffer m_buffer;
};

} // namespace mantissa::ui::samples
