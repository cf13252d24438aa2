// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/controller.h"
#include "core/storage/host_identity.h"
#include "core/storage/run_progress.h"
#include "core/storage/run_restore.h"
#include "core/storage/series_buffer.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <chrono>
#include <cstdint>
#include <vector>

namespace mantissa {

/// Everything of one run that is on its way into the file. For the writer's thread.
class RunWriter {
public:
    RunWriter(std::int64_t id, const PlannedRun& plan);
    /// A run of the file that goes on; see cutBack().
    RunWriter(std::int64_t id, RestoredRun restored);

    std::int64_t id() const { return m_id; }
    void apply(const RunEvent& event);
    void apply(const RunOutcome& outcome, std::int64_t atMs);
    /// `count` more points could not be kept.
    void addLost(std::size_t count);

    bool ended() const { return isEnd(m_progress.outcome().state); }
    std::size_t uncommitted() const { return m_series.uncommitted(); }
    bool dirty(std::int64_t nowMs) const;
    /// Inside a transaction. Throws SQLite::Exception; may be called again after a failure.
    void write(SQLite::Database& db, std::int64_t nowMs);
    /// True if the transaction told of a new checkpoint.
    bool committed();
    /// The last step whose samples have been written.
    std::int64_t lastStep() const { return m_progress.outcome().stepsAttempted; }

private:
    void writeEvents(SQLite::Database& db);
    void writeRow(SQLite::Database& db, std::int64_t nowMs);
    void writeEnvironment(SQLite::Database& db, std::int64_t nowMs);
    void refreshSummary();

    std::int64_t m_id;
    RunProgress m_progress;
    SeriesBuffers m_series;
    std::vector<LifecycleEvent> m_events;
    std::size_t m_lost = 0;
    bool m_rowDirty = false;
    bool m_environmentDirty = false;
    std::int64_t m_heartbeatMs = 0;
    std::int64_t m_writtenHeartbeatMs = 0;
    RunSummary m_summary;
    bool m_summaryStale = false;
    std::chrono::steady_clock::time_point m_nextSummary;
};

/// Inserts a comparison's row and its runs', state queued; returns the ids, the comparison's first.
std::vector<std::int64_t> insertComparison(SQLite::Database& db, const ExperimentConfig& config,
    const std::vector<PlannedRun>& plan, const HostIdentity& host, std::int64_t nowMs);

} // namespace mantissa
