// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/step_record.h"
#include "core/run/run_event.h"

#include <chrono>
#include <vector>

namespace mantissa {

class EventSender;

/// Gathers step records and the events that go with them, and sends them as one Samples line every
/// 50 ms or 256 steps. One thread.
class StepBatcher {
public:
    struct Layout {
        bool scaler = false; ///< scale, growth_tracker, found_inf
        bool cuda = false; ///< reserved_bytes
        bool gradNorm = true;
    };

    StepBatcher(EventSender& sender, const Layout& layout);

    void add(const StepRecord& record);
    /// Sent after the samples gathered so far.
    void add(LifecycleEvent event);
    /// Sends if it is time to.
    void tick(std::chrono::steady_clock::time_point now);
    void flush();

private:
    struct Column {
        double StepRecord::*field;
        SeriesValues series;
    };

    EventSender& m_sender;
    std::vector<Column> m_columns;
    std::vector<LifecycleEvent> m_events;
    std::int64_t m_firstStep = 0;
    std::int64_t m_count = 0;
    std::chrono::steady_clock::time_point m_lastFlush;
};

} // namespace mantissa
