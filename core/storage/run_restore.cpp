// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/run_restore.h"

#include "core/run/series_info.h"
#include "core/storage/store_records.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace mantissa {

namespace {

using SQLite::Database;
using SQLite::Statement;

constexpr const char* kResumableStates = "('stopped', 'failed', 'killed', 'interrupted')";

void cutEvents(Database& db, std::int64_t run, const ResumePoint& point)
{
    Statement remove(db,
        "DELETE FROM event WHERE run_id = ?1"
        " AND (step > ?2 OR (step IS NULL AND time_s > ?3))");
    remove.bind(1, run);
    remove.bind(2, point.step);
    remove.bind(3, point.timeS);
    remove.exec();
}

/// Removes a series' points beyond `limit` and moves its last chunk into `buffers`.
void cutSeries(Database& db, std::int64_t id, const std::string& name, Axis axis, double limit,
    SeriesBuffers& buffers)
{
    Statement chunks(db,
        "SELECT number, first_x, count, x, y FROM chunk WHERE series_id = ? ORDER BY number DESC");
    Statement remove(db, "DELETE FROM chunk WHERE series_id = ? AND number = ?");
    chunks.bind(1, id);
    while (chunks.executeStep()) {
        const auto number = chunks.getColumn(0).getInt64();
        SeriesSlice slice;
        const bool whole = appendStoredChunk(chunks, 1, slice);
        const auto kept =
            static_cast<std::size_t>(std::ranges::upper_bound(slice.x, limit) - slice.x.begin());
        const bool isFull = kept == kChunkPoints;
        if (whole && isFull) {
            buffers.restore(name, axis, {id, number + 1, {}, {}});
            return;
        }
        remove.reset();
        remove.bind(1, id);
        remove.bind(2, number);
        remove.exec();
        if (!whole || kept == 0)
            continue;
        slice.x.resize(kept);
        slice.y.resize(kept);
        buffers.restore(name, axis, {id, number, std::move(slice.x), std::move(slice.y)});
        return;
    }
}

void cutAllSeries(Database& db, std::int64_t run, const ResumePoint& point, SeriesBuffers& buffers)
{
    Statement query(db, "SELECT id, name, axis FROM series WHERE run_id = ?");
    query.bind(1, run);
    while (query.executeStep()) {
        const auto axis = query.getColumn(2).getString() == "time" ? Axis::Time : Axis::Step;
        const double limit = axis == Axis::Time ? point.timeS : static_cast<double>(point.step);
        cutSeries(db, query.getColumn(0).getInt64(), query.getColumn(1).getString(), axis, limit,
            buffers);
    }
}

/// The figures that a summary is made from, told to `progress` as if they came in now.
void replaySeries(Database& db, std::int64_t run, double limit, RunProgress& progress)
{
    for (const auto name : {series::kLoss, series::kStepMs, series::kSamplesPerSecond,
             series::kPeakMemoryBytes, series::kScale, series::kMetric}) {
        auto slice = querySlice(db, run, std::string(name));
        if (!slice)
            continue;
        const auto kept = std::ranges::upper_bound(slice->x, limit) - slice->x.begin();
        slice->x.resize(static_cast<std::size_t>(kept));
        slice->y.resize(static_cast<std::size_t>(kept));
        if (kept == 0)
            continue;
        if (name == series::kMetric)
            progress.apply(Points{Axis::Step, slice->x, {{std::string(name), slice->y}}});
        else
            progress.apply(Samples{static_cast<std::int64_t>(slice->x.front()),
                static_cast<std::int64_t>(kept), {{std::string(name), std::move(slice->y)}}});
    }
    for (const auto& event : queryEvents(db, run)) {
        if (event.kind == event_kind::kBlockStarted)
            progress.apply(event);
    }
}

} // namespace

bool takeOverRun(Database& db, std::int64_t run, const HostIdentity& host, std::int64_t now)
{
    Statement update(db,
        fmt::format("UPDATE run SET state = 'queued', ended_ms = 0, heartbeat_ms = ?,"
                    " host_pid = ?, host_start = ?, host_boot_id = ?, host_namespace = ?,"
                    " host_name = ? WHERE id = ? AND state IN {}",
            kResumableStates));
    int at = 1;
    update.bind(at++, now);
    update.bind(at++, host.pid);
    update.bind(at++, host.startTicks);
    update.bind(at++, host.bootId);
    update.bind(at++, host.pidNamespace);
    update.bind(at++, host.hostName);
    update.bind(at++, run);
    return update.exec() > 0;
}

RestoredRun cutBack(Database& db, std::int64_t run, const PlannedRun& plan)
{
    const auto& point = *plan.resume;
    const auto record =
        queryRuns(db, "WHERE r.id = ?", [&](Statement& query) { query.bind(1, run); }).front();
    RestoredRun restored{RunProgress(plan.variant.usesScaler()), {},
        static_cast<std::size_t>(record.samplesLost), record.reason};
    cutEvents(db, run, point);
    replaySeries(db, run, static_cast<double>(point.step), restored.progress);
    restored.progress.goOnFrom(point, record.environment, record.startedMs);
    cutAllSeries(db, run, point, restored.series);
    return restored;
}

} // namespace mantissa
