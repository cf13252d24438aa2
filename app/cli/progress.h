// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/options.h"
#include "core/run/live_buffer.h"

#include <chrono>
#include <string>
#include <vector>

namespace mantissa::cli {

/// Shows how a comparison goes, on stderr: a block of lines redrawn in place on a terminal, else a
/// plain line at every change of state and every 10 s. What deserves a look (alerts, warnings, the
/// first non-finite tensor) is printed as it comes. Main thread only.
class Progress {
public:
    Progress(const GlobalOptions& global, const LiveBuffer& buffer);

    /// Call about ten times a second; draws only what changed.
    void update();
    /// Draws the last state and leaves it standing.
    void finish();

private:
    struct Row {
        RunState state = RunState::Queued;
        std::size_t lossCount = 0;
        std::size_t scaleCount = 0;
        double loss = 0;
        double scale = 0;
        bool hasLoss = false;
        std::size_t eventCount = 0;
    };

    void readNewPoints();
    /// Alerts and the like since the last call, a line each.
    std::vector<std::string> newNotes();
    void printNotes();
    void redraw();
    void printStateChanges();
    bool isShown(std::size_t run) const;
    std::string line(std::size_t run, bool withBar) const;
    std::string figures(std::size_t run, const LiveRunStatus& status) const;

    const LiveBuffer& m_buffer;
    bool m_quiet;
    bool m_redraws; ///< a terminal that understands cursor movement
    bool m_colors;
    std::size_t m_nameWidth = 0;
    std::vector<Row> m_rows;
    std::size_t m_drawnLines = 0;
    std::uint64_t m_revision = ~std::uint64_t{0};
    std::chrono::steady_clock::time_point m_lastPlainLine;
};

} // namespace mantissa::cli
