// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/unix_time.h"
#include "core/storage/run_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <functional>
#include <string>
#include <vector>

/// Rows of a store as records. These throw SQLite::Exception: call them inside guardStore().
namespace mantissa {

/// `tail` begins after "FROM run r JOIN comparison c", e.g. "WHERE r.id = ?"; `bind` its values.
/// Without `details` config and environment stay null.
std::vector<RunRecord> queryRuns(SQLite::Database& db, const std::string& tail,
    const std::function<void(SQLite::Statement&)>& bind, bool details = true);

std::vector<ComparisonRecord> queryComparisons(SQLite::Database& db, const std::string& tail,
    const std::function<void(SQLite::Statement&)>& bind);

std::vector<SeriesRecord> querySeries(SQLite::Database& db, std::int64_t run);

/// Fails, naming the chunk, where a blob does not have the length that its row tells.
[[nodiscard]] Result<SeriesSlice> querySlice(
    SQLite::Database& db, std::int64_t run, const std::string& name);

/// Appends the chunk of a row with the columns first_x, count, x, y from `column` on, x counted up
/// from its first value where none was stored; false if a blob has not the length of its row.
bool appendStoredChunk(SQLite::Statement& row, int column, SeriesSlice& slice);

std::vector<LifecycleEvent> queryEvents(SQLite::Database& db, std::int64_t run);

/// Marks every run that is not ended and whose host process is gone; returns how many.
int markInterrupted(SQLite::Database& db);

/// JSON text of a store, invalid UTF-8 replaced; and back, null for what is no JSON.
std::string toStoredJson(const nlohmann::json& json);
nlohmann::json fromStoredJson(const std::string& text);

} // namespace mantissa
