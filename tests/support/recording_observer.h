// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/controller.h"

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa::test {

/// Keeps everything a controller tells, with the time it came. Any thread may ask.
class RecordingObserver : public RunObserver {
public:
    using Clock = std::chrono::steady_clock;
    struct Entry {
        int run = 0;
        Clock::time_point when;
        bool isState = false;
        RunEvent event; ///< if !isState
        RunOutcome outcome; ///< if isState
    };

    void onEvent(int run, const RunEvent& event) override;
    void onState(int run, const RunOutcome& outcome) override;
    void onAllEnded() override;

    std::vector<Entry> entries() const;
    int allEndedCalls() const;

    /// Last step of which samples came.
    std::int64_t lastStep(int run) const;
    /// All values of a step series in the order they came.
    std::vector<double> samples(int run, std::string_view series) const;
    /// Steps of these samples in the order they came.
    std::vector<std::int64_t> steps(int run) const;
    /// Messages of the host's notes.
    std::vector<std::string> notes(int run) const;
    std::vector<RunState> states(int run) const;
    std::size_t count(int run, std::string_view lifecycleKind) const;
    bool has(int run, std::string_view lifecycleKind) const
    {
        return count(run, lifecycleKind) > 0;
    }

private:
    mutable std::mutex m_mutex;
    std::vector<Entry> m_entries;
    int m_allEndedCalls = 0;
};

} // namespace mantissa::test
