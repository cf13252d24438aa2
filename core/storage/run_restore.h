// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/controller.h"
#include "core/storage/host_identity.h"
#include "core/storage/run_progress.h"
#include "core/storage/series_buffer.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cstdint>

/// How a stored run goes on from a checkpoint. These throw SQLite::Exception: call them inside
/// guardStore(), in one transaction.
namespace mantissa {

/// Makes `host` the owner of a run that has ended and queues it; false if it has not ended, or
/// another program was faster.
bool takeOverRun(
    SQLite::Database& db, std::int64_t run, const HostIdentity& host, std::int64_t nowMs);

/// What the run's next writer begins with.
struct RestoredRun {
    RunProgress progress;
    SeriesBuffers series; ///< each with its last, unfinished chunk
    std::size_t lost = 0;
    std::string endedAs; ///< state and reason before, for a note
};

/// Cuts the run's series and events back to `plan.resume` and reads what is left. The cut chunks
/// are in the returned buffers, not in the file: write them in the same transaction.
RestoredRun cutBack(SQLite::Database& db, std::int64_t run, const PlannedRun& plan);

} // namespace mantissa
